"""A second implementation of Chinese checkers on a star, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ggp.experiments.chinese_checkers_board import Hole, Star

PLAYERS = ("red", "green", "blue")
SIDES = [(1, -1, 0), (-1, 1, 0), (1, 0, -1), (-1, 0, 1), (0, 1, -1), (0, -1, 1)]


def plus(hole: Hole, side: Hole) -> Hole:
    return hole[0] + side[0], hole[1] + side[1], hole[2] + side[2]


@dataclass(frozen=True)
class Position:
    """The places of the pieces, the player to move, and how far each player has come."""

    pieces: dict[Hole, int]
    mover: int
    progress: tuple[int, int, int]
    ply: int


@dataclass(frozen=True)
class Referee:
    star: Star
    most: int

    def start(self) -> Position:
        radius = self.star.radius
        pieces = {
            hole: player
            for player in range(3)
            for hole in self.star.names
            if hole[player] < -radius
        }
        return Position(pieces, 0, (0, 0, 0), 0)

    def moves(self, position: Position) -> list[str]:
        """The moves of the player to move, as the rules write them, sorted."""
        mover, found = position.mover, []
        for hole, owner in position.pieces.items():
            if owner == mover:
                for end in self._ends(position, hole):
                    gain = end[mover] - hole[mover]
                    if gain >= 0:
                        found.append((-gain, hole[mover], hole, end))
        chosen = sorted(set(found))[: self.most]
        written = (f"(move {4 + less} {self._name(hole)} {self._name(end)})"
                   for less, _, hole, end in chosen)  # fmt: skip
        return sorted(written) or ["pass"]

    def after(self, position: Position, move: str) -> Position:
        following = replace(position, mover=(position.mover + 1) % 3, ply=position.ply + 1)
        if move == "pass":
            return following
        holes = {name: hole for hole, name in self.star.names.items()}
        _, _, start, end = move.strip("()").split()
        pieces = dict(position.pieces)
        pieces[holes[end]] = pieces.pop(holes[start])
        progress = list(position.progress)
        progress[position.mover] += holes[end][position.mover] - holes[start][position.mover]
        one, two, three = progress
        return replace(following, pieces=pieces, progress=(one, two, three))

    def goals(self, position: Position) -> tuple[int, ...]:
        every = sum(position.progress)
        return tuple(34 + 2 * own - (every - own) for own in position.progress)

    def is_over(self, position: Position) -> bool:
        return (
            position.ply == 120
            or any(not 4 <= goal <= 92 for goal in self.goals(position))
            or any(
                all(
                    position.pieces.get(hole) == player
                    for hole in self.star.names
                    if hole[player] > self.star.radius
                )
                for player in range(3)
            )
        )

    def _name(self, hole: Hole) -> str:
        return self.star.names[hole]

    def _ends(self, position: Position, hole: Hole) -> Iterator[Hole]:
        others = set(position.pieces) - {hole}
        free = set(self.star.names) - set(position.pieces)

        def hops(start: Hole) -> set[Hole]:
            return {
                plus(plus(start, side), side)
                for side in SIDES
                if plus(start, side) in others and plus(plus(start, side), side) in free
            }

        yield from (plus(hole, side) for side in SIDES if plus(hole, side) in free)
        for end in hops(hole):
            yield end
            yield from hops(end)
