"""How fast the reasoners are, side by side: `make bench`, or `python -m benchmarks.reasoners`.

docs/speed.md explains the figures; `--write docs/speed.md` replaces them.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.figures import (
    check_page,
    command_line,
    end,
    machine,
    markdown,
    measured,
    write_page,
)
from benchmarks.measure import Figures, Rates, figures, prepare
from ggp.errors import GgpError

#: Bundled games that are measured if none are named.
GAMES = ("tictactoe", "connectfour", "breakthrough", "othello6x6", "eightpuzzle", "triad")


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--seconds", type=click.FloatRange(min=0.001), default=0.5, show_default=True,
              help="Length of a reasoner's turn in a round.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True,
              help="Number of rounds; medians are shown.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print tables in Markdown.")
@click.option("--write", "page", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Replace the figures in a page of the documentation.")  # fmt: skip
def main(
    games: Sequence[str],
    seconds: float,
    rounds: int,
    as_json: bool,
    as_markdown: bool,
    page: Path | None,
) -> None:
    """Measure the reasoners on each GAME: a file, or the name of a bundled game."""
    if page is not None:
        check_page(page)
    prepare()
    found, interrupted = measured(_figures(games or GAMES, seconds=seconds, rounds=rounds))
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found]))
    elif as_markdown:
        click.echo("\n".join(_markdown(found)))
    else:
        for title, head, rows in _tables(found):
            _show(title, head, rows)
    end(interrupted=interrupted, is_whole=True)
    if page is not None:
        write_page(page, _markdown(found))
    sys.exit(0 if len(found) == len(games or GAMES) else 1)


def _figures(games: Sequence[str], *, seconds: float, rounds: int) -> Iterator[Figures]:
    """Yield the figures of each game that can be measured."""
    for game in games:
        click.echo(f"{Path(game).stem} ...", err=True)
        try:
            yield figures(game, seconds=seconds, rounds=rounds)
        except GgpError as error:
            click.echo(f"{game}: {error}", err=True)


def _tables(found: Sequence[Figures]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield each table: its title, its heads, its rows."""
    yield (
        "Circuits",
        ["game", "facts", "moves", "gates", "depth", "runs as"],
        [
            [_name(f), f"{f.facts:,}", f"{f.moves:,}", f"{f.gates:,}", str(f.depth),
             "machine code" if f.code else "table"]
            for f in found
        ],
    )  # fmt: skip
    yield (
        "Seconds to the first answer",
        ["game", "circuit", "machine code", "first answer", "the next time", "Prolog"],
        [
            [_name(f), _time(f.circuit_seconds), _time(f.code_seconds), _time(f.cold_seconds),
             _time(f.warm_seconds), _time(f.prolog_seconds)]
            for f in found
        ],
    )  # fmt: skip
    yield (
        "Expansions a second",
        ["game", "branching", "Prolog", "as terms", "ratio", "in arrays", "ratio"],
        [
            [_name(f), f"{f.branching:.1f}", _number(f.expansions.prolog),
             _number(f.contract_expansions.compiled), _ratio(f.contract_expansions),
             _number(f.expansions.compiled), _ratio(f.expansions)]
            for f in found
        ],
    )  # fmt: skip
    yield (
        "Successors a second",
        ["game", "Prolog", "as terms", "in arrays"],
        [
            [_name(f), *(_number(f.branching * rate) for rate in (
                f.expansions.prolog, f.contract_expansions.compiled, f.expansions.compiled))]
            for f in found
        ],
    )  # fmt: skip
    yield (
        "Random playouts a second",
        ["game", "Prolog", "compiled", "ratio", "bare passes", "of bare"],
        [
            [_name(f), _number(f.playouts.prolog), _number(f.playouts.compiled),
             _ratio(f.playouts), _number(f.passes), f"{f.share_of_bare:.0%}"]
            for f in found
        ],
    )  # fmt: skip


def _name(of: Figures) -> str:
    return Path(of.game).stem


def _number(value: float) -> str:
    """Write a number with three significant digits; the others are noise."""
    for name, unit in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= unit:
            digits = max(0, 2 - int(math.log10(value / unit)))
            return f"{value / unit:.{digits}f} {name}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(rates: Rates) -> str:
    """Write a ratio with two significant digits."""
    return f"{float(f'{rates.ratio:.2g}'):,.0f}"


def _time(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}"


def _show(title: str, head: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _markdown(found: Sequence[Figures]) -> Iterator[str]:
    command = command_line("benchmarks.reasoners")
    yield f"`{command}`, on one core of this machine: {machine()}, {_prolog()}."
    for title, head, rows in _tables(found):
        yield from ("", f"### {title}", "", *markdown(head, rows))


def _prolog() -> str:
    """Return the version of SWI-Prolog."""
    said = subprocess.run(["swipl", "--version"], capture_output=True, text=True, check=False)
    return " ".join(said.stdout.split()[:3])


if __name__ == "__main__":
    main()
