"""Which constants can stand where: what the rules alone say of the values of each argument.

A rule's head takes constants from itself, and from its body through shared variables. Following
this flow to its fixed point gives, for each argument of each relation, a set of constants that is
surely large enough: every state's facts stay within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ggp.gdl.rules import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term

__all__ = ["MAX_NESTING", "Domains", "Slot", "variable_places"]

_DISTINCT = Relation("distinct", 2)

# What holds in a state was so at first or came next; what is done is legal.
_SAME = {
    Relation("init", 1): Relation("true", 1),
    Relation("next", 1): Relation("true", 1),
    Relation("does", 2): Relation("legal", 2),
}

# What is asked for in these is nearly always a fact or a move of a certain name.
_NAMED = frozenset(_SAME.values())

#: Functions that nest deeper than this while the flow is followed may nest without end.
MAX_NESTING = 8


#: The functions around a term, each with the argument in which it stands.
_Path: TypeAlias = tuple[tuple[Relation, int], ...]
#: A relation, one of its arguments, and a path in it.
_Place: TypeAlias = tuple[Relation, int, _Path]
_Occurrences: TypeAlias = dict[str, list[_Place]]


@dataclass(slots=True)
class Slot:
    """What can stand in one place: constants, and functions with slots of their own."""

    nesting: int = 0
    constants: set[str] = field(default_factory=set)
    functions: dict[Relation, list[Slot]] = field(default_factory=dict)
    #: Nothing is known: any term may stand here.
    anything: bool = False

    def __contains__(self, constant: str) -> bool:
        return self.anything or constant in self.constants

    def admits(self, term: Term) -> bool:
        """Return whether a ground term can stand here."""
        if isinstance(term, Symbol):
            return term.text in self
        inside = self.functions.get(relation_of(term))
        return self.anything or (
            inside is not None
            and all(slot.admits(t) for t, slot in zip(term.arguments, inside, strict=True))
        )

    def arguments(self, function: Relation) -> list[Slot]:
        """Return the slots of a function that can stand here, which it now can."""
        if function not in self.functions:
            self.functions[function] = [Slot(self.nesting + 1) for _ in range(function.arity)]
        return self.functions[function]

    def size(self) -> int:
        """Return how much is known to be possible; it grows when anything is added."""
        inside = (slot for slots in self.functions.values() for slot in slots)
        return self.anything + len(self.constants) + sum(1 + slot.size() for slot in inside)

    def take(self, other: Slot) -> bool:
        """Add all that can stand in another slot, and return whether anything is new."""
        before = len(self.constants), self.anything, len(self.functions)
        self.constants |= other.constants
        self.anything |= other.anything or self.nesting > MAX_NESTING
        is_new = False
        if not self.anything and other is not self:
            for function, slots in other.functions.items():
                for mine, theirs in zip(self.arguments(function), list(slots), strict=True):
                    is_new |= mine.take(theirs)
        return is_new or before != (len(self.constants), self.anything, len(self.functions))


class Domains:
    """The slots of every relation of a rulesheet."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Follow the flow of constants through the rules."""
        self._slots: dict[Relation, list[Slot]] = {}
        #: The rule that was asked for last, with what its body says.
        self._latest: tuple[Rule | None, _Occurrences] = (None, {})
        pending = [(rule, _occurrences(rule)) for rule in rules]
        readers = [(_reads(flow[0]), flow) for flow in pending if flow[0].body]
        while pending:
            changed = {key for flow in pending if self._flow(*flow) for key in _writes(flow[0])}
            pending = [flow for keys, flow in readers if not keys.isdisjoint(changed)]

    @property
    def facts(self) -> Slot:
        """What can be true in a state."""
        return self.slots(Relation("true", 1))[0]

    def slots(self, relation: Relation) -> Sequence[Slot]:
        """Return the slots of a relation's arguments."""
        relation = _SAME.get(relation, relation)
        if relation not in self._slots:
            self._slots[relation] = [Slot() for _ in range(relation.arity)]
        return self._slots[relation]

    def value(self, term: Term, rule: Rule) -> Slot:
        """Return what a term of a rule's head can stand for."""
        known, occurrences = self._latest
        if known is not rule:
            occurrences = _occurrences(rule)
            self._latest = rule, occurrences
        return self._value(term, occurrences)

    def _value(self, term: Term, occurrences: _Occurrences) -> Slot:
        if isinstance(term, Compound):
            found = Slot()
            inside = found.arguments(relation_of(term))
            for argument, slot in zip(term.arguments, inside, strict=True):
                slot.take(self._value(argument, occurrences))
            return found
        if term.is_variable:
            return self._variable(occurrences.get(term.text, ()))
        return Slot(constants={term.text})

    def _variable(self, places: Iterable[_Place]) -> Slot:
        """Return what a variable can stand for: what can stand wherever the body has it."""
        telling = [slot for slot in map(self._slot, places) if not slot.anything]
        if not telling:
            return Slot(anything=True)
        found = Slot()
        found.take(min(telling, key=Slot.size) if len(telling) > 1 else telling[0])
        for place in telling:
            found.constants &= place.constants
        return found

    def _slot(self, place: _Place) -> Slot:
        """Return the slot of a place in an atom of a body."""
        relation, at, functions = place
        slot = self.slots(relation)[at]
        for function, inside in functions:
            slots = slot.functions.get(function)
            if slots is None:
                return Slot(anything=slot.anything)
            slot = slots[inside]
        return slot

    def _flow(self, rule: Rule, occurrences: _Occurrences) -> bool:
        """Add to the slots of the rule's head what the rule can put there; whether any is new."""
        is_new = False
        for term, slot in zip(arguments_of(rule.head), self.slots(rule.relation), strict=True):
            is_new |= slot.take(self._value(term, occurrences))
        return is_new


