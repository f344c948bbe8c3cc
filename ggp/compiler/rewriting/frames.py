"""Says of what stays as it is that no move touches it.

By ``(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (jump ?u ?v ?w ?z))
(different ?x ?y ?u ?v) (not (captured ?u ?v ?x ?y ?w ?z)))``, a cell keeps its piece with each of
nearly all jumps, and each is an instance. A role makes one move at a time. So the cell keeps its
piece if the role jumps, but makes no jump from there or over it: few jumps touch a cell. (Such an
axiom says what explains a change: Reiter, 1991, "The frame problem in the situation calculus".)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    DOES,
    Auxiliaries,
    binds,
    variables_of,
    with_values,
)
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule, arguments_of
from ggp.kif import Symbol, Term, variables

__all__ = ["with_frames"]

_NEXT = Relation("next", 1)


def with_frames(game: Rules) -> Rules:
    """Say what a move leaves alone in terms of what moves touch."""
    auxiliaries = game.auxiliaries()
    framed: list[Rule] = []
    for rule in game.rules:
        moves = [literal for literal in rule.body if literal.relation == DOES]
        if rule.relation == _NEXT and len(moves) == 1 and moves[0].positive:
            framed.append(_Frame(rule, moves[0], game.defining, auxiliaries).rewritten())
        else:
            framed.append(rule)
    return game.changed(framed, auxiliaries)


@dataclass(frozen=True, slots=True)
class _Touching:
    """When a literal does not hold, so that a move touches something."""

    #: The variables of what is touched.
    names: frozenset[Symbol]
    #: What holds then,
    literals: tuple[Literal, ...] = ()
    #: and which values the variables of the move have.
    values: dict[Symbol, Term] = field(default_factory=dict)
    #: What the literal wants besides, whatever is touched.
    conditions: tuple[Literal, ...] = ()


class _Frame:
    """A rule for `next` with one move."""

    def __init__(
        self,
        rule: Rule,
        move: Literal,
        defining: Mapping[Relation, Sequence[Rule]],
        auxiliaries: Auxiliaries,
    ) -> None:
        self._rule, self._move = rule, move
        self._defining, self._auxiliaries = defining, auxiliaries
        role, made = arguments_of(move.atom)
        #: The variables of the role, and those to which only the move gives a value.
        self._role = frozenset(variables(role))
        self._told = frozenset(variables(made)) - self._role

    def rewritten(self) -> Rule:
        """Return the rule in terms of what moves touch; as it is if that cannot be told."""
        rule, move, told, role = self._rule, self._move, self._told, self._role
        if not told.isdisjoint(variables(rule.head)):
            return rule
        outside: list[Literal] = []
        about: list[Literal] = []
        touching: list[_Touching] = []
        pending = [literal for literal in rule.body if literal is not move]
        for literal in pending:
            names = frozenset(variables(literal.atom))
            if told.isdisjoint(names):
                outside.append(literal)
            elif names <= told | role:
                about.append(literal)
            else:
                found = self._touching(literal, names - told)
                if found is None:
                    return rule
                touching.append(found)
                pending += found.conditions
        touched = frozenset[Symbol]().union(*(found.names for found in touching))
        if not touching or not touched <= role.union(variables_of(filter(binds, outside))):
            return rule
        define = self._auxiliaries.define
        moved = define([move, *about], role)
        parts = (
            define(with_values([move, *found.literals], found.values), found.names | role)
            for found in touching
        )
        denied = (Literal(part.atom, positive=False) for part in parts)
        return Rule(rule.head, tuple(dict.fromkeys((*outside, moved, *denied))))

    def _touching(self, literal: Literal, names: frozenset[Symbol]) -> _Touching | None:
        """Return when a literal does not hold; None if that is not so for few moves."""
        pairs, conditions = self._difference(literal)
        if not literal.positive:
            return None if pairs else _Touching(names, (Literal(literal.atom),))
        values: dict[Symbol, Term] = {}
        for left, right in pairs:
            one, other = (left, right) if left in self._told else (right, left)
            if not isinstance(one, Symbol) or one not in self._told or one in values:
                return None
            if not self._told.isdisjoint(variables(other)):
                return None
            values[one] = other
        return _Touching(names, (), values, conditions) if pairs else None

    def _difference(self, literal: Literal) -> tuple[list[tuple[Term, Term]], tuple[Literal, ...]]:
        """Return pairs of terms, of which one differs if an atom holds, and what else holds then.

        Return no pairs if the atom says something else.
        """
        arguments = arguments_of(literal.atom)
        if literal.relation == DISTINCT:
            return [(arguments[0], arguments[1])], ()
        pairs: list[tuple[Term, Term]] = []
        conditions: tuple[Literal, ...] | None = None
        for rule in self._defining.get(literal.relation, ()):
            own = arguments_of(rule.head)
            values = {
                name: value
                for name, value in zip(own, arguments, strict=True)
                if isinstance(name, Symbol) and name.is_variable
            }
            tests = [lit for lit in rule.body if lit.relation == DISTINCT and lit.positive]
            if len(tests) != 1 or len(values) < len(own) or {*rule.variables()} > values.keys():
                return [], ()
            left, right = arguments_of(with_values(tests, values)[0].atom)
            pairs.append((left, right))
            others = with_values((lit for lit in rule.body if lit not in tests), values)
            if conditions is not None and {*others} != {*conditions}:
                return [], ()
            conditions = others
        return pairs, conditions or ()
