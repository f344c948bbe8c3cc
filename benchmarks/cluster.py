"""What a cluster of Ray costs and brings, measured on nodes that this machine simulates.

`python -m benchmarks.cluster` starts a cluster whose nodes are processes of this machine, plays
tournaments on it, and stops it. docs/cluster.md explains the figures; `--write docs/cluster.md`
replaces them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import click

from benchmarks.figures import check_page, command_line, machine, markdown, write_page
from ggp.cli.common import json_option, load_game, print_json
from ggp.cluster import Executor, Pool, run
from ggp.cluster.executor import following
from ggp.deadline import Deadline
from ggp.match import MatchRecord
from ggp.reasoner import Reasoner, open_reasoner
from ggp.tournament import ROUND_ROBIN, Fixture, Game, Plan, Result, Store, play
from ggp.tournament.play import play_match
from ggp.workers.cores import available

__all__ = ["Figures", "Share", "Throughput", "lines", "measure"]

#: The cores, and the lengths of matches in seconds, that the estimate is for.
CORES, LENGTHS = 1_000, (1, 10, 60, 600)
#: The games: of the matches, and of the playouts.
_MATCHES_OF, _PLAYOUTS_OF = "tictactoe", "connectfour"
#: GiB of a task; bytes of a node, as Ray counts them, and of its object store.
_GIB, _MEMORY, _STORE = 0.1, 64 << 30, 80 << 20
#: Tasks of each core, and looks at the tasks that run.
_TASKS, _LOOKS = 10, 50


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the time of all workers was play."""

    workers: int
    nodes: int
    matches: int
    #: Of a match.
    seconds: float
    #: From the begin of the tournament to its end, with all processes started before.
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
    #: Waiting for the disk that stores it.
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
        matches: how many matches of some length are played, and how many that take no time.
        seconds: of a match.
        submitted: how many matches that take no time are submitted at once.
        playouts: of each task of the throughput.

    Raises:
        ModuleNotFoundError: Ray is not installed.
    """
    import ray

    began = time.monotonic()
    with _cluster([workers // nodes] * nodes) as address:
        cluster_seconds = time.monotonic() - began
        pool = Pool(cluster=address, cores=1, memory=_GIB)
        first = _until_first(pool)
        ray.init(address, log_to_driver=False)  # executors keep the connection, and its processes
        try:
            _tournament(pool, matches=2 * workers, seconds=0.2)  # so that the processes are there
            wall = _tournament(pool, matches=matches, seconds=seconds)
            throughput = tuple(_throughput(address, playouts))
            driver = _driver(replace(pool, jobs=submitted), matches, submitted)
        finally:
            ray.shutdown()
    share = Share(workers, nodes, matches, seconds, wall)
    return Figures(cluster_seconds, first, share, driver, throughput)


@contextmanager
def _cluster(cores: Sequence[int]) -> Iterator[str]:
    """Start a cluster with a node for each number of cores, beside a head that runs no tasks."""
    from ray.cluster_utils import Cluster

    with (
        TemporaryDirectory(prefix="ggp-", dir="/tmp") as folder,  # paths of sockets must be short
        patch.dict("os.environ", RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0"),
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
    game = Game.of(_MATCHES_OF, "", load_game(_MATCHES_OF))
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


def _driver(pool: Pool, matches: int, submitted: int) -> Driver:
    """Measure the driver by matches that take no time, and by tasks that do not end."""
    waited = 0.0
    add = Store.add

    def timed(store: Store, result: Result, record: MatchRecord) -> None:
        nonlocal waited
        began, cpu = time.monotonic(), time.thread_time()
        add(store, result, record)
        waited += time.monotonic() - began - (time.thread_time() - cpu)

    before = time.thread_time()
    with patch.object(Store, "add", timed):
        _tournament(pool, matches=matches, seconds=0)
    handling = (time.thread_time() - before) / matches
    with pool.open(time.sleep) as executor:
        for number in range(submitted):
            executor.submit(3600 + number)
        looking = _looking(executor)
    return Driver(submitted, handling, waited / matches, looking)


def _looking(executor: Executor) -> float:
    """Return the CPU seconds of a look at all tasks."""
    before = time.thread_time()
    for _ in range(_LOOKS):
        executor.wait(0)
    return (time.thread_time() - before) / _LOOKS


def _throughput(address: str, playouts: int) -> Iterator[Throughput]:
    """Measure how much is played on one core and on more of them, here and on the cluster."""
    for where, cluster in (("processes", "local"), ("Ray", address)):
        for cores in range(1, available() + 1):
            pool = Pool(cluster=cluster, jobs=cores, cores=1, memory=_GIB)
            with pool.open(partial(_playouts, playouts)) as executor:
                numbers = count()
                _ = list(_some(executor, numbers, cores))  # so that the processes are there
                began = time.monotonic()
                done = len(list(_some(executor, numbers, cores * _TASKS)))
                yield Throughput(where, cores, done * playouts / (time.monotonic() - began))


def _some(executor: Executor, numbers: Iterator[int], tasks: int) -> Iterator[object]:
    seeds = [next(numbers) for _ in range(tasks)]
    return run(executor, following(seeds), deadline=Deadline())


def _playouts(playouts: int, seed: int) -> int:
    """Play at random from the initial state, by machine code."""
    reasoner = _reasoner()
    return len(reasoner.playouts(reasoner.initial_state(), count=playouts, seed=seed))


@cache
def _reasoner() -> Reasoner:
    return open_reasoner(load_game(_PLAYOUTS_OF), kind="compiled")


def lines(figures: Figures) -> Iterator[str]:
    """Yield the figures as lines of Markdown."""
    share, driver = figures.share, figures.driver
    yield from markdown(
        ("what", "measured"),
        [
            (f"start of the {share.nodes} simulated nodes", f"{figures.cluster_seconds:.1f} s"),
            ("from a command to its first task", f"{figures.first_seconds:.1f} s"),
            (
                f"{share.matches} matches of {share.seconds:g} s by {share.workers} workers",
                f"{share.wall_seconds:.1f} s",
            ),
            ("share of play in the time of these workers", f"{share.play:.1%}"),
            ("driver: CPU time to handle a match", _ms(driver.handling)),
            ("driver: waiting for the disk to store it", _ms(driver.storing)),
            (f"driver: a look at {driver.submitted:,} submitted matches", _ms(driver.looking)),
        ],
    )
    yield ""
    first = {each.where: each.playouts for each in reversed(figures.throughput)}
    yield from markdown(
        ("tasks run by", "cores", "playouts a second", "speedup"),
        [
            (
                each.where,
                str(each.cores),
                f"{each.playouts:,.0f}",
                f"{each.playouts / first[each.where]:.2f}",
            )
            for each in figures.throughput
        ],
    )
    yield ""
    yield from markdown(
        (f"matches on {CORES:,} cores, on paper", "share of play"),
        [(f"of {length} s", f"{figures.estimate(length):.1%}") for length in LENGTHS],
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


@click.command()
@click.option("--workers", type=click.IntRange(min=1), default=16, show_default=True)
@click.option("--nodes", type=click.IntRange(min=1), default=4, show_default=True,
              help="Simulated nodes, which share the workers equally.")  # fmt: skip
@click.option("--matches", type=click.IntRange(min=1), default=320, show_default=True)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=1.0,
              show_default=True, help="Of a match.")  # fmt: skip
@click.option("--submitted", type=click.IntRange(min=1), default=2 * CORES, show_default=True,
              help="Matches submitted at once when the driver is measured.")  # fmt: skip
@click.option("--playouts", type=click.IntRange(min=1), default=50_000, show_default=True,
              help="Of each task of the throughput.")  # fmt: skip
@click.option("--write", "page", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Replace the figures in a page of the documentation.")  # fmt: skip
@json_option
def main(page: Path | None, as_json: bool, **sizes: Any) -> None:
    """Measure what a cluster of Ray costs and brings, on nodes that this machine simulates."""
    if page is not None:
        check_page(page)
    found = measure(**sizes)
    if as_json:
        print_json(asdict(found) | {"play": found.share.play})
        return
    text = list(lines(found))
    if page is not None:
        write_page(page, [f"`{command_line('benchmarks.cluster')}`: {machine()}.", "", *text])
    click.echo("\n".join(text))


if __name__ == "__main__":
    main()
