"""A rulesheet as the checks look at it: statements that know their places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ggp.gdl.check.analysis.statics import Statics
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.domains import Domains
from ggp.gdl.normalise import normalise
from ggp.gdl.rules import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Source, Symbol, Term, symbols, variables

__all__ = ["SEEING", "Condition", "Either", "Rulesheet", "Statement", "binds"]

#: What roles see of a joint move, and what Dresden's game controller shows of a state to them.
SEEING = frozenset({Relation("sees", 2), Relation("sees_xml", 2)})

_ROLE = Relation("role", 1)

# The normal form of a rule takes time that grows with its disjunctions times its conditions.
_MAX_WORK = 100_000


@dataclass(frozen=True, slots=True)
class Either:
    """A disjunction of a rule's body."""

    branches: tuple[Condition, ...]
    #: The variables that every branch binds.
    binds: frozenset[Symbol]


Condition: TypeAlias = Literal | Either


def binds(condition: Condition) -> frozenset[Symbol]:
    """Return the variables that a condition gives a value to."""
    if isinstance(condition, Either):
        return condition.binds
    if condition.positive and condition.relation.name != "distinct":
        return frozenset(variables(condition.atom))
    return frozenset()


@dataclass(frozen=True)
class Statement:
    """A fact or a rule, keywords in lower case, without the parts that are malformed."""

    term: Term
    head: Term | None
    body: tuple[Condition, ...]
    is_rule: bool
    #: Whether nothing of it was malformed.
    is_sound: bool

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the body, each disjunction before what is inside it."""
        if not any(isinstance(condition, Either) for condition in self.body):
            return self.body
        found: list[Condition] = []
        pending: list[Condition] = list(reversed(self.body))
        while pending:
            condition = pending.pop()
            found.append(condition)
            if isinstance(condition, Either):
                pending.extend(reversed(condition.branches))
        return tuple(found)

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """The literals of the body, those inside disjunctions included, in their order."""
        return tuple(c for c in self.conditions if isinstance(c, Literal))

    @cached_property
    def atoms(self) -> tuple[Term, ...]:
        """The head and the atoms of the body in their order."""
        head = () if self.head is None else (self.head,)
        return (*head, *(literal.atom for literal in self.literals))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, from left to right, with repetitions."""
        return tuple(symbols(self.term))

    @cached_property
    def variables(self) -> tuple[Symbol, ...]:
        """All variables, from left to right, with repetitions."""
        return tuple(symbol for symbol in self.symbols if symbol.is_variable)


@dataclass(frozen=True)
class Rulesheet:
    """The readable part of a rulesheet, which the checks examine."""

    source: Source
    statements: tuple[Statement, ...]

    def heads(self) -> Iterator[Term]:
        """Yield the heads of the statements, but for the malformed ones."""
        return (statement.head for statement in self.statements if statement.head is not None)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The statements in normal form, without the malformed and the oversized ones."""
        terms = (s.term for s in self.statements if _can_be_normalised(s))
        return normalise(terms, source=self.source)

    @cached_property
    def graph(self) -> DependencyGraph:
        """Which relation depends on which."""
        return DependencyGraph(self.rules)

    @cached_property
    def rules_by_relation(self) -> Mapping[Relation, Sequence[Rule]]:
        """The rules that define each relation."""
        rules: defaultdict[Relation, list[Rule]] = defaultdict(list)
        for rule in self.rules:
            rules[rule.relation].append(rule)
        return rules

    def rules_of(self, component: frozenset[Relation]) -> Sequence[Rule]:
        """Return the rules that define the given relations."""
        return [r for relation in sorted(component) for r in self.rules_by_relation[relation]]

    @cached_property
    def negative_cycles(self) -> tuple[frozenset[Relation], ...]:
        """The sets of relations that depend on each other, somewhere through a negation."""
        return tuple(
            component
            for component in self.graph.components
            if any(
                negated and used in component
                for relation in component
                for used, negated in self.graph.edges[relation].items()
            )
        )

    @cached_property
    def statics(self) -> Statics:
        """The tables of the relations that are the same in every state."""
        half_known = {
            relation_of(statement.head)
            for statement in self.statements
            if statement.head is not None and not _can_be_normalised(statement)
        }
        excluded = half_known.union(*self.negative_cycles)
        return Statics(self.rules_by_relation, self.graph, excluded=excluded)

    @cached_property
    def domains(self) -> Domains | None:
        """Which constants can stand where; None where a part of the rulesheet is unreadable."""
        if not all(map(_can_be_normalised, self.statements)):
            return None
        return Domains(self.rules)

    @cached_property
    def roles(self) -> frozenset[Term]:
        """The roles that facts name."""
        return frozenset(
            role
            for statement in self.statements
            if statement.head is not None and relation_of(statement.head) == _ROLE
            for role in arguments_of(statement.head)
            if isinstance(role, Symbol) and not role.is_variable and not statement.body
        )


def _can_be_normalised(statement: Statement) -> bool:
    if not statement.is_sound:
        return False
    disjunctions = sum(isinstance(condition, Either) for condition in statement.body)
    return disjunctions <= 1 or disjunctions * len(statement.conditions) <= _MAX_WORK
