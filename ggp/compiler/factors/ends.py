"""Which parts of a game the end or a goal joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.straightline import cone
from ggp.compiler.factors.partition import Partition
from ggp.deadline import Deadline, TimeUp

__all__ = ["joined_by_the_end"]


def joined_by_the_end(circuit: Circuit, partition: Partition, *, deadline: Deadline) -> None:
    """Join parts on which a condition depends within the end of the game, or within a goal.

    A condition that depends on all parts that the end (or the goal) depends on joins nothing: it
    says how the results of the parts are put together. But beside conditions on some of the parts
    it is one of them: a line through the middle, where other lines do not meet it. Raises `TimeUp`.
    """
    goals = (literal for held in circuit.goals for _, literal in held)
    roots = dict.fromkeys(literal >> 1 for literal in chain([circuit.terminal], goals))
    found = [(root, _conditions(circuit, root)) for root in roots]
    joined = partition.count > 1
    while joined:
        joined = False
        below = _parts_below(circuit, partition, roots)
        for root, groups in found:
            if deadline.is_over:
                raise TimeUp
            for group in groups:
                masks = {mask for node in group if (mask := below[node]).bit_count() > 1}
                if masks == {below[root]}:
                    continue
                for mask in masks:
                    for pair in pairwise(_bits(mask)):
                        joined |= partition.join(*pair)


def _conditions(circuit: Circuit, root: int) -> list[list[int]]:
    """Return the conditions below a node: for each AND, however wide, the nodes of its operands."""
    nodes = cone(circuit, [2 * root])
    gates, inputs = circuit.gates.tolist(), circuit.inputs
    drivers = {int(literal) >> 1 for loop in circuit.loops for literal in loop.drivers}
    wide = {literal >> 1 for node in nodes for literal in gates[node] if literal & 1}
    groups = []
    for node in sorted((wide | drivers & nodes | {root}) - set(range(inputs + 1))):
        operands, pending = set[int](), list(gates[node])
        while pending:
            literal = pending.pop()
            if literal & 1 or gates[literal >> 1] == [0, 0]:
                operands.add(literal >> 1)
            else:
                pending += gates[literal >> 1]
        groups.append(sorted(operands))
    return groups


def _parts_below(circuit: Circuit, partition: Partition, roots: Iterable[int]) -> dict[int, int]:
    """Return the parts that each node depends on, as bits."""
    fact_of = {circuit.fact_nodes[fact]: fact for fact in partition.facts}
    drivers = {
        int(node): int(driver)
        for loop in circuit.loops
        for node, driver in zip(loop.latches, loop.drivers, strict=True)
    }
    nodes = sorted(cone(circuit, (2 * root for root in roots)))
    below = dict.fromkeys([0, *nodes], 0)
    below |= {node: 1 << partition.part(fact_of[node]) for node in nodes if node in fact_of}
    gates = circuit.gates.tolist()
    changed = True
    while changed:
        changed = False
        for node in nodes:
            left, right = (drivers[node], 0) if node in drivers else gates[node]
            mask = below[node] | below[left >> 1] | below[right >> 1]
            changed |= node in drivers and mask != below[node]
            below[node] = mask
    return below


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
