"""What the circuit of a puzzle says of its facts: which ones matter, and which ones are a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ggp.compiler.circuit.circuit import Circuit

__all__ = ["FactKinds", "kinds_of"]


@dataclass(frozen=True, slots=True)
class FactKinds:
    """The facts of a game, by number.

    Facts on which neither moves, nor the end, nor the goals ever rest need not be told apart. The
    rest of the state is all that a search has to see.
    """

    #: Those on which moves, the end or goals rest, now or later.
    relevant: frozenset[int]
    #: Those relevant ones whose future rests on no move: counted steps, or whose turn it is. After
    #: the same number of steps from the same state they are the same, whatever was done.
    clock: frozenset[int]


def kinds_of(circuit: Circuit) -> FactKinds:
    """Return what the gates of a circuit say of the facts."""
    fact_of = {node: fact for fact, node in enumerate(circuit.fact_nodes)}
    below: list[list[int]] = [[left >> 1, right >> 1] for left, right in circuit.gates.tolist()]
    for loop in circuit.loops:
        for latch, driver in zip(loop.latches.tolist(), loop.drivers.tolist(), strict=True):
            below[latch] = [driver >> 1]
    for node, literal in zip(circuit.fact_nodes, circuit.next.tolist(), strict=True):
        below[node] = [literal >> 1]
    above: list[list[int]] = [[] for _ in below]
    for node, those in enumerate(below):
        for other in those:
            above[other].append(node)
    roots = [*circuit.legal.tolist(), *circuit.ends]
    relevant, moved = (
        frozenset(fact_of[node] for node in _reached(start, edges) if node in fact_of)
        for start, edges in (
            ([root >> 1 for root in roots], below),
            (circuit.move_nodes, above),
        )
    )
    return FactKinds(relevant=relevant, clock=relevant - moved)


def _reached(start: Iterable[int], edges: list[list[int]]) -> set[int]:
    """Return the nodes that edges lead to from some nodes, those included."""
    pending, seen = [*start], set(start)
    while pending:
        for node in edges[pending.pop()]:
            if node not in seen:
                seen.add(node)
                pending.append(node)
    return seen
