"""Hexapawn, on a string of nine squares from white's left to black's, and the player to move."""

from __future__ import annotations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move


class Hexapawn(Referee[tuple[str, int]]):
    start = ("www...bbb", 0)

    def moves(self, state: tuple[str, int]) -> Moves:
        board, player = state
        own, enemy, forward = ("w", "b", 3) if player == 0 else ("b", "w", -3)
        moves = []
        for square in range(9):
            target = square + forward
            if board[square] != own or target not in range(9):
                continue
            column = square % 3
            targets = [target] if board[target] == "." else []
            targets += [target - 1] if column > 0 and board[target - 1] == enemy else []
            targets += [target + 1] if column < 2 and board[target + 1] == enemy else []
            x, y = column + 1, square // 3 + 1
            moves += [f"(move {x} {y} {t % 3 + 1} {t // 3 + 1})" for t in targets]
        return in_turn(player, moves)

    def after(self, state: tuple[str, int], joint_move: tuple[str, ...]) -> tuple[str, int]:
        x, y, u, v = numbers(the_move(joint_move))
        board = list(state[0])
        board[x - 1 + 3 * (y - 1)] = "."
        board[u - 1 + 3 * (v - 1)] = "wb"[state[1]]
        return "".join(board), 1 - state[1]

    def has_arrived(self, board: str) -> bool:
        return "w" in board[6:] or "b" in board[:3]

    def is_over(self, state: tuple[str, int]) -> bool:
        return self.has_arrived(state[0]) or self.moves(state)[state[1]] == []

    def goals(self, state: tuple[str, int]) -> tuple[int, ...]:
        # Whether a pawn arrived or the opponent is stuck, the last player who moved wins.
        return (100, 0) if state[1] == 1 else (0, 100)


referee = Hexapawn()
