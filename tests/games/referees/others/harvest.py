"""Harvest: the field, the barns, the turns taken."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move


class Farm(NamedTuple):
    field: int
    east: int
    west: int
    turns: int


class Harvest(Referee[Farm]):
    start = Farm(6, 0, 0, 0)

    def moves(self, state: Farm) -> Moves:
        return in_turn(state.turns % 2, [f"(reap {k})" for k in (1, 2, 3) if k <= state.field])

    def after(self, state: Farm, joint_move: tuple[str, ...]) -> Farm:
        reaped = numbers(the_move(joint_move))[0]
        left = state.field - reaped
        easts = state.turns % 2 == 0
        return Farm(
            field=min(6, left + left // 2),
            east=state.east + (reaped if easts else 0),
            west=state.west + (0 if easts else reaped),
            turns=state.turns + 1,
        )

    def is_over(self, state: Farm) -> bool:
        return state.field == 0 or state.turns == 6

    def goals(self, state: Farm) -> tuple[int, ...]:
        return 10 * state.east, 10 * state.west


referee = Harvest()
