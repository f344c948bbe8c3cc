"""Straight-line programs over rows of lanes: what a circuit becomes before it becomes code.

A *row* is one bit of every lane: W words of 64 bits, side by side in one buffer. A program reads
some rows, combines them bit by bit, and writes some rows; row numbers are fixed when it is built.
Its nodes are those of an and-inverter graph, enriched by the three-input functions that adders and
choices are made of. A *literal* is ``2 * node``, or ``2 * node + 1`` for its negation; literal 0 is
false, literal 1 is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit, Literals
from ggp.native.numba_support import nopython, signed

__all__ = ["Block", "Builder", "Kind", "Program", "cone"]


class Kind(IntEnum):
    """What a node computes from its operands."""

    FALSE = 0
    #: The row given as its operand.
    ROW = 1
    AND = 2
    XOR = 3
    #: The parity of three.
    XOR3 = 4
    #: The majority of three.
    MAJ = 5
    #: The second where the first is set, else the third.
    MUX = 6


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of nodes, `first` <= n < `last`, that is run once, or until nothing changes.

    A block with `latches` is run until no lane of any latch changes. A latch is a row and the
    literal that it takes after each run; it begins as false.
    """

    first: int
    last: int
    phase: str
    latches: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """Nodes in the order in which they are computed, in blocks, and the rows that receive results.

    All blocks of one phase make one function. The phases are run in their order, over and over; one
    whose nodes are private may be left out.
    """

    kinds: list[Kind]
    operands: list[tuple[int, ...]]
    blocks: tuple[Block, ...]
    #: Per output its row, its literal and the number of the block that it is written after. An
    #: output may be a row that the program reads: the reads of that phase all see the old value.
    outputs: tuple[tuple[int, int, int], ...]
    #: The number of rows that are named; scratch rows come after these.
    rows: int
    #: Whether `order` computes a gate just before the first gate of its block that reads it, even
    #: if an output or another block reads it, too. Digits of sums are computed at once, because
    #: their operands would otherwise stay in use.
    late: bool = False

    @property
    def phases(self) -> tuple[str, ...]:
        """The names of the phases, in their order."""
        return tuple(dict.fromkeys(block.phase for block in self.blocks))

    def live(self) -> list[bool]:
        """Return which nodes some output or latch depends on."""
        live = [False] * len(self.kinds)
        for _, literal, _ in self.outputs:
            live[literal >> 1] = True
        for block in self.blocks:
            for _, driver in block.latches:
                live[driver >> 1] = True
        for node in reversed(range(1, len(live))):
            if live[node] and self.kinds[node] is not Kind.ROW:
                for operand in self.operands[node]:
                    live[operand >> 1] = True
        return live

    def order(self) -> list[list[int]]:
        """Return the gates of each block in an order that keeps few values in use.

        Each result is computed in full before the next one is begun, depth first.
        """
        live = self.live()
        home = [0] * len(self.kinds)
        for number, block in enumerate(self.blocks):
            home[block.first : block.last] = [number] * (block.last - block.first)
        roots = self._late_roots(live, home) if self.late else self._roots(live, home)
        done = [kind in (Kind.ROW, Kind.FALSE) for kind in self.kinds]
        result = []
        for block in self.blocks:
            order: list[int] = []
            for root in range(block.first, block.last):
                stack = [root] if live[root] and root in roots else []
                while stack:
                    node = stack[-1]
                    waiting = () if done[node] else [
                        x >> 1 for x in reversed(self.operands[node]) if not done[x >> 1]
                    ]  # fmt: skip
                    if waiting:
                        stack += waiting
                        continue
                    stack.pop()
                    if not done[node]:
                        done[node] = True
                        order.append(node)
            result.append(order)
        return result

    def _roots(self, live: list[bool], home: list[int]) -> set[int]:
        """Return the gates that outputs, latches and other blocks read; `home` has their blocks."""
        roots = {literal >> 1 for _, literal, _ in self.outputs}
        for number, block in enumerate(self.blocks):
            roots |= {driver >> 1 for _, driver in block.latches}
            for node in range(block.first, block.last):
                if live[node] and self.kinds[node] is not Kind.ROW:
                    roots |= {x >> 1 for x in self.operands[node] if home[x >> 1] != number}
        return roots

    def _late_roots(self, live: list[bool], home: list[int]) -> set[int]:
        """Return the digits of sums, and the gates that no other gate of their block reads."""
        inner = {
            operand >> 1
            for node, operands in enumerate(self.operands)
            if live[node] and self.kinds[node] is not Kind.ROW
            for operand in operands
            if home[operand >> 1] == home[node]
        }
        sums = (Kind.XOR3, Kind.MAJ)
        return {n for n, kind in enumerate(self.kinds) if n not in inner or kind in sums}


