"""Connect four on a board of any size, on bitboards: a column is a run of bits."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move


class ConnectFour(Referee[tuple[int, int]]):
    """The bits of red and of yellow. A column has one bit more than its cells, which stays empty,
    so that no line runs on from one column's top to the next one's bottom.
    """

    start = (0, 0)

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows

    def height(self, state: tuple[int, int], column: int) -> int:
        bits = (state[0] | state[1]) >> (column * (self.rows + 1))
        return (bits & ((1 << self.rows) - 1)).bit_count()

    def has_line(self, bits: int) -> bool:
        for shift in (1, self.rows, self.rows + 1, self.rows + 2):
            pairs = bits & (bits >> shift)
            if pairs & (pairs >> 2 * shift):
                return True
        return False

    def moves(self, state: tuple[int, int]) -> Moves:
        player = (state[0] | state[1]).bit_count() % 2
        open_columns = [c for c in range(self.columns) if self.height(state, c) < self.rows]
        return in_turn(player, [f"(drop {column + 1})" for column in open_columns])

    def after(self, state: tuple[int, int], joint_move: tuple[str, ...]) -> tuple[int, int]:
        column = numbers(the_move(joint_move))[0] - 1
        disc = 1 << (column * (self.rows + 1) + self.height(state, column))
        red, yellow = state
        return (red, yellow | disc) if joint_move[0] == "noop" else (red | disc, yellow)

    def is_over(self, state: tuple[int, int]) -> bool:
        full = (state[0] | state[1]).bit_count() == self.columns * self.rows
        return full or any(map(self.has_line, state))

    def goals(self, state: tuple[int, int]) -> tuple[int, ...]:
        red, yellow = map(self.has_line, state)
        return (100, 0) if red else (0, 100) if yellow else (50, 50)


referee = ConnectFour(columns=7, rows=6)
