"""Conditions over variables as formulas that simplify as the variables get their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    atom_of,
    by_relation,
    given_by_facts,
    replaced,
    variables_of,
    with_values,
)
from ggp.gdl import Literal, Rule, arguments_of
from ggp.kif import Symbol, Term, is_ground, variables

__all__ = ["FALSE", "TRUE", "Conditions", "NotACondition"]

FALSE, TRUE = 0, 1
#: Formulas beyond this number are too many.
_MOST = 200_000
#: Definitions that are deeper than this are not expanded.
_DEEPEST = 20


class NotACondition(Exception):
    """A relation is no condition on its arguments alone, or the formulas are too many."""


class Conditions:
    """Formulas as numbers: equal formulas have equal numbers.

    A formula is a literal of a relation that is given by facts, or the conjunction or disjunction
    of a set of formulas. Relations are replaced by their definitions.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Take the rules that define relations."""
        self._rules = by_relation(rules)
        self._facts = {
            relation: {*heads} for relation, heads in given_by_facts(self._rules).items()
        }
        #: Each formula: a literal, or a set of formulas and whether all of them must hold.
        self._formulas: list[Literal | tuple[bool, frozenset[int]]] = [(False, frozenset())]
        self._formulas.append((True, frozenset()))
        self._numbers = {formula: number for number, formula in enumerate(self._formulas)}
        self._variables: list[frozenset[Symbol]] = [frozenset(), frozenset()]
        self._known: dict[tuple[int, Symbol, Term], int] = {}

    def all_of(self, body: Sequence[Literal], depth: int = 0) -> int:
        """Return the formula of a conjunction of literals. Raises `NotACondition`."""
        return self._joined(True, [self._of(literal, depth) for literal in body])

    def variables(self, formula: int) -> frozenset[Symbol]:
        """Return the variables of a formula."""
        return self._variables[formula]

    def given(self, formula: int, variable: Symbol, value: Term) -> int:
        """Return what is left of a formula when a variable has a value."""
        if variable not in self._variables[formula]:
            return formula
        key = formula, variable, value
        if key not in self._known:
            what = self._formulas[formula]
            if isinstance(what, Literal):
                atom = replaced(what.atom, {variable: value})
                self._known[key] = self._leaf(Literal(atom, what.positive))
            else:
                all_hold, parts = what
                self._known[key] = self._joined(
                    all_hold, [self.given(part, variable, value) for part in parts]
                )
        return self._known[key]

    def _of(self, literal: Literal, depth: int) -> int:
        relation = literal.relation
        if relation == DISTINCT or relation in self._facts:
            return self._leaf(literal)
        if depth > _DEEPEST or relation not in self._rules:
            raise NotACondition(relation)
        arguments = arguments_of(literal.atom)
        alternatives = []
        for rule in self._rules[relation]:
            values: dict[Symbol, Term] = {}
            body: list[Literal] = []
            for term, argument in zip(arguments_of(rule.head), arguments, strict=True):
                if isinstance(term, Symbol) and term.is_variable and term not in values:
                    values[term] = argument
                    continue
                same = values.get(term) if isinstance(term, Symbol) else None
                if same is None and not is_ground(term):
                    raise NotACondition(relation)
                sides = [term if same is None else same, argument]
                body.append(Literal(_distinct(sides), positive=False))
            if not values.keys() >= variables_of(rule.body).keys():
                raise NotACondition(relation)
            body += with_values(rule.body, values)
            alternatives.append(self.all_of(body, depth + 1))
        found = self._joined(False, alternatives)
        return found if literal.positive else self._denied(found)

    def _denied(self, formula: int) -> int:
        what = self._formulas[formula]
        if isinstance(what, Literal):
            return self._leaf(Literal(what.atom, not what.positive))
        all_hold, parts = what
        return self._joined(not all_hold, [self._denied(part) for part in parts])

    def _leaf(self, literal: Literal) -> int:
        """Return a literal of facts: true or false if it has no variables."""
        if not is_ground(literal.atom):
            return self._number(literal, frozenset(variables(literal.atom)))
        if literal.relation == DISTINCT:
            left, right = arguments_of(literal.atom)
            return int((left != right) == literal.positive)
        return int((literal.atom in self._facts[literal.relation]) == literal.positive)

    def _joined(self, all_hold: bool, parts: Iterable[int]) -> int:
        """Return the conjunction, or disjunction, of formulas."""
        found: set[int] = set()
        for part in parts:
            what = self._formulas[part]
            # the empty conjunction is true, the empty disjunction is false
            if isinstance(what, tuple) and what[0] == all_hold:
                found |= what[1]
            elif part == int(not all_hold):
                return part
            else:
                found.add(part)
        if len(found) == 1:
            return found.pop()
        inside = frozenset[Symbol]().union(*(self._variables[part] for part in found))
        return self._number((all_hold, frozenset(found)), inside)

    def _number(
        self, formula: Literal | tuple[bool, frozenset[int]], inside: frozenset[Symbol]
    ) -> int:
        number = self._numbers.setdefault(formula, len(self._formulas))
        if number == len(self._formulas):
            if number == _MOST:
                raise NotACondition
            self._formulas.append(formula)
            self._variables.append(inside)
        return number


def _distinct(sides: Sequence[Term]) -> Term:
    return atom_of(DISTINCT, sides)
