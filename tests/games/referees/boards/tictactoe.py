"""Tic-tac-toe, on a string of nine characters, row by row."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def winner(board: str) -> str:
    for line in LINES:
        marks = {board[int(square)] for square in line}
        if len(marks) == 1 and marks != {"."}:
            return marks.pop()
    return ""


class TicTacToe(Referee[str]):
    start = "." * 9

    def moves(self, state: str) -> Moves:
        free = [square for square in range(9) if state[square] == "."]
        player = (9 - len(free)) % 2
        return in_turn(player, [f"(place {s % 3 + 1} {s // 3 + 1})" for s in free])

    def after(self, state: str, joint_move: tuple[str, ...]) -> str:
        column, row = numbers(the_move(joint_move))
        square = column - 1 + 3 * (row - 1)
        mark = "x" if joint_move[1] == "noop" else "o"
        return state[:square] + mark + state[square + 1 :]

    def is_over(self, state: str) -> bool:
        return winner(state) != "" or "." not in state

    def goals(self, state: str) -> tuple[int, ...]:
        return {"x": (100, 0), "o": (0, 100), "": (50, 50)}[winner(state)]


referee = TicTacToe()
