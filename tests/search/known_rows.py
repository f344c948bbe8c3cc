"""A leaf-value table for a game that is made of its graph, with what is possible in each spot."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ggp.kif import Symbol, Term
from ggp.search import LeafValue, LeafValueTable
from ggp.search.role_search import RoleSearch
from tests.search.every import in_python
from tests.search.tree_game import GOALS, Spot, TreeGame

_Search = TypeVar("_Search", bound=RoleSearch)


@dataclass(frozen=True)
class KnownRows:
    """A game, with rows that no leaf has, and states of which more is thought possible than is.

    The seed decides which.
    """

    game: TreeGame
    seed: int = 0
    #: How many rows no leaf has.
    extra: int = 0

    @cached_property
    def leaf_values(self) -> LeafValueTable:
        generator, roles = random.Random(self.seed), self.game.roles
        rows = {_goals(spot) for spot in self.game.spots if not spot.children}
        for _ in range(self.extra):
            rows.add(tuple(generator.choice(GOALS) for _ in roles))
        by_role = tuple(tuple(sorted(set(goals))) for goals in zip(*rows, strict=True))
        found = sorted(
            (tuple(by_role[i].index(goal) for i, goal in enumerate(row)), row) for row in rows
        )
        known = tuple(LeafValue(str(goals), goals, ranks) for ranks, goals in found)
        return LeafValueTable(tuple(map(Symbol, roles)), by_role, found=known)

    @cached_property
    def below(self) -> Sequence[int]:
        """For each spot the rows of the leaves below it, and some more if there are extra rows.

        A row that was not possible does not come back.
        """
        table, generator = self.leaf_values, random.Random(self.seed)
        noise = [generator.getrandbits(len(table)) * (self.extra > 0) for _ in self.game.spots]
        found = [more & generator.getrandbits(len(table)) for more in noise]
        for number, spot in enumerate(self.game.spots):
            if not spot.children:
                found[number] = table.row_of(table.ranks(spot.goals))
        has_changed = True
        while has_changed:
            has_changed = False
            for number, spot in enumerate(self.game.spots):
                rows = found[number]
                for child in spot.children:
                    rows |= found[child]
                has_changed |= rows != found[number]
                found[number] = rows
        return found

    def highest(self, number: int, role: int) -> int:
        """The most that a role gets in the rows that are thought possible below a spot."""
        table, rows = self.leaf_values, self.below[number]
        every = enumerate(table)
        return max((row.goals[role] for i, row in every if rows >> i & 1), default=0)

    def search(self, kind: type[_Search], **options: Any) -> _Search:
        """Make a search that knows the rows."""
        made: _Search = in_python(self.game.graph(), kind, leaf_values=self.leaf_values, **options)
        made.filter = self._filter
        return made

    def _filter(self, facts: Iterable[Term]) -> int:
        return self.below[spot_number(facts)]


def spot_number(facts: Iterable[Term]) -> int:
    """The number of the spot with these facts."""
    (fact,) = facts
    return int(str(fact).removeprefix("spot"))


def _goals(spot: Spot) -> tuple[int, ...]:
    return tuple(goal or 0 for goal in spot.goals)
