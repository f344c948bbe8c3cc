"""Triad: whose stone lies where, and the triads found from which cells touch."""

from __future__ import annotations

from itertools import combinations

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move

#: Row and place in the row of the cells 1 to 10.
CELLS = [(row, place) for row in range(4) for place in range(row + 1)]


def touch(one: int, other: int) -> bool:
    (row1, place1), (row2, place2) = CELLS[one], CELLS[other]
    return (row2 - row1, place2 - place1) in {(0, 1), (0, -1), (1, 0), (1, 1), (-1, 0), (-1, -1)}


class Triad(Referee[str]):
    start = "." * 10

    def moves(self, state: str) -> Moves:
        free = [cell for cell in range(10) if state[cell] == "."]
        return in_turn((10 - len(free)) % 3, [f"(place {cell + 1})" for cell in free], players=3)

    def after(self, state: str, joint_move: tuple[str, ...]) -> str:
        cell = numbers(the_move(joint_move))[0] - 1
        player = (10 - state.count(".")) % 3
        return state[:cell] + str(player) + state[cell + 1 :]

    def winner(self, state: str) -> int | None:
        for player in range(3):
            own = [cell for cell in range(10) if state[cell] == str(player)]
            for three in combinations(own, 3):
                if all(touch(one, other) for one, other in combinations(three, 2)):
                    return player
        return None

    def is_over(self, state: str) -> bool:
        return "." not in state or self.winner(state) is not None

    def goals(self, state: str) -> tuple[int, ...]:
        winner = self.winner(state)
        if winner is None:
            return 33, 33, 33
        return tuple(100 if player == winner else 0 for player in range(3))


referee = Triad()
