"""Where a learner's samples come from: matches that its network plays against itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from ggp.compiler.runtime.kernel import Kernel
from ggp.learning.layers import Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import Played, SelfPlay, SelfPlaySettings
from ggp.native.cache import Cache

__all__ = ["InThreads", "Source"]


class Source(ABC):
    """Matches that a network plays against itself, and the samples that they leave.

    In each round of learning, `play` is called once for each half, by two threads at once or one
    after the other, and then `take`.
    """

    @property
    @abstractmethod
    def played(self) -> Played:
        """How much has been played so far."""

    @property
    @abstractmethod
    def owed(self) -> int:
        """For how many of the joint moves there are still steps to take."""

    @property
    def players(self) -> int:
        """How many tasks of other processes play at once; 0 without any."""
        return 0

    @abstractmethod
    def play(self, half: int, net: Rounded) -> None:
        """Do half of the work of a round, 0 or 1, with the network as it is.

        Raises:
            GgpError: the game, or what plays it, has failed.
        """

    @abstractmethod
    def take(self, samples: Samples) -> bool:
        """Add the samples of matches that have ended; return whether to take a step next."""


class InThreads(Source):
    """Matches that the threads of a learner play, each half of them; a step follows each round."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        settings: SelfPlaySettings,
        added: int,
        every: int,
        seeds: Sequence[int],
    ) -> None:
        """Begin the matches.

        Args:
            kernel: views and steps states; the second half has another one.
            settings: how matches are played.
            added: how many samples of each half a round keeps at most.
            every: joint moves that a round makes in each match.
            seeds: of the two halves.
        """
        circuit, own = kernel.circuit, replace(settings, lanes=settings.lanes // 2)
        kernels = kernel, Kernel(circuit, cache=Cache())
        self._halves = [
            SelfPlay(each, settings=own, seed=seed)
            for each, seed in zip(kernels, seeds, strict=True)
        ]
        self._samples = [
            Samples(size=added, words=kernel.state_words, roles=len(circuit.roles)) for _ in kernels
        ]
        self._every = every

    @property
    def played(self) -> Played:
        """How much has been played so far."""
        one, other = (half.played for half in self._halves)
        return one + other

    @property
    def owed(self) -> int:
        """None: a step comes with each round."""
        return 0

    def play(self, half: int, net: Rounded) -> None:
        """Make joint moves in half of the matches. Raises `GameError` as `SelfPlay.play`."""
        for _ in range(self._every):
            self._halves[half].play(net, self._samples[half])

    def take(self, samples: Samples) -> bool:
        """Add the samples of matches that have ended; a step is always due."""
        for own in self._samples:
            samples.take(own)
        return True
