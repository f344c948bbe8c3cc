"""The states that are possible, as far as a player of an imperfect-information game knows.

A player of GDL-II is sent only its percepts. It keeps every state that agrees with its own moves
and with its percepts, each with its probability; chance and the other roles are assumed to choose
each of their moves with the same probability. This is a Bayesian filter, and exact as long as there
are few states. With many states it becomes a particle filter: a random sample of bounded size
stands for all. If no state of the sample agrees with the next percepts, the history is replayed at
random, with backtracking, until some states that agree are found.

(Thielscher, A General Game Description Language for Incomplete Information Games, 2010; Schofield,
Cerexhe and Thielscher, HyperPlay: A Solution to General Game Playing with Imperfect Information,
2012.)
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod

from ggp.deadline import Deadline
from ggp.errors import GameError
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term
from ggp.match.spelling import Spelling, game_spelling
from ggp.reasoner import JointMove, Reasoner, State, View

__all__ = ["DEFAULT_MAX_STATES", "Percepts", "PossibleStates"]

#: How many states are kept; a larger set is sampled down to this number.
DEFAULT_MAX_STATES = 1000

#: How many joint moves are tried in a turn for each state that may be kept.
_STEPS_PER_STATE = 8
#: How many states a replay looks for before play goes on, and how often in a row it may find one
#: that it has: the history may lead to a few states only.
_ENOUGH, _REPETITIONS = 20, 20
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Percepts:
    """What a player knows of a turn: its own move, and its percepts of the joint move."""

    own_move: Term
    percepts: tuple[Term, ...]


class PossibleStates:
    """The states that agree with the moves and percepts of one role, with their probabilities."""

    def __init__(
        self,
        reasoner: Reasoner,
        game: PerceivedGame,
        role: Symbol,
        *,
        max_states: int = DEFAULT_MAX_STATES,
        seed: int = 0,
    ) -> None:
        """Begin with the initial state, which all roles know.

        Args:
            reasoner: the reasoner of `game.description`.
            game: the game whose states contain the role's percepts.
            role: the role.
            max_states: how many states to keep.
            seed: the seed of the samples, if there are more states.
        """
        self._reasoner = reasoner
        self._game = game
        self._role = role
        self._index = reasoner.roles.index(role)
        self._spelling = Spelling(game.description)
        self._max_states = max_states
        self._random = random.Random(seed)
        self._history: list[Percepts | JointMove] = []
        #: Whether all possible states are kept.
        self.is_complete = True
        self._probabilities: dict[State, float] = {}
        initial = reasoner.initial_state()
        self._set({initial: 1.0}, reasoner.view_all([initial]))

    @property
    def probabilities(self) -> Mapping[State, float]:
        """The probability of each state; they sum to 1."""
        return self._probabilities

    @property
    def legal(self) -> tuple[Term, ...]:
        """The role's moves that are legal in all possible states, sorted by printed text.

        In a game of GDL-II a role knows its legal moves: they are the same in all possible states.
        """
        return self._legal

    def sample(self, count: int) -> list[State]:
        """Draw states at random according to their probabilities."""
        return self._random.choices(self._states, self._weights, k=count)

    def advance(self, step: Percepts | JointMove, deadline: Deadline) -> None:
        """Advance to the states after a turn in which the game did not end.

        Args:
            step: what the role knows of the turn; possibly the joint move itself.
            deadline: when to stop with the states that have been found.

        Raises:
            GameError: no state agrees with the moves and percepts, or none was found in time.
        """
        self._history.append(step)
        found = self._after(self._probabilities, step, deadline)
        if not found and not self.is_complete:
            found = self._replayed(deadline)
        if not found:
            # A caller that goes on can still find a state by replaying the history.
            self._probabilities, self.is_complete = {}, False
            raise GameError(f"no state agrees with what {self._role} has perceived")
        if len(found) > self._max_states:
            self.is_complete = False
            found = self._resampled(found)
        states = list(found)
        self._set(found, self._reasoner.view_all(states))

    def _set(self, probabilities: Mapping[State, float], views: Sequence[View]) -> None:
        total = sum(probabilities.values())
        self._probabilities = {state: p / total for state, p in probabilities.items()}
        self._states, self._weights = zip(*self._probabilities.items(), strict=True)
        everywhere = set(views[0].legal[self._index]).intersection(
            *(view.legal[self._index] for view in views)
        )
        legal = [move for move in views[0].legal[self._index] if move in everywhere]
        self._legal = tuple(legal or views[0].legal[self._index])

    def _after(
        self, before: Mapping[State, float], step: Percepts | JointMove, deadline: Deadline
    ) -> dict[State, float]:
        """Return the states that may follow, with their weights; at the deadline, some of them."""
        states = list(before)
        if not states:
            return {}
        views = self._reasoner.view_all(states)
        choices = [self._joint_choices(view, step) for view in views]
        counts = [prod(map(len, choice)) for choice in choices]
        if sum(counts) <= self._max_states * _STEPS_PER_STATE:
            tries = [
                (state, joint_move, before[state] / count)
                for state, choice, count in zip(states, choices, counts, strict=True)
                for joint_move in product(*choice)
            ]
        else:
            self.is_complete = False
            tries = list(self._drawn_tries(before, dict(zip(states, choices, strict=True))))
        self._random.shuffle(tries)  # so that those tried before the deadline are a fair sample
        found: defaultdict[State, float] = defaultdict(float)
        for begin in range(0, len(tries), _BATCH):
            if found and deadline.is_over:
                self.is_complete = False
                break
            batch = tries[begin : begin + _BATCH]
            after = self._reasoner.step_all([s for s, _, _ in batch], [m for _, m, _ in batch])
            agreeing = set(self._agreeing(dict.fromkeys(after), step))
            for state, (_, _, weight) in zip(after, batch, strict=True):
                if state in agreeing:
                    found[state] += weight
        return found

    def _drawn_tries(
        self, before: Mapping[State, float], choices: Mapping[State, list[tuple[Term, ...]]]
    ) -> Iterator[tuple[State, JointMove, float]]:
        """Draw joint moves in random states, as many as may be tried."""
        able = [state for state, choice in choices.items() if all(choice)]
        if not able:
            return
        weights = [before[state] for state in able]
        for state in self._random.choices(able, weights, k=self._max_states * _STEPS_PER_STATE):
            yield state, tuple(map(self._random.choice, choices[state])), 1.0

    def _joint_choices(self, view: View, step: Percepts | JointMove) -> list[tuple[Term, ...]]:
        """Return for each role the moves that it may have made in a state.

        In a terminal state there are none, since the match went on.
        """
        if view.terminal:
            return [() for _ in view.legal]
        own = step.own_move if isinstance(step, Percepts) else step[self._index]
        known: Sequence[Term | None] = (
            [own if i == self._index else None for i in range(len(view.legal))]
            if isinstance(step, Percepts)
            else step
        )
        return [
            legal if move is None else tuple(filter(None, [game_spelling(move, legal)]))
            for legal, move in zip(view.legal, known, strict=True)
        ]

    def _agreeing(self, states: Iterable[State], step: Percepts | JointMove) -> list[State]:
        """Return the states that have the percepts of the turn and are not terminal."""
        if isinstance(step, Percepts):
            told = set(map(self._spelling.of, step.percepts))
            states = [state for state in states if set(self._percepts(state)) == told]
        able = list(states)
        views = self._reasoner.view_all(able)
        return [state for state, view in zip(able, views, strict=True) if not view.terminal]

    def _percepts(self, state: State) -> tuple[Term, ...]:
        return self._game.percepts(self._reasoner.facts(state), self._role)

    def _resampled(self, found: Mapping[State, float]) -> dict[State, float]:
        """Draw as many states as are kept, by systematic resampling."""
        states, sums = list(found), list(accumulate(found.values()))
        pace = sums[-1] / self._max_states
        place = self._random.random() * pace
        drawn: defaultdict[State, float] = defaultdict(float)
        index = 0
        for _ in range(self._max_states):
            while sums[index] < place and index < len(sums) - 1:
                index += 1
            drawn[states[index]] += 1.0
            place += pace
        return drawn

    def _replayed(self, deadline: Deadline) -> dict[State, float]:
        """Find states by replaying the history at random; all count as equally likely."""
        found: dict[State, float] = {}
        initial, repetitions = self._reasoner.initial_state(), 0
        while len(found) < min(_ENOUGH, self._max_states) and repetitions < _REPETITIONS:
            state = self._replay(initial, deadline)
            if state is None:  # none agrees, or the deadline is over
                break
            repetitions = repetitions + 1 if state in found else 0
            found[state] = 1.0
        return found

    def _replay(self, initial: State, deadline: Deadline) -> State | None:
        """Return a state to which the history may have led, by a search with backtracking."""
        # For each turn up to the present one, the states that have not been tried.
        untried = [iter((initial,))]
        while untried and not deadline.is_over:
            state = next(untried[-1], None)
            if state is None:
                untried.pop()
            elif len(untried) > len(self._history):
                return state
            else:
                untried.append(iter(self._following(state, self._history[len(untried) - 1])))
        return None

    def _following(self, state: State, step: Percepts | JointMove) -> list[State]:
        """Return some states that may follow a state in a turn, in random order."""
        choices = self._joint_choices(self._reasoner.view(state), step)
        # no more joint moves than can be tried
        drawn = (tuple(map(self._random.choice, choices)) for _ in range(_BATCH) if all(choices))
        tries = list(dict.fromkeys(drawn))
        after = self._reasoner.step_all([state] * len(tries), tries)
        return self._agreeing(dict.fromkeys(after), step)
