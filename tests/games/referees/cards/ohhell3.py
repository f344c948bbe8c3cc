"""Oh Hell for three."""

from __future__ import annotations

from tests.experiments.card_referee import CardReferee

referee = CardReferee(
    [
        "c08 h13 s06 s11",
        "c07 c11 d01 h06",
        "c06 c10 d11 h03",
    ],
    evaluation="oh",
    trump="h",
    bids=(0, 1, 1),
)
