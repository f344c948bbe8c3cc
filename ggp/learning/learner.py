"""Self-play and training in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from ggp.deadline import Deadline
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import SelfPlay, SelfPlaySettings
from ggp.learning.training import add_slopes, descend
from ggp.reasoner.compiled import Kernel, Symmetry
from ggp.search import ValueNet

__all__ = ["Learner", "LearningSettings", "Progress"]

#: The share of the last steps' mean loss that a step leaves.
_MEMORY = 0.99
#: Seconds between two reports.
_PERIOD = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningSettings:
    """How a network learns."""

    #: Hidden units, a multiple of `UNITS`.
    hidden: int = 64
    #: How many states are kept to learn from, and how many there are when learning begins.
    samples: int = 1 << 18
    enough: int = 20_000
    #: How many states a step learns from, and after how many joint moves of all matches it comes.
    batch: int = 1024
    every: int = 2
    #: The length of the first steps, and what is left of it at the end.
    rate: float = 0.003
    last_rate: float = 0.05
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """What has been done so far."""

    #: Joint moves made, matches that have ended, and steps of the training.
    plies: int
    matches: int
    steps: int
    seconds: float
    #: The mean cross entropy of the last steps, in nats; nan before the first.
    loss: float


class Learner:
    """A network that learns from the matches that it plays against itself."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        symmetries: Sequence[Symmetry] = (),
        settings: LearningSettings | None = None,
        seed: int = 0,
    ) -> None:
        """Begin with a network that has learned nothing.

        Args:
            kernel: views and steps states, for this learner alone.
            symmetries: of the game: a state's images are worth what it is worth.
            settings: how it learns.
            seed: the same seed gives the same network after the same number of plies.

        Raises:
            ValueError: the hidden units are no multiple of `UNITS`.
        """
        self.settings = settings = settings or LearningSettings()
        self._generator = np.random.default_rng(seed)
        rows, roles = 64 * kernel.state_words, len(kernel.circuit.roles)
        self.layers = Layers.new(
            rows=rows, hidden=settings.hidden, roles=roles, generator=self._generator
        )
        self._slopes, self._means, self._squares = (self.layers.zeros() for _ in range(3))
        self._scratch = np.zeros(3 * settings.hidden, np.float32)
        self._symmetries = _images(symmetries, rows)
        self._circuit = kernel.circuit
        self._samples = Samples(size=settings.samples, words=kernel.state_words, roles=roles)
        self._selfplay = SelfPlay(kernel, settings=settings.selfplay, seed=seed)
        self._net = Rounded.of(self.layers)
        self._steps, self._loss, self._seconds = 0, nan, 0.0

    @property
    def net(self) -> ValueNet:
        """The network as it is."""
        return self.layers.net(self._circuit)

    @property
    def progress(self) -> Progress:
        """What has been done so far."""
        return Progress(
            plies=self._selfplay.plies,
            matches=self._selfplay.matches,
            steps=self._steps,
            seconds=self._seconds,
            loss=self._loss,
        )

    def learn(
        self,
        *,
        deadline: Deadline,
        plies: int | None = None,
        report: Callable[[Progress], None] = lambda _progress: None,
    ) -> None:
        """Play and learn until the time is over, or the limit of joint moves is reached.

        The steps become shorter towards the end.

        Args:
            deadline: when the time is over. `cancel` ends the learning within milliseconds.
            plies: how many joint moves to make in all; None for as many as there is time for.
            report: is told what has been done, twice a second.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        began = time.monotonic()
        whole, before, due = deadline.remaining, self._seconds, began
        while not (deadline.is_over or (plies is not None and self._selfplay.plies >= plies)):
            if plies is not None:
                share = self._selfplay.plies / plies
            else:
                share = 0.0 if whole == inf else 1 - deadline.remaining / whole
            self._round(share)
            now = time.monotonic()
            self._seconds = before + now - began
            if now >= due:
                due = now + _PERIOD
                report(self.progress)

    def _round(self, share: float) -> None:
        """Make joint moves in all matches and take a step, when a share of the learning is done."""
        for _ in range(self.settings.every):
            self._selfplay.play(self._net, self._samples)
        if self._samples.seen >= min(self.settings.enough, self.settings.samples):
            self._step(share)

    def _step(self, share: float) -> None:
        settings = self.settings
        self._steps += 1
        chosen = self._generator.integers(len(self._samples), size=settings.batch)
        images = self._generator.integers(len(self._symmetries), size=settings.batch)
        layers, slopes = self.layers.arrays(), self._slopes.arrays()
        loss = add_slopes(
            chosen, images, self._symmetries, self._samples.states, self._samples.targets,
            *layers, *slopes, self._scratch,
        )  # fmt: skip
        rate = settings.rate * (1 - (1 - settings.last_rate) * share)
        moments = zip(layers, slopes, self._means.arrays(), self._squares.arrays(), strict=True)
        for arrays in moments:
            descend(*arrays, rate, self._steps)
        self._net = Rounded.of(self.layers)
        is_first = self._steps == 1
        self._loss = loss if is_first else _MEMORY * self._loss + (1 - _MEMORY) * loss


def _images(symmetries: Sequence[Symmetry], rows: int) -> NDArray[np.int32]:
    """Return int32[1 + symmetries, rows]: the row that each becomes; at first, itself."""
    images = np.tile(np.arange(rows, dtype=np.int32), (1 + len(symmetries), 1))
    for image, symmetry in zip(images[1:], symmetries, strict=True):
        image[: len(symmetry.facts)] = symmetry.facts
    return images
