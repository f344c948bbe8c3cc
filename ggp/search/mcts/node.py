"""The nodes of a tree search: one for each state, whichever moves lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ggp.kif import Term
from ggp.reasoner import JointMove, State

__all__ = ["Choice", "Node", "Values", "visits_of"]

#: One value for each role.
Values = list[float]


@dataclass(slots=True)
class Choice:
    """One move of a role where several roles choose at once."""

    visits: int = 0
    mean: float = 0.0
    #: How much more the role would have got by this move than by those that it made.
    regret: float = 0.0


@dataclass(slots=True, eq=False)
class Node:
    """A state, with the mean of its visits and what is proven of its max-n value."""

    state: State
    lower: Values
    upper: Values
    #: How often the bounds have become tighter.
    changes: int = 0
    means: Values = field(default_factory=list)
    #: The means of the leaf to which the line of best children leads.
    best: Values = field(default_factory=list)
    visits: int = 0
    #: Of how many visits the means are: those to moves that are out of the question do not count.
    weight: int = 0
    #: For each role the proof number, see `ggp.search.mcts.proofs`.
    proofs: Values = field(default_factory=list)
    #: Once it is expanded, for each joint move the node it leads to, and its visits.
    joint_moves: Sequence[JointMove] = ()
    children: Sequence[Node] = ()
    counts: list[int] = field(default_factory=list)
    #: For each child its `changes` when the bounds of this node were made by those of its children.
    seen: list[int] = field(default_factory=list)
    #: How many moves each role has, the role that alone has a choice, and else their choices.
    sizes: Sequence[int] = ()
    mover: int | None = None
    choices: Sequence[Sequence[Choice]] = ()

    @property
    def is_proven(self) -> bool:
        """Whether the values of all roles are known."""
        return self.lower == self.upper

    def is_behind(self, number: int) -> bool:
        """Return whether a child has tighter bounds than those on which the node's bounds rest.

        Other paths lead to the child, too.
        """
        return self.seen[number] != self.children[number].changes

    def is_aside(self, child: Node) -> bool:
        """Return whether what a visit to a child found says nothing of the value of this node.

        The role that chooses surely gets as much by another move.
        """
        mover = self.mover
        if mover is None or not self.weight:
            return False
        return child.upper[mover] <= self.lower[mover] > child.lower[mover]

    def first_behind(self) -> int | None:
        """Return the number of the first child of which other paths have proven more, if any."""
        return next(filter(self.is_behind, range(len(self.children))), None)

    def value(self, role: int, *, blend: float) -> float:
        """Return what a role seems to get, within its bounds."""
        return self.within(role, self.means[role] + blend * (self.best[role] - self.means[role]))

    def within(self, role: int, value: float) -> float:
        """Return what is left of a value of a role within its bounds."""
        return min(max(value, self.lower[role]), self.upper[role])


def visits_of(node: Node, role: int) -> dict[Term, int]:
    """Return how often each move of a role was made in a node."""
    made: dict[Term, int] = {}
    for number, joint_move in enumerate(node.joint_moves):
        move = joint_move[role]
        if node.mover is None:
            made.setdefault(move, node.choices[role][len(made) % node.sizes[role]].visits)
        else:
            made[move] = made.get(move, 0) + node.counts[number]
    return made
