"""Self-play and training in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.related import find_related
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.symmetry import Symmetry, find_symmetries
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.learning.contest import play_contest
from ggp.learning.growth import Growth
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import Played, SelfPlaySettings
from ggp.learning.source import InThreads, Source
from ggp.learning.trainee import Trainee
from ggp.search import ValueNet

__all__ = ["Learner", "LearningSettings", "Progress"]

#: How many joint moves a contest has for one that a thread has made before: it takes a fiftieth of
#: the learning then.
_CONTEST = 1 / 32
#: The most matches of a contest, and the fewest that say something.
_MOST, _FEWEST = 512, 32
#: Seconds between two reports.
_PERIOD = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningSettings:
    """How a network learns."""

    #: Hidden units, a multiple of `UNITS`.
    hidden: int = 64
    #: Whether a network without pairs of facts gets weights for them; None if it is to be tried.
    pairs: bool | None = None
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
    #: The pairs of facts that the network has weights for.
    pairs: int = 0
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
        pairs: NDArray[np.int32] | None = None,
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
            pairs: int32[pairs, 2]: numbers of facts, such as `find_related` returns, for a network
                that has none.
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
        layers = (
            Layers.new(rows=rows, hidden=settings.hidden, roles=roles, generator=self._generator)
            if net is None
            else Layers.of(net, circuit, rows=rows)
        )
        to_try = layers.pairs[:0]
        if pairs is not None and len(layers.pairs) == 0:
            if settings.pairs:
                layers = layers.grown(pairs)
            elif settings.pairs is None:
                to_try = pairs
        self._trainee = Trainee(layers, symmetries)
        self._growth = Growth(self._trainee, to_try, contest=self._contest)
        self._kernel, self._threads = kernel, threads
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
        self._until, self._begun = Deadline(), Played()
        self._steps, self._seconds = 0, 0.0

    @classmethod
    def of_rules(
        cls,
        description: Description,
        kernel: Kernel,
        *,
        settings: LearningSettings,
        net: ValueNet | None = None,
        source: Source | None = None,
        threads: int = 1,
        seed: int = 0,
    ) -> Learner:
        """Return a learner that knows the game's symmetries and the facts that its rules relate.

        Raises:
            ValueError: the hidden units are no multiple of `UNITS`.
        """
        gets_pairs = settings.pairs is not False and (net is None or len(net.pairs) == 0)
        return cls(
            kernel,
            symmetries=find_symmetries(description, kernel.circuit),
            pairs=find_related(description, kernel.circuit) if gets_pairs else None,
            settings=settings,
            net=net,
            source=source,
            threads=threads,
            seed=seed,
        )

    @property
    def layers(self) -> Layers:
        """The layers as they are."""
        return self._trainee.layers

    @property
    def net(self) -> ValueNet:
        """The network as it is."""
        return self.layers.net(self._kernel.circuit)

    @property
    def progress(self) -> Progress:
        """What has been done so far."""
        played = self._source.played
        return Progress(
            plies=played.plies,
            matches=played.matches,
            steps=self._steps,
            pairs=len(self.layers.pairs),
            seconds=self._seconds,
            loss=self._trainee.loss,
            curve=tuple(self._trainee.curve),
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
        self._until, self._begun = deadline, source.played
        with self._settling(), ThreadPoolExecutor(1, "learner") as pool:
            while not deadline.is_over:
                made = source.played.plies
                if plies is None:
                    share = 0.0 if whole == inf else 1 - deadline.remaining / whole
                elif (share := (made - source.owed) / plies) >= 1:
                    break
                trainee = self._trainee = self._growth.turn(share)
                self._round(share, pool, plays=plies is None or made < plies)
                now = time.monotonic()
                self._seconds = before + now - began
                if now >= due:
                    due = now + _PERIOD
                    if trainee.steps:
                        trainee.curve.append((source.played.plies, trainee.loss))
                    report(self.progress)

    @contextmanager
    def _settling(self) -> Iterator[None]:
        """Leave the network that counts, whatever ends the learning."""
        try:
            yield
        finally:
            self._trainee = self._growth.end()

    def _round(self, share: float, pool: Executor, *, plays: bool) -> None:
        """Play or not, and take a step if one is due, when a share of the learning is done."""
        settings, trainee, count = self.settings, self._trainee, 0
        if self._is_due and self._samples.seen >= min(settings.enough, settings.samples):
            count = settings.batch
        chosen = self._generator.integers(max(1, len(self._samples)), size=count)
        images = self._generator.integers(len(trainee.images), size=count)

        def work(half: int) -> float:
            if plays:
                self._source.play(half, trainee.rounded)
            if count == 0:
                return nan
            return trainee.add_slopes(half, self._samples, chosen[half::2], images[half::2])

        if self._threads > 1:
            beside = pool.submit(work, 1)
            losses = work(0), beside.result()
        else:
            losses = work(0), work(1)
        if count:
            rate = settings.rate * (1 - (1 - settings.last_rate) * share)
            trainee.step(rate, sum(losses) / 2)
            self._steps += 1
        self._is_due = self._source.take(self._samples)

    def _contest(self, first: Rounded, second: Rounded) -> float | None:
        """Return the first network's share of the goals; None if there is no time for matches."""
        played, settings = self._source.played, self.settings.selfplay
        threads = max(self._threads, self._source.players)
        plies = int(_CONTEST * (played.plies - self._begun.plies) / threads)
        matches = plies * played.matches // max(1, played.plies)
        matches = min(matches, _MOST, settings.lanes) // 2 * 2
        if matches < _FEWEST:
            return None
        return play_contest(
            self._kernel,
            first,
            second,
            matches=matches,
            plies=2 * plies,
            settings=settings,
            deadline=self._until,
            seed=int(self._generator.integers(1 << 31)),
        )
