"""All that the planner knows of one state: its strategies, and the best plan from there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf

from ggp.deadline import Deadline
from ggp.engine.puzzle.beam import Beam
from ggp.engine.puzzle.breadth_first import BreadthFirst
from ggp.engine.puzzle.effects import SharedEffects
from ggp.engine.puzzle.found import Progress
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.portfolio import Strategy, take_turns
from ggp.engine.puzzle.rounds.strategy import Rounds
from ggp.native.numba_support import words_of
from ggp.reasoner import State
from ggp.reasoner.stuck import no_legal_move
from ggp.search import SearchResult
from ggp.search.puzzle import Plan, plan_result
from ggp.search.settings import SearchSettings

__all__ = ["Session"]

# Seconds of breadth-first search after which other strategies begin: it solves most small puzzles.
_DELAY = 0.1


class Session:
    """A search from one state, which can be interrupted, and goes on where it was."""

    def __init__(
        self,
        puzzle: PackedPuzzle,
        settings: SearchSettings,
        state: State,
        *,
        depth: int | None,
        max_bytes: int,
    ) -> None:
        """Prepare to search.

        Args:
            puzzle: the game.
            settings: what to search for.
            state: the packed state to begin from.
            depth: how many moves to look ahead; None for the end of the game.
            max_bytes: the memory that the search may take.

        Raises:
            GameError: the role has no legal move, and the game is not over.
        """
        self.state, self.depth = state, depth
        self._puzzle, self._settings = puzzle, settings
        self._progress = Progress(settings.high)
        self._plan: Plan | None = None
        start = puzzle.narrow(words_of(state).reshape(1, -1))
        look = puzzle.look(start)
        self._legal = [] if look.terminal[0] else puzzle.moves_of(look.legal[0])
        if look.terminal[0]:
            self._progress.improve(int(look.goals[0]), [])
            self._progress.is_proven = True
            self._plan = puzzle.plan(state, [])
        elif not self._legal:
            raise no_legal_move(settings.roles, [()], puzzle.facts(state))
        self._breadth_first = BreadthFirst(
            puzzle, start, self._progress, max_bytes=max_bytes // 2, depth=depth
        )
        strategies: dict[Strategy, float] = {self._breadth_first: 0.0}
        if depth is None:
            effects = SharedEffects(puzzle, start)
            for strategy in (Beam, Rounds):
                made = strategy(puzzle, start, effects, self._progress, max_bytes=max_bytes // 4)
                strategies[made] = _DELAY
        self._strategies, self._steps = strategies, take_turns(strategies)
        self._began = time.monotonic()

    def inherit(self, before: Session) -> None:
        """Take over the rest of a plan that was found from another state, if it leads to this one.

        What was proven of the plan holds for its rest: a better rest would make a better plan.
        """
        plan = None if before._plan is None else before._plan.after(self.state)
        if plan is not None and self._progress.is_better(plan.goal):
            self._plan = plan
            place = len(before._progress.moves) - len(plan.joint_moves)
            self._progress.improve(plan.goal, before._progress.moves[place:])
            self._progress.is_proven = before._progress.is_proven

    def search(self, nodes: int | None, deadline: Deadline) -> Iterator[bool]:
        """Search, and tell after each step whether a better plan was found."""
        progress, self._began = self._progress, time.monotonic()
        progress.begin(inf if nodes is None else nodes, deadline)
        while not (progress.is_proven or progress.is_spent or deadline.is_over):
            goal, is_over = progress.goal, next(self._steps, self) is self
            if is_better := progress.goal != goal:
                self._plan = self._puzzle.plan(self.state, progress.moves)
            if any(strategy.is_finished for strategy in self._strategies):
                progress.is_proven = True
            if is_better and not progress.is_proven:
                yield True
            elif is_over:
                return
            else:
                yield False

    def result(self) -> SearchResult:
        """Return the result so far."""
        progress = self._progress
        is_complete = self._breadth_first.is_complete or progress.is_proven
        return plan_result(
            self._settings,
            self._plan,
            exact=progress.is_proven,
            depth=progress.depth,
            horizon=self.depth if is_complete else None,
            engine="compiled",
            first=(self._legal[0],) if self._legal else None,
            costs={
                "expanded": progress.expanded,
                "generated": progress.generated,
                "researched": 0,
                "prunes": {},
                "table_size": self._breadth_first.size,
                "table_hits": progress.met_again,
                "seconds": time.monotonic() - self._began,
            },
        )
