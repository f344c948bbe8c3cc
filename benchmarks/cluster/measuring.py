"""Measures clusters of Ray whose nodes this machine simulates."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from unittest.mock import patch

from ggp.cli.common import load_game
from ggp.cluster import Executor, Pool, following, run
from ggp.deadline import Deadline
from ggp.match import MatchRecord
from ggp.reasoner import Reasoner, open_reasoner
from ggp.tournament import ROUND_ROBIN, Fixture, Plan, PlannedGame, Result, Store, play
from ggp.tournament.play import play_match
from ggp.workers.cores import available

__all__ = ["CORES", "Driver", "Figures", "Share", "Throughput", "measure"]

#: The cores that the estimate is for.
CORES = 1_000
#: The games: of the matches, and of the playouts.
_MATCHES_OF, _PLAYOUTS_OF = "tictactoe", "connectfour"
#: GiB of a task; bytes of a node, as Ray counts them, and of its object store.
_GIB, _MEMORY, _STORE = 0.1, 64 << 30, 80 << 20
#: Tasks of each core in a round, rounds, and looks at the tasks that run.
_TASKS, _ROUNDS, _LOOKS = 10, 3, 50


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the time of all workers was play."""

    workers: int
    nodes: int
    matches: int
    #: Of a match.
    seconds: float
    #: From the begin of a tournament to its end, with all processes started before; the least of
    #: some rounds.
    wall_seconds: float

    @property
    def play(self) -> float:
        """The share: matches x seconds / (workers x wall_seconds)."""
        return self.matches * self.seconds / (self.workers * self.wall_seconds)


@dataclass(frozen=True, slots=True)
class Driver:
    """Seconds for which a match keeps the driver busy, so that it does nothing else."""

    #: Matches that are submitted at the same time.
    submitted: int
    #: CPU time to submit the match, to take its result, and to store it.
    handling: float
    #: Waiting for the disk that stores it; the median.
    storing: float
    #: CPU time to find out which of the submitted matches are over.
    looking: float

    @property
    def seconds(self) -> float:
        """All of it, where each match ends alone."""
        return self.handling + self.storing + self.looking


