"""Restricts large relations to the instances that some rule asks for.

The magic sets of Bancilhon, Maier, Sagiv and Ullman (1986) "Magic sets and other strange ways to
implement logic programs": a guard holds for the arguments with which a relation is called, and each
rule of the relation requires it. So where a rule can count from any number to any other, only the
calls that occur are ground; and a rule may leave it to its callers to bind a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    QUESTIONS,
    atom_of,
    binds,
    groups_of,
    variables_of,
)
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.sizes import Sizes
from ggp.errors import ReasonerError
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Symbol, Term, variables

__all__ = ["restrict_to_calls"]

#: A relation that may have more atoms than this is restricted.
_LARGE = 3_000
#: A variable with no more values than this, such as a role, ties no literals together.
_FEW = 4


def restrict_to_calls(game: Rules) -> Rules:
    """Put guards into the rules of the relations that are restricted.

    Raises:
        ReasonerError: a variable of some rule has no values to range over.
    """
    rules, sizes = game.rules, game.sizes
    unbound = _unbound_places(rules)
    for relation in QUESTIONS:
        if unbound.get(relation):
            raise _cannot_ground(relation)
    large = {
        rule.relation
        for rule in rules
        if rule.relation in game.dynamic and sizes.of_relation(rule.relation) > _LARGE
    }
    restricted = large.difference(QUESTIONS) | {r for r, places in unbound.items() if places}
    called = {relation: set(range(relation.arity)) for relation in restricted}
    plan = _Plan(called, unbound, sizes)
    while plan.shrink(rules):
        pass
    for relation, places in unbound.items():
        if not places <= called.get(relation, set()):
            raise _cannot_ground(relation)
    types = _called_types(rules, sizes) if called else {}
    guarded: list[Rule] = []
    guards: list[Rule] = []
    for rule in rules:
        guard = [plan.guard(rule.head)] if rule.relation in called else []
        guarded.append(Rule(rule.head, (*guard, *_without_types(rule, guard, types))))
        guards += (
            Rule(plan.guard(literal.atom).atom, tuple(before))
            for literal, before in plan.calls(rule)
        )
    return game.changed(guarded, guards=[*game.guards, *guards])


def _called_types(
    rules: Sequence[Rule], sizes: Sizes
) -> dict[tuple[Relation, int], list[Relation]]:
    """Return the static types that each argument of a relation has wherever it is called."""
    types = sizes.types
    found: dict[tuple[Relation, int], list[Relation]] = {}
    for rule in rules:
        for literal in rule.body:
            if literal.relation == DISTINCT:
                continue
            for place, term in enumerate(arguments_of(literal.atom)):
                so_far = found.get((literal.relation, place), types)
                if so_far:
                    so_far = sizes.types_of(term, rule, so_far)
                found[literal.relation, place] = so_far
    return found


def _without_types(
    rule: Rule, guard: Sequence[Literal], types: Mapping[tuple[Relation, int], Sequence[Relation]]
) -> Iterator[Literal]:
    """Leave out checks of types that all callers have made, where something else binds."""
    if not guard:
        yield from rule.body
        return
    implied = {
        Literal(atom_of(kind, [term]))
        for place, term in enumerate(arguments_of(rule.head))
        for kind in types.get((rule.relation, place), ())
    }
    bound = set(variables(guard[0].atom))
    for literal in rule.body:
        if literal not in implied or not bound.issuperset(variables(literal.atom)):
            yield literal


def _cannot_ground(relation: Relation) -> ReasonerError:
    return ReasonerError(f"the game cannot be grounded: nothing bounds a variable of {relation}")


def _unbound_places(rules: Sequence[Rule]) -> dict[Relation, set[int]]:
    """Return the arguments of each relation that some rule leaves to its callers to bind."""
    unbound: dict[Relation, set[int]] = {rule.relation: set() for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            bound: set[Symbol] = set()
            waiting: set[Symbol] = set()
            for literal in rule.body:
                open_places = unbound.get(literal.relation, set())
                for place, term in enumerate(arguments_of(literal.atom)):
                    binding = binds(literal) and place not in open_places
                    (bound if binding else waiting).update(variables(term))
            needed = waiting.union(variables(rule.head)) - bound
            places = {
                place
                for place, term in enumerate(arguments_of(rule.head))
                if needed.intersection(variables(term))
            }
            # A variable that a literal of the body wants bound is bound through the head, or not
            # at all.
            if not needed <= set(variables(rule.head)):
                raise _cannot_ground(rule.relation)
            if not places <= unbound[rule.relation]:
                unbound[rule.relation] |= places
                changed = True
    return unbound


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which arguments of the restricted relations are bound in every call, and by what."""

    called: dict[Relation, set[int]]
    #: The arguments that must be bound.
    needed: Mapping[Relation, set[int]]
    sizes: Sizes

    def guard(self, atom: Term) -> Literal:
        relation = relation_of(atom)
        places = self.called[relation]
        arguments = [term for i, term in enumerate(arguments_of(atom)) if i in places]
        return Literal(atom_of(Relation(f"call {relation}", len(arguments)), arguments))

    def shrink(self, rules: Iterable[Rule]) -> bool:
        """Take away arguments that some call leaves open; return whether there were any."""
        common: dict[Relation, set[frozenset[int]]] = {}
        for rule in rules:
            for call, known in self._calls(rule):
                options = {self._places(call, group) for group in self._choices(call, known, rule)}
                so_far = common.setdefault(call.relation, {frozenset(self.called[call.relation])})
                common[call.relation] = {one & other for one in so_far for other in options}
        changed = False
        for relation, found in common.items():
            sizes = self.sizes.of_places(relation)

            def rank(places: frozenset[int]) -> tuple[bool, float, list[int]]:
                enough = self.needed.get(relation, set()) <= places  # noqa: B023
                weight = sum(log(sizes[place]) for place in places)  # noqa: B023
                return enough, weight, sorted(places)

            best = max(found, key=rank)
            if best == self.called[relation]:
                continue
            changed = True
            if best:
                self.called[relation] = set(best)
            else:
                del self.called[relation]
        return changed

    def calls(self, rule: Rule) -> Iterator[tuple[Literal, list[Literal]]]:
        """Yield the rule's calls of restricted relations, each with the literals that bind it."""
        for call, known in self._calls(rule):
            places = self.called[call.relation]
            binders = next(
                group
                for group in self._choices(call, known, rule)
                if places <= self._places(call, group)
            )
            bound = set(variables_of(binders))
            tests = (lit for lit in rule.body if lit.relation == DISTINCT)
            yield call, [*binders, *(t for t in tests if bound.issuperset(variables(t.atom)))]

    def _calls(self, rule: Rule) -> Iterator[tuple[Literal, list[Literal]]]:
        """Yield the rule's calls, each with the literals that come before it."""
        called = self.called
        known = [self.guard(rule.head)] if rule.relation in called else []
        known += (lit for lit in rule.body if binds(lit) and lit.relation not in called)
        waiting = [lit for lit in rule.body if binds(lit) and lit.relation in called]
        while waiting:
            bound = set(variables_of(known))
            literal = min(waiting, key=lambda lit: len(set(variables(lit.atom)) - bound))
            yield literal, list(known)
            waiting.remove(literal)
            known.append(literal)
        for literal in rule.body:
            if not literal.positive and literal.relation in called:
                yield literal, known

    def _choices(self, call: Literal, known: Sequence[Literal], rule: Rule) -> list[list[Literal]]:
        """Return what may bind a call: the known literals that hang together, group by group.

        Literals that do not hang together would bind the call to the product of their values,
        which is more than the relation itself may have.
        """
        arguments = arguments_of(call.atom)
        needed = {
            variable
            for place in self.needed.get(call.relation, ())
            for variable in variables(arguments[place])
        }
        groups = self._groups(known, rule)
        if needed:
            # What must be bound is, whatever it takes.
            joined = [group for group in groups if not needed.isdisjoint(variables_of(group))]
            groups = [[literal for group in joined for literal in group]]
        return groups or [[]]

    def _places(self, call: Literal, group: Sequence[Literal]) -> frozenset[int]:
        """Return the arguments of a call that a group of literals binds."""
        bound = set(variables_of(filter(binds, group)))
        return frozenset(
            place
            for place, term in enumerate(arguments_of(call.atom))
            if bound.issuperset(variables(term))
        )

    def _groups(self, known: Iterable[Literal], rule: Rule) -> list[list[Literal]]:
        """Return the literals in groups that share no variable, or only one with few values."""

        def ties(literal: Literal) -> Iterator[Symbol]:
            own = variables(literal.atom)
            return (name for name in own if self.sizes.of_variable(name, rule) > _FEW)

        return groups_of(known, ties)
