"""Breadth-first search for plans, on any reasoner: the reference.

    queue = [root]
    while queue: take the first state, and append its successors, but for those met before

(Moore 1959, "The shortest path through a maze".)
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from math import inf

from ggp.deadline import Deadline
from ggp.errors import ReasonerError, TooManyJointMoves
from ggp.reasoner import Expansion, JointMove, Reasoner, State
from ggp.reasoner.stuck import no_legal_move
from ggp.search.puzzle.plan import Plan

__all__ = ["BreadthFirst"]

# States that the reasoner expands in one call at most, and seconds that a call should take.
_BATCH, _CALL = 64, 0.02


class BreadthFirst:
    """One search of a game of one role."""

    def __init__(self, reasoner: Reasoner, root: State, *, depth: int | None) -> None:
        """Prepare to search.

        Args:
            reasoner: computes the rules.
            root: the state to begin from.
            depth: how many joint moves to look ahead; None for the end of the game.
        """
        self._reasoner, self._root = reasoner, root
        self._depth = inf if depth is None else depth
        #: For each state that was met, the one before it, and the joint move that leads to it.
        self._before: dict[State, tuple[State, JointMove] | None] = {root: None}
        #: The first joint move of the root; None if there is none.
        self.first: JointMove | None = None
        self.expanded = self.generated = self.met_again = self.deepest = 0
        #: Whether all states were met, and whether some were left out: too deep, or too large.
        self.is_exhausted = self.is_cut = False

    def __len__(self) -> int:
        return len(self._before)

    def plans(
        self, *, goal: float, nodes: int | None, size: int, deadline: Deadline
    ) -> Iterator[Plan]:
        """Search, and yield better and better plans, each a shortest one.

        Args:
            goal: the plans are better than this one.
            nodes: how many expansions to make at most.
            size: how many states to remember; if there are more, the search ends.
            deadline: when to stop at the latest.

        Raises:
            GameError: the role has no legal move in the root, and the game is not over.
            TooManyJointMoves: in the root. Such states later on are left out.
        """
        queue, size_of_batch = deque([(self._root, 0)]), 1
        while queue and deadline.remaining and len(self._before) <= size:
            left = inf if nodes is None else nodes - self.expanded
            batch = [queue.popleft() for _ in range(int(min(size_of_batch, len(queue), left)))]
            if not batch:
                return
            began = time.monotonic()
            try:
                expansions = self._reasoner.expand_all([state for state, _ in batch])
            except TooManyJointMoves:
                if batch[0][0] == self._root:
                    raise
                if len(batch) == 1:
                    self.is_cut = True  # no plan leads through this state
                else:
                    queue.extendleft(reversed(batch))
                    size_of_batch = 1
                continue
            except ReasonerError:
                # A caller that cancels the deadline may close the reasoner in the middle.
                if not deadline.is_over:
                    raise
                return
            is_fast = time.monotonic() - began < _CALL
            size_of_batch = min(2 * len(batch), _BATCH) if is_fast else max(1, len(batch) // 2)
            for (state, ply), expansion in zip(batch, expansions, strict=True):
                self.deepest = max(self.deepest, ply)
                if not expansion.terminal:
                    queue += [(child, ply + 1) for child in self._expand(state, ply, expansion)]
                elif (reached := expansion.goals[0] or 0) > goal:
                    goal = reached
                    yield self._plan(goal, state)
        self.is_exhausted = not queue

    def _expand(self, state: State, ply: int, expansion: Expansion) -> list[State]:
        """Return the successors of a state that were not met before."""
        if state == self._root:
            self.first = next(iter(expansion.joint_moves), None)
            if self.first is None:
                facts = self._reasoner.facts(state)
                raise no_legal_move(self._reasoner.roles, expansion.legal, facts)
        if ply == self._depth:
            self.is_cut = True
            return []
        self.expanded += 1
        new: list[State] = []
        for joint_move, child in zip(expansion.joint_moves, expansion.successors, strict=True):
            self.generated += 1
            if child in self._before:
                self.met_again += 1
            else:
                self._before[child] = state, joint_move
                new.append(child)
        return new

    def _plan(self, goal: int, state: State) -> Plan:
        """Return the way to a state."""
        states, joint_moves = [state], []
        while (step := self._before[state]) is not None:
            state, joint_move = step
            states.append(state)
            joint_moves.append(joint_move)
        return Plan(goal, tuple(joint_moves[::-1]), tuple(states[::-1]))
