"""The eight puzzle: the tiles row by row with 0 for the gap, and the steps made."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, numbers

ORDERED = (1, 2, 3, 4, 5, 6, 7, 8, 0)


class EightPuzzle(Referee[tuple[tuple[int, ...], int]]):
    start = ((2, 3, 7, 1, 0, 8, 6, 5, 4), 0)

    def moves(self, state: tuple[tuple[int, ...], int]) -> Moves:
        tiles, _ = state
        y, x = divmod(tiles.index(0), 3)
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        movable = [tiles[u + 3 * v] for u, v in beside if u in range(3) and v in range(3)]
        return ([f"(slide {tile})" for tile in movable],)

    def after(
        self, state: tuple[tuple[int, ...], int], joint_move: tuple[str, ...]
    ) -> tuple[tuple[int, ...], int]:
        tiles, step = state
        moved = numbers(joint_move[0])[0]
        exchange = {0: moved, moved: 0}
        return tuple(exchange.get(tile, tile) for tile in tiles), step + 1

    def is_over(self, state: tuple[tuple[int, ...], int]) -> bool:
        tiles, step = state
        return tiles == ORDERED or step == 31

    def goals(self, state: tuple[tuple[int, ...], int]) -> tuple[int, ...]:
        return (100 if state[0] == ORDERED else 0,)


referee = EightPuzzle()
