"""Spades for two."""

from __future__ import annotations

from tests.experiments.card_referee import CardReferee

referee = CardReferee(
    [
        "c02 c06 h04 h11 s01 s05",
        "d05 d11 h01 h03 h06 s11",
    ],
    evaluation="mot",
    trump="s",
    unbroken="s",
    bids=(2, 2),
)
