"""Brings the gates that are needed into an order: phase by phase, each depth first.

Depth first keeps a gate close to those that use it, and so in a register. Gates that depend on each
other are gathered into loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Literals, Loop
from ggp.compiler.circuit.components import components
from ggp.compiler.circuit.gates import Graph
from ggp.native.numba_support import nopython, signed

__all__ = ["Ordered", "in_order", "reaches"]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The needed nodes of a graph, renumbered."""

    gates: Literals
    loops: tuple[Loop, ...]
    #: int32[nodes]: the new literal of each node; -1 for nodes that are not needed.
    _renumbered: Literals

    def literal(self, old: int) -> int:
        """Return the new literal for one of the graph."""
        return int(self._renumbered[old >> 1]) ^ old & 1

    def known(self, old: int) -> int | None:
        """Return the new literal for one of the graph; None if it is not needed."""
        return self.literal(old) if self._renumbered[old >> 1] >= 0 else None

    def literals(self, old: Iterable[int]) -> list[int]:
        """Return the new literals for those of the graph."""
        numbers = np.fromiter(old, np.int64)
        renumbered: list[int] = (self._renumbered[numbers >> 1] ^ numbers & 1).tolist()
        return renumbered


@dataclass(frozen=True, slots=True)
class _Knot:
    """Gates of one loop, ascending, with its latches and what it needs from outside."""

    latches: list[int]
    gates: list[int]
    outside: list[int]


def in_order(
    left: Literals,
    right: Literals,
    *,
    inputs: int,
    latches: Mapping[int, int],
    roots: Sequence[int],
) -> Ordered:
    """Return what the roots need, what the first root needs first.

    Args:
        left: the first input of each node of the graph; 0 for nodes without inputs.
        right: the second one.
        inputs: its nodes up to this number keep their numbers.
        latches: the nodes that depend on themselves, each with the literal that drives it.
        roots: the literals that are needed.
    """
    count = len(left)
    driver = np.full(count, -1, np.int32)
    driver[list(latches)] = list(latches.values())
    knots = list(_knots(left, right, driver)) if latches else []
    knot_of = np.full(count, -1, np.int32)
    for number, knot in enumerate(knots):
        knot_of[[*knot.latches, *knot.gates]] = number
    renumbered = np.full(count, -1, np.int32)
    renumbered[: inputs + 1] = 2 * np.arange(inputs + 1)
    stack = np.empty(2 * count + len(roots) + sum(len(k.outside) for k in knots), np.int32)
    stack[: len(roots)] = np.array(roots[::-1], np.int32) >> 1
    order = np.empty(count, np.int32)
    tied = np.empty(len(knots) + 1, np.int32)
    many, found = _walk(
        left, right, driver, knot_of,
        *_lists([knot.outside for knot in knots]),
        *_lists([[*knot.latches, *knot.gates] for knot in knots]),
        renumbered, stack, len(roots), order, tied, inputs + 1,
    )  # fmt: skip
    order = order[:many]
    old = np.stack((left[order], right[order]), axis=1)
    new = renumbered[old >> 1] ^ old & 1
    made = np.vstack((np.zeros((inputs + 1, 2), np.int32), new)).astype(np.int32)
    ordered = Ordered(made, (), renumbered)
    loops = []
    for number in tied[:found].tolist():
        knot = knots[number]
        held = np.array(ordered.literals(2 * node for node in knot.latches), np.int32) >> 1
        driven = np.array(ordered.literals(latches[node] for node in knot.latches), np.int32)
        first = int(held[0]) + len(held)
        loops.append(Loop(first, first + len(knot.gates), held, driven))
    return Ordered(made, tuple(loops), renumbered)


def reaches(graph: Graph, roots: Sequence[int], latches: Mapping[int, int], targets: range) -> bool:
    """Return whether some root depends on one of the target nodes."""
    count = len(graph)
    needed = np.zeros(count, np.bool_)
    needed[np.array(roots, np.int64) >> 1] = True
    driver = np.full(count, -1, np.int32)
    driver[list(latches)] = list(latches.values())
    while _mark(graph.gates.left, graph.gates.right, driver, needed):
        pass
    return bool(needed[targets.start : targets.stop].any())