@dataclass(frozen=True, slots=True)
class Throughput:
    """Random playouts a second on some cores."""

    where: str
    cores: int
    playouts: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured."""

    #: Until the cluster was there, and from then on until the first task of a command began.
    cluster_seconds: float
    first_seconds: float
    share: Share
    driver: Driver
    throughput: tuple[Throughput, ...]

    def estimate(self, seconds: float, *, cores: int = CORES) -> float:
        """Return the share of play on many cores, of matches of a length.

        A worker loses as much between two matches as was measured; the driver serves one match
        after the other.
        """
        lost = self.share.seconds * (1 / self.share.play - 1)
        return min(seconds / (seconds + lost), seconds / (cores * self.driver.seconds))


def measure(
    *, workers: int, nodes: int, matches: int, seconds: float, submitted: int, playouts: int
) -> Figures:
    """Start a cluster, measure, and stop it.

    Args:
        workers: how many matches are played at once.
        nodes: how many simulated ones share the workers.
        matches: how many are played in each round.
        seconds: of a match.
        submitted: how many matches are submitted at once when the driver is measured.
        playouts: of each task of the throughput.

    Raises:
        ModuleNotFoundError: Ray is not installed.
    """
    began = time.monotonic()
    with _cluster([workers // nodes] * nodes) as address:
        cluster_seconds = time.monotonic() - began
        pool = Pool(cluster=address, cores=1, memory=_GIB)
        first = _until_first(pool)
        with _connected(address):
            _tournament(pool, matches=2 * workers, seconds=0.2)  # so that the processes are there
            # Whatever else runs can only slow them.
            wall = min(_tournament(pool, matches=matches, seconds=seconds) for _ in range(_ROUNDS))
            driver = _driver(replace(pool, jobs=submitted), submitted)
    throughput = tuple(_throughput(playouts))
    share = Share(workers, nodes, matches, seconds, wall)
    return Figures(cluster_seconds, first, share, driver, throughput)


@contextmanager
def _cluster(cores: Sequence[int]) -> Iterator[str]:
    """Start a cluster with a node for each number of cores, beside a head that runs no tasks."""
    from ray.cluster_utils import Cluster

    with (
        TemporaryDirectory(prefix="ggp-", dir="/tmp") as folder,  # paths of sockets must be short
        # Ray's processes would have the lowest priority, and wait for what else the machine runs.
        patch.dict("os.environ", RAY_worker_niceness="0", RAY_TMPDIR=folder),
        patch.dict("os.environ", RAY_USAGE_STATS_ENABLED="0"),
    ):
        started = Cluster()
        try:
            for of_node in (0, *cores):
                started.add_node(
                    num_cpus=of_node,
                    memory=_MEMORY,
                    object_store_memory=_STORE,
                    include_dashboard=False,
                )
            yield str(started.address)
        finally:
            started.shutdown()  # type: ignore[no-untyped-call]


@contextmanager
def _connected(address: str) -> Iterator[None]:
    """Connect to a cluster; executors keep the connection, and with it their processes."""
    import ray

    ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


def _until_first(pool: Pool) -> float:
    """Return how many seconds it takes to connect and to begin a task."""
    began = time.monotonic()
    with pool.open(_now) as executor:
        ((_, now),) = run(executor, following([0]), deadline=Deadline())
    return float(now) - began


def _now(_task: int) -> float:
    return time.monotonic()  # which all processes of a machine share


def _plan(matches: int) -> Plan:
    """Return a tournament of two players that meet in both seats in each round."""
    game = PlannedGame.of(_MATCHES_OF, "", load_game(_MATCHES_OF))
    return Plan(
        name="benchmark",
        system=ROUND_ROBIN,
        games=(game,),
        players=("legal", "legal"),
        rounds=-(-matches // 2),
        start_clock=10,
        play_clock=10,
        scramble=False,
        seed=0,
    )


@cache
def _played() -> tuple[Result, str]:
    """Return the result and the record of a match that was really played."""
    result, record = play_match(_plan(1), Fixture(0, 0, 0, (0, 1)))
    return result, record.to_json()


def _match(
    result: Result, record: str, seconds: float, plan: Plan, fixture: Fixture
) -> tuple[Result, MatchRecord]:
    """Take as long as a match, and return the result of another one."""
    time.sleep(seconds)
    match_id = plan.match_id(fixture)
    return replace(result, fixture=fixture, match_id=match_id), MatchRecord.from_json(record)


def _tournament(pool: Pool, *, matches: int, seconds: float) -> float:
    """Play a tournament of matches of a length, and return how many seconds it takes."""
    plan = _plan(matches)
    with (
        TemporaryDirectory() as folder,
        closing(Store.create(Path(folder, "cup"), plan)) as store,
        # All else is as in a tournament; real matches would need as many cores as workers.
        patch("ggp.tournament.play.play_match", partial(_match, *_played(), seconds)),
    ):
        began = time.monotonic()
        play(store, pool=pool, deadline=Deadline())
        return time.monotonic() - began


def _driver(pool: Pool, submitted: int) -> Driver:
    """Measure the driver by matches that take no time, and by tasks that do not end."""
    waits, matches = list[float](), 2 * submitted
    add = Store.add

    def timed(store: Store, result: Result, record: MatchRecord) -> None:
        began, cpu = time.monotonic(), time.thread_time()
        add(store, result, record)
        waits.append(time.monotonic() - began - (time.thread_time() - cpu))

    before = time.thread_time()
    with patch.object(Store, "add", timed):
        _tournament(pool, matches=matches, seconds=0)
    handling = (time.thread_time() - before) / matches
    with pool.open(time.sleep) as executor:
        for number in range(submitted):
            executor.submit(3600 + number)
        looking = _looking(executor)
    return Driver(submitted, handling, median(waits), looking)


def _looking(executor: Executor) -> float:
    """Return the CPU seconds of a look at all tasks."""
    before = time.thread_time()
    for _ in range(_LOOKS):
        executor.wait(0)
    return (time.thread_time() - before) / _LOOKS


def _throughput(playouts: int) -> Iterator[Throughput]:
    """Measure how much is played on one core and on more of them, here and on a cluster."""
    for cores in range(1, available() + 1):
        yield Throughput("processes", cores, _rate(Pool(jobs=cores, cores=1), cores, playouts))
    for cores in range(1, available() + 1):
        with _cluster([cores]) as address, _connected(address):
            pool = Pool(cluster=address, cores=1, memory=_GIB)
            yield Throughput("Ray", cores, _rate(pool, cores, playouts))


def _rate(pool: Pool, cores: int, playouts: int) -> float:
    """Return playouts a second, the most of some rounds: what else runs can only slow them."""
    best, seeds = 0.0, count()
    with pool.open(partial(_playouts, playouts)) as executor:
        for tasks in (cores, *[cores * _TASKS] * _ROUNDS):  # the first ones start the processes
            chosen = [next(seeds) for _ in range(tasks)]
            began = time.monotonic()
            done = list(run(executor, following(chosen), deadline=Deadline()))
            best = max(best, len(done) * playouts / (time.monotonic() - began))
    return best


def _playouts(playouts: int, seed: int) -> int:
    """Play at random from the initial state, by machine code."""
    reasoner = _reasoner()
    return len(reasoner.playouts(reasoner.initial_state(), count=playouts, seed=seed))


@cache
def _reasoner() -> Reasoner:
    return open_reasoner(load_game(_PLAYOUTS_OF), kind="compiled")
