"""Centipede: the turn, and the player who has taken."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, the_move

TAKER = [20, 30, 45, 60, 80, 100]
OTHERS = [5, 10, 15, 20, 25, 30]


class Centipede(Referee[tuple[int, int | None]]):
    start = (0, None)

    def moves(self, state: tuple[int, int | None]) -> Moves:
        return in_turn(state[0] % 3, ["take", "pass"], players=3)

    def after(
        self, state: tuple[int, int | None], joint_move: tuple[str, ...]
    ) -> tuple[int, int | None]:
        turn, _ = state
        return (turn, turn % 3) if the_move(joint_move) == "take" else (turn + 1, None)

    def is_over(self, state: tuple[int, int | None]) -> bool:
        return state[0] == 6 or state[1] is not None

    def goals(self, state: tuple[int, int | None]) -> tuple[int, ...]:
        turn, taker = state
        if taker is None:
            return 50, 50, 50
        return tuple(TAKER[turn] if player == taker else OTHERS[turn] for player in range(3))


referee = Centipede()