def _lists(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], Literals]:
    """Return lists as one array, after where each begins."""
    starts = np.array([0, *accumulate(map(len, lists))], np.int64)
    return starts, np.array([node for nodes in lists for node in nodes], np.int32)


def _knots(left: Literals, right: Literals, driver: Literals) -> Iterator[_Knot]:
    """Yield the groups of latches that depend on each other, with the gates between them."""
    # a node without inputs depends on the constant, which here depends on nothing
    below = np.stack((left, right), axis=1) >> 1
    held = driver >= 0
    below[held] = driver[held, None] >> 1
    edges = 2 * np.arange(len(left) + 1)
    component = components(edges, below.ravel())
    sizes = np.bincount(component)
    alone = (below == np.arange(len(left))[:, None]).any(axis=1)
    alone[0] = False
    tied = (sizes[component] > 1) | alone
    nodes = np.flatnonzero(tied)
    nodes = nodes[np.argsort(component[nodes], kind="stable")]
    borders = np.flatnonzero(np.diff(component[nodes])) + 1
    for members in np.split(nodes, borders) if len(nodes) else ():
        number = component[members[0]]
        gates = members[~held[members]]
        # a latch has one edge, which stands there twice
        needed = dict.fromkeys(below[members].ravel().tolist())
        yield _Knot(
            members[held[members]].tolist(),
            gates.tolist(),
            [node for node in needed if component[node] != number],
        )


@nopython
def _walk(
    left: Literals,
    right: Literals,
    driver: Literals,
    knot_of: Literals,
    first_outside: NDArray[np.int64],
    outside: Literals,
    first_member: NDArray[np.int64],
    member: Literals,
    renumbered: Literals,
    stack: Literals,
    height: int,
    order: Literals,
    tied: Literals,
    number: int,
) -> tuple[int, int]:
    """Renumber what is on the stack and all below it, from a number on.

    Fills in `renumbered`, and `order` and `tied` with the nodes and knots in their new order;
    returns how many there are of both.
    """
    many = found = 0
    while height > 0:
        node = signed(stack[height - 1])
        if renumbered[node] >= 0:
            height -= 1
            continue
        knot = signed(knot_of[node])
        before = height
        if knot >= 0:
            for place in range(first_outside[knot], first_outside[knot + 1]):
                height = _push(renumbered, stack, height, outside[place])
        elif driver[node] >= 0:
            height = _push(renumbered, stack, height, driver[node] >> 1)
        else:
            height = _push(renumbered, stack, height, right[node] >> 1)
            height = _push(renumbered, stack, height, left[node] >> 1)
        if height > before:
            continue
        height -= 1
        if knot >= 0:
            tied[found] = knot
            found += 1
            for place in range(first_member[knot], first_member[knot + 1]):
                renumbered[member[place]] = 2 * (number + many)
                order[many] = member[place]
                many += 1
        elif driver[node] >= 0:  # it does not depend on itself after all
            renumbered[node] = renumbered[driver[node] >> 1] ^ (driver[node] & 1)
        else:
            renumbered[node] = 2 * (number + many)
            order[many] = node
            many += 1
    return many, found


@nopython
def _push(renumbered: Literals, stack: Literals, height: int, node: int) -> int:
    """Put a node on the stack unless it is renumbered; return the height of the stack."""
    if renumbered[node] >= 0:
        return height
    stack[height] = node
    return height + 1


@nopython
def _mark(left: Literals, right: Literals, driver: Literals, needed: NDArray[np.bool_]) -> bool:
    """Mark what the marked nodes need; return whether a latch needs what comes after it."""
    again = False
    for node in range(len(needed) - 1, 0, -1):
        if needed[node]:
            needed[left[node] >> 1] = True
            needed[right[node] >> 1] = True
            if driver[node] >= 0 and not needed[driver[node] >> 1]:
                needed[driver[node] >> 1] = True
                again = again or driver[node] >> 1 > node
    return again
