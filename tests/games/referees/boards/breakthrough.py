"""Breakthrough: the squares of each player's pawns, and the player to move."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move

Square: TypeAlias = tuple[int, int]


class Board(NamedTuple):
    pawns: tuple[frozenset[Square], frozenset[Square]]
    player: int


class Breakthrough(Referee[Board]):
    start = Board(
        (
            frozenset((x, y) for x in range(1, 9) for y in (1, 2)),
            frozenset((x, y) for x in range(1, 9) for y in (7, 8)),
        ),
        0,
    )

    def moves(self, state: Board) -> Moves:
        own, other = state.pawns[state.player], state.pawns[1 - state.player]
        forward = 1 if state.player == 0 else -1
        moves = []
        for x, y in own:
            for u in (x - 1, x, x + 1):
                target = (u, y + forward)
                blocked = target in own or (u == x and target in other)
                if u in range(1, 9) and not blocked:
                    moves.append(f"(move {x} {y} {u} {y + forward})")
        return in_turn(state.player, moves)

    def after(self, state: Board, joint_move: tuple[str, ...]) -> Board:
        x, y, u, v = numbers(the_move(joint_move))
        own = state.pawns[state.player] - {(x, y)} | {(u, v)}
        other = state.pawns[1 - state.player] - {(u, v)}
        return Board((own, other) if state.player == 0 else (other, own), 1 - state.player)

    def has_won(self, state: Board, player: int) -> bool:
        farthest = 8 if player == 0 else 1
        arrived = any(y == farthest for _, y in state.pawns[player])
        return arrived or not state.pawns[1 - player]

    def is_over(self, state: Board) -> bool:
        return self.has_won(state, 0) or self.has_won(state, 1)

    def goals(self, state: Board) -> tuple[int, ...]:
        return (100, 0) if self.has_won(state, 0) else (0, 100)


referee = Breakthrough()
