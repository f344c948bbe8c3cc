"""Tron: where the riders are (None once crashed), and the walls."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tests.games.referees import Moves, Referee, win_lose_draw

Square: TypeAlias = tuple[int, int]

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


class Board(NamedTuple):
    red: Square | None
    blue: Square | None
    walls: frozenset[Square]


class Tron(Referee[Board]):
    start = Board((1, 3), (6, 4), frozenset({(1, 3), (6, 4)}))

    def moves(self, state: Board) -> Moves:
        return list(STEPS), list(STEPS)

    def after(self, state: Board, joint_move: tuple[str, ...]) -> Board:
        assert state.red is not None
        assert state.blue is not None
        targets = []
        for (x, y), move in zip((state.red, state.blue), joint_move, strict=True):
            dx, dy = STEPS[move]
            targets.append((x + dx, y + dy))
        safe = [self.is_safe(state, target) and targets.count(target) == 1 for target in targets]
        reached = {target for target, is_safe in zip(targets, safe, strict=True) if is_safe}
        red, blue = (t if ok else None for t, ok in zip(targets, safe, strict=True))
        return Board(red, blue, state.walls | reached)

    def is_safe(self, state: Board, square: Square) -> bool:
        return all(1 <= coordinate <= 6 for coordinate in square) and square not in state.walls

    def is_over(self, state: Board) -> bool:
        return state.red is None or state.blue is None

    def goals(self, state: Board) -> tuple[int, ...]:
        return win_lose_draw(state.red is not None, state.blue is not None)


referee = Tron()
