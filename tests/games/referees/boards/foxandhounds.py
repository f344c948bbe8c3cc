"""Fox and hounds: the fox, the hounds, the player to move."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move

Square: TypeAlias = tuple[int, int]


class Field(NamedTuple):
    fox: Square
    hounds: frozenset[Square]
    player: int


class FoxAndHounds(Referee[Field]):
    start = Field((5, 1), frozenset({(2, 8), (4, 8), (6, 8), (8, 8)}), 0)

    def moves(self, state: Field) -> Moves:
        pieces, rows = ([state.fox], (-1, 1)) if state.player == 0 else (state.hounds, (-1,))
        taken = state.hounds | {state.fox}
        moves = []
        for x, y in pieces:
            for u, v in [(x + dx, y + dy) for dx in (-1, 1) for dy in rows]:
                if u in range(1, 9) and v in range(1, 9) and (u, v) not in taken:
                    moves.append(f"(move {x} {y} {u} {v})")
        return in_turn(state.player, moves)

    def after(self, state: Field, joint_move: tuple[str, ...]) -> Field:
        x, y, u, v = numbers(the_move(joint_move))
        if state.player == 0:
            return Field((u, v), state.hounds, 1)
        return Field(state.fox, state.hounds - {(x, y)} | {(u, v)}, 0)

    def is_over(self, state: Field) -> bool:
        return state.fox[1] == 8 or self.moves(state)[state.player] == []

    def goals(self, state: Field) -> tuple[int, ...]:
        return (100, 0) if state.fox[1] == 8 or state.player == 1 else (0, 100)


referee = FoxAndHounds()
