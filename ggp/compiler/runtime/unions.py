"""Unions of moves: what the next state depends on of the moves done, with few gates.

A role does one move, so all that can be said of it is that the move is one of some set. The rules
often ask for large sets: a cell stays as it is if the move is one of the many elsewhere. A set is
computed as the complement of the rest if that is smaller, and what several sets have in common is
computed once: again and again, the pair that most sets contain is replaced by its union (Paar 1997,
"Optimized arithmetic for Reed-Solomon encoders").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.straightline import Builder, cone
from ggp.native.numba_support import nopython, signed

__all__ = ["Incomplete", "Unions", "United", "complete"]

#: With more moves than this, or more sets, to count the pairs takes too long.
_MOST_MOVES = 1500
_MOST_SETS = 3000
#: There are never more unions than this for each move.
_UNIONS = 4


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A row that still lacks the lanes in which one of some moves is made."""

    row: int
    moves: frozenset[int]


@dataclass(frozen=True, slots=True)
class United:
    """Of each set, an integer with a bit for each move, the lanes that make one of its moves."""

    sets: dict[int, int]
    incomplete: list[Incomplete]


@dataclass(frozen=True)
class Unions:
    """The sets of moves that literals of a circuit depend on."""

    moves: _Moves
    #: Of each literal of the circuit that holds unless certain moves are made, these moves.
    asked: dict[int, int]

    @classmethod
    def of(
        cls,
        circuit: Circuit,
        wanted: Sequence[int],
        literals: Mapping[int, int],
        possible: Sequence[Sequence[int]],
    ) -> Unions | None:
        """Return the sets that the wanted literals depend on, unless there are too many.

        Args:
            circuit: the circuit.
            wanted: literals of the circuit.
            literals: those of its nodes that are known, as literals of a builder.
            possible: of each role, its moves that can be made, numbered among all roles'.
        """
        moves = _Moves.of(circuit, possible)
        if not 0 < max(map(len, possible), default=0) <= _MOST_MOVES:
            return None
        found = cls(moves, _asked(circuit, wanted, literals, moves))
        many = sum(each.bit_count() > 1 for each in found._sets)
        return found if many <= _MOST_SETS else None

    @cached_property
    def _sets(self) -> list[int]:
        """The sets that are united: of one role's moves, or the rest where that is smaller."""
        parts = (part for refused in self.asked.values() for part in self.moves.parts(refused))
        return sorted(set(map(self.moves.smaller, parts)))

    def add(self, builder: Builder, made: Mapping[int, int]) -> United:
        """Add the gates of the sets.

        Args:
            builder: gets the gates.
            made: of moves that can be made, the lanes that make them. A set with possible moves
                that are not among these becomes a row, and `complete` adds them.
        """
        found = {0: FALSE}
        rows = []
        late = sum(1 << move for own in self.moves.possible for move in own if move not in made)
        for own, full in zip(self.moves.possible, self.moves.full, strict=True):
            inputs = {move: made[move] for move in own if move in made}
            sets = [each for each in self._sets if each & full]
            for each, union in zip(sets, _unions(builder, sets, inputs), strict=True):
                found[each] = union
                if missing := each & late:
                    (row,) = builder.new_rows(1)
                    builder.write(row, union)
                    found[each] = builder.row(row)
                    rows.append(Incomplete(row, frozenset(m for m in own if missing >> m & 1)))
        return United(found, rows)

    def literals(self, builder: Builder, united: United) -> dict[int, int]:
        """Return the literals here of the circuit's nodes that depend on nothing but the sets.

        Where sets are rows, they must be complete, and this must be another phase.
        """
        result = {}
        for literal, refused in self.asked.items():
            done = [
                united.sets[self.moves.smaller(part)] ^ (self.moves.smaller(part) != part)
                for part in self.moves.parts(refused)
            ]
            result[literal >> 1] = builder.any(done) ^ 1 ^ (literal & 1)
        return result


def complete(builder: Builder, rows: Iterable[Incomplete], made: Mapping[int, int]) -> None:
    """Add to rows the lanes that make some of their moves."""
    concerned = [each for each in rows if not each.moves.isdisjoint(made)]
    sets = [sum(1 << move for move in made if move in each.moves) for each in concerned]
    for each, union in zip(concerned, _unions(builder, sets, made), strict=True):
        builder.write(each.row, builder.or_(builder.row(each.row), union))


@dataclass(frozen=True)
class _Moves:
    """The moves that can be done. A set of moves is an integer with a bit for each."""

    #: The nodes of all moves.
    nodes: range
    #: The numbers of the moves of each role, and all of them as sets.
    possible: tuple[tuple[int, ...], ...]
    full: tuple[int, ...]

    @classmethod
    def of(cls, circuit: Circuit, possible: Sequence[Sequence[int]]) -> _Moves:
        """Return the moves of these numbers."""
        full = tuple(sum(1 << move for move in own) for own in possible)
        return cls(circuit.move_nodes, tuple(map(tuple, possible)), full)

    @property
    def all_of_some_role(self) -> int:
        """The set that stands for all sets of which some move is always done."""
        return next(own for own in self.full if own)

    def parts(self, moves: int) -> Iterator[int]:
        """Yield the parts of a set that belong to each role, unless they are empty."""
        for own in self.full:
            if part := moves & own:
                yield part

    def rest(self, part: int) -> int:
        """Return the other moves of the role that has these."""
        return next(own for own in self.full if own & part) & ~part

    def smaller(self, part: int) -> int:
        """Return a set of one role's moves, or the rest if that is smaller."""
        return min(part, self.rest(part), key=lambda each: (each.bit_count(), each))

    def union(self, one: int | None, other: int | None) -> int | None:
        """Return what a conjunction refuses: both; None if that is no set."""
        always = self.all_of_some_role
        if always in (one, other):
            return always
        if one is None or other is None:
            return None
        both = one | other
        return always if any(own and both & own == own for own in self.full) else both

    def negation(self, refused: int | None) -> int | None:
        """Return what the negation refuses of what refuses these moves.

        None if that is no set: what refuses moves of two roles holds if neither is done, so its
        negation refuses none of them by itself.
        """
        if refused is None:
            return None
        parts = [*self.parts(refused)]
        if len(parts) > 1:
            return None
        return self.rest(parts[0]) if parts else self.all_of_some_role


