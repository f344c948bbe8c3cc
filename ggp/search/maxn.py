"""Max-n: everybody maximises the own goal, and nobody is anybody's enemy.

The value of a state is a vector, one goal for each role. Who moves takes the child whose vector is
best for them; of equally good ones the first, in the order of the moves.
(Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", 1986.)

Where several roles have a choice at once they choose one after the other, the searching role first
and then in role order, each knowing what was chosen before. Chance answers last, and the vector is
the mean. A role prefers in goals what it prefers in ranks; the vectors hold goals because means and
estimates are made of goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import TypeAlias

from ggp.graph import NodeExpansion
from ggp.reasoner import GoalVector
from ggp.search.result import ValueVector
from ggp.search.search import Search
from ggp.search.table import Entry, Found
from ggp.search.turns import joint_move, terms

__all__ = ["MaxN"]

Vector: TypeAlias = tuple[float, ...]


class MaxN(Search[Vector]):
    """The value of a state for all roles, each caring for itself."""

    algorithm = "maxn"

    @cached_property
    def choosers(self) -> tuple[int, ...]:
        """The roles in the order in which they choose."""
        others = (i for i in range(len(self.graph.roles)) if i not in (self.role, self.chance))
        return (self.role, *others)

    @cached_property
    def enough(self) -> Vector:
        """With so much a role stops looking: nothing to the right can be better for it."""
        roles = range(len(self.graph.roles))
        if self.classifier == "none":
            return (inf,) * len(roles)
        return tuple(self.leaf_values.highest(role, self.classifier) for role in roles)

    @cached_property
    def beaten(self) -> Found[Vector]:
        """Less than any vector: the best of no moves."""
        return Found((-inf,) * len(self.graph.roles), sure=True)

    def explore(self, root: int, remaining: float) -> Found[Vector]:
        """Search the root."""
        return self.score(root, remaining)

    def worth(self, goals: GoalVector) -> Vector:
        """Return the goals, 0 for a missing one."""
        return tuple(goal or 0 for goal in goals)

    def estimate(self, node: int) -> Vector:
        """Return what the evaluation says for each role."""
        return tuple(self.evaluate(node, role) for role in range(len(self.graph.roles)))

    def goals_of(self, value: Vector) -> ValueVector:
        """Return the vector."""
        return value

    def score(self, node: int, remaining: float) -> Found[Vector]:
        """Return the vector of the node."""
        if (found := self.leaf(node, remaining)) is not None:
            return found
        if (entry := self.recall(node, remaining)) is not None:
            return self.answered(entry)
        with self.expanding(node) as expansion:
            parts = terms(expansion.legal)
            found = self.choose(expansion, parts, self.choosers, 0, remaining - 1)
        return self.keep(node, Entry(found, remaining))

    def choose(
        self,
        expansion: NodeExpansion,
        parts: Sequence[range],
        choosers: Sequence[int],
        chosen: int,
        remaining: float,
    ) -> Found[Vector]:
        """Return the best for the first of the choosers, the others choosing after it.

        `chosen` is the part of the joint move's number that is settled.
        """
        if not choosers:
            return self.expected(expansion, parts, chosen, remaining)
        chooser, *others = choosers
        best, all_sure = self.beaten, True
        for part in parts[chooser]:
            found = self.choose(expansion, parts, others, chosen + part, remaining)
            all_sure = all_sure and found.sure
            if found.value[chooser] > best.value[chooser]:
                best = found
                if chooser == self.role:
                    self.improve(best)
            if best.value[chooser] >= self.enough[chooser]:
                self.prune("immediate", skipped=part != parts[chooser][-1])
                break
        return best._replace(sure=all_sure)

    def expected(
        self, expansion: NodeExpansion, parts: Sequence[range], chosen: int, remaining: float
    ) -> Found[Vector]:
        """Return what follows the choices of all: the mean over what chance may do."""
        luck = range(1) if self.chance is None else parts[self.chance]
        outcomes = [self.score(expansion.children[chosen + part], remaining) for part in luck]
        found = outcomes[0]
        if len(outcomes) > 1:
            vectors = zip(*(outcome.value for outcome in outcomes), strict=True)
            means = tuple(sum(values) / len(values) for values in vectors)
            found = Found(means, all(outcome.sure for outcome in outcomes))
        return found.after(joint_move(expansion.legal, chosen))