@dataclass(slots=True)
class Builder:
    """Builds a program node by node: folds constants, and never makes the same node twice."""

    kinds: list[Kind] = field(default_factory=lambda: [Kind.FALSE])
    operands: list[tuple[int, ...]] = field(default_factory=lambda: [()])
    blocks: list[Block] = field(default_factory=list)
    outputs: list[tuple[int, int, int]] = field(default_factory=list)
    rows: int = 0
    phase: str = "main"
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)
    _first: int = 1

    def new_rows(self, count: int) -> range:
        """Name that many new rows."""
        self.rows += count
        return range(self.rows - count, self.rows)

    def row(self, row: int) -> int:
        """Return the literal that reads a row."""
        return self._node(Kind.ROW, row)

    def write(self, row: int, literal: int) -> None:
        """Have the row receive the literal at the end of the current block."""
        if literal != self._known.get((Kind.ROW, row)):  # else it has it
            self.outputs.append((row, literal, len(self.blocks)))

    def and_(self, x: int, y: int) -> int:
        """Return the conjunction of two literals."""
        if x > y:
            x, y = y, x
        if x == FALSE or x ^ y == 1:
            return FALSE
        if x in (TRUE, y):
            return y
        if x & y & 1 and self.kinds[x >> 1] is Kind.AND and self.kinds[y >> 1] is Kind.AND:
            found = self._choice(self.operands[x >> 1], self.operands[y >> 1])
            if found is not None:
                return found ^ 1
        return self._node(Kind.AND, x, y)

    def or_(self, x: int, y: int) -> int:
        """Return the disjunction of two literals."""
        return self.and_(x ^ 1, y ^ 1) ^ 1

    def xor(self, x: int, y: int) -> int:
        """Return whether two literals differ."""
        sign = (x ^ y) & 1
        x, y = sorted((x & ~1, y & ~1))
        if x == y:
            return sign
        return (y if x == FALSE else self._node(Kind.XOR, x, y)) ^ sign

    def xor3(self, x: int, y: int, z: int) -> int:
        """Return the parity of three literals."""
        sign = (x ^ y ^ z) & 1
        x, y, z = sorted((x & ~1, y & ~1, z & ~1))
        if x == FALSE:
            return self.xor(y, z) ^ sign
        if x == y:
            return z ^ sign
        return (x if y == z else self._node(Kind.XOR3, x, y, z)) ^ sign

    def majority(self, x: int, y: int, z: int) -> int:
        """Return whether at least two of three literals hold."""
        x, y, z = sorted((x, y, z))
        if x == FALSE:
            return self.and_(y, z)
        if x == TRUE:
            return self.or_(y, z)
        for one, two, other in ((x, y, z), (y, z, x)):
            if one == two:
                return one
            if one ^ two == 1:
                return other
        return self._node(Kind.MAJ, x, y, z)

    def mux(self, choose: int, x: int, y: int) -> int:
        """Return `x` where `choose` holds, else `y`."""
        if choose & 1:
            choose, x, y = choose ^ 1, y, x
        if choose == FALSE or x == y:
            return y
        if x ^ y == 1:
            return self.xor(choose, y)
        if x >> 1 in (0, choose >> 1):
            return self.or_(choose, y) if x in (TRUE, choose) else self.and_(choose ^ 1, y)
        if y >> 1 in (0, choose >> 1):
            return self.and_(choose, x) if y in (FALSE, choose) else self.or_(choose ^ 1, x)
        return self._node(Kind.MUX, choose, x, y)

    def any(self, literals: Iterable[int]) -> int:
        """Return the disjunction of many literals, as a balanced tree."""
        level = list(literals) or [FALSE]
        while len(level) > 1:
            level = [
                self.or_(level[i], level[i + 1]) if i + 1 < len(level) else level[i]
                for i in range(0, len(level), 2)
            ]
        return level[0]

    def all(self, literals: Iterable[int]) -> int:
        """Return the conjunction of many literals, as a balanced tree."""
        return self.any(literal ^ 1 for literal in literals) ^ 1

    def end_block(self, *, latches: Iterable[tuple[int, int]] = ()) -> None:
        """Close the block of all nodes made since the last one was closed."""
        last = len(self.kinds)
        self.blocks.append(Block(self._first, last, self.phase, tuple(latches)))
        self._first = last

    def begin_phase(self, phase: str) -> None:
        """Close the current block; what follows belongs to another phase."""
        self.end_block()
        self.phase = phase

    @contextmanager
    def private(self, *, shares: bool = True) -> Iterator[None]:
        """Make nodes that no node made later will share, for a phase that is not always run.

        Unless it `shares` nodes made before, they are made again, of rows alone. Otherwise phases
        that always run would have to store the shared values.
        """
        before = self._known
        self._known = {key: node for key, node in before.items() if shares or key[0] == Kind.ROW}
        yield
        self._known = before

    def program(self) -> Program:
        """Return the program, its last block closed."""
        self.end_block()
        return Program(
            self.kinds, self.operands, tuple(self.blocks), tuple(self.outputs), self.rows
        )

    def add(self, circuit: Circuit, wanted: Sequence[int], literals: dict[int, int]) -> list[int]:
        """Add the gates that the wanted literals of a circuit need; return those literals here.

        `literals` has the literal here of nodes of the circuit (its inputs at least), and gains
        those of the gates that are added.
        """
        need = sorted(cone(circuit, wanted, literals))
        live = set(need)
        loops = [
            loop
            for loop in circuit.loops
            if not live.isdisjoint(loop.latches.tolist())
            or not live.isdisjoint(range(loop.first, loop.last))
        ]
        loops.sort(key=lambda loop: loop.first)
        literals[0] = FALSE

        def here(literal: int) -> int:
            return literals[literal >> 1] ^ (literal & 1)

        position = 0
        for loop in loops:
            start = next((i for i, n in enumerate(need) if n >= loop.first), len(need))
            self._gates(circuit, need[position:start], literals)
            latches = [
                (int(node), int(driver))
                for node, driver in zip(loop.latches, loop.drivers, strict=True)
                if int(node) in live
            ]
            rows = self.new_rows(len(latches))
            for row, (node, _) in zip(rows, latches, strict=True):
                literals[node] = self.row(row)
            self.end_block()
            position = next((i for i, n in enumerate(need) if n >= loop.last), len(need))
            self._gates(circuit, need[start:position], literals)
            self.end_block(
                latches=[(r, here(driver)) for r, (_, driver) in zip(rows, latches, strict=True)]
            )
        self._gates(circuit, need[position:], literals)
        return [here(int(literal)) for literal in wanted]

    def _gates(self, circuit: Circuit, nodes: list[int], literals: dict[int, int]) -> None:
        left, right = circuit.gates[nodes].T.tolist()
        for node, x, y in zip(nodes, left, right, strict=True):
            if node not in literals:
                literals[node] = self.and_(literals[x >> 1] ^ (x & 1), literals[y >> 1] ^ (y & 1))

    def _choice(self, x: tuple[int, ...], y: tuple[int, ...]) -> int | None:
        # (a and b) or (not a and c) is a choice by a; it is a parity where c is not b
        for a, b in (x, x[::-1]):
            for negated, c in (y, y[::-1]):
                if a ^ negated == 1:
                    return self.mux(a, b, c)
        return None

    def _node(self, kind: Kind, *operands: int) -> int:
        key = (kind, *operands)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = 2 * len(self.kinds)
            self.kinds.append(kind)
            self.operands.append(operands)
        return found


