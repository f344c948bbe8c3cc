"""Which relation depends on which: the dependency graph, its cycles and its strata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ggp.gdl.rules import Relation, Rule

__all__ = ["DependencyGraph", "strongly_connected"]

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class DependencyGraph:
    """The relations of a description; an edge runs from a rule's head to each body relation."""

    rules: tuple[Rule, ...]

    @cached_property
    def edges(self) -> Mapping[Relation, Mapping[Relation, bool]]:
        """For each relation those that its rules mention; True where one is ever negated."""
        edges: dict[Relation, dict[Relation, bool]] = {}
        for rule in self.rules:
            row = edges.setdefault(rule.relation, {})
            for literal in rule.body:
                row[literal.relation] = row.get(literal.relation, False) or not literal.positive
                edges.setdefault(literal.relation, {})
        return edges

    @cached_property
    def components(self) -> tuple[frozenset[Relation], ...]:
        """The strongly connected components, each after those that it depends on."""
        return tuple(map(frozenset, strongly_connected(self.edges)))

    @cached_property
    def recursive(self) -> frozenset[Relation]:
        """The relations that depend on themselves."""
        return frozenset(
            relation
            for component in self.components
            for relation in component
            if len(component) > 1 or relation in self.edges[relation]
        )

    def reachable(self, start: Iterable[Relation]) -> frozenset[Relation]:
        """Return the relations that the given ones depend on, themselves included."""
        return _closure(start, self.edges)

    def dependents(self, targets: Iterable[Relation]) -> frozenset[Relation]:
        """Return the relations that depend on any of the given ones, these included."""
        users: defaultdict[Relation, list[Relation]] = defaultdict(list)
        for head, row in self.edges.items():
            for used in row:
                users[used].append(head)
        return _closure(targets, users)


def _closure(
    start: Iterable[Relation], edges: Mapping[Relation, Iterable[Relation]]
) -> frozenset[Relation]:
    """Return the relations that the edges lead to, those at the start included."""
    seen: set[Relation] = set()
    pending = list(start)
    while pending:
        relation = pending.pop()
        if relation not in seen:
            seen.add(relation)
            pending.extend(edges.get(relation, ()))
    return frozenset(seen)


def strongly_connected(edges: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components of a graph, each after those it points to.

    Tarjan's algorithm (1972), with a stack of its own instead of recursion. O(nodes + edges).
    Every node that an edge points to must be a key.

    >>> strongly_connected({"a": "b", "b": "ac", "c": ""})
    [['c'], ['b', 'a']]
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_path: dict[Node, None] = {}
    components: list[list[Node]] = []
    work: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        on_path[node] = None
        work.append((node, iter(edges[node])))

    for root in edges:
        if root in index:
            continue
        enter(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    enter(successor)
                    break
                if successor in on_path:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component: list[Node] = []
                    while True:
                        member, _ = on_path.popitem()
                        component.append(member)
                        if member == node:
                            break
                    components.append(component)
    return components
