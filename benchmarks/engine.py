"""How fast the engine searches: `python -m benchmarks.engine [GAME]...`.

The program prints, for each game, the expansions per second of alpha-beta: by the engine, with and
without its table, and by the reference on Prolog. They take turns, and the medians of the rounds
count. Beside them stand the expansions per second of the bare kernel on the states of random
playouts, all in one batch. The engine and the kernel take short turns and are measured in CPU time
of this process, so that other processes hardly change how the two compare. Then follow the times to
solve small games, and to deepen: with narrowing windows as `RoleEngine` does, and with one search
for each depth.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from statistics import median

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.measure import BATCH, prepare
from ggp.cli.common import load_game
from ggp.compiler.runtime.kernel import Kernel
from ggp.deadline import Deadline
from ggp.engine import KNOWN, Resources, engine_search
from ggp.engine.search import EngineSearch
from ggp.graph import GameGraph
from ggp.native.numba_support import Words
from ggp.reasoner import open_reasoner
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Evaluation, LeafValueTable, Limit, SearchOptions

#: Bundled games that are measured if none are named.
GAMES = ("connectfour", "breakthrough", "othello6x6")

#: How deep games are searched that are not solved.
_DEPTHS = {"connectfour": 11, "breakthrough": 4, "othello6x6": 9, "foxandhounds": 13}

# Searches of each kind in a comparison, of which the median counts.
_TIMES = 3

_MOST = 10**6

# Turns of the engine and the kernel in a round.
_TURNS = 20

# Nodes after which the table holds much, and its memory was used before.
_BEFORE = 10**6


@dataclass(frozen=True, slots=True)
class Speed:
    """Expansions per second."""

    game: str
    with_table: float
    without_table: float
    reference: float
    kernel: float

    @property
    def ratio(self) -> float:
        """How many times faster than the reference, with the table on."""
        return self.with_table / self.reference

    @property
    def share(self) -> float:
        """The speed with the table on, as a share of the bare kernel's."""
        return self.with_table / self.kernel


@dataclass(frozen=True, slots=True)
class Solved:
    """How long it took to solve a game, in seconds."""

    game: str
    algorithm: str
    seconds: float
    expanded: int


@dataclass(frozen=True, slots=True)
class Deepened:
    """Seconds of CPU time until a depth was searched."""

    game: str
    depth: int
    closing_in: float
    one_search: float


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--seconds", type=click.FloatRange(min=0.001), default=5.0, show_default=True,
              help="Length of a turn in a round.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True,
              help="Number of rounds; medians are shown.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(games: Sequence[str], seconds: float, rounds: int, as_json: bool) -> None:
    """Measure the engine on each GAME: a file, or the name of a bundled game."""
    prepare()
    speeds = [speed(game, seconds=seconds, rounds=rounds) for game in games or GAMES]
    # the planner solves puzzles alone: `benchmarks.puzzles` measures it
    searches = [algorithm for algorithm in KNOWN if algorithm != "planner"]
    solved = [*(warm("tictactoe", algorithm) for algorithm in searches), cold("tictactoe")]
    solved.append(warm("connectfour5x5", "alphabeta"))
    deepened = [deepen(game, depth) for game, depth in _DEPTHS.items()]
    if as_json:
        found = {
            "speeds": [
                {**asdict(each), "ratio": each.ratio, "share": each.share} for each in speeds
            ],
            "solved": [asdict(each) for each in solved],
            "deepened": [asdict(each) for each in deepened],
        }
        click.echo(json.dumps(found))
        return
    console = Console(highlight=False)
    console.print(_speeds(speeds))
    console.print(_solved(solved))
    console.print(_deepened(deepened))


def speed(game: str, *, seconds: float, rounds: int) -> Speed:
    """Measure a game. Raises `ReasonerError`, `SourceError`, `click.UsageError`."""
    description = load_game(game)
    with (
        closing(CompiledReasoner(description)) as compiled,
        open_reasoner(description, kind="prolog") as prolog,
    ):
        graph, slow_graph = GameGraph(compiled), GameGraph(prolog)
        found, states = [], _sample(compiled.kernel)
        for _ in range(rounds):
            searches = []
            for table in (64 << 20, 0):
                search = engine_search(
                    graph, "alphabeta", resources=Resources(table_bytes=table, whole_table=True)
                )
                assert isinstance(search, EngineSearch)
                search.run(
                    limit=Limit(nodes=_BEFORE if table else 1, deadline=Deadline.after(seconds))
                )
                searches.append(search)
            for _ in range(_TURNS):
                turn = [_rate(search, seconds / _TURNS) for search in searches]
                found.append([*turn, _bare(compiled.kernel, states, seconds / _TURNS)])
        slow = AlphaBeta(slow_graph).run(limit=Limit(deadline=Deadline.after(seconds)))
    with_table, without_table, bare = (median(rates) for rates in zip(*found, strict=True))
    reference = (slow.expanded + slow.researched) / slow.seconds
    return Speed(game, with_table, without_table, reference, bare)


