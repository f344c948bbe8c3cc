"""Self-play in the lanes of machine code: one ply of look-ahead, many matches side by side.

In each lane a match is played. Every child of a state is estimated, and each role chooses by
soft-max over the mean of the children that its move leads to: of those of one role alone where the
others have no choice. A share of the moves is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.kernel import Kernel, Views
from ggp.errors import GameError
from ggp.gdl import HIGHEST_GOAL, RANDOM
from ggp.learning.layers import Rounded
from ggp.learning.loops import LOGISTIC, choose, evaluate, finish, list_some, record
from ggp.learning.samples import Samples
from ggp.native.numba_support import aligned_zeros

__all__ = ["NOISE", "Lanes", "Played", "SelfPlay", "SelfPlaySettings", "worth_of"]

#: Quantiles of the Gumbel distribution: a score with such a noise is highest as often as soft-max
#: says.
NOISE = -np.log(-np.log((np.arange(1024) + 0.5) / 1024)).astype(np.float32)

#: After how many joint moves of all matches it is looked again for roles that choose at once.
_LOOKED = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class SelfPlaySettings:
    """How matches are played."""

    #: How many matches are played at once.
    lanes: int = 1024
    #: The most joint moves of a state that are looked at.
    children: int = 256
    #: The states after which a match ends with what the network says.
    longest: int = 300
    #: The share of choices that are drawn at random.
    explore: float = 0.05
    #: One over the temperature of soft-max, of shares of the highest goal.
    sharpness: float = 40.0
    #: lambda of TD(lambda): how much later estimates count, and how little the next one.
    trust: float = 0.8


@dataclass(frozen=True, slots=True)
class Played:
    """How much has been played."""

    #: Joint moves made, and matches that have ended.
    plies: int = 0
    matches: int = 0
    #: Whether no two roles had a choice at once.
    takes_turns: bool = True

    def __add__(self, other: Played) -> Played:
        """Return how much both are together."""
        return Played(
            self.plies + other.plies,
            self.matches + other.matches,
            self.takes_turns and other.takes_turns,
        )


class Lanes:
    """Matches side by side, in buffers of a kernel: for one thread at a time."""

    def __init__(self, kernel: Kernel, *, settings: SelfPlaySettings, seed: int) -> None:
        """Begin the matches; the same seed and networks give the same matches."""
        circuit, lanes = kernel.circuit, settings.lanes
        roles, moves = len(circuit.roles), max(map(len, circuit.moves))
        self.kernel, self.settings = kernel, settings
        self.generator = np.random.default_rng(seed)
        #: The number of the role that chance plays, -1 for none.
        self.chance = next((i for i, role in enumerate(circuit.roles) if str(role) == RANDOM), -1)
        #: uint64[lanes, words]: the states of the matches.
        self.states = np.repeat(kernel.initial(), lanes, axis=0)
        #: int32[lanes, roles]: how many legal moves each role has.
        self.counts = np.zeros((lanes, roles), np.int32)
        #: int64[children]: the lane of each child of the states.
        self.parents = np.zeros(0, np.int64)
        #: float32[lanes, roles]: what the states are worth, as `estimate` says.
        self.values = np.zeros((lanes, roles), np.float32)
        #: bool[lanes]: whether a role, chance aside, has drawn its last move.
        self.is_random = np.zeros(lanes, np.bool_)
        #: float32[roles, goals + 1], see `worth_of`.
        self.worth = worth_of(circuit)
        self._own = np.zeros((lanes, roles, moves), np.int32)
        self._starts = np.zeros(lanes + 1, np.int64)
        self._moves = np.zeros((lanes * settings.children, roles), np.int32)
        self._of_child = np.zeros(lanes * settings.children, np.int64)
        self._after = np.zeros((lanes * settings.children, roles), np.float32)
        self._chosen = np.zeros((lanes, roles), np.int32)
        self._totals, self._tried = np.zeros(moves, np.float32), np.zeros(moves, np.int32)
        self._children = self.states[:0]
        self._ends = np.zeros(0, np.bool_), np.zeros((0, roles), np.int16)

    def look(self, over: NDArray[np.bool_], views: Views) -> None:
        """Make all joint moves of the states that are not over, or some where there are many.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        kernel, seed = self.kernel, self._seed()
        count = list_some(
            views.legal, over, kernel.first_move, self.settings.children, seed, self._own,
            self.counts, self._starts, self._moves, self._of_child,
        )  # fmt: skip
        if count < 0:
            raise GameError("a role has no legal move in a state that is not terminal")
        moves, self.parents = self._moves[:count], self._of_child[:count]
        self._children = kernel.steps(self.states, moves, self.parents, checked=True)
        self._ends = kernel.ends(self._children)

    def estimate(self, net: Rounded) -> NDArray[np.float32]:
        """Estimate the states and their children; return float32[children, roles] of the latter."""
        after, hidden = self._after[: len(self._children)], len(net.bias)
        seen = np.zeros((2, self.states.shape[1]), np.uint64)
        evaluate(
            self.states, self._starts, self._children, *self._ends, self.worth, self.counts,
            net.weights, net.bias, net.outputs, net.output_bias, net.one, net.partners, LOGISTIC,
            aligned_zeros(np.dtype(np.int16), 2 * hidden), seen[0], seen[1], self.values, after,
        )  # fmt: skip
        return after

    def step(self, *, explore: float, sharpness: float) -> None:
        """Choose a joint move in every match by the children's estimates, and make it."""
        choose(
            self._starts, self._moves, self._after, self._own, self.counts, self.chance, explore,
            sharpness, NOISE, self._seed(), self._totals, self._tried, self._chosen,
            self.is_random,
        )  # fmt: skip
        self.states = self.kernel.steps(self.states, self._chosen, checked=True)

    def _seed(self) -> np.uint64:
        return self.generator.integers(1 << 63, dtype=np.uint64)


