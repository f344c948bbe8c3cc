"""Lights out: the lit lamps as nine bits, and the presses made."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, numbers


def switched_by(x: int, y: int) -> int:
    near = [(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    return sum(1 << (u + 3 * v) for u, v in near if u in range(3) and v in range(3))


class LightsOut(Referee[tuple[int, int]]):
    start = (0b111_111_111, 0)

    def moves(self, state: tuple[int, int]) -> Moves:
        return ([f"(press {x} {y})" for x in (1, 2, 3) for y in (1, 2, 3)],)

    def after(self, state: tuple[int, int], joint_move: tuple[str, ...]) -> tuple[int, int]:
        x, y = numbers(joint_move[0])
        return state[0] ^ switched_by(x - 1, y - 1), state[1] + 1

    def is_over(self, state: tuple[int, int]) -> bool:
        return state[0] == 0 or state[1] == 9

    def goals(self, state: tuple[int, int]) -> tuple[int, ...]:
        return (100 if state[0] == 0 else 0,)


referee = LightsOut()
