"""How soon puzzles are solved: `python -m benchmarks.puzzles [--seconds S] [FILE]...`.

A FILE is a rulesheet, or the name of a bundled game; files of games with several roles are left
out, so that whole folders may be named: `python -m benchmarks.puzzles ../shared/corpus/*.kif`. For
each puzzle the program prints the goal that the planner has found, whether it is proven that none
is higher, the moves of the plan, which is played to its end by the reasoner, seconds and processor
seconds of the search, and the states that it has expanded and generated. To ground and to compile
a game is not part of the time; how long that takes stands in the last column. A game that cannot be
compiled is left to the reference on Prolog.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click
from rich.console import Console
from rich.table import Table

from benchmarks.figures import end, measured, of_files
from ggp.cli.common import json_option, load_game, print_json
from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner, open_reasoner
from ggp.search import Limit, Planner, Searcher, SearchResult

__all__ = ["Solved", "measure"]

#: Bundled games that are measured if none are named.
GAMES = ("eightpuzzle", "lightsout", "walk")

# Columns of text that the table takes.
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Solved:
    """What the planner has found, and what that took."""

    game: str
    #: The goal, the highest one that is named, and whether that which was found is proven.
    goal: float | None
    highest: float
    is_proven: bool
    #: The moves of the plan.
    moves: int
    seconds: float
    processor_seconds: float
    expanded: int
    generated: int
    reasoner: str
    #: Seconds until the search could begin.
    ready_seconds: float


def measure(game: str, description: Description, *, seconds: float, memory: int) -> Solved:
    """Solve a puzzle.

    Args:
        game: its name.
        description: its rules.
        seconds: how long to search at most.
        memory: megabytes that the engine's search may take.

    Raises:
        AssertionError: a plan cannot be played, or ends with another goal.
    """
    began = time.monotonic()
    with _opened(description) as reasoner:
        graph = GameGraph(reasoner)
        search: Searcher | None = engine_search(
            graph, Planner, resources=Resources(table_bytes=memory << 20)
        )
        search = search or Planner(graph)
        ready_seconds = time.monotonic() - began
        began, worked = time.monotonic(), time.process_time()
        result = search.run(limit=Limit(deadline=Deadline.after(seconds)))
        took, worked = time.monotonic() - began, time.process_time() - worked
        _check(reasoner, result)
        return Solved(
            game=game,
            goal=result.value,
            highest=search.leaf_values.highest(0),
            is_proven=result.exact,
            moves=len(result.variation),
            seconds=took,
            processor_seconds=worked,
            expanded=result.expanded,
            generated=result.generated,
            reasoner=reasoner.name,
            ready_seconds=ready_seconds,
        )


def _opened(description: Description) -> Reasoner:
    try:
        reasoner = open_reasoner(description, kind="compiled")
    except ReasonerError:
        return open_reasoner(description, kind="prolog")
    reasoner.warm_up(Deadline())
    return reasoner


def _check(reasoner: Reasoner, result: SearchResult) -> None:
    state = reasoner.initial_state()
    for joint_move in result.variation:
        reasoner.check_legal(state, joint_move)
        state = reasoner.next_state(state, joint_move)
    assert not result.variation or reasoner.is_terminal(state)
    assert not result.variation or (reasoner.goals(state)[0] or 0) == result.value


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--seconds", type=click.FloatRange(min=0), default=30, show_default=True)
@click.option("--memory", type=click.IntRange(min=1), default=512, show_default=True, metavar="MB")
@json_option
def main(files: Sequence[str], seconds: float, memory: int, as_json: bool) -> None:
    """Solve each FILE that is a puzzle.

    A FILE that cannot be read is said on standard error, and makes the exit code 2.
    """
    names = files or GAMES

    def solve(file: str) -> Solved | None:
        description = load_game(file)
        if len(description.roles) > 1:
            return None
        game = file.rpartition("/")[2].removesuffix(".kif")
        return measure(game, description, seconds=seconds, memory=memory)

    found, interrupted = measured(of_files(names, solve))
    solved = [each for each in found if each is not None]
    if as_json:
        print_json([asdict(each) for each in solved])
    else:
        _print(solved)
    end(interrupted=interrupted, is_whole=len(found) == len(names))


def _print(found: Sequence[Solved]) -> None:
    table = Table(
        *("game", "goal", "proven", "moves", "seconds", "processor s", "expanded", "generated"),
        "ready s",
        box=None,
    )
    for solved in found:
        game = solved.game
        table.add_row(
            game if solved.reasoner == "compiled" else f"{game} (prolog)",
            f"{'-' if solved.goal is None else solved.goal} of {solved.highest}",
            "yes" if solved.is_proven else "no",
            str(solved.moves),
            f"{solved.seconds:.2f}",
            f"{solved.processor_seconds:.2f}",
            f"{solved.expanded:,}",
            f"{solved.generated:,}",
            f"{solved.ready_seconds:.1f}",
        )
    console = Console()
    console.width = max(console.width, _WIDTH)
    console.print(table)


if __name__ == "__main__":
    main()
