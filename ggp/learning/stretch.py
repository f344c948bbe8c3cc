"""A stretch of self-play, as a task of another process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.runtime.kernel import Kernel
from ggp.deadline import Deadline
from ggp.learning.kernels import LEARNING_KERNELS
from ggp.learning.layers import Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import Played, SelfPlay, SelfPlaySettings
from ggp.native.cache import Cache

__all__ = ["Harvest", "Stretch", "Stretches"]

#: Bytes of the samples that a stretch may find; the last ones count.
_ROOM = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Stretch:
    """What a task is asked for."""

    #: The network that plays.
    net: Rounded
    #: How long, and how many samples are of use.
    seconds: float
    most: int
    #: Of matches that begin with this task.
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class Harvest:
    """What a stretch has brought."""

    #: How much was played in it.
    played: Played
    #: uint64[n, words] and float32[n, roles]: samples, as in `Samples`; a random part of them where
    #: there were more than are of use.
    states: NDArray[np.uint64]
    targets: NDArray[np.float32]


class Stretches:
    """Plays one stretch after the other: the function that all tasks of a process call.

    The matches that are under way at the end of a stretch go on in the next one. Were they dropped,
    there would be samples of short matches only.
    """

    def __init__(self, circuit: Circuit, settings: SelfPlaySettings) -> None:
        """Take a game and how to play it; each process begins its matches with its first task."""
        self._circuit, self._settings = circuit, settings
        self._selfplay: SelfPlay | None = None
        self._samples: Samples | None = None

    def __call__(self, task: Stretch) -> Harvest:
        """Play a stretch.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        if self._selfplay is None:
            LEARNING_KERNELS.wait(Deadline())  # so that one process of a machine compiles them
            kernel = Kernel(self._circuit, cache=Cache())
            self._selfplay = SelfPlay(kernel, settings=self._settings, seed=task.seed)
        samples = self._emptied(task.most)
        selfplay = self._selfplay
        selfplay.played = Played()
        selfplay.play(task.net, samples)  # the first time of all, it takes long to load
        deadline = Deadline.after(task.seconds)
        while not deadline.is_over:
            selfplay.play(task.net, samples)
        chosen = np.arange(len(samples))
        if len(samples) > task.most:
            chosen = np.random.default_rng(task.seed).choice(chosen, task.most, replace=False)
        return Harvest(selfplay.played, samples.states[chosen], samples.targets[chosen])

    def _emptied(self, most: int) -> Samples:
        """Return room for samples, for `most` at least, which is kept from task to task."""
        words, roles = max(1, -(-len(self._circuit.facts) // 64)), len(self._circuit.roles)
        size = max(most, _ROOM // (8 * words + 4 * roles))
        if self._samples is None or len(self._samples.states) < size:
            self._samples = Samples(size=size, words=words, roles=roles)
        self._samples.seen = 0
        return self._samples
