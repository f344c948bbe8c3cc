"""Nim: the pile, and the player to move."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move


class Nim(Referee[tuple[int, int]]):
    start = (6, 0)

    def moves(self, state: tuple[int, int]) -> Moves:
        pile, player = state
        return in_turn(player, [f"(take {k})" for k in range(1, min(3, pile) + 1)])

    def after(self, state: tuple[int, int], joint_move: tuple[str, ...]) -> tuple[int, int]:
        pile, player = state
        return pile - numbers(the_move(joint_move))[0], 1 - player

    def is_over(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def goals(self, state: tuple[int, int]) -> tuple[int, ...]:
        return (100, 0) if state[1] == 0 else (0, 100)


referee = Nim()
