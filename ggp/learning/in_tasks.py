"""Self-play in other processes, of this machine or of a cluster."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ggp.closing import Closing
from ggp.cluster import Failed, Pool
from ggp.compiler.circuit.circuit import Circuit
from ggp.errors import GgpError
from ggp.learning.layers import Rounded
from ggp.learning.learner import LearningSettings
from ggp.learning.samples import Samples
from ggp.learning.selfplay import Played
from ggp.learning.source import Source
from ggp.learning.stretch import Harvest, Stretch, Stretches

__all__ = ["InTasks"]

#: Seconds of a stretch at most and at least, and the share of the time so far that it takes: at
#: first the network changes fast.
_LONGEST, _SHORTEST, _SHARE = 2.0, 0.1, 0.1
#: Seconds between two looks for results while there are steps to take, and seconds to wait for one
#: where there are none.
_LOOK, _PATIENCE = 0.02, 0.05


class InTasks(Source, Closing):
    """Matches that the tasks of a pool play, in stretches of about two seconds.

    Each task gets the newest network. A process goes on with the matches of its last task. There
    are as many steps for a joint move as with `InThreads`; those for which there is no time are
    left out.
    """

    def __init__(
        self, circuit: Circuit, *, pool: Pool, settings: LearningSettings, seed: int = 0
    ) -> None:
        """Take a game.

        Args:
            circuit: the game.
            pool: where the tasks run, and how many at once.
            settings: of the learner.
            seed: of the seeds of the tasks.

        Raises:
            ClusterError: there is no such cluster.
            ModuleNotFoundError: Ray is not installed.
        """
        # as many matches in a process as a thread of `InThreads` plays
        play = replace(settings.selfplay, lanes=settings.selfplay.lanes // 2)
        self._executor = pool.open(Stretches(circuit, play))
        self._generator = np.random.default_rng(seed)
        self._kept, self._of_step = settings.samples, settings.every * settings.selfplay.lanes
        self._harvests: list[Harvest] = []
        self._played = Played()
        #: Joint moves for which no step has been taken.
        self._owed = 0
        self._is_due = False
        self._began = self._looked = time.monotonic()

    @property
    def played(self) -> Played:
        """How much has been played so far."""
        return self._played

    @property
    def owed(self) -> int:
        """For how many of the joint moves there are still steps to take."""
        return self._owed - self._owed % self._of_step

    @property
    def players(self) -> int:
        """How many tasks play at once."""
        return self._executor.room + len(self._executor.running)

    def play(self, half: int, net: Rounded) -> None:
        """Submit tasks, and receive what is done; wait a little if there is no step to take.

        Raises:
            GgpError: a task failed, or the cluster is gone.
        """
        now = time.monotonic()
        if half or (self._is_due and now - self._looked < _LOOK):
            return
        self._looked, executor, slots = now, self._executor, self.players
        while executor.room > 0:
            executor.submit(self._stretch(net, now - self._began, slots))
        for _, result in executor.wait(0 if self._is_due else _PATIENCE):
            if isinstance(result, Failed):
                raise GgpError(result.message)
            self._harvests.append(result)

    def _stretch(self, net: Rounded, seconds: float, slots: int) -> Stretch:
        """Return a task, given the seconds of the run until now and how many tasks run at once."""
        return Stretch(
            net=net,
            seconds=min(_LONGEST, max(_SHORTEST, _SHARE * seconds)),
            most=max(1, self._kept // slots),
            seed=int(self._generator.integers(1 << 31)),
        )

    def take(self, samples: Samples) -> bool:
        """Add the samples of tasks that are done; return whether a step is due for them."""
        for harvest in self._harvests:
            samples.add(harvest.states, harvest.targets)
            self._played += harvest.played
            self._owed = min(self._kept, self._owed + harvest.played.plies)
        self._harvests.clear()
        self._is_due = self._owed >= self._of_step
        if self._is_due:
            self._owed -= self._of_step
        return self._is_due

    def close(self) -> None:
        """End the tasks, with the matches that are under way."""
        self._executor.close()
