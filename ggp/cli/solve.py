"""`ggp solve`: the value of a state and the best move in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    Seconds,
    game_argument,
    grouped,
    interruptible,
    json_option,
    load_game_or_tree,
    print_json,
    reasoner_option,
)
from ggp.cli.free_memory import share_of_memory
from ggp.cli.search_options import (
    algorithm_options,
    depth_option,
    draw_option,
    options_of,
    role_number,
    role_option,
)
from ggp.deadline import Deadline
from ggp.engine import DEFAULT_TABLE_BYTES, KNOWN, Resources, engine_search
from ggp.errors import GgpError
from ggp.files import check_writable, replace_file
from ggp.gdl import Description, canonical
from ggp.graph import GameGraph
from ggp.kif import Compound, Source, Term, parse_term, variables
from ggp.match import Spelling
from ggp.reasoner import Reasoner, bounded, open_reasoner
from ggp.search import (
    ALGORITHMS,
    DEFAULT_TABLE_SIZE,
    Algorithm,
    LeafValueTable,
    Limit,
    Searcher,
    SearchOptions,
    SearchResult,
    algorithm_names,
    find_algorithm,
)
from ggp.search.leaf_values import DEFAULT_TIME_LIMIT
from ggp.search.tree.drawing import draw
from ggp.search.tree.reasons import Reasons
from ggp.search.tree.recorder import Recorder
from ggp.search.tree.visits import Visits

__all__ = ["command", "show_progress"]

# To solve a game is to see all of it: forgetting a state costs more than the memory it takes.
_MAX_STATES = 1_000_000

# The share of the time in which the leaf-value table must be there.
_ENUMERATING = 0.5

# The share of --seconds in which a search goes to the end, before it deepens.
_TO_THE_END = 0.25

# The most bytes that the transposition table takes if that was not asked for.
_LARGEST_TABLE = 8 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """How far the user lets the search go."""

    #: Joint moves to look ahead, and states to expand; None for no limit.
    depth: int | None
    nodes: int | None
    #: Seconds for all; and of processor time for the leaf-value table, None for the default.
    seconds: float | None
    table_seconds: float | None

    @property
    def is_deepened(self) -> bool:
        """Whether the search looks ahead deeper and deeper until a limit; or else, only once."""
        return self.nodes is not None or self.seconds is not None

    @property
    def is_whole(self) -> bool:
        """Whether the search goes to the end of the game, however long that takes."""
        return self.depth is None and not self.is_deepened

    @property
    def is_short(self) -> bool:
        """Whether only time ends the search: a part of it may be enough for the end of the game."""
        return self.depth is None and self.nodes is None and self.seconds is not None

    @property
    def for_table(self) -> float:
        """The seconds of processor time for the leaf-value table."""
        part = DEFAULT_TIME_LIMIT if self.seconds is None else self.seconds / 4
        return self.table_seconds or min(DEFAULT_TIME_LIMIT, part)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Means:
    """By what means the user lets it search."""

    #: auto, compiled or reference.
    engine: str
    no_table: bool
    #: Megabytes of the transposition table; None for the default.
    memory: int | None
    #: None for one on each core that is free.
    threads: int | None

    @property
    def may_compile(self) -> bool:
        """Whether the engine may search."""
        return self.engine != "reference"

    def table_bytes(self, *, is_whole: bool) -> int:
        """Return the bytes of the transposition table; `is_whole`: the search goes to the end."""
        if self.no_table:
            return 0
        if self.memory is not None:
            return self.memory << 20
        if is_whole:
            return share_of_memory(least=DEFAULT_TABLE_BYTES, most=_LARGEST_TABLE)
        return DEFAULT_TABLE_BYTES


@click.command("solve")
@game_argument
@click.option(
    "--algorithm",
    default="alphabeta",
    show_default=True,
    shell_complete=lambda _context, _option, begun: [
        name for name in algorithm_names() if name.startswith(begun)
    ],
    help=f"The search: {', '.join(ALGORITHMS)}; or a class of yours as module:Class.",
)
@role_option
@click.option("--state", metavar='"( F1 F2 )"', help="The facts to begin from, in KIF.")
@grouped(
    "limits",
    _Limits,
    depth_option,
    click.option("--nodes", type=click.IntRange(min=1), help="Expand at most this many states."),
    click.option("--seconds", type=Seconds(), help="Stop after this time."),
    click.option(
        "--table-seconds",
        type=Seconds(),
        help="Processor time for the leaf-value table, if it is not known yet.  "
        f"[default: {DEFAULT_TIME_LIMIT:g}; with --seconds a quarter of that at most]",
    ),
)
@algorithm_options
@grouped(
    "means",
    _Means,
    click.option(
        "--engine",
        type=click.Choice(["auto", "compiled", "reference"]),
        default="auto",
        show_default=True,
        help="compiled: loops over machine code; reference: Python; auto: compiled where possible.",
    ),
    click.option("--no-table", is_flag=True, help="Search without a transposition table."),
    click.option(
        "--memory",
        type=click.IntRange(min=1),
        metavar="MB",
        help="compiled: the size of the transposition table at most.  "
        f"[default: {DEFAULT_TABLE_BYTES >> 20}; for a search to the end half of the free memory, "
        f"from {DEFAULT_TABLE_BYTES >> 20} to {_LARGEST_TABLE >> 20}]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="alphabeta, mcts; compiled: how many threads search together.  [default: one on each "
        "core that is free; for alphabeta with --nodes always one]",
    ),
)
@draw_option("Draw the searched tree, if it is small.")
@reasoner_option
@json_option
def command(
    file: str,
    algorithm: str,
    role: str | None,
    state: str | None,
    limits: _Limits,
    means: _Means,
    picture: Path | None,
    reasoner: str,
    as_json: bool,
    asked: Mapping[str, Any],
) -> None:
    """Search a game for the value of a state and the best move.

    FILE is a rulesheet, a tree such as P1[(1,2) P2[(2,0) (0,3)]], - for standard input, or the name
    of a bundled game or tree. Without limits the search goes to the end of the game. With --nodes
    it looks one joint move ahead, then two, and so on, and shows the result of the last completed
    search. With --seconds, too, if a quarter of the time is not enough to go to the end.
    """
    search_of = _algorithm(algorithm)
    _check_takes(search_of, limits, means, picture)
    description, written = load_game_or_tree(file)
    number = role_number(description, role)
    options = options_of(search_of, asked, role=number)
    _check_roles(options, description)
    recorder = _recorder(description, number, picture)
    facts = None if state is None else _facts(description, state)
    with (
        interruptible(limits.seconds) as deadline,
        open_reasoner(description, kind=reasoner, deadline=deadline) as opened,
        bounded(opened, deadline=deadline),
    ):
        graph = _graph(opened, facts)
        if means.may_compile and search_of.engine:
            # After half of the time the reference begins.
            opened.warm_up(deadline.part(0.5))
        table = written
        # The table holds for states that the initial one leads to, and --state may be another.
        enumerates = search_of.enumerates and options.classifier != "none" and facts is None
        if table is None and enumerates:
            table = LeafValueTable.enumerate(
                description, time_limit=limits.for_table, deadline=deadline.part(_ENUMERATING)
            )
        is_whole = search_of.deepens and limits.is_whole
        resources = Resources(
            table_bytes=means.table_bytes(is_whole=is_whole),
            symmetric=is_whole,
            threads=means.threads,
            progress=show_progress,
            deadline=deadline.part(0.5),  # as above
        )
        if search_of.enumerates:
            options = replace(options, leaf_values=table)
        observer: Recorder | Visits | None = recorder
        if recorder is not None and not search_of.takes_depth:
            observer = Visits(graph, recorder)
        search = _search(graph, search_of, means, options, resources, observer)
        try:
            is_short = search_of.deepens and limits.is_short
            result = _solved(search, limits, deadline, is_short=is_short)
        except GgpError as error:
            if recorder is None or not recorder.is_full:
                raise
            raise click.ClickException(f"--draw: {error}") from None
    _check(file, description, result, table)
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)
    if recorder and picture:
        values = table or LeafValueTable.of(description)
        title = f"{file}: {result.algorithm}, {options.classifier}"
        _draw(recorder, title, values, result, picture)


def _algorithm(name: str) -> Algorithm:
    """Return a search by its name. Raises `click.ClickException` if there is none."""
    try:
        return find_algorithm(name)
    except GgpError as error:
        raise click.ClickException(f"--algorithm: {error}") from None


def _check_roles(options: SearchOptions, description: Description) -> None:
    """Raise `click.ClickException` if the game is none for the algorithm."""
    try:
        options.check(description.roles)
    except ValueError as error:
        raise click.ClickException(f"--algorithm {error}") from None


def _solved(
    search: Searcher, limits: _Limits, deadline: Deadline, *, is_short: bool
) -> SearchResult:
    """Return the last result of a search.

    Args:
        search: the search.
        limits: how far it goes.
        deadline: when it ends at the latest.
        is_short: whether a part of the time may be enough for a search to the end.
    """
    if not limits.is_deepened or is_short:
        part = deadline.part(_TO_THE_END) if is_short else deadline
        result = search.run(limit=Limit(depth=limits.depth, deadline=part))
    if limits.is_deepened and not (is_short and result.completed):
        limit = Limit(depth=limits.depth, nodes=limits.nodes, deadline=deadline)
        for result in search.deepen(limit=limit):
            show_progress(result)
    return result


def _check_takes(
    algorithm: Algorithm, limits: _Limits, means: _Means, picture: Path | None
) -> None:
    """Raise `click.ClickException` if the algorithm does not take an option that was given."""
    given = {
        "--depth": limits.depth,
        "--threads": means.threads,
        "--draw": picture,
        "--no-table": means.no_table or None,
    }
    takes: dict[str, Callable[[Algorithm], bool]] = {
        "--depth": lambda each: each.takes_depth,
        "--threads": lambda each: each.is_shared,
        "--draw": lambda each: each.is_observed,
        "--no-table": lambda each: not each.needs_table,
    }
    for option, value in given.items():
        if value is not None and not takes[option](algorithm):
            takers = ", ".join(name for name, each in ALGORITHMS.items() if takes[option](each))
            raise click.ClickException(f"{option} is for --algorithm {takers}")
    if picture is not None and limits.is_deepened and algorithm.takes_depth:
        raise click.ClickException("--draw is for one search: limit it by --depth")


def _check(
    file: str, description: Description, result: SearchResult, table: LeafValueTable | None
) -> None:
    """Warn of goals that GDL does not allow, and of a table that is not complete.

    Raises:
        click.ClickException: nothing is known.
    """
    if table is not None and not table.is_complete:
        text = "the leaf-value table is not complete, and prunes less than it might"
        click.echo(f"ggp: {file}: {text}; --table-seconds gives it more time", err=True)
    if description.invalid_goals:
        goals = ", ".join(map(str, description.invalid_goals))
        text = f"goals must be from 0 to 100, not {goals}; nothing that rests on them is proven"
        click.echo(f"ggp: {file}: {text}; see `ggp check {file}`", err=True)
    if result.move is None and result.value is None:
        raise click.ClickException(
            f"{file}: the search stopped before it knew the moves of the first state; if more "
            f"time does not help, `ggp check {file}` says whether the rules recurse without end"
        )


def _recorder(description: Description, role: int, picture: Path | None) -> Recorder | None:
    """Return what notes the tree for a picture. Raises `OSError` if that cannot be written."""
    if picture is None:
        return None
    check_writable(picture)
    return Recorder(description.roles, role)


def _draw(
    recorder: Recorder, title: str, table: LeafValueTable, result: SearchResult, path: Path
) -> None:
    reasons = Reasons(recorder.roles, table, result.classifier, result.role)
    try:
        replace_file(path, draw(recorder, title, reasons=reasons))
    except ValueError as error:
        raise click.ClickException(f"--draw: {error}") from None


def _search(
    graph: GameGraph,
    algorithm: Algorithm,
    means: _Means,
    options: SearchOptions,
    resources: Resources,
    observer: Recorder | Visits | None,
) -> Searcher:
    """Return the search. Raises `click.ClickException` if only another engine can search."""
    if means.may_compile and observer is None:
        search = engine_search(graph, algorithm, options, resources)
        if search is not None and search.takes():
            return search
    if means.engine == "compiled":
        raise click.ClickException(
            f"the engine searches by {', '.join(KNOWN)}, and only where the game has machine "
            "code; try --engine auto"
        )
    table_size = DEFAULT_TABLE_SIZE if resources.table_bytes else 0
    return algorithm.search(graph, options, table_size=table_size, observer=observer)


def _graph(reasoner: Reasoner, facts: tuple[Term, ...] | None) -> GameGraph:
    graph = GameGraph(reasoner, max_states=_MAX_STATES)
    if facts is not None:
        graph.set_root(graph.node(reasoner.state_of(facts)))
    return graph


def _facts(description: Description, text: str) -> tuple[Term, ...]:
    """Read the facts of a state. Raises `KifError`, `click.ClickException`."""
    term = parse_term(Source(text, "--state"))
    if not isinstance(term, Compound):
        raise click.ClickException(f"--state: write the facts in parentheses, as in ( {term} )")
    spelling = Spelling(description)
    facts = tuple(spelling.of(canonical(fact)) for fact in term.items)
    for fact in facts:
        if any(variables(fact)):
            raise click.ClickException(f"--state: {fact} has a variable; a fact is ground")
        if not description.domains.facts.admits(fact):
            raise click.ClickException(f"--state: {fact} can never be true in this game")
    return facts


def show_progress(result: SearchResult) -> None:
    """Show the best so far on standard error, if that is a terminal."""
    if sys.stderr.isatty():
        value = "no value yet" if result.value is None else f"value {_number(result.value)}"
        line = f"\rdepth {result.depth}: {result.move}, {value}, {result.expanded:,} states\x1b[K"
        click.echo(line, err=True, nl=False)


def _print(result: SearchResult) -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    table = Table.grid("", "", padding=(0, 2))
    for label, text in _lines(result):
        table.add_row(label, text)
    Console(highlight=False, markup=False).print(table)


def _lines(result: SearchResult) -> Iterator[tuple[str, str]]:
    goals = zip(result.roles, map(_number, result.goals), strict=True)
    yield "value", f"{_number(result.value)} for {result.roles[result.role]}, {_proof(result)}"
    yield "goals", ", ".join(f"{role} {goal}" for role, goal in goals)
    yield "move", "none, the game is over" if result.move is None else str(result.move)
    moves = (" ".join(map(str, joint_move)) for joint_move in result.variation)
    yield "variation", ", ".join(f"{i}. {joint_move}" for i, joint_move in enumerate(moves, 1))
    yield "depth", f"{result.depth}"
    again = f", {result.researched:,} again" if result.researched else ""
    yield "states", f"{result.expanded:,} expanded{again}; {result.generated:,} children visited"
    if result.simulations is not None:
        yield "playouts", f"{result.simulations:,}"
    if result.prunes:
        rules = (f"{rule} {times:,}" for rule, times in sorted(result.prunes.items()))
        yield "prunes", ", ".join(rules)
    yield "table", f"{result.table_size:,} entries, {result.table_hits:,} hits"
    yield "time", f"{result.seconds:.2f} s"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"


def _proof(result: SearchResult) -> str:
    return "proven" if result.exact else "not proven"
