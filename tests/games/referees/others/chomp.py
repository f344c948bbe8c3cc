"""Chomp: how many squares are left in each row from below, and the player to move."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move


class Chomp(Referee[tuple[tuple[int, ...], int]]):
    start = ((4, 4, 4), 0)

    def moves(self, state: tuple[tuple[int, ...], int]) -> Moves:
        rows, player = state
        squares = [(x + 1, y + 1) for y, length in enumerate(rows) for x in range(length)]
        return in_turn(player, [f"(bite {x} {y})" for x, y in squares])

    def after(
        self, state: tuple[tuple[int, ...], int], joint_move: tuple[str, ...]
    ) -> tuple[tuple[int, ...], int]:
        rows, player = state
        x, y = numbers(the_move(joint_move))
        left = tuple(
            min(length, x - 1) if row >= y - 1 else length for row, length in enumerate(rows)
        )
        return left, 1 - player

    def is_over(self, state: tuple[tuple[int, ...], int]) -> bool:
        return state[0] == (0, 0, 0)

    def goals(self, state: tuple[tuple[int, ...], int]) -> tuple[int, ...]:
        return (100, 0) if state[1] == 0 else (0, 100)


referee = Chomp()