def variable_places(literal: Literal, domains: Domains) -> Iterator[tuple[Symbol, Slot]]:
    """Yield the variables of a literal, each with what can stand at its place."""
    pending = list(zip(arguments_of(literal.atom), domains.slots(literal.relation), strict=True))
    while pending:
        term, slot = pending.pop()
        if isinstance(term, Symbol):
            if term.is_variable:
                yield term, slot
        elif not slot.anything and relation_of(term) in slot.functions:
            pending.extend(zip(term.arguments, slot.functions[relation_of(term)], strict=True))


def _occurrences(rule: Rule) -> _Occurrences:
    """Return where each variable stands in the positive literals of a rule's body."""
    found: _Occurrences = {}
    for literal in rule.body:
        relation = literal.relation
        if not literal.positive or relation == _DISTINCT:
            continue
        for at, argument in enumerate(arguments_of(literal.atom)):
            pending: list[tuple[Term, _Path]] = [(argument, ())]
            while pending:
                term, path = pending.pop()
                if isinstance(term, Compound):
                    function = relation_of(term)
                    for inside, item in enumerate(term.arguments):
                        pending.append((item, (*path, (function, inside))))
                elif term.is_variable:
                    found.setdefault(term.text, []).append((relation, at, path))
    return found


#: What a rule reads or writes: a relation, and the name of the fact or move where it is one.
_Key: TypeAlias = tuple[Relation, Relation | str]


def _reads(rule: Rule) -> frozenset[_Key]:
    """Return keys, one of which is among those that a rule writes if this rule depends on it."""
    keys: set[_Key] = set()
    for literal in rule.body:
        relation, name = _key(literal.atom)
        keys |= {(relation, "any body")} if name is None else {(relation, name), (relation, "any")}
    return frozenset(keys)


def _writes(rule: Rule) -> Iterator[_Key]:
    relation, name = _key(rule.head)
    yield relation, "any body"
    yield relation, "any" if name is None else name


def _key(atom: Term) -> tuple[Relation, Relation | None]:
    """Return the relation of an atom, and the name of its fact or move if that is no variable."""
    relation = _SAME.get(relation_of(atom), relation_of(atom))
    if relation not in _NAMED:
        return relation, None
    term = arguments_of(atom)[-1]
    return relation, None if isinstance(term, Symbol) and term.is_variable else relation_of(term)
