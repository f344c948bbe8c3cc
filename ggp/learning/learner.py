"""Self-play and training in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.symmetry import Symmetry
from ggp.deadline import Deadline
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import SelfPlaySettings
from ggp.learning.source import InThreads, Source
from ggp.learning.training import add_slopes, descend
from ggp.native.numba_support import aligned_zeros
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
    #: How many states are kept to learn from, how many of those that a round adds, and how many
    #: there are when learning begins.
    samples: int = 1 << 18
    added: int = 1 << 15
    enough: int = 20_000
    #: How many states a step learns from, and after how many joint moves of all matches it comes.
    batch: int = 1024
    every: int = 1
    #: The length of the first steps, and what is left of it at the end.
    rate: float = 0.003
    last_rate: float = 0.05
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)

    def within(self, memory: int, kernel: Kernel) -> LearningSettings:
        """Return settings with fewer samples and matches, so that a game takes less memory.

        Args:
            memory: bytes that samples, matches and their children may take, roughly.
            kernel: of the game.
        """
        play = self.selfplay
        state = 8 * kernel.state_words + 4 * len(kernel.circuit.roles)
        of_lane = (play.longest + play.children) * state
        lanes = memory // (2 * of_lane) // 64 * 64
        samples, added = (
            max(self.batch, min(size, share // state))
            for size, share in ((self.samples, memory // 2), (self.added, memory // 8))
        )
        return replace(
            self,
            samples=samples,
            added=added,
            selfplay=replace(play, lanes=max(64, min(play.lanes, lanes))),
        )


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
    #: The same earlier on, each with the joint moves made until then.
    curve: tuple[tuple[int, float], ...] = ()
    #: Whether no two roles had a choice at once.
    takes_turns: bool = True

    @property
    def length(self) -> float:
        """The joint moves of a match on average; those of all of them if none has ended."""
        return self.plies / max(1, self.matches)


class _Half:
    """Half of the samples of each step: the slopes that one thread finds."""

    def __init__(self, layers: Layers) -> None:
        self.slopes = layers.zeros()
        self._scratch = aligned_zeros(np.dtype(np.float32), 3 * layers.hidden)
        self._rows = np.zeros(len(layers.weights), np.int64)

    def add_slopes(
        self,
        layers: Layers,
        samples: Samples,
        chosen: NDArray[np.int64],
        images: NDArray[np.int64],
        symmetries: NDArray[np.int32],
    ) -> float:
        """Find the slopes of the mean loss over some samples; return the mean."""
        return add_slopes(
            chosen, images, symmetries, samples.states, samples.targets,
            *layers.arrays(), *self.slopes.arrays(), self._scratch, self._rows,
        )  # fmt: skip


class Learner:
    """A network that learns from the matches that it plays against itself.

    Learning goes in rounds. In each, joint moves are made in all matches with the network as it is,
    and beside that the slopes of its loss over some samples are found; at the end it takes a step,
    and the samples of the matches that have ended are added. So the result is the same whether the
    halves of a round are done at once, on two cores, or one after the other. Where the matches are
    played by tasks of other processes, a round takes what they have played meanwhile.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        symmetries: Sequence[Symmetry] = (),
        settings: LearningSettings | None = None,
        net: ValueNet | None = None,
        source: Source | None = None,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        """Begin with a network that has learned nothing, or with one that has.

        Args:
            kernel: views and steps states, for this learner alone.
            symmetries: of the game: a state's images are worth what it is worth.
            settings: how it learns. A network's own hidden units count.
            net: of the game; None for a new one.
            source: plays the matches; None to play them here, in the learner's own threads.
            threads: how many may work at once; more than 2 are of no use.
            seed: the same seed gives the same network after the same number of plies, unless a
                source is given.

        Raises:
            ValueError: the hidden units are no multiple of `UNITS`.
        """
        self.settings = settings = settings or LearningSettings()
        self._generator = np.random.default_rng(seed)
        circuit, words = kernel.circuit, kernel.state_words
        rows, roles = 64 * words, len(circuit.roles)
        self.layers = (
            Layers.new(rows=rows, hidden=settings.hidden, roles=roles, generator=self._generator)
            if net is None
            else Layers.of(net, circuit, rows=rows)
        )
        self._means, self._squares = self.layers.zeros(), self.layers.zeros()
        self._symmetries = _images(symmetries, rows)
        self._circuit, self._threads = circuit, threads
        self._samples = Samples(size=settings.samples, words=words, roles=roles)
        seeds = self._generator.integers(1 << 31, size=2).tolist()
        self._source = source or InThreads(
            kernel,
            settings=settings.selfplay,
            added=settings.added,
            every=settings.every,
            seeds=seeds,
        )
        self._is_due = True
        self._halves = _Half(self.layers), _Half(self.layers)
        self._net = Rounded.of(self.layers)
        self._steps, self._loss, self._seconds = 0, nan, 0.0
        self._curve: list[tuple[int, float]] = []

    @property
    def net(self) -> ValueNet:
        """The network as it is."""
        return self.layers.net(self._circuit)

    @property
    def progress(self) -> Progress:
        """What has been done so far."""
        played = self._source.played
        return Progress(
            plies=played.plies,
            matches=played.matches,
            steps=self._steps,
            seconds=self._seconds,
            loss=self._loss,
            curve=tuple(self._curve),
            takes_turns=played.takes_turns,
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
            plies: how many joint moves to make in all, and to learn from; None for as many as there
                is time for.
            report: is told what has been done, twice a second.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            GgpError: a task of the source failed, or its cluster is gone.
        """
        began = time.monotonic()
        whole, before, due, source = deadline.remaining, self._seconds, began, self._source
        with ThreadPoolExecutor(1, "learner") as pool:
            while not deadline.is_over:
                made = source.played.plies
                if plies is None:
                    share = 0.0 if whole == inf else 1 - deadline.remaining / whole
                elif (share := (made - source.owed) / plies) >= 1:
                    break
                self._round(share, pool, plays=plies is None or made < plies)
                now = time.monotonic()
                self._seconds = before + now - began
                if now >= due:
                    due = now + _PERIOD
                    if self._steps:
                        self._curve.append((source.played.plies, self._loss))
                    report(self.progress)

    def _round(self, share: float, pool: Executor, *, plays: bool) -> None:
        """Play or not, and take a step if one is due, when a share of the learning is done."""
        settings, one, other = self.settings, *self._halves
        count = 0
        if self._is_due and self._samples.seen >= min(settings.enough, settings.samples):
            count = settings.batch
        chosen = self._generator.integers(max(1, len(self._samples)), size=count)
        images = self._generator.integers(len(self._symmetries), size=count)

        def work(half: _Half, place: int) -> float:
            if plays:
                self._source.play(place, self._net)
            if count == 0:
                return nan
            return half.add_slopes(
                self.layers, self._samples, chosen[place::2], images[place::2], self._symmetries
            )

        if self._threads > 1:
            beside = pool.submit(work, other, 1)
            losses = work(one, 0), beside.result()
        else:
            losses = work(one, 0), work(other, 1)
        if count:
            self._step(share, sum(losses) / 2)
        self._is_due = self._source.take(self._samples)

    def _step(self, share: float, loss: float) -> None:
        settings, (one, other) = self.settings, self._halves
        self._steps += 1
        rate = settings.rate * (1 - (1 - settings.last_rate) * share)
        for values, slopes, more, means, squares in zip(
            *(
                layers.arrays()
                for layers in (self.layers, one.slopes, other.slopes, self._means, self._squares)
            ),
            strict=True,
        ):
            np.add(slopes, more, out=slopes)
            np.multiply(slopes, np.float32(0.5), out=slopes)
            more.fill(0)
            descend(values, slopes, means, squares, rate, self._steps)
        self._net.follow(self.layers)
        is_first = self._steps == 1
        self._loss = loss if is_first else _MEMORY * self._loss + (1 - _MEMORY) * loss


def _images(symmetries: Sequence[Symmetry], rows: int) -> NDArray[np.int32]:
    """Return int32[1 + symmetries, rows]: the row that each becomes; at first, itself."""
    images = np.tile(np.arange(rows, dtype=np.int32), (1 + len(symmetries), 1))
    for image, symmetry in zip(images[1:], symmetries, strict=True):
        image[: len(symmetry.facts)] = symmetry.facts
    return images