def cone(circuit: Circuit, wanted: Iterable[int], known: Iterable[int] = ()) -> set[int]:
    """Return the nodes that the wanted literals of a circuit depend on, without the known ones."""
    count = len(circuit.gates)
    drivers = np.zeros(count, np.int32)
    for loop in circuit.loops:
        drivers[loop.latches] = loop.drivers
    seen = np.zeros(count, np.bool_)
    seen[0] = True
    seen[np.fromiter(known, np.int64)] = True
    roots = np.fromiter(wanted, np.int64) >> 1
    found = np.empty(count, np.int32)
    made = _visit(circuit.gates, circuit.inputs, drivers, roots, seen, found)
    return set(found[:made].tolist())


@nopython
def _visit(
    gates: Literals,
    inputs: int,
    drivers: Literals,
    roots: NDArray[np.int64],
    seen: NDArray[np.bool_],
    found: Literals,
) -> int:
    """Fill in the nodes that the roots depend on and that were not seen; return how many."""
    made = 0
    for root in roots:
        if not seen[root]:
            seen[root] = True
            found[made] = root
            made += 1
    done = 0
    while done < made:
        node = found[done]
        done += 1
        for side in range(2):
            below = signed(gates[node, side]) >> 1
            if drivers[node]:
                below = signed(drivers[node]) >> 1
            elif node <= inputs:
                below = 0
            if not seen[below]:
                seen[below] = True
                found[made] = below
                made += 1
    return made
