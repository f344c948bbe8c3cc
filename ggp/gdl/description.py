"""The description: the rules of one game, normalised, with what follows from their form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from ggp.errors import GdlError
from ggp.gdl.bundled import find_game
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.domains import Domains
from ggp.gdl.normalise import normalise
from ggp.gdl.outer import without_outer_parentheses
from ggp.gdl.rules import Relation, Rule, arguments_of, head_name
from ggp.kif import Compound, Source, Symbol, Term, parse, to_kif

__all__ = ["HIGHEST_GOAL", "RANDOM", "Description", "GoalVector"]

#: Goals are integers from 0 to this.
HIGHEST_GOAL = 100

#: One goal per role, in role order; None where the rules give a role no goal, or several.
GoalVector: TypeAlias = tuple[int | None, ...]

#: The role of chance, which makes every legal move with the same probability (GDL-II).
RANDOM = "random"

_TRUE, _DOES = Relation("true", 1), Relation("does", 2)


@dataclass(frozen=True)
class Description:
    """The rules of one game.

    Build one with `Description.load`, `from_text` or `from_terms`. Building fails only where the
    text cannot be given a meaning at all; everything else is for `ggp.gdl.check` to judge.
    """

    #: The rulesheet, for errors to point into.
    source: Source
    #: The expressions as they were written.
    terms: tuple[Term, ...]
    #: The same in normal form: disjunctions split, keywords in lower case.
    rules: tuple[Rule, ...]

    @classmethod
    def load(cls, path: Path | str) -> Description:
        """Read a rulesheet from a file, or by the name of a bundled game, such as "tictactoe".

        Raises:
            OSError: the file cannot be read.
            SourceError: the text is not KIF, or describes no game.
        """
        return cls.from_text(Source.read(find_game(path)))

    @classmethod
    def from_text(cls, source: Source | str) -> Description:
        """Read a rulesheet from its text. Raises `SourceError`."""
        if isinstance(source, str):
            source = Source(source)
        return cls.from_terms(parse(source), source=source)

    @classmethod
    def from_terms(cls, terms: Iterable[Term], *, source: Source | None = None) -> Description:
        """Build a description from expressions, such as those of a START message.

        A rulesheet may stand in one outer pair of parentheses, as in a START message.

        Raises:
            GdlError: an expression is neither a fact nor a rule, or defines what cannot be
                defined, such as `true`, or no role is given.
        """
        terms = without_outer_parentheses(tuple(terms))
        source = source or Source(to_kif(terms))
        description = cls(source, terms, normalise(terms, source=source))
        if not description.roles:
            raise GdlError(
                "the game has no role",
                span=source.span(None),
                hint="add a fact (role name) for each player",
            )
        return description

    def starting_at(self, facts: Iterable[Term]) -> Description:
        """Return the game that begins in another state: the same rules, but for `init`.

        Args:
            facts: what is true in that state.
        """
        rules = (term for term in self.terms if head_name(term).lower() != "init")
        init = (Compound((Symbol("init"), fact)) for fact in sorted(facts, key=str))
        return Description.from_terms((*rules, *init))

    @cached_property
    def roles(self) -> tuple[Symbol, ...]:
        """The roles in the order of their facts: the order of joint moves and goal vectors."""
        names = (
            rule.head.items[1]
            for rule in self.by_relation.get(Relation("role", 1), ())
            if not isinstance(rule.head, Symbol) and not rule.body
        )
        return tuple(dict.fromkeys(n for n in names if isinstance(n, Symbol) and not n.is_variable))

    @cached_property
    def by_relation(self) -> Mapping[Relation, tuple[Rule, ...]]:
        """The rules that define each relation, in their order."""
        rules: defaultdict[Relation, list[Rule]] = defaultdict(list)
        for rule in self.rules:
            rules[rule.relation].append(rule)
        return {relation: tuple(defining) for relation, defining in rules.items()}

    @cached_property
    def dependencies(self) -> DependencyGraph:
        """Which relation depends on which."""
        return DependencyGraph(self.rules)

    @cached_property
    def dynamic(self) -> frozenset[Relation]:
        """The relations that depend on the state or on the moves, with ``true`` and ``does``."""
        return self.dependencies.dependents((_TRUE, _DOES))

    @cached_property
    def static(self) -> frozenset[Relation]:
        """The defined relations that are the same in every state."""
        return frozenset(self.by_relation) - self.dynamic

    @cached_property
    def has_imperfect_information(self) -> bool:
        """Whether the game is of GDL-II: what the roles see is given by ``sees``."""
        return Relation("sees", 2) in self.by_relation

    @cached_property
    def domains(self) -> Domains:
        """Which constants can stand where."""
        return Domains(self.rules)

    @cached_property
    def goal_values(self) -> Mapping[Symbol, tuple[int, ...]]:
        """For each role the goals from 0 to 100 that its `goal` rules can give, ascending.

        Where a rule computes the goal instead of naming it, these are the numbers that can stand
        there.
        """
        values: dict[Symbol, set[int]] = {role: set() for role in self.roles}
        for rule in self.by_relation.get(Relation("goal", 2), ()):
            role, goal = (self.domains.value(term, rule) for term in arguments_of(rule.head))
            texts = {text.lstrip("0") or "0" for text in goal.constants if text.isdecimal()}
            named = {n for n in range(HIGHEST_GOAL + 1) if goal.anything or str(n) in texts}
            for candidate in self.roles:
                if candidate.text in role:
                    values[candidate] |= named
        return {role: tuple(sorted(found)) for role, found in values.items()}

    @cached_property
    def invalid_goals(self) -> tuple[int, ...]:
        """The integers outside 0 to 100 that `goal` rules name, ascending; GDL allows none."""
        rules = self.by_relation.get(Relation("goal", 2), ())
        goals = (self.domains.value(arguments_of(rule.head)[1], rule) for rule in rules)
        texts = {text for goal in goals for text in goal.constants}
        named = {int(text) for text in texts if text.removeprefix("-").isdecimal()}
        return tuple(sorted(goal for goal in named if not 0 <= goal <= HIGHEST_GOAL))
