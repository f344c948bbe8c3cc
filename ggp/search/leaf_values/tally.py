"""Facts that count for a role's goal and for nothing else: the tricks that it has taken so far.

Two states that differ in such facts alone have the same moves and end after the same moves. If what
a step adds to the count does not depend on the count either, and if more is always better, or
always worse, then best play adds the same to both until the end. So a transposition table holds
what is added, and needs no more than one of the states (docs/leaf-values.md has the proof).

All this is read off the circuit of the rules. For each count the facts are replaced by constants;
then the gates that say what a step adds must be the same gates for all counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.gdl import HIGHEST_GOAL
from ggp.kif import Compound, Term
from ggp.search.leaf_values.gates import copier, facts_below
from ggp.search.leaf_values.table import Group, LeafValueTable, Link, Tally

__all__ = ["find_tallies"]


def find_tallies(circuit: Circuit, table: LeafValueTable) -> tuple[Tally | None, ...]:
    """Return for each role what its goal counts; None for a role whose goal does not count.

    A play without end is worth 0, whatever was counted: every play must end.

    Args:
        circuit: the game, without loops.
        table: its leaf values, with links.
    """
    roots = [*circuit.legal.tolist(), circuit.terminal]
    shared = facts_below(circuit, roots, is_followed=True)
    return tuple(_tally(circuit, table, role, shared) for role in range(len(circuit.roles)))


def _tally(circuit: Circuit, table: LeafValueTable, role: int, shared: set[int]) -> Tally | None:
    """Return what the goal of a role counts."""
    own = facts_below(circuit, [literal for _, literal in circuit.goals[role]]) - shared
    numbers = {fact: number for number, fact in enumerate(circuit.facts)}
    for link in table.links:
        for place, group in enumerate(link.groups):
            facts = [numbers[fact] for fact in group.facts]
            if not own or not own.issubset(facts) or not shared.isdisjoint(facts):
                continue
            order = _order(group, facts, circuit)
            goals = _goals(table, link, place, role, order)
            if _is_monotone(goals) and _adds_alike(circuit, facts, order, shared):
                ignored = set(range(len(circuit.facts))) - shared
                return Tally(
                    facts=tuple(group.facts[value] for value in order),
                    goals=goals,
                    ignored=frozenset(circuit.facts[fact] for fact in ignored),
                )
    return None


def _order(group: Group, facts: Sequence[int], circuit: Circuit) -> list[int]:
    """Return the values that a group can have as a count goes through them.

    That is the order of the numbers in which its facts differ; of other words, the order in which
    they may follow each other. It is empty if it may happen that no fact of the group is true.
    """
    initial = set(circuit.initial.tolist())
    first = next((value for value, fact in enumerate(facts) if fact in initial), len(facts))
    order = [value for value in range(len(group.later)) if group.later[first] >> value & 1]
    if len(facts) in order:
        return []
    numbers = _numbers(group.facts)
    order.sort(key=lambda value: numbers[value] if numbers else -group.later[value].bit_count())
    return order


def _numbers(facts: Sequence[Term]) -> list[int]:
    """Return the number in each fact that is all that tells it from the others; [] if none is."""
    items = [fact.items for fact in facts if isinstance(fact, Compound)]
    if len(items) < len(facts) or len(set(map(len, items))) > 1:
        return []
    differing = [words for words in zip(*items, strict=True) if len(set(words)) > 1]
    if len(differing) != 1:
        return []
    texts = [str(word) for word in differing[0]]
    is_number = all(text.removeprefix("-").isdecimal() for text in texts)
    return list(map(int, texts)) if is_number else []


def _goals(
    table: LeafValueTable, link: Link, place: int, role: int, order: Sequence[int]
) -> tuple[int | None, ...]:
    """Return the role's goal for each value at the end, None for one that no leaf has.

    It is empty if a value does not tell the goal.
    """
    rows = [row.goals[role] for row in table]
    found: dict[int, set[int]] = {value: set() for value in order}
    for values, row in link.assignments:
        found.setdefault(values[place], set()).add(rows[row])
    if any(len(goals) > 1 for goals in found.values()):
        return ()
    return tuple(min(found[value], default=None) for value in order)


def _is_monotone(goals: Sequence[int | None]) -> bool:
    """Return whether each goal is more than the one before, or each is less, as GDL allows."""
    known = [goal for goal in goals if goal is not None]
    if not all(0 <= goal <= HIGHEST_GOAL for goal in known):
        return False
    signs = {(new > old) - (new < old) for old, new in pairwise(known)}
    return signs in ({1}, {-1})


def _adds_alike(
    circuit: Circuit, facts: Sequence[int], order: Sequence[int], shared: set[int]
) -> bool:
    """Return whether what a step adds depends on shared facts and moves alone.

    It must add in all cases, or take away in all: a count that goes round its values adds something
    else where it begins anew.
    """
    graph, gates, nodes = Aig(circuit.inputs), circuit.gates.tolist(), circuit.fact_nodes
    # For each difference of places the gate that says whether a step adds that: as the graph makes
    # no gate twice, the same condition has the same gate.
    added: dict[int, int] = {}
    for old, value in enumerate(order):
        # Boole's expansion: the gates with constants for the facts.
        known = {node: 2 * node for node in range(circuit.inputs + 1)}
        known.update({nodes[fact]: int(fact == facts[value]) for fact in facts})
        literal = copier(gates, known, both=graph.both, negated=lambda some: some ^ 1)
        for new, other in enumerate(order):
            what = literal(int(circuit.next[facts[other]]))
            if added.setdefault(new - old, what) != what:
                return False
    signs = {(number > 0) - (number < 0) for number, gate in added.items() if gate != FALSE}
    return not signs >= {1, -1} and _inputs_below(graph, added.values()).issubset(
        {nodes[fact] for fact in shared}.union(circuit.move_nodes)
    )


def _inputs_below(graph: Aig, literals: Iterable[int]) -> set[int]:
    """Return the nodes without inputs of their own on which literals rest, without the constant."""
    pending = [literal >> 1 for literal in literals]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += (graph.left[node] >> 1, graph.right[node] >> 1)
    return {node for node in seen if node and not graph.left[node]}
