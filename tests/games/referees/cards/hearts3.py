"""Hearts for three."""

from __future__ import annotations

from tests.experiments.card_referee import CardReferee

referee = CardReferee(
    [
        "c08 d12 h07 h12",
        "d05 d11 h06 s12",
        "c11 h09 s03 s08",
    ],
    evaluation="moon",
    unbroken="h",
)
