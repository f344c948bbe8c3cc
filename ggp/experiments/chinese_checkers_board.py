"""Chinese checkers for three on a star, written in GDL.

A hole has coordinates x, y and z, whose sum is 0. The star consists of two triangles that overlap
in a hexagon. With radius 3, measured from the centre to the side of the hexagon, it has 73 holes
and six pieces for each player; with radius 2, 37 holes and three pieces; with radius 1, 13 holes
and one piece. The first player starts in the point where x is smallest and moves to the one where
it is largest; the second does the same in y and the third in z.

A turn is a step to an adjacent hole, or one or two hops over any piece to the hole behind it, never
backwards. To keep the game small, only a limited number of moves is legal in a state: those that go
the farthest, and among these first the moves of the pieces that are farthest behind. A move is
written `(move SHORT FROM TO)`, where SHORT is the number of rows by which it falls short of the
longest move, so that sorted moves begin with the longest.

The goals have a constant sum: each player begins with 34, gains two for each row that one of its
own pieces advances, and loses one for each row that another player's piece advances. The game ends
when a player has brought all pieces home, when another move could take a goal below 0 or above 100,
or after a given number of moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, product
from typing import TypeAlias

__all__ = ["FIRST_GOAL", "LAST_PLY", "LONGEST", "PLAYERS", "Hole", "Star"]

#: Coordinates whose sum is 0.
Hole: TypeAlias = tuple[int, int, int]

PLAYERS = ("red", "green", "blue")
#: The most rows that a turn may gain: two hops of two rows.
LONGEST = 4
FIRST_GOAL = 34
LAST_PLY = 120

_DIRECTIONS = [each for each in product((-1, 0, 1), repeat=3) if sum(each) == 0 and any(each)]


@dataclass(frozen=True)
class Star:
    """The board of a given size, and the game on it. Players are numbered from 0."""

    radius: int = 3

    @cached_property
    def names(self) -> Mapping[Hole, str]:
        """The holes, and their names in the rules."""
        coordinates = range(-2 * self.radius, 2 * self.radius + 1)
        holes = ((x, y, -x - y) for x, y in product(coordinates, repeat=2))
        inside = [hole for hole in holes if max(hole) <= self.radius or min(hole) >= -self.radius]
        return {hole: f"h{number:02}" for number, hole in enumerate(inside, 1)}

    def start(self, player: int) -> list[Hole]:
        """Return the holes in which a player's pieces start."""
        return [hole for hole in self.names if hole[player] < -self.radius]

    def home(self, player: int) -> list[Hole]:
        """Return the holes to which a player's pieces go: the point on the opposite side."""
        return [hole for hole in self.names if hole[player] > self.radius]

    def options(self, player: int) -> list[tuple[int, Hole, Hole]]:
        """Return all moves that a player may ever make, the preferred first: rows, from, to."""
        gains = {
            (end[player] - hole[player], hole, end)
            for hole in self.names
            for end in chain(
                self._beside(hole),
                self._hops(hole),
                chain.from_iterable(map(self._hops, self._hops(hole))),
            )
            if end != hole
        }
        forwards = (each for each in gains if each[0] >= 0)
        return sorted(forwards, key=lambda each: (-each[0], each[1][player], each[1], each[2]))

    def rules(self, most: int) -> str:
        """Return the rules of the game with at most `most` legal moves in a state."""
        return "\n".join((*self._board(), *self._counting(most), *self._players(), _PLAY))

    def _beside(self, hole: Hole) -> Iterator[Hole]:
        ends = (_towards(hole, one) for one in _DIRECTIONS)
        return (end for end in ends if end in self.names)

    def _hops(self, hole: Hole) -> Iterator[Hole]:
        ends = (_towards(_towards(hole, one), one) for one in _DIRECTIONS)
        return (end for end in ends if end in self.names)

    def _board(self) -> Iterator[str]:
        """Yield the facts of the board: its holes, adjacent holes, and hops."""
        names = self.names
        for hole, name in names.items():
            yield f"(hole {name})"
            yield from (f"(beside {name} {names[end]})" for end in self._beside(hole))
            for end in self._hops(hole):
                x, y, z = ((one + other) // 2 for one, other in zip(hole, end, strict=True))
                yield f"(hop {name} {names[x, y, z]} {names[end]})"

    def _players(self) -> Iterator[str]:
        """Yield the facts of each player: pieces, home, and moves in the order of preference."""
        names = self.names
        for number, player in enumerate(PLAYERS):
            yield f"(role {player})"
            yield f"(follows {player} {PLAYERS[(number + 1) % 3]})"
            yield f"(init (lead {player} {FIRST_GOAL}))"
            yield from (f"(init (piece {player} {names[hole]}))" for hole in self.start(number))
            pieces = (f"(true (piece {player} {names[hole]}))" for hole in self.home(number))
            yield f"(<= (home {player}) {' '.join(pieces)})"
            moves = self.options(number)
            for place, (gain, hole, end) in enumerate(moves, 1):
                yield f"(option {player} {place} {LONGEST - gain} {names[hole]} {names[end]})"
            yield f"(options {player} {len(moves)})"

    def _counting(self, most: int) -> Iterator[str]:
        last = max(len(self.options(player)) for player in range(3))
        yield from (f"(next_option {n} {m})" for n, m in pairwise(range(1, last + 1)))
        yield from (f"(succ {n} {m})" for n, m in pairwise(range(1, most + 1)))
        yield f"(most {most})"
        for short in range(LONGEST + 1):
            gain = LONGEST - short
            yield from (f"(raised {short} {n} {n + 2 * gain})" for n in range(101 - 2 * gain))
            yield from (f"(lowered {short} {n} {n - gain})" for n in range(gain, 101))
        yield from (f"(too_far {n})" for n in range(101) if not LONGEST <= n <= 100 - 2 * LONGEST)
        yield from (f"(ply_after {n} {m})" for n, m in pairwise(range(LAST_PLY + 1)))
        yield f"(<= terminal (true (ply {LAST_PLY})))"


def _towards(hole: Hole, direction: tuple[int, ...]) -> Hole:
    x, y, z = (place + one for place, one in zip(hole, direction, strict=True))
    return x, y, z


_PLAY = """
(init (control red))
(init (ply 0))

(<= (taken ?hole) (true (piece ?player ?hole)))
(<= (own ?hole) (true (control ?player)) (true (piece ?player ?hole)))
(<= (free ?hole) (hole ?hole) (not (taken ?hole)))

; Where a piece of the player may go: beside, or by one hop or two. It does not hop over itself.
(<= (reached ?hole ?end) (own ?hole) (beside ?hole ?end) (free ?end))
(<= (hopped ?hole ?end) (own ?hole) (hop ?hole ?over ?end) (taken ?over) (free ?end))
(<= (reached ?hole ?end) (hopped ?hole ?end))
(<= (reached ?hole ?end)
    (hopped ?hole ?between)
    (hop ?between ?over ?end)
    (taken ?over)
    (distinct ?over ?hole)
    (free ?end))

; Of the options in their order those that are possible, and how many there are up to each.
(<= (possible ?player ?place)
    (true (control ?player))
    (option ?player ?place ?short ?hole ?end)
    (reached ?hole ?end))
(<= (among ?player ?place 1) (possible ?player ?place))
(<= (among ?player ?place ?n) (next_option ?before ?place) (option ?player ?place ?s ?h ?e)
    (among ?player ?before ?n))
(<= (among ?player ?place ?m) (next_option ?before ?place) (possible ?player ?place)
    (among ?player ?before ?n) (succ ?n ?m))
(<= (late ?player ?place) (most ?n) (next_option ?before ?place) (among ?player ?before ?n))

(<= (legal ?player (move ?short ?hole ?end))
    (option ?player ?place ?short ?hole ?end)
    (possible ?player ?place)
    (not (late ?player ?place)))
(<= (can_move ?player) (options ?player ?last) (among ?player ?last 1))
(<= (legal ?player pass) (true (control ?player)) (not (can_move ?player)))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))

(<= (next (piece ?player ?hole)) (true (piece ?player ?hole)) (not (left ?hole)))
(<= (left ?hole) (does ?player (move ?short ?hole ?end)))
(<= (next (piece ?player ?end)) (does ?player (move ?short ?hole ?end)))
(<= (gained ?player ?short) (does ?player (move ?short ?hole ?end)))
(<= moved (gained ?player ?short))
(<= (next (lead ?player ?m)) (gained ?player ?short) (true (lead ?player ?n)) (raised ?short ?n ?m))
(<= (next (lead ?player ?m)) (gained ?other ?short) (true (lead ?player ?n))
    (distinct ?player ?other) (lowered ?short ?n ?m))
(<= (next (lead ?player ?n)) (true (lead ?player ?n)) (not moved))
(<= (next (control ?other)) (true (control ?player)) (follows ?player ?other))
(<= (next (ply ?m)) (true (ply ?n)) (ply_after ?n ?m))

(<= terminal (home ?player))
(<= terminal (true (lead ?player ?n)) (too_far ?n))
(<= (goal ?player ?n) (true (lead ?player ?n)))
"""
