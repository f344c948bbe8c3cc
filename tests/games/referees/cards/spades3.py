"""Spades for three."""

from __future__ import annotations

from tests.experiments.card_referee import CardReferee

referee = CardReferee(
    [
        "d01 s04 s06 s09",
        "d04 h13 s01 s07",
        "c02 h12 s03 s13",
    ],
    evaluation="mot",
    trump="s",
    unbroken="s",
    bids=(2, 1, 2),
)