class SelfPlay:
    """Matches that a network plays against itself: for one thread at a time."""

    def __init__(self, kernel: Kernel, *, settings: SelfPlaySettings, seed: int) -> None:
        """Begin the matches; the same seed and networks give the same matches."""
        self._lanes = Lanes(kernel, settings=settings, seed=seed)
        lanes, roles = settings.lanes, len(kernel.circuit.roles)
        self._lengths = np.zeros(lanes, np.int64)
        shape = (lanes, settings.longest)
        self._history = np.zeros((*shape, kernel.state_words), np.uint64)
        self._estimates = np.zeros((*shape, roles), np.float32)
        self._was_random = np.zeros(shape, np.bool_)
        #: How much has been played. Roles that choose at once are seen in some states only.
        self.played = Played()
        self._rounds = 0

    def play(self, net: Rounded, samples: Samples) -> None:
        """Make one joint move in every match; those that are over become samples and start anew.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        lanes = self._lanes
        kernel, settings, states = lanes.kernel, lanes.settings, lanes.states
        views = kernel.views(states)
        over = views.terminal | (self._lengths == settings.longest)
        lanes.look(over, views)
        takes_turns = True
        if self._rounds % _LOOKED == 0:
            takes_turns = bool(((lanes.counts > 1).sum(axis=1) < 2).all())
        self._rounds += 1
        lanes.estimate(net)
        samples.seen = finish(
            over, views.terminal, views.goals, lanes.worth, lanes.values, self._lengths,
            self._history, self._estimates, self._was_random, settings.trust, samples.seen,
            samples.states, samples.targets,
        )  # fmt: skip
        lanes.step(explore=settings.explore, sharpness=settings.sharpness)
        made = record(
            states, lanes.values, lanes.is_random, over, self._lengths, self._history,
            self._estimates, self._was_random,
        )  # fmt: skip
        self.played += Played(int(made), int(over.sum()), takes_turns)
        lanes.states[over] = kernel.initial()


def worth_of(circuit: Circuit) -> NDArray[np.float32]:
    """Return float32[roles, goals + 1]: what goals are worth, the last that of a missing one.

    The highest goal there can be is worth 1, and a missing one half of it.
    """
    known = circuit.goals
    worth = np.full((len(known), 1 + max(map(len, known))), 0.5, np.float32)
    for role, goals in enumerate(known):
        worth[role, : len(goals)] = [goal / HIGHEST_GOAL for goal, _ in goals]
    return worth
