"""Estimates of how many values a variable has and how many atoms a relation."""

from __future__ import annotations

from math import prod

from ggp.gdl import Description, Relation, Rule, arguments_of, relation_of
from ggp.gdl.domains import Slot
from ggp.kif import Compound, Symbol, Term, is_ground
from ggp.reasoner.compiled.clauses import QUESTIONS, binds

__all__ = ["Sizes"]

#: The guess where nothing is known.
_UNKNOWN = 100
#: What a recursive function is taken for.
_MANY = 1_000_000


class Sizes:
    """Estimates from the constants that can stand in each place."""

    def __init__(self, description: Description) -> None:
        """Take the estimates from the description's domains."""
        self._domains = description.domains
        self._relations = frozenset(description.dependencies.edges)
        self._slots: dict[Relation, list[int]] = {}
        self._types = {
            relation: frozenset(str(arguments_of(rule.head)[0]) for rule in rules)
            for relation, rules in description.by_relation.items()
            if relation.arity == 1
            and relation not in QUESTIONS
            and all(not rule.body and is_ground(rule.head) for rule in rules)
        }

    def of_relation(self, relation: Relation) -> int:
        """Return how many atoms a relation of the description may have at most."""
        return prod(self.of_places(relation))

    def of_variable(self, variable: Symbol, rule: Rule) -> int:
        """Return how many values a variable of a rule may have, as far as its body tells."""
        found = _UNKNOWN
        for literal in filter(binds, rule.body):
            if literal.relation not in self._relations:
                continue
            slots = self._domains.slots(literal.relation)
            for term, slot in zip(arguments_of(literal.atom), slots, strict=True):
                found = min(found, _within(variable, term, slot))
        return found

    @property
    def types(self) -> list[Relation]:
        """The relations of one argument that are given by facts alone."""
        return list(self._types)

    def has_type(self, term: Term, kind: Relation, rule: Rule) -> bool:
        """Return whether all that a term of a rule's body can be is of a type."""
        if kind not in self._types:
            return False
        known = tuple(lit for lit in rule.body if lit.relation in self._relations)
        slot = self._domains.value(term, Rule(rule.head, known))
        return not slot.anything and not slot.functions and slot.constants <= self._types[kind]

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


def _within(variable: Symbol, term: Term, slot: Slot) -> int:
    """Return how many values the variable may have when the term stands in the slot."""
    if term == variable:
        return _size(slot)
    if isinstance(term, Compound) and not slot.anything:
        inside = slot.functions.get(relation_of(term), [])
        found = [_within(variable, t, s) for t, s in zip(term.arguments, inside, strict=False)]
        return min(found, default=_UNKNOWN)
    return _UNKNOWN
