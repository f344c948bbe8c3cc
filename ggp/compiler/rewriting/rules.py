"""The rules of a game between two passes, with what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ggp.compiler.rewriting.clauses import (
    DOES,
    QUESTIONS,
    ROLES,
    TRUE,
    Auxiliaries,
    atom_of,
    by_relation,
)
from ggp.compiler.rewriting.sizes import Sizes
from ggp.compiler.rewriting.unique.patterns import Pattern
from ggp.gdl import Relation, Rule
from ggp.gdl.dependency import DependencyGraph
from ggp.kif import Symbol

__all__ = ["Rules"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a pass takes, and what it returns. Each analysis is made once, when it is asked for.

    A *guard* is a relation that bounds which instances of a rule are grounded, and says nothing
    about truth: its atoms are dropped from the ground bodies.
    """

    roles: tuple[Symbol, ...]
    rules: tuple[Rule, ...]
    #: What makes guards possible.
    guards: tuple[Rule, ...] = ()
    #: How many relations the passes have named: no name is given twice.
    named: int = 0
    #: Patterns that the rules rest on: at most one fact of each holds in every state of a match.
    unique: frozenset[Pattern] = frozenset()
    #: An estimate, from above, of how many instances the rules have,
    instances: float = 0.0
    #: and how many of these are of relations that tell which facts and moves are possible.
    relaxed_instances: float = 0.0

    @cached_property
    def defining(self) -> dict[Relation, list[Rule]]:
        """The rules of each relation."""
        return by_relation(self.rules)

    @cached_property
    def graph(self) -> DependencyGraph:
        """Which relations depend on which."""
        return DependencyGraph(self.rules)

    @cached_property
    def dynamic(self) -> frozenset[Relation]:
        """The relations that depend on the state or the moves."""
        return self.graph.dependents({TRUE, DOES, *(guard.relation for guard in self.guards)})

    @cached_property
    def static(self) -> frozenset[Relation]:
        """The relations whose truth never changes."""
        return frozenset(self.defining) - self.dynamic | {ROLES}

    @cached_property
    def sizes(self) -> Sizes:
        """Estimates of how many values variables have, and how many atoms relations."""
        players = [Rule(atom_of(ROLES, [role]), ()) for role in self.roles]
        return Sizes([*players, *self.rules, *self.guards])

    @cached_property
    def may_nest(self) -> bool:
        """Whether terms may nest without end."""
        return self.sizes.may_nest()

    def auxiliaries(self) -> Auxiliaries:
        """Return a factory for new relations."""
        return Auxiliaries(self.named)

    def changed(
        self,
        rules: Iterable[Rule],
        auxiliaries: Auxiliaries | None = None,
        *,
        guards: Sequence[Rule] | None = None,
    ) -> Rules:
        """Return other rules for the same game, or these if nothing is new.

        Args:
            rules: the rules.
            auxiliaries: what has made new relations, whose rules and guards are added.
            guards: the guards; None for those of before.
        """
        made = auxiliaries or self.auxiliaries()
        after = (*rules, *made.rules)
        bounds = (*(self.guards if guards is None else guards), *made.guards)
        if after == self.rules and bounds == self.guards:
            return self
        return replace(self, rules=after, guards=bounds, named=made.named)

    def needed(self) -> Rules:
        """Return the rules that some question, or some guard, needs."""
        asked = [*QUESTIONS, *(guard.relation for guard in self.guards)]
        needed = DependencyGraph((*self.rules, *self.guards)).reachable(asked)
        return self.changed(rule for rule in self.rules if rule.relation in needed)
