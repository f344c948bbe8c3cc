"""The states that are possible, as far as a player of an imperfect-information game knows.

A player of GDL-II is sent only its percepts. It keeps every state that agrees with its own moves
and with its percepts, each with its probability; chance and the other roles are assumed to choose
each of their moves with the same probability. This is a Bayesian filter, and exact as long as there
are few states. With many states it becomes a particle filter: a random sample of bounded size
stands for all.

A sample that knows nothing of what comes is soon refuted, by the one deal out of thousands that the
role perceives, or by a card on the table that was dealt long ago. From then on histories are looked
for that agree with all that was perceived (`ggp.match.histories`), and the states to which they
lead take the place of those that were refuted. Where the rules are too much for that, the history
is replayed at random, with backtracking. Where this finds nothing either, play goes on in states
that agree as well as possible: a move that is probably legal is better than none.

(Thielscher, A General Game Description Language for Incomplete Information Games, 2010; Schofield,
Cerexhe and Thielscher, HyperPlay: A Solution to General Game Playing with Imperfect Information,
2012.)
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate, islice, product
from math import prod

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term
from ggp.match.histories.process import HistoryProcess
from ggp.match.histories.turn import Turn
from ggp.match.spelling import Spelling, game_spelling
from ggp.reasoner import JointMove, Reasoner, SomeMoves, State

__all__ = ["DEFAULT_MAX_STATES", "Percepts", "PossibleStates"]

#: How many states are kept; a larger set is sampled down to this number.
DEFAULT_MAX_STATES = 1000

#: How many joint moves are tried in a turn for each state that may be kept.
_STEPS_PER_STATE = 8
#: How many states a replay looks for before play goes on, and how often in a row it may find one
#: that it has: the history may lead to a few states only.
_ENOUGH, _REPETITIONS = 20, 20
_BATCH = 256

#: How many states are drawn where the sample has fewer than enough.
_DRAWN = 50
#: The share of the time that the filter may take.
_FILTER = 0.5
#: A role with more legal moves than this has too many to consider; how many of them are, then.
_MANY, _SOME = 1000, 300
#: In how many states the role's legal moves are looked up: it knows them, so one should do.
_LOOKS = 20


@dataclass(frozen=True, slots=True)
class Percepts:
    """What a player knows of a turn: its own move, and its percepts of the joint move."""

    own_move: Term
    percepts: tuple[Term, ...]


class PossibleStates(Closing):
    """The states that agree with the moves and percepts of one role, with their probabilities."""

    def __init__(
        self,
        reasoner: Reasoner,
        game: PerceivedGame,
        role: Symbol,
        *,
        max_states: int = DEFAULT_MAX_STATES,
        seed: int = 0,
        histories: HistoryProcess | None = None,
    ) -> None:
        """Begin with the initial state, which all roles know.

        Args:
            reasoner: the reasoner of `game.description`.
            game: the game whose states contain the role's percepts.
            role: the role.
            max_states: how many states to keep.
            seed: the seed of the samples, if there are more states.
            histories: looks for histories once the states are a sample; None to replay the history
                instead. `close` closes it.
        """
        self._reasoner = reasoner
        self._game = game
        self._role = role
        self._roles = reasoner.roles
        self._max_states = max_states
        self._random = random.Random(seed)
        self._spelling = Spelling(game.description)
        self._steps: list[Percepts | JointMove] = []
        self._turns: list[Turn] = []
        #: What looks for histories, until it fails; and how many turns it has been told of.
        self._histories = histories
        self._told = 0
        #: Whether all possible states are kept.
        self.is_complete = True
        #: Whether no possible state was found: those that are kept are guesses.
        self.is_guess = False
        #: Whether the role has known the state after each turn so far; not before the first one.
        self.is_open = False
        self._probabilities: dict[State, float] = {}
        #: What `_moves` has found.
        self._looked_up: dict[tuple[State, Symbol], SomeMoves] = {}
        self._set({reasoner.initial_state(): 1.0})

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

    def percepts(self, state: State) -> tuple[Term, ...]:
        """Return what the role perceived in the step that led to a state."""
        return self._game.percepts(self._reasoner.facts(state), self._role)

    def sample(self, count: int) -> list[State]:
        """Draw states at random according to their probabilities."""
        return self._random.choices(self._states, self._weights, k=count)

    def advance(
        self, step: Percepts | JointMove, deadline: Deadline, last_call: Deadline | None = None
    ) -> None:
        """Advance to the states after a turn in which the game did not end.

        Args:
            step: what the role knows of the turn; possibly the joint move itself.
            deadline: when to stop with the states that have been found.
            last_call: when to give up if none has been found; None to give up at the deadline.
        """
        last_call = last_call or deadline
        step = self._spelled(step)
        turn, width = self._turn(step)
        self._steps.append(step)
        self._turns.append(turn)
        has_all = width * len(self._states) <= self._max_states * _STEPS_PER_STATE
        self.is_complete = self.is_complete and has_all
        if not self.is_complete:
            self._tell()  # at once: it can ground the turn while the filter works
        found: dict[State, float] = {}
        if not self.is_guess and (width <= _MANY or has_all or self._histories is None):
            tries = self._all_tries(step) if has_all else self._drawn_tries(step)
            found = self._after(tries, step, deadline.part(_FILTER))
        if not self.is_complete and len(found) < min(_ENOUGH, self._max_states):
            found = self._with_histories(found, deadline, last_call)
            if not found and self._histories is None:
                found = self._replayed(last_call)
        self.is_guess = not found
        if not found:
            self.is_complete = False
            found = self._guessed(step)
        if len(found) > self._max_states:
            self.is_complete = False
            found = self._resampled(found)
        is_known = self.is_complete and len(found) == 1
        self.is_open = is_known and (self.is_open or len(self._turns) == 1)
        self._set(found)

    def guess(self, step: Percepts | JointMove) -> tuple[Term, ...]:
        """Return a move that may be legal after a turn, at once; nothing if the game may be over.

        The state to which it belongs is one that may follow, whatever the role perceived.
        """
        after = self._random_successor(self._example, self._spelled(step))
        return self._reasoner.some_moves(after, self._role, limit=1).moves

    def close(self) -> None:
        """End the process that looks for histories. May be called again."""
        if self._histories is not None:
            self._histories.close()

    def _set(self, probabilities: Mapping[State, float]) -> None:
        total = sum(probabilities.values())
        self._probabilities = {state: p / total for state, p in probabilities.items()}
        self._states, self._weights = zip(*self._probabilities.items(), strict=True)
        (self._example,) = self.sample(1)
        self._looked_up.clear()
        looked_up = self._random.sample(self._states, min(_LOOKS, len(self._states)))
        legal = [self._reasoner.legal_moves(state, self._role) for state in looked_up]
        everywhere = set(legal[0]).intersection(*legal)
        self._legal = tuple(move for move in legal[0] if move in everywhere) or legal[0]

    def _spelled(self, step: Percepts | JointMove) -> Percepts | JointMove:
        """Return what the role knows of a turn, in the game's spelling."""
        spelled = self._spelling.of
        if not isinstance(step, Percepts):
            return tuple(map(spelled, step))
        return replace(
            step, own_move=spelled(step.own_move), percepts=tuple(map(spelled, step.percepts))
        )

    def _turn(self, step: Percepts | JointMove) -> tuple[Turn, int]:
        """Return what the role knows of a turn, and how many joint moves that leaves in a state."""
        if not isinstance(step, Percepts):
            return Turn(joint_move=step), 1
        others = (role for role in self._roles if role != self._role)
        moves = {role: self._moves(self._example, role) for role in others}
        some = {role: found.moves for role, found in moves.items() if found.count > _MANY}
        width = prod(found.count for found in moves.values())
        return Turn(step.own_move, step.percepts, some=some), width

    def _moves(self, state: State, role: Symbol) -> SomeMoves:
        """Return a role's legal moves; if they are many, some."""
        if (state, role) not in self._looked_up:
            seed = self._random.randrange(1 << 30)
            found = self._reasoner.some_moves(state, role, limit=_SOME, seed=seed)
            self._looked_up[state, role] = found
        return self._looked_up[state, role]

    def _with_histories(
        self, found: dict[State, float], deadline: Deadline, last_call: Deadline
    ) -> dict[State, float]:
        """Add states to which histories lead.

        How likely a history is compared with what is found is not known: all weigh the same.
        """
        if self._histories is None:
            return found
        self._tell()
        states = dict.fromkeys(found, 1.0)
        try:
            for count, limit in ((min(_DRAWN, self._max_states), deadline), (1, last_call)):
                with suppress(TimeUp):
                    for facts in self._histories.draw(count, limit):
                        states[self._reasoner.state_of(facts)] = 1.0
                if states:
                    break
        except EOFError:
            self._histories.close()
            self._histories = None
        return states

    def _tell(self) -> None:
        """Tell what looks for histories of the turns that it has not been told of."""
        if self._histories is not None:
            for turn in self._turns[self._told :]:
                self._histories.advance(turn)
            self._told = len(self._turns)

    def _guessed(self, step: Percepts | JointMove) -> dict[State, float]:
        """Return states that may follow, those with the percepts of the turn if there are any."""
        after = dict.fromkeys(self._random_successor(s, step) for s in self.sample(_ENOUGH))
        able = self._agreeing(after, None) or list(after)
        return dict.fromkeys(self._agreeing(able, step) or able, 1.0)

    def _random_successor(self, state: State, step: Percepts | JointMove) -> State:
        """Return the state after a joint move, random but for the moves that the role knows."""
        choices = [
            self._moves(state, role).moves if move is None else (move,)
            for role, move in zip(self._roles, self._made(step), strict=True)
        ]
        if not all(choices):
            return state
        return self._reasoner.next_state(state, [*map(self._random.choice, choices)])

    def _after(
        self,
        tries: Iterator[tuple[State, JointMove, float]],
        step: Percepts | JointMove,
        deadline: Deadline,
    ) -> dict[State, float]:
        """Return the states that may follow, with their weights; at the deadline, some of them."""
        found: defaultdict[State, float] = defaultdict(float)
        while batch := list(islice(tries, _BATCH)):
            if found and deadline.is_over:
                self.is_complete = False
                break
            after = self._reasoner.step_all([s for s, _, _ in batch], [m for _, m, _ in batch])
            agreeing = set(self._agreeing(dict.fromkeys(after), step))
            for state, (_, _, weight) in zip(after, batch, strict=True):
                if state in agreeing:
                    found[state] += weight
        return found

    def _all_tries(self, step: Percepts | JointMove) -> Iterator[tuple[State, JointMove, float]]:
        """Yield all joint moves in all states, each with its weight."""
        tries: list[tuple[State, JointMove, float]] = []
        for state, view in zip(self._states, self._reasoner.view_all(self._states), strict=True):
            choices = self._known(step, view.legal)
            count = prod(map(len, choices))
            weight = self._probabilities[state] / count if count else 0.0
            tries += ((state, joint_move, weight) for joint_move in product(*choices))
        self._random.shuffle(tries)  # so that those tried before the deadline are a fair sample
        return iter(tries)

    def _drawn_tries(self, step: Percepts | JointMove) -> Iterator[tuple[State, JointMove, float]]:
        """Yield random joint moves in random states, as many as may be tried."""
        choices: dict[State, list[tuple[Term, ...]]] = {}
        for state in self.sample(self._max_states * _STEPS_PER_STATE):
            if state not in choices:
                choices[state] = self._some_choices(state, step)
            if all(choices[state]):
                yield state, tuple(map(self._random.choice, choices[state])), 1.0

    def _some_choices(self, state: State, step: Percepts | JointMove) -> list[tuple[Term, ...]]:
        """Return for each role the moves that it may have made in a state; if many, some."""
        legal = [
            self._reasoner.legal_moves(state, role)
            if move is not None
            else self._moves(state, role).moves
            for role, move in zip(self._roles, self._made(step), strict=True)
        ]
        return self._known(step, legal)

    def _known(
        self, step: Percepts | JointMove, legal: Sequence[tuple[Term, ...]]
    ) -> list[tuple[Term, ...]]:
        """Return which of the legal moves of each role may be those that were made."""
        return [
            moves if move is None else tuple(filter(None, [game_spelling(move, moves)]))
            for moves, move in zip(legal, self._made(step), strict=True)
        ]

    def _made(self, step: Percepts | JointMove) -> Sequence[Term | None]:
        """Return the moves that were made, None for those that are not known."""
        if not isinstance(step, Percepts):
            return step
        return [step.own_move if role == self._role else None for role in self._roles]

    def _agreeing(self, states: Iterable[State], step: Percepts | JointMove | None) -> list[State]:
        """Return the states that have the percepts of the turn, if any, and are not terminal."""
        if isinstance(step, Percepts):
            told = set(step.percepts)
            states = [state for state in states if set(self.percepts(state)) == told]
        able = list(states)
        views = self._reasoner.view_all(able)
        return [state for state, view in zip(able, views, strict=True) if not view.terminal]

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
            elif len(untried) > len(self._steps):
                return state
            else:
                untried.append(iter(self._following(state, self._steps[len(untried) - 1])))
        return None

    def _following(self, state: State, step: Percepts | JointMove) -> list[State]:
        """Return some states that may follow a state in a turn, in random order."""
        choices = self._some_choices(state, step)
        # no more joint moves than can be tried
        drawn = (tuple(map(self._random.choice, choices)) for _ in range(_BATCH) if all(choices))
        tries = list(dict.fromkeys(drawn))
        after = self._reasoner.step_all([state] * len(tries), tries)
        return self._agreeing(dict.fromkeys(after), step)
