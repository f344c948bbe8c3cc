"""Which rule may call which: the dependency graph, refined from relations to rules and instances.

An edge runs from a rule to each rule whose head unifies with an atom of its body. Every cycle of
ground atoms has its image in this graph, so that what is in no cycle here is in none at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from ggp.gdl.check.analysis.matching import Bindings, Steps, instance, unify
from ggp.gdl.dependency import strongly_connected
from ggp.gdl.rules import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Symbol, Term, symbols

__all__ = ["Calls", "HeadIndex", "calls_of_instances", "calls_of_rules", "cycles"]

_MAX_STEPS_OF_RULES = 1_000_000
_MAX_STEPS_OF_INSTANCES = 1_000_000
_DISTINCT = Relation("distinct", 2)

_NONE: Bindings = {}

#: Names that no rulesheet has, since they hold a blank, so that rules share no variable.
_APART = "? "

Node = TypeVar("Node", bound=Hashable)
#: For each node the nodes that its rule may call, and by which literals.
Calls: TypeAlias = dict[Node, dict[Node, list[Literal]]]


def calls_of_rules(rules: Sequence[Rule], relations: frozenset[Relation]) -> Calls[int]:
    """Return the graph of rules, by their numbers, as far as calls of the given relations go.

    Raises:
        Exhausted: it takes too many steps.
    """
    steps = Steps(_MAX_STEPS_OF_RULES)
    callees = [instance(Rule(rule.head), {}, prefix=_APART).head for rule in rules]
    index = HeadIndex(callees)
    calls: Calls[int] = {caller: {} for caller in range(len(rules))}
    for caller, rule in enumerate(rules):
        for literal in rule.body:
            if literal.relation in relations:
                for called in index.candidates(literal.atom):
                    if unify(literal.atom, callees[called], steps) is not None:
                        calls[caller].setdefault(called, []).append(literal)
    return calls


def calls_of_instances(rules: Iterable[Rule], relations: frozenset[Relation]) -> Calls[Rule]:
    """Return the graph of the rules and of their instances that calls make.

    An edge runs to the instance of the called rule that unification makes, so that bindings
    travel along a path. Where a `distinct` fails there is no edge.

    Raises:
        Exhausted: it takes too many steps.
    """
    steps = Steps(_MAX_STEPS_OF_INSTANCES)
    kept = relations | {_DISTINCT}
    shortened = (replace(r, body=tuple(b for b in r.body if b.relation in kept)) for r in rules)
    general = (instance(rule, {}, prefix="?") for rule in shortened if _is_possible(rule))
    pending = list(dict.fromkeys(general))
    callees = [instance(rule, {}, prefix=_APART) for rule in pending]
    sizes = [_size(callee) for callee in callees]
    index = HeadIndex([callee.head for callee in callees])
    calls: Calls[Rule] = {}
    while pending:
        caller = pending.pop()
        if caller in calls:
            continue
        row = calls[caller] = {}
        for literal in caller.body:
            if literal.relation == _DISTINCT:
                continue
            for number in index.candidates(literal.atom):
                steps.take(len(caller.body) + sizes[number])
                bindings = unify(literal.atom, callees[number].head, steps)
                if bindings is not None and _is_possible(caller, bindings):
                    called = instance(callees[number], bindings, prefix="?")
                    if _is_possible(called):
                        row.setdefault(called, []).append(literal)
                        pending.append(called)
    return calls


def _is_possible(rule: Rule, bindings: Bindings = _NONE) -> bool:
    """Whether no condition asks, under the bindings, for a term to be distinct from itself."""
    for literal in rule.body:
        if literal.relation == _DISTINCT:
            left, right = arguments_of(instance(Rule(literal.atom), bindings, prefix="?").head)
            if left == right:
                return False
    return True


def _size(rule: Rule) -> int:
    return sum(1 for atom in (rule.head, *(b.atom for b in rule.body)) for _ in symbols(atom))


def cycles(calls: Calls[Node]) -> Iterator[list[tuple[Node, Literal]]]:
    """Yield the callers with their literals that stand in cycles, a list for each component."""
    components = strongly_connected(calls)
    component_of = {node: number for number, nodes in enumerate(components) for node in nodes}
    for number, nodes in enumerate(components):
        edges = [
            (caller, literal)
            for caller in nodes
            for called, literals in calls[caller].items()
            if component_of[called] == number
            for literal in literals
        ]
        if edges:
            yield edges


class HeadIndex:
    """Finds the heads that may unify with an atom, by the arguments that are no variables."""

    def __init__(self, heads: Sequence[Term]) -> None:
        self._all: defaultdict[Relation, list[int]] = defaultdict(list)
        self._by_argument: defaultdict[tuple[Relation, int, object], list[int]] = defaultdict(list)
        for number, head in enumerate(heads):
            relation = relation_of(head)
            self._all[relation].append(number)
            for column, argument in enumerate(arguments_of(head)):
                self._by_argument[relation, column, _principal(argument)].append(number)

    def candidates(self, atom: Term) -> Sequence[int]:
        """Return the numbers of the heads that agree with the atom in its most telling argument."""
        relation = relation_of(atom)
        best = [self._all.get(relation, [])]
        for column, argument in enumerate(arguments_of(atom)):
            principal = _principal(argument)
            if principal is not None:
                keys = ((relation, column, principal), (relation, column, None))
                found = [self._by_argument[key] for key in keys if key in self._by_argument]
                best = min(best, found, key=lambda lists: sum(map(len, lists)))
        return [number for numbers in best for number in numbers]


def _principal(term: Term) -> object:
    """Return what two terms must share to unify, None for a variable."""
    if isinstance(term, Symbol):
        return None if term.is_variable else term.text
    return term.name, len(term.items)
