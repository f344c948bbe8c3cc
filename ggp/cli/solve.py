"""`ggp solve`: what a state is worth, and the best move in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    reasoner_option,
)
from ggp.engine import DEFAULT_TABLE_BYTES, KNOWN, engine_search
from ggp.errors import GgpError
from ggp.gdl import RANDOM, Description, canonical
from ggp.graph import GameGraph
from ggp.kif import Compound, Source, Term, parse_term, variables
from ggp.reasoner import Reasoner, bounded, open_reasoner
from ggp.search import (
    ALGORITHMS,
    CLASSIFIERS,
    DEFAULT_TABLE_SIZE,
    LeafValueTable,
    SearchAlgorithm,
    Searcher,
    SearchResult,
)
from ggp.search.leaf_values import DEFAULT_TIME_LIMIT, Form
from ggp.search.tree.drawing import draw
from ggp.search.tree.recorder import Recorder

__all__ = ["command"]

# To solve a game is to see all of it: then forgetting costs more than memory.
_MAX_STATES = 1_000_000


@click.command("solve")
@game_argument
@click.option(
    "--algorithm", type=click.Choice(list(ALGORITHMS)), default="alphabeta", show_default=True
)
@click.option("--role", metavar="R", help="The role to search for; the first if not given.")
@click.option("--state", metavar='"( F1 F2 )"', help="The facts to begin from, in KIF.")
@click.option("--depth", type=click.IntRange(min=1), help="Look ahead so many joint moves.")
@click.option("--nodes", type=click.IntRange(min=1), help="Expand so many states at most.")
@click.option("--seconds", type=Seconds(), help="Stop after this.")
@click.option("--no-table", is_flag=True, help="Search without a transposition table.")
@click.option("--win", type=float, help="bounded: a value that is good enough.  [default: 100]")
@click.option("--lose", type=float, help="bounded: a value that is bad enough.  [default: 0]")
@click.option(
    "--classifier",
    type=click.Choice(CLASSIFIERS),
    default="lvt",
    show_default=True,
    help="What decides that nothing better can follow.",
)
@click.option(
    "--discrete",
    is_flag=True,
    default=None,
    help="max-n: the linear test relies on ranks being whole numbers.",
)
@click.option(
    "--form",
    type=click.Choice(get_args(Form)),
    help="max-n: how closely to filter the table's rows below a state.  [default: exact]",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "compiled", "reference"]),
    default="auto",
    show_default=True,
    help="Who searches: compiled loops over machine code, or Python; auto: as can be had.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    default=DEFAULT_TABLE_BYTES >> 20,
    show_default=True,
    metavar="MB",
    help="compiled: what the transposition table may take.",
)
@click.option(
    "--draw",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg",
    help="Draw the tree that is searched, if it is small.",
)
@reasoner_option
@json_option
def command(
    file: str,
    algorithm: str,
    role: str | None,
    state: str | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    no_table: bool,
    win: float | None,
    lose: float | None,
    classifier: str,
    discrete: bool | None,
    form: Form | None,
    engine: str,
    memory: int,
    picture: Path | None,
    reasoner: str,
    as_json: bool,
) -> None:
    """Search a game for the value of a state and the best move.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. Without limits the
    search goes to the end of the game. With --seconds or --nodes it looks one joint move ahead,
    then two, and so on, and says what the last search that was finished found.
    """
    if picture and (seconds is not None or nodes is not None):
        raise click.ClickException("--draw is for one search: limit it by --depth")
    description = load_game(file)
    number, kind = _role(description, role), ALGORITHMS[algorithm]
    recorder = Recorder(description.roles, number) if picture else None
    options: dict[str, Any] = {
        "role": number,
        "classifier": classifier,
        "observer": recorder,
        **_own_options(kind, win=win, lose=lose, discrete=discrete, form=form),
    }
    facts = None if state is None else _facts(description, state)
    with (
        open_reasoner(description, kind=reasoner) as opened,
        interruptible(seconds) as deadline,
        bounded(opened, deadline=deadline),
    ):
        graph = _graph(opened, facts)
        if engine != "reference" and algorithm in KNOWN:
            # Half of the time at most: then the reference begins.
            opened.warm_up(deadline.part(0.5))
        if kind.enumerates and classifier != "none" and facts is None:
            # Not for other states: the table holds what the initial one leads to.
            limit = DEFAULT_TIME_LIMIT if seconds is None else min(DEFAULT_TIME_LIMIT, seconds / 4)
            found = LeafValueTable.enumerate(description, time_limit=limit, deadline=deadline)
            options["leaf_values"] = found
        table_bytes = 0 if no_table else memory << 20
        search = _search(graph, algorithm, engine, table_bytes=table_bytes, **options)
        try:
            if seconds is None and nodes is None:
                result = search.run(depth=depth, deadline=deadline)
            else:
                for result in search.deepen(depth=depth, nodes=nodes, deadline=deadline):
                    _show_progress(result)
        except GgpError as error:
            if recorder is None or not recorder.is_full:
                raise
            raise click.ClickException(f"--draw: {error}") from None
    if recorder and picture:
        _draw(recorder, f"{file}: {algorithm}, {classifier}", picture)
    if as_json:
        print_json(result.to_json())
    else:
        _print(result)


def _draw(recorder: Recorder, title: str, path: Path) -> None:
    try:
        path.write_text(draw(recorder, title), encoding="utf-8")
    except ValueError as error:
        raise click.ClickException(f"--draw: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None


def _search(
    graph: GameGraph, algorithm: str, engine: str, *, table_bytes: int, **options: Any
) -> Searcher:
    """Return what searches. Raises `click.ClickException`."""
    if engine != "reference":
        search = engine_search(
            graph, algorithm, table_bytes=table_bytes, progress=_show_progress, **options
        )
        if search is not None and search.takes():
            return search
    if engine == "compiled":
        raise click.ClickException(
            "the engine searches by "
            f"{', '.join(KNOWN)}, and where the game has machine code; try --engine auto"
        )
    table_size = DEFAULT_TABLE_SIZE if table_bytes else 0
    return ALGORITHMS[algorithm](graph, table_size=table_size, **options)


def _graph(reasoner: Reasoner, facts: tuple[Term, ...] | None) -> GameGraph:
    graph = GameGraph(reasoner, max_states=_MAX_STATES)
    if facts is not None:
        graph.set_root(graph.node(reasoner.state_of(facts)))
    return graph


def _role(description: Description, name: str | None) -> int:
    names = [str(role) for role in description.roles]
    choosing = [name for name in names if name != RANDOM]
    if not choosing:
        raise click.ClickException(f"the only role is {RANDOM}, who wants nothing")
    if name is not None and name not in choosing:
        raise click.ClickException(
            f"no role {name!r} to search for; there are {', '.join(choosing)}"
        )
    return names.index(choosing[0] if name is None else name)


def _own_options(algorithm: SearchAlgorithm, **values: Any) -> dict[str, Any]:
    """Return the options that were given. Raises `click.ClickException` for those of others."""
    given = {name: value for name, value in values.items() if value is not None}
    for name in given.keys() - algorithm.options:
        takers = ", ".join(known for known, kind in ALGORITHMS.items() if name in kind.options)
        raise click.ClickException(f"--{name} is for --algorithm {takers}")
    if given.get("lose", 0) >= given.get("win", 100):
        raise click.ClickException("--lose must be less than --win")
    return given


def _facts(description: Description, text: str) -> tuple[Term, ...]:
    """Read the facts of a state. Raises `KifError`, `click.ClickException`."""
    term = parse_term(Source(text, "--state"))
    if not isinstance(term, Compound):
        raise click.ClickException(f"--state: write the facts in parentheses, as in ( {term} )")
    facts = tuple(canonical(fact) for fact in term.items)
    for fact in facts:
        if any(variables(fact)):
            raise click.ClickException(f"--state: {fact} has a variable; a fact is ground")
        if not description.domains.facts.admits(fact):
            raise click.ClickException(f"--state: {fact} can never be true in this game")
    return facts


def _show_progress(result: SearchResult) -> None:
    if sys.stderr.isatty():
        line = f"\rdepth {result.depth}: {result.move}, worth {result.value}\x1b[K"
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
    yield "states", f"{result.expanded:,} expanded{again}; {result.generated:,} children looked at"
    if result.prunes:
        rules = (f"{rule} {times:,}" for rule, times in sorted(result.prunes.items()))
        yield "prunes", ", ".join(rules)
    yield "table", f"{result.table_size:,} entries, {result.table_hits:,} hits"
    yield "time", f"{result.seconds:.2f} s"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"


def _proof(result: SearchResult) -> str:
    return "proven" if result.exact else "not proven"