def _asked(
    circuit: Circuit, wanted: Sequence[int], literals: Mapping[int, int], moves: _Moves
) -> dict[int, int]:
    """Return literals that hold unless certain moves are done, as other gates need them.

    Whatever depends on nothing but the move of one role is such a literal.

    Returns:
        for each literal of the circuit the set of moves that it refuses.
    """
    refused = _refused_by_inputs(literals, moves)
    need = sorted(node for node in cone(circuit, wanted, literals) if node > circuit.inputs)
    left, right = circuit.gates[need].T.tolist()
    latches = {int(latch) for loop in circuit.loops for latch in loop.latches}
    readable = {literal >> 1 for literal in wanted}
    readable |= {int(driver) >> 1 for loop in circuit.loops for driver in loop.drivers}
    for node, x, y in zip(need, left, right, strict=True):
        if node in latches:
            continue
        if refused.get(x) == 0 or refused.get(y) == 0:  # the gate is the same as its other input
            other = y if refused.get(x) == 0 else x
            found = {2 * node + sign: refused.get(other ^ sign) for sign in (0, 1)}
        else:
            both = moves.union(refused.get(x), refused.get(y))
            found = {2 * node: both, 2 * node + 1: moves.negation(both)}
        if found[2 * node] is None:
            readable |= {x >> 1, y >> 1}
        refused |= {literal: own for literal, own in found.items() if own is not None}
    return {
        literal: refused[literal]
        for node in sorted(readable.difference(literals))
        for literal in [*({2 * node, 2 * node + 1} & refused.keys())][:1]
    }


def _refused_by_inputs(literals: Mapping[int, int], moves: _Moves) -> dict[int, int]:
    """Return what moves and constants refuse, as literals of the circuit."""
    refused = {FALSE: moves.all_of_some_role, TRUE: 0}
    for node in moves.nodes:  # moves that cannot be made
        refused |= {2 * node: refused[FALSE], 2 * node + 1: refused[TRUE]}
    for own, full in zip(moves.possible, moves.full, strict=True):
        for move in own:
            literal = 2 * moves.nodes[move]
            refused |= {literal: full & ~(1 << move), literal + 1: 1 << move}
    for node, literal in literals.items():
        if literal in (FALSE, TRUE):
            refused |= {2 * node: refused[literal], 2 * node + 1: refused[literal ^ 1]}
    return refused


def _unions(builder: Builder, sets: Sequence[int], made: Mapping[int, int]) -> Iterator[int]:
    """Yield the disjunction of the literals of the moves that each set has of those in `made`."""
    if not sets or not made:
        yield from [FALSE] * len(sets)
        return
    count = len(made)
    width = (1 + _UNIONS) * count
    rows = np.zeros((len(sets), width), np.bool_)
    rows[:, :count] = [[each >> move & 1 for move in made] for each in sets]
    counts = np.zeros((width, width), np.int16)
    numbers = rows[:, :count].astype(np.float32)
    counts[:count, :count] = numbers.T @ numbers
    np.fill_diagonal(counts, 0)
    pairs = np.empty((width - count, 2), np.int32)
    best, most = counts.argmax(axis=1).astype(np.int32), counts.max(axis=1)
    size = _share_pairs(rows, counts, best, most, pairs, count)
    values = [*made.values()]
    for one, other in pairs[:size].tolist():
        values.append(builder.or_(values[one], values[other]))
    for row in rows:
        yield builder.any(values[member] for member in np.flatnonzero(row))


@nopython
def _share_pairs(
    rows: NDArray[np.bool_],
    counts: NDArray[np.int16],
    best: NDArray[np.int32],
    most: NDArray[np.int16],
    made: NDArray[np.int32],
    size: int,
) -> int:
    """Replace pairs of columns that several rows have by a new column, while there are any.

    Args:
        rows: the columns that each row has.
        counts: in how many rows two columns stand together.
        best: for each column the one that stands with it in the most rows,
        most: and in how many; or once stood, because counts only fall.
        made: gets the pair of columns that each new one replaces.
        size: how many columns there are.

    Returns:
        how many columns are new.
    """
    first = size
    while size < len(counts):
        one = np.argmax(most[:size])
        if most[one] < 2:
            break
        other = signed(best[one])
        if counts[one, other] < most[one]:
            best[one] = np.argmax(counts[one, :size])
            most[one] = counts[one, best[one]]
            continue
        new = size
        size += 1
        made[new - first, 0], made[new - first, 1] = one, other
        for row in range(len(rows)):
            if not (rows[row, one] and rows[row, other]):
                continue
            rows[row, one] = rows[row, other] = False
            for column in range(new):
                if rows[row, column]:
                    for gone in (one, other):
                        counts[gone, column] -= 1
                        counts[column, gone] -= 1
                    counts[new, column] += 1
                    counts[column, new] += 1
            counts[one, other] -= 1
            counts[other, one] -= 1
            rows[row, new] = True
        best[new] = np.argmax(counts[new, :size])
        most[new] = counts[new, best[new]]
    return size - first
