"""Short matches that tell whether a search with a network plays better than one without."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf, sqrt
from typing import TypeAlias

from ggp.deadline import Deadline, TimeUp
from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.reasoner import State
from ggp.search import Limit, Searcher

__all__ = ["Contender", "TrialResult", "play_trial"]

#: Joint moves drawn at random before each pair of matches.
_OPENING = 2
#: Joint moves after which a match ends, with the goals as they stand.
_LONGEST = 1000
#: Pairs of matches after which a share of the goals is enough to end the trial, for either side.
_EARLY, _CLEAR = 3, 0.85

#: A search for each role but chance.
Contender: TypeAlias = Sequence[Searcher | None]


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How a contender did."""

    matches: int
    #: Its share of the goals that both contenders got; a half if there were none.
    score: float
    #: The search of `ggp.search.ALGORITHMS` that is to play by the network, if one was tried.
    search: str | None = None

    @property
    def is_won(self) -> bool:
        """Whether the contender is to be trusted: it is better than equal by two standard errors.

        The fewer matches there were, the more of them it must have won. Less is not enough, because
        short matches flatter a network: in Hex, random playouts gain more from a longer clock.
        """
        return self.score >= self.least

    @property
    def least(self) -> float:
        """The share of the goals that is enough after these matches; inf after none."""
        return 0.5 + 1 / sqrt(self.matches) if self.matches else inf


def play_trial(
    graph: GameGraph,
    first: Contender,
    second: Contender,
    *,
    seconds: float,
    matches: int,
    deadline: Deadline,
    seed: int = 0,
) -> TrialResult:
    """Let two contenders play pairs of matches, each pair from a random opening.

    In the second match of a pair, each contender has the roles that the other one had in the first.
    The trial ends early when one has a clear lead. A pair that the deadline interrupts does not
    count.

    Args:
        graph: the game, for these matches alone.
        first: the contender whose result is returned.
        second: the other one.
        seconds: for each move.
        matches: how many there are at most.
        deadline: when the trial is over at the latest.
        seed: of the openings, and of the moves of chance.

    Raises:
        GameError: a role has no legal move in a state that is not terminal.
        TooManyJointMoves, ReasonerError: as `Searcher.run`.
    """
    table = _Table(graph, seconds, deadline, random.Random(seed))
    won, total, pairs = 0.0, 0.0, 0
    with suppress(TimeUp):
        while 2 * pairs < matches:
            opening, seats = table.opening(), table.seats()
            results = [
                table.play(opening, [(second, first)[seat] for seat in seats]),
                table.play(opening, [(first, second)[seat] for seat in seats]),
            ]
            for goals, of_first in zip(results, (True, False), strict=True):
                won += sum(
                    goal for goal, seat in zip(goals, seats, strict=True) if seat == of_first
                )
                total += sum(goals)
            pairs += 1
            score = won / total if total else 0.5
            if pairs >= _EARLY and not 1 - _CLEAR < score < _CLEAR:
                break
    return TrialResult(2 * pairs, won / total if total else 0.5)


class _Table:
    """Where matches are played."""

    def __init__(
        self, graph: GameGraph, seconds: float, deadline: Deadline, generator: random.Random
    ) -> None:
        self._graph, self._reasoner = graph, graph.reasoner
        self._seconds, self._deadline, self._generator = seconds, deadline, generator
        self._players = [place for place, role in enumerate(graph.roles) if str(role) != RANDOM]

    def opening(self) -> State:
        """Return a state after random moves, one from which the game goes on."""
        state = self._reasoner.initial_state()
        for _ in range(_OPENING):
            view = self._reasoner.view(state)
            after = self._reasoner.next_state(state, [*map(self._generator.choice, view.legal)])
            if self._reasoner.is_terminal(after):
                break
            state = after
        return state

    def seats(self) -> list[bool]:
        """Return for each role whether it is the first contender's.

        Each contender has one at least. A single role is the first contender's; in the second
        match of the pair it is the other's.
        """
        seats = [self._generator.random() < 0.5 for _ in self._graph.roles]
        drawn = self._generator.sample(self._players, min(2, len(self._players)))
        for place, is_first in zip(drawn, (True, False), strict=False):
            seats[place] = is_first
        return seats

    def play(self, state: State, contenders: Sequence[Contender]) -> list[int]:
        """Play a match, and return the goals; that of chance, and a missing one, is 0.

        Raises:
            TimeUp: the deadline is over before the match is.
        """
        for _ in range(_LONGEST):
            view = self._reasoner.view(state)
            if view.terminal:
                break
            node = self._graph.node(state)
            self._graph.set_root(node)
            joint_move = [
                self._chosen(contenders[place][place], node, legal)
                for place, legal in enumerate(view.legal)
            ]
            state = self._reasoner.next_state(state, joint_move)
        goals = self._reasoner.goals(state)
        return [(goals[place] or 0) * (place in self._players) for place in range(len(goals))]

    def _chosen(self, searcher: Searcher | None, node: int, legal: Sequence[Term]) -> Term:
        self._deadline.check()
        move = legal[0] if len(legal) == 1 else None
        if move is None and searcher is not None and searcher.takes(node):
            deadline = self._deadline.within(self._seconds)
            for result in searcher.deepen(node, Limit(deadline=deadline)):
                move = result.move or move
        return self._generator.choice(legal) if move is None else move