def warm(game: str, algorithm: str) -> Solved:
    """Solve a game when everything is compiled and loaded."""
    with closing(CompiledReasoner(load_game(game))) as compiled:
        graph = GameGraph(compiled)
        for _ in range(2):
            began = time.perf_counter()
            search = engine_search(graph, algorithm)
            assert search is not None
            result = search.run()
            seconds = time.perf_counter() - began
    return Solved(game, algorithm, seconds, result.expanded + result.researched)


def cold(game: str) -> Solved:
    """Solve a game from the command line, in another process."""
    command = [sys.executable, "-m", "ggp", "solve", game, "--json"]
    began = time.perf_counter()
    made = subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    result = json.loads(made.stdout)
    return Solved(game, "ggp solve", seconds, result["expanded"] + result["researched"])


def deepen(game: str, depth: int) -> Deepened:
    """Search to a depth in both ways, in turns, with estimates by playouts."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    with closing(CompiledReasoner(load_game(game))) as compiled:
        graph, values = GameGraph(compiled), LeafValueTable.of(compiled.description)
        evaluation = Evaluation(leaf_values=values, goals=0.09, mobility=0.01, playouts=0.9)
        for closes_in in (True, False) * _TIMES:
            search = engine_search(graph, "alphabeta", SearchOptions(evaluation=evaluation))
            assert search is not None
            began = time.process_time()
            if closes_in:
                for _ in search.deepen(limit=Limit(depth=depth)):
                    pass
            else:
                for each in range(1, depth + 1):
                    search.run(limit=Limit(depth=each))
            seconds[closes_in].append(time.process_time() - began)
    return Deepened(game, depth, median(seconds[True]), median(seconds[False]))


def _rate(search: EngineSearch, seconds: float) -> float:
    """Return how many states a second a search expands."""
    began = time.process_time()
    result = search.run(limit=Limit(deadline=Deadline.after(seconds)))
    return (result.expanded + result.researched) / (time.process_time() - began)


def _bare(kernel: Kernel, states: Words, seconds: float) -> float:
    """Return how many states a second the kernel views and expands, a batch at a time."""
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        kernel.expand(states, limit=_MOST)
        done += len(states)
    return done / (time.process_time() - began)


def _sample(kernel: Kernel) -> Words:
    """Return states of random playouts that are not terminal."""
    generator = np.random.default_rng(1)
    found: list[Words] = []
    state = kernel.initial()
    while len(found) < BATCH:
        children = kernel.expand(state, limit=_MOST).states
        if len(children) == 0:
            state = kernel.initial()
            continue
        found.append(state)
        state = children[generator.integers(len(children))][None, :].copy()
    return np.concatenate(found)


def _speeds(speeds: Sequence[Speed]) -> Table:
    table = Table("game", title="expansions a second", box=box.SIMPLE)
    for column in ("with table", "no table", "reference", "ratio", "bare kernel", "share"):
        table.add_column(column, justify="right")
    for each in speeds:
        rates = (each.with_table, each.without_table, each.reference, each.ratio, each.kernel)
        table.add_row(each.game, *(f"{rate:,.0f}" for rate in rates), f"{each.share:.2f}")
    return table


def _solved(solved: Sequence[Solved]) -> Table:
    table = Table("game", "by", title="solved", box=box.SIMPLE)
    for column in ("seconds", "expansions"):
        table.add_column(column, justify="right")
    for each in solved:
        table.add_row(each.game, each.algorithm, f"{each.seconds:.3f}", f"{each.expanded:,}")
    return table


def _deepened(deepened: Sequence[Deepened]) -> Table:
    table = Table("game", title="seconds to deepen", box=box.SIMPLE)
    for column in ("depth", "closing in", "one search a depth", "ratio"):
        table.add_column(column, justify="right")
    for each in deepened:
        ratio = each.closing_in / each.one_search
        times = (f"{seconds:.2f}" for seconds in (each.closing_in, each.one_search))
        table.add_row(each.game, str(each.depth), *times, f"{ratio:.2f}")
    return table


if __name__ == "__main__":
    main()
