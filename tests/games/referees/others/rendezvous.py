"""Rendezvous: where the two hikers are, as complex numbers, and the hours gone."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee

STEPS = {"wait": 0, "north": 1j, "south": -1j, "east": 1, "west": -1}


class Meadow(NamedTuple):
    anna: complex
    ben: complex
    hours: int


def steps(at: complex) -> list[str]:
    inside = {complex(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}
    return [name for name, step in STEPS.items() if at + step in inside]


class Rendezvous(Referee[Meadow]):
    start = Meadow(1 + 1j, 3 + 3j, 0)

    def moves(self, state: Meadow) -> Moves:
        return steps(state.anna), steps(state.ben)

    def after(self, state: Meadow, joint_move: tuple[str, ...]) -> Meadow:
        anna, ben = (STEPS[move] for move in joint_move)
        return Meadow(state.anna + anna, state.ben + ben, state.hours + 1)

    def is_over(self, state: Meadow) -> bool:
        return state.anna == state.ben or state.hours == 4

    def goals(self, state: Meadow) -> tuple[int, ...]:
        return (100, 100) if state.anna == state.ben else (0, 0)


referee = Rendezvous()
