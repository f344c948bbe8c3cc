"""Tic-tac-toe in the dark: the board of tic-tac-toe, and the squares that each player has tried."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, in_turn, numbers
from tests.games.referees.boards.tictactoe import winner


class Night(NamedTuple):
    board: str = "." * 9
    tried: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    player: int = 0


class KriegTicTacToe(Referee[Night]):
    start = Night()

    def moves(self, state: Night) -> Moves:
        untried = [s for s in range(9) if s not in state.tried[state.player]]
        return in_turn(state.player, [f"(place {s % 3 + 1} {s // 3 + 1})" for s in untried])

    def after(self, state: Night, joint_move: tuple[str, ...]) -> Night:
        column, row = numbers(joint_move[state.player])
        square = column - 1 + 3 * (row - 1)
        mine, theirs = (state.tried[state.player] | {square}, state.tried[1 - state.player])
        tried = (mine, theirs) if state.player == 0 else (theirs, mine)
        if state.board[square] != ".":
            return state._replace(tried=tried)
        board = state.board[:square] + "xo"[state.player] + state.board[square + 1 :]
        return Night(board, tried, 1 - state.player)

    def is_over(self, state: Night) -> bool:
        return winner(state.board) != "" or "." not in state.board

    def goals(self, state: Night) -> tuple[int, ...]:
        return {"x": (100, 0), "o": (0, 100), "": (50, 50)}[winner(state.board)]


referee = KriegTicTacToe()
