"""Estimates of how many values a variable has and how many atoms a relation."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ggp.compiler.rewriting.clauses import DOES, QUESTIONS, TRUE, binds, by_relation
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.gdl.domains import MAX_NESTING, Domains, Slot
from ggp.kif import Symbol, Term, is_ground, variables

__all__ = ["Sizes"]

#: The guess where nothing is known.
_UNKNOWN = 100
#: The estimate for a recursive function.
_MANY = 1_000_000


class Sizes:
    """Estimates from the constants that can stand in each place."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Take the estimates from the domains of all rules."""
        self._defining = by_relation(rules)
        self._domains = Domains(rule for own in self._defining.values() for rule in own)
        self._relations = {*self._defining, TRUE, DOES}
        self._slots: dict[Relation, list[int]] = {}
        self._atoms: dict[Relation, int] = {}
        #: The rule that was asked for last, with the sizes of its variables.
        self._latest: tuple[Rule | None, dict[Symbol, int]] = (None, {})
        #: The rule whose values were asked for last, without literals of unknown relations.
        self._shorter: tuple[Rule | None, Rule | None] = (None, None)
        self._types = {
            relation: frozenset(str(arguments_of(rule.head)[0]) for rule in defining)
            for relation, defining in self._defining.items()
            if relation.arity == 1
            and relation not in QUESTIONS
            and all(not rule.body and is_ground(rule.head) for rule in defining)
        }

    def of_relation(self, relation: Relation) -> int:
        """Return how many atoms a relation of the description may have at most."""
        if relation not in self._atoms:
            # this holds while its rules are looked at, and for good if they are recursive
            self._atoms[relation] = most = prod(self.of_places(relation))
            rules = self._defining.get(relation, ())
            if rules:
                self._atoms[relation] = min(most, sum(map(self._of_rule, rules)))
        return self._atoms[relation]

    def _of_rule(self, rule: Rule) -> int:
        """Return how many atoms a rule derives at most."""
        left, count = set(variables(rule.head)), 1
        size = {name: self.of_variable(name, rule) for name in left}
        for literal in filter(binds, rule.body):
            own = left.intersection(variables(literal.atom))
            atoms = self.of_relation(literal.relation) if own else 1
            if atoms < prod(size[name] for name in own):
                left -= own
                count *= atoms
        return count * prod(size[name] for name in left)

    def may_nest(self) -> bool:
        """Return whether terms may nest without end, as far as the domains tell."""
        slots = [slot for relation in self._relations for slot in self._domains.slots(relation)]
        while slots:
            if any(slot.nesting > MAX_NESTING for slot in slots):
                return True
            slots = [s for slot in slots for inside in slot.functions.values() for s in inside]
        return False

    def of_compounds(self, relation: Relation) -> list[int]:
        """Return the arguments of a relation that may be compound terms."""
        slots = self._domains.slots(relation)
        return [place for place, slot in enumerate(slots) if slot.anything or slot.functions]

    def of_variable(self, variable: Symbol, rule: Rule) -> int:
        """Return how many values a variable of a rule may have, as far as its body tells."""
        known, found = self._latest
        if known is not rule:
            found = self.of_variables(rule.body)
            self._latest = rule, found
        return found.get(variable, _UNKNOWN)

    def of_variables(self, body: Iterable[Literal]) -> dict[Symbol, int]:
        """Return how many values the variables may have to which some literals give values."""
        found: dict[Symbol, int] = {}
        for literal in filter(binds, body):
            if literal.relation in self._relations:
                slots = self._domains.slots(literal.relation)
                for term, slot in zip(arguments_of(literal.atom), slots, strict=True):
                    _narrow(found, term, slot)
        return found

    def values(self, variable: Symbol, rule: Rule) -> frozenset[str] | None:
        """Return the constants that a variable of a rule may be; None if it may be other terms."""
        slot = self._slot(variable, rule)
        return None if slot.anything or slot.functions else frozenset(slot.constants)

    @property
    def types(self) -> list[Relation]:
        """The relations of one argument that are given by facts alone."""
        return list(self._types)

    def types_of(self, term: Term, rule: Rule, kinds: Iterable[Relation]) -> list[Relation]:
        """Return those of some types that all that a term of a rule's body can be is of."""
        slot = self._slot(term, rule)
        if slot.anything or slot.functions:
            return []
        return [kind for kind in kinds if slot.constants <= self._types.get(kind, frozenset())]

    def _slot(self, term: Term, rule: Rule) -> Slot:
        """Return what a term of a rule's body can be."""
        known, shorter = self._shorter
        if known is not rule or shorter is None:
            body = tuple(lit for lit in rule.body if lit.relation in self._relations)
            shorter = Rule(rule.head, body)
            self._shorter = rule, shorter
        return self._domains.value(term, shorter)

    def of_places(self, relation: Relation) -> list[int]:
        """Return how many values may stand in each argument of a relation."""
        if relation not in self._relations:
            return [_UNKNOWN] * relation.arity
        if relation not in self._slots:
            self._slots[relation] = [_size(slot) for slot in self._domains.slots(relation)]
        return self._slots[relation]


def _size(slot: Slot) -> int:
    if slot.anything:
        return _UNKNOWN
    inside = sum(prod(map(_size, slots)) for slots in slot.functions.values())
    return min(_MANY, len(slot.constants) + inside)


def _narrow(found: dict[Symbol, int], term: Term, slot: Slot) -> None:
    """Let the variables of a term have no more values than the slot in which it stands."""
    if isinstance(term, Symbol):
        if term.is_variable and not slot.anything:
            found[term] = min(_size(slot), found.get(term, _UNKNOWN))
    elif not slot.anything:
        for inside, within in zip(
            term.arguments, slot.functions.get(relation_of(term), ()), strict=False
        ):
            _narrow(found, inside, within)
