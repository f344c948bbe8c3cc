"""Copies of a circuit with constants for some of its inputs, many of them at once.

A *lane* is a copy. For each node there is an array with its literal in each lane, all of one graph:
where two copies are the same, so are their literals.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE, Circuit

__all__ = ["TRUE", "Lanes", "copies", "nodes_below"]

#: int64[lanes]: a literal for each lane.
Lanes = NDArray[np.int64]

TRUE = FALSE ^ 1

# Nodes that are copied between two breaks.
_STEP = 32


def copies(
    circuit: Circuit, graph: Aig, roots: Sequence[int], inputs: Mapping[int, Lanes], lanes: int
) -> Generator[None, None, list[Lanes]]:
    """Copy what some literals rest on, with breaks in between, and return the copies of them.

    Args:
        circuit: the circuit, without loops.
        graph: where the copies are made.
        roots: literals of the circuit.
        inputs: the literals of each input node on which the roots rest.
        lanes: the number of copies.
    """
    gates = circuit.gates.tolist()
    known: dict[int, Lanes] = {0: np.zeros(lanes, np.int64), **inputs}
    below = nodes_below(roots, *circuit.gates.T.tolist(), inputs=circuit.inputs)
    needed = [node for node in below if node > circuit.inputs]
    # How often each gate is still needed: its array is dropped after that.
    uses = np.zeros(len(gates), np.int64)
    for node in needed:
        for literal in gates[node]:
            uses[literal >> 1] += 1
    for root in roots:
        uses[root >> 1] += 1
    for number, node in enumerate(sorted(needed)):
        left, right = (known[literal >> 1] ^ (literal & 1) for literal in gates[node])
        known[node] = _both(graph, left, right)
        for literal in gates[node]:
            uses[literal >> 1] -= 1
            if uses[literal >> 1] == 0 and literal >> 1 > circuit.inputs:
                del known[literal >> 1]
        if number % _STEP == 0:
            yield
    return [known[root >> 1] ^ (root & 1) for root in roots]


def nodes_below(
    roots: Iterable[int], left: Sequence[int], right: Sequence[int], *, inputs: int
) -> set[int]:
    """Return the nodes on which some literals rest: gates, inputs, and the constant.

    Args:
        roots: the literals.
        left: one of the two literals of each node.
        right: the other one.
        inputs: the number of the last node that is no gate.
    """
    pending, seen = [root >> 1 for root in roots], set[int]()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            if node > inputs:
                pending += left[node] >> 1, right[node] >> 1
    return seen


def _both(graph: Aig, left: Lanes, right: Lanes) -> Lanes:
    """Return the conjunction of two literals in each lane."""
    found = np.where(left == TRUE, right, left)
    found[(left == FALSE) | (right == FALSE) | (left == (right ^ 1))] = FALSE
    is_gate = (found > TRUE) & (left > TRUE) & (right > TRUE) & (left != right)
    if is_gate.any():
        pairs, places = np.unique(left[is_gate] << 32 | right[is_gate], return_inverse=True)
        made = [graph.both(pair >> 32, pair & 0xFFFFFFFF) for pair in pairs.tolist()]
        found[is_gate] = np.array(made, np.int64)[places]
    return found
