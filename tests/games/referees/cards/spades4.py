"""Spades for two teams."""

from __future__ import annotations

from tests.experiments.card_referee import CardReferee, State

#: The sums of the bids of ann and cid, and of bob and dan.
BIDS = 2, 2


class TeamSpades(CardReferee):
    def goals(self, state: State) -> tuple[int, ...]:
        tricks = [sum(who % 2 == team for who, _ in state.taken) for team in (0, 1)]
        over = [taken - bid for taken, bid in zip(tricks, BIDS, strict=True)]
        first, second = (
            0 if mine < 0 else 60 - 5 * mine + 40 * (others < 0)
            for mine, others in (over, reversed(over))
        )
        return first, second, first, second


referee = TeamSpades(
    [
        "d03 d13 h03 h13",
        "c06 d12 h06 s10",
        "c09 h04 h11 s07",
        "d11 h01 h09 s01",
    ],
    evaluation="",
    trump="s",
    unbroken="s",
)
