"""Unions of moves: what the next state depends on of the moves done, with few gates.

A role does one move, so all that can be said of it is that the move is one of some set. The rules
often ask for large sets: a cell stays as it is if the move is one of the many elsewhere. A set is
computed as the complement of the rest if that is smaller, and what several sets have in common is
computed once: again and again, the pair that most sets contain is replaced by its union (Paar 1997,
"Optimized arithmetic for Reed-Solomon encoders").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled.circuit.circuit import FALSE, TRUE, Circuit
from ggp.reasoner.compiled.codegen.straightline import Builder, cone
from ggp.reasoner.compiled.numba_support import nopython, signed

__all__ = ["add_unions"]

#: With more moves than this, or more sets, to count the pairs takes too long.
_MOST_MOVES = 1500
_MOST_SETS = 3000
#: There are never more unions than this for each move.
_UNIONS = 4


def add_unions(
    builder: Builder, circuit: Circuit, wanted: Sequence[int], literals: dict[int, int]
) -> None:
    """Add the gates of the sets of moves that literals of a circuit depend on.

    Args:
        builder: gets the gates.
        circuit: the circuit.
        wanted: literals of the circuit.
        literals: the literal in the builder of each input; those of moves that cannot be done are
            constants. It gains the literals of the sets.
    """
    moves = _Moves.of(circuit, literals)
    if not 0 < max(map(len, moves.possible), default=0) <= _MOST_MOVES:
        return
    asked = _asked(circuit, wanted, literals, moves)
    small = {moves.smaller(part) for refused in asked.values() for part in moves.parts(refused)}
    if len(small) > _MOST_SETS:
        return
    found = {0: FALSE}
    for own, full in zip(moves.possible, moves.full, strict=True):
        if sets := sorted(mask for mask in small if mask & full):
            inputs = [literals[moves.first + move] for move in own]
            members = np.array([[mask >> move & 1 for move in own] for mask in sets], np.bool_)
            found |= zip(sets, _unions(builder, members, inputs), strict=True)
    for literal, refused in asked.items():
        done = [
            found[moves.smaller(part)] ^ (moves.smaller(part) != part)
            for part in moves.parts(refused)
        ]
        literals[literal >> 1] = builder.any(done) ^ 1 ^ (literal & 1)


@dataclass(frozen=True)
class _Moves:
    """The moves that can be done. A set of moves is an integer with a bit for each."""

    #: The node of the first move of all.
    first: int
    #: The numbers of the moves of each role, and all of them as sets.
    possible: tuple[tuple[int, ...], ...]
    full: tuple[int, ...]

    @classmethod
    def of(cls, circuit: Circuit, literals: Mapping[int, int]) -> _Moves:
        """Return the moves whose literals are not constantly false."""
        first = 1 + len(circuit.facts)
        ends = accumulate(map(len, circuit.moves), initial=0)
        possible = tuple(
            tuple(move for move in range(begin, end) if literals[first + move] != FALSE)
            for begin, end in pairwise(ends)
        )
        return cls(first, possible, tuple(sum(1 << move for move in own) for own in possible))

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
    need = sorted(cone(circuit, wanted, literals))
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
            if both is None:
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
    for own, full in zip(moves.possible, moves.full, strict=True):
        for move in own:
            literal = 2 * (moves.first + move)
            refused |= {literal: full & ~(1 << move), literal + 1: 1 << move}
    for node, literal in literals.items():
        if literal in (FALSE, TRUE):
            refused |= {2 * node: refused[literal], 2 * node + 1: refused[literal ^ 1]}
    return refused


def _unions(builder: Builder, members: NDArray[np.bool_], inputs: Sequence[int]) -> Iterator[int]:
    """Yield the disjunction of some inputs for each row of `members`, bool[sets, inputs]."""
    sets, count = members.shape
    width = (1 + _UNIONS) * count
    rows = np.zeros((sets, width), np.bool_)
    rows[:, :count] = members
    counts = np.zeros((width, width), np.int16)
    numbers = members.astype(np.float32)
    counts[:count, :count] = numbers.T @ numbers
    np.fill_diagonal(counts, 0)
    made = np.empty((width - count, 2), np.int32)
    best, most = counts.argmax(axis=1).astype(np.int32), counts.max(axis=1)
    size = _share_pairs(rows, counts, best, most, made, count)
    values = [*inputs]
    for one, other in made[:size].tolist():
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
