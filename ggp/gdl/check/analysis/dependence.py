"""What may depend on the state, on the moves, and on itself."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Iterator, Mapping

from ggp.gdl.check.analysis.callgraph import calls_of_instances, cycles
from ggp.gdl.check.analysis.matching import Exhausted
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Condition, Either, Rulesheet, Statement
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.rules import Literal, Relation, arguments_of, relation_of
from ggp.kif import Position, Term, variables

__all__ = ["check_dependence"]

_FIXED = frozenset({"init", "base", "input"})
_BEFORE_THE_MOVE = frozenset({"legal", "goal", "terminal"})
_SHOWN = 6  # names of a path that a message shows at most


def check_dependence(game: Rulesheet, findings: Findings) -> None:
    """Report keywords that depend on the state or the moves, and unbounded recursion."""
    for source, dependents in (("true", _FIXED), ("does", _FIXED | _BEFORE_THE_MOVE)):
        next_hop = _next_hops(game.graph, source)
        for statement in game.statements:
            if statement.head is None or relation_of(statement.head).name not in dependents:
                continue
            for literal in statement.literals:
                if literal.relation in next_hop:
                    path = _path(relation_of(statement.head), literal.relation, source, next_hop)
                    findings.add(f"depends-on-{source}", literal.atom, path)
                    break
    _check_recursion(game, findings)


def _next_hops(graph: DependencyGraph, source: str) -> Mapping[Relation, Relation | None]:
    """Return, for each relation that depends on the source, the next on a shortest way to it."""
    users: dict[Relation, list[Relation]] = {}
    for head, row in graph.edges.items():
        for used in row:
            users.setdefault(used, []).append(head)
    hops: dict[Relation, Relation | None] = dict.fromkeys(r for r in users if r.name == source)
    pending = deque(hops)
    while pending:
        relation = pending.popleft()
        for user in users.get(relation, ()):
            if user not in hops:
                hops[user] = relation
                pending.append(user)
    return hops


def _path(
    head: Relation,
    first: Relation | None,
    source: str,
    next_hop: Mapping[Relation, Relation | None],
) -> str:
    names = [head.name]
    while first is not None:
        if len(names) > _SHOWN:
            names.append("...")
            break
        if " " not in first.name:  # no relation that the normal form made of a disjunction
            names.append(first.name)
        first = next_hop[first]
    return f"`{head.name}` depends on `{source}`: {' -> '.join(names)}"


def _check_recursion(game: Rulesheet, findings: Findings) -> None:
    """Apply the recursion restriction (Love et al., GDL specification, 2008).

    In a positive literal that is in a cycle with the head, each term is ground, or an argument
    of the head, or stands in a positive literal outside the cycle.
    """
    component_of = {r: c for c in game.graph.components if c & game.graph.recursive for r in c}
    suspects: defaultdict[frozenset[Relation], list[tuple[Literal, Term]]] = defaultdict(list)
    for statement in game.statements:
        if statement.is_sound and statement.head is not None:
            component = component_of.get(relation_of(statement.head))
            if component is not None:
                suspects[component].extend(_unbounded(statement, statement.head, component))
    for component, found in suspects.items():
        recursive = _recursive_literals(game, component) if found else ()
        for literal, term in found:
            if literal.atom.position in recursive:
                message = f"{shown(term)} may grow without end in this recursive condition"
                findings.add("recursion-restriction", term, message)


def _recursive_literals(
    game: Rulesheet, component: frozenset[Relation]
) -> Container[Position | None]:
    """Return where the literals stand that are in a cycle of rules, not only of relations."""
    rules = game.rules_of(component)
    try:
        calls = calls_of_instances(rules, component)
    except Exhausted:
        return {literal.atom.position for rule in rules for literal in rule.body}
    return {literal.atom.position for edges in cycles(calls) for _, literal in edges}


def _unbounded(
    rule: Statement, head: Term, component: frozenset[Relation]
) -> Iterator[tuple[Literal, Term]]:
    """Yield the terms of recursive conditions that nothing bounds."""
    recursive = [lit for lit in rule.literals if lit.positive and lit.relation in component]
    if recursive:
        bounded = frozenset(arguments_of(head)).union(
            *(_bounded_by(condition, component) for condition in rule.body)
        )
        for literal in recursive:
            for term in arguments_of(literal.atom):
                if term not in bounded and variables(term):
                    yield literal, term


def _bounded_by(condition: Condition, component: frozenset[Relation]) -> frozenset[Term]:
    """Return the terms, and the variables inside them, that a condition bounds by itself."""
    if isinstance(condition, Either):
        branches = [_bounded_by(branch, component) for branch in condition.branches]
        return frozenset.intersection(*branches) if branches else frozenset()
    is_test = not condition.positive or condition.relation.name == "distinct"
    if is_test or condition.relation in component:
        return frozenset()
    return frozenset((*arguments_of(condition.atom), *variables(condition.atom)))
