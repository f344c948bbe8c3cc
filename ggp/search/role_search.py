"""The base of minimax, bounded minimax and alpha-beta: the game from the view of one role.

The role maximises its own goal, and all others minimise it. Moves are simultaneous, and the view is
pessimistic: the others choose their reply together and knowing the role's move, so that there is a
min node below each move of the role. Where only one role has a choice this assumption changes
nothing; with more than two roles the others form a coalition. Chance moves last: the value of its
moves is their mean.

**What is possible below a state.** Where the leaf-value table says which rows can still follow, the
role's highest goal in them is an upper bound of all that a search can find there: of the goals of
leaves, of the 0 of a play without end, and of means of these. Every search cuts estimates down to
it, so that all compare the same ones. The lowest goal in the rows is no lower bound: a play without
end counts 0, whatever the rows say.

**Facts that only count.** Where the table has a tally for the role, a search to the end of the game
keeps no two entries of its transposition table for states that differ in these facts alone: an
entry holds what is added to the count from there to the end (`ggp.search.leaf_values.tally`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from math import inf, prod

from ggp.gdl import GoalVector
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.search.leaf_values import Possible, Tally
from ggp.search.options import SearchOptions
from ggp.search.result import ValueVector
from ggp.search.search import Search
from ggp.search.settings import SearchSettings
from ggp.search.transposition_table import Bound, Entry, Found, TranspositionTable

__all__ = ["BEATEN", "UNBEATEN", "RoleOptions", "RoleSearch", "mean"]

#: The number of answers that are cached.
_MEMORY = 10_000

#: Less than any value: the best of no moves.
BEATEN = Found(-inf, proven=True)
#: More than any value: the worst of no replies.
UNBEATEN = Found(inf, proven=True)


@dataclass(frozen=True, kw_only=True)
class RoleOptions(SearchOptions):
    """The options of a search for the goal of one role."""

    def resolve(self, graph: GameGraph, algorithm: str) -> SearchSettings:
        """Return the settings of a search of a graph, see `SearchOptions.resolve`.

        With chance a value is a mean, and what is added to the count does not tell it.
        """
        settings = super().resolve(graph, algorithm)
        table = settings.leaf_values
        if self.classifier != "lvt" or settings.chance is not None or not table.tallies:
            return settings
        return replace(settings, tally=table.tallies[settings.role])


class RoleSearch(Search[float]):
    """A search for the goal of one role."""

    options = RoleOptions

    def prepare(self) -> None:
        """Read from the table what is possible, and what only counts."""
        #: Which rows are possible below a state with these facts; None if nothing is known.
        self.filter: Callable[[Iterable[Term]], int] | None = Possible.exact(self.leaf_values)
        highest = partial(self.leaf_values.highest_in, role=self.role)
        self._highest = lru_cache(maxsize=_MEMORY)(highest)
        tally = self.settings.tally
        facts, goals = ((), ()) if tally is None else (tally.facts, tally.goals)
        self._counts = {fact: count for count, fact in enumerate(facts)}
        self._count_at: dict[float, int] = {
            goal: count for count, goal in enumerate(goals) if goal is not None
        }

    @cached_property
    def low(self) -> float:
        """The lowest value."""
        return self.settings.low

    @cached_property
    def high(self) -> float:
        """The highest value, as the classifier knows it."""
        return self.settings.high

    def utility(self, goals: GoalVector) -> float:
        """Return the role's goal."""
        return goals[self.role] or 0

    def estimate(self, node: int) -> float:
        """Return what the evaluation says for the role, but no more than it can still get."""
        return min(self.evaluate(node, self.role), self._most(node))

    def upper(self, node: int) -> float:
        """Return the most that the role can get below a node, as the classifier knows it.

        It is inf where nothing is known of the node alone.
        """
        return self._most(node) if self.settings.classifier == "lvt" else inf

    def _most(self, node: int) -> float:
        """Return the highest goal of the role in the rows that are possible below a node."""
        return inf if self.filter is None else self._highest(self.filter(self.graph.facts(node)))

    def cut(self, node: int, upper: float, *, window: tuple[float, float]) -> Found[float]:
        """Return the most that the role can get below a node, which is not searched."""
        legal = self.graph.expansion(node).legal
        self.prune("table", skipped=prod(map(len, legal)), window=window, value=upper)
        return self.tell(Found(upper, proven=True), "cut", Bound.UPPER)

    def goals_of(self, value: float) -> ValueVector:
        """Return the role's goal; the others' are not known."""
        return tuple(value if i == self.role else None for i in range(len(self.graph.roles)))

    def bound(self, value: float, alpha: float, beta: float, upper: float = inf) -> Bound:
        """Return what a search with the window (alpha, beta) says by a value.

        It is exact if it is as high as the upper bound of its node.
        """
        return Bound.EXACT if value >= upper else self.settings.bound(value, alpha, beta)

    def key(self, node: int) -> Hashable:
        """Return the key of a node in the table: only the facts that matter, if some only count."""
        if (tally := self._tally) is None:
            return super().key(node)
        return frozenset(self.graph.facts(node)) - tally.ignored

    def is_known(self, node: int) -> bool:
        """Return whether the table has an entry for a node that can be used there."""
        is_known = super().is_known(node)
        return is_known and (self._tally is None or self.probe(node, inf) is not None)

    def keep(self, table: TranspositionTable[float], node: int, entry: Entry[float]) -> None:
        """Put what was found of a node into the table: what is added to its count, if it counts.

        That is known only of values that are goals of leaves.
        """
        if self._tally is not None:
            found, count = entry.found, self._count(node)
            if not found.proven or found.value not in self._count_at or count is None:
                return
            added = self._count_at[found.value] - count
            # The goals of others at the end of the line are those of this state alone.
            entry = entry._replace(found=found._replace(value=added, goals=None))
        super().keep(table, node, entry)

    def probe(self, node: int, remaining: float) -> Entry[float] | None:
        """Return the table's entry of the node, if it is valid for a search to this depth."""
        entry = super().probe(node, remaining)
        if entry is None or (tally := self._tally) is None:
            return entry
        count = self._count(node)
        # A bound need not be the goal of a leaf that can follow here.
        goal = None if count is None else tally.goal_after(count, int(entry.found.value))
        return None if goal is None else entry._replace(found=entry.found._replace(value=goal))

    @property
    def _tally(self) -> Tally | None:
        """The count of a state, if entries of the table hold what comes to it from there on."""
        return self.settings.tally if self.is_endless else None

    def _count(self, node: int) -> int | None:
        """Return the count in the state of a node; None if there is none."""
        return next(
            (self._counts[fact] for fact in self.graph.facts(node) if fact in self._counts), None
        )

    def probe_within(
        self, node: int, remaining: float, alpha: float = -inf, beta: float = inf
    ) -> Found[float] | None:
        """Return what the table holds of the node if that settles a search with this window."""
        entry = self.probe(node, remaining)
        if entry is None:
            return None
        value = entry.found.value
        match entry.bound:
            case Bound.LOWER if value < beta:
                return None
            case Bound.UPPER if value > alpha:
                return None
        return self.answered(entry)


def mean(outcomes: Sequence[Found[float]]) -> Found[float]:
    """Return the expectation over equally likely outcomes; a variation ends where chance begins."""
    if len(outcomes) == 1:
        return outcomes[0]
    value = sum(found.value for found in outcomes) / len(outcomes)
    return Found(value, all(found.proven for found in outcomes))
