"""Brings the gates that are needed into an order: phase by phase, each depth first.

Depth first keeps a gate close to those that use it, and so in a register. Gates that depend on each
other are gathered into loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ggp.gdl.dependency import strongly_connected
from ggp.reasoner.compiled.circuit.aig import Aig
from ggp.reasoner.compiled.circuit.circuit import Literals, Loop

__all__ = ["Ordered", "in_order"]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The needed nodes of a graph, renumbered."""

    gates: Literals
    loops: tuple[Loop, ...]
    #: The new literal of each node; -1 for nodes that are not needed.
    _renumbered: list[int]

    def literal(self, old: int) -> int:
        """Return the new literal for one of the graph's."""
        return self._renumbered[old >> 1] ^ old & 1


@dataclass(frozen=True, slots=True)
class _Knot:
    """Gates of one loop, ascending, with its latches and what it needs from outside."""

    latches: list[int]
    gates: list[int]
    outside: list[int]


def in_order(aig: Aig, *, inputs: int, latches: Mapping[int, int], roots: Sequence[int]) -> Ordered:
    """Return what the roots need, what the first root needs first.

    Args:
        aig: the graph.
        inputs: its nodes up to this number keep their numbers.
        latches: the nodes that depend on themselves, each with the literal that drives it.
        roots: the literals that are needed.
    """
    left, right = aig.left, aig.right
    knot_of = {node: knot for knot in _knots(aig, latches) for node in (*knot.latches, *knot.gates)}
    renumbered = [2 * node if node <= inputs else -1 for node in range(len(left))]
    order: list[int] = []
    loops: list[tuple[int, _Knot]] = []
    for root in roots:
        stack = [root >> 1]
        while stack:
            node = stack[-1]
            if renumbered[node] >= 0:
                stack.pop()
                continue
            knot = knot_of.get(node) if latches else None
            below: Sequence[int]
            if knot is not None:
                below = knot.outside
            elif node in latches:
                below = (latches[node] >> 1,)
            else:
                below = (right[node] >> 1, left[node] >> 1)
            waiting = [n for n in below if renumbered[n] < 0]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if knot is None and node in latches:  # it does not depend on itself after all
                renumbered[node] = renumbered[latches[node] >> 1] ^ latches[node] & 1
                continue
            members = [node] if knot is None else [*knot.latches, *knot.gates]
            if knot is not None:
                loops.append((inputs + 1 + len(order) + len(knot.latches), knot))
            for member in members:
                renumbered[member] = 2 * (inputs + 1 + len(order))
                order.append(member)
    old = np.array([[left[node], right[node]] for node in order], dtype=np.int64).reshape(-1, 2)
    new = np.array(renumbered, dtype=np.int64)[old >> 1] ^ old & 1
    gates = np.vstack((np.zeros((inputs + 1, 2), dtype=np.int64), new)).astype(np.int32)
    ordered = Ordered(gates, (), renumbered)
    return Ordered(
        gates,
        tuple(
            Loop(
                first,
                first + len(knot.gates),
                np.array([renumbered[node] >> 1 for node in knot.latches], dtype=np.int32),
                np.array([ordered.literal(latches[n]) for n in knot.latches], dtype=np.int32),
            )
            for first, knot in loops
        ),
        renumbered,
    )


def _knots(aig: Aig, latches: Mapping[int, int]) -> Iterable[_Knot]:
    """Yield the groups of latches that depend on each other, with the gates between them."""
    if not latches:
        return
    left, right = aig.left, aig.right
    edges: dict[int, tuple[int, ...]] = {}
    pending = list(latches)
    while pending:
        node = pending.pop()
        if node in edges:
            continue
        if node in latches:
            edges[node] = (latches[node] >> 1,)
        else:  # here the inputs depend on node 0, which depends on nothing
            edges[node] = (left[node] >> 1, right[node] >> 1) if node else ()
        pending.extend(edges[node])
    for component in strongly_connected(edges):
        if len(component) == 1 and component[0] not in edges[component[0]]:
            continue
        nodes = sorted(component)
        inside = set(nodes)
        held = [node for node in nodes if node in latches]
        gates = [node for node in nodes if node not in latches]
        needed = [below for node in nodes for below in edges[node]]
        yield _Knot(held, gates, [node for node in dict.fromkeys(needed) if node not in inside])
