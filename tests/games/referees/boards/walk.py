"""The walk: a square."""

from __future__ import annotations

from tests.games.referees import Moves, Referee

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class Walk(Referee[tuple[int, int]]):
    start = (1, 1)

    def moves(self, state: tuple[int, int]) -> Moves:
        return (list(STEPS),)

    def after(self, state: tuple[int, int], joint_move: tuple[str, ...]) -> tuple[int, int]:
        dx, dy = STEPS[joint_move[0]]
        return min(8, max(1, state[0] + dx)), min(8, max(1, state[1] + dy))

    def is_over(self, state: tuple[int, int]) -> bool:
        return state == (8, 8)

    def goals(self, state: tuple[int, int]) -> tuple[int, ...]:
        return (100,)


referee = Walk()
