"""Rock, paper, scissors: each shape beats the one before it, counted modulo 3."""

from __future__ import annotations

from tests.games.referees import Moves, Referee

SHAPES = ["rock", "paper", "scissors"]


class RockPaperScissors(Referee[tuple[str, ...]]):
    start = ()

    def moves(self, state: tuple[str, ...]) -> Moves:
        return SHAPES, SHAPES

    def after(self, state: tuple[str, ...], joint_move: tuple[str, ...]) -> tuple[str, ...]:
        return joint_move

    def is_over(self, state: tuple[str, ...]) -> bool:
        return state != ()

    def goals(self, state: tuple[str, ...]) -> tuple[int, ...]:
        left, right = map(SHAPES.index, state)
        return [(50, 50), (100, 0), (0, 100)][(left - right) % 3]


referee = RockPaperScissors()
