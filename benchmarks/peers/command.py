"""`python -m benchmarks.peers`: measures, and prints the figures or writes them into a page."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from benchmarks.arena.openspiel.games import GAMES, matched
from benchmarks.arena.openspiel.mirror import require_openspiel
from benchmarks.figures import (
    check_page,
    command_line,
    end,
    machine,
    markdown,
    measured,
    write_page,
)
from benchmarks.measure import prepare
from benchmarks.peers.measuring import Comparison, compare
from benchmarks.peers.systems import BenchmarkGame, Peer, Pyspiel, Rbg
from ggp.cli.common import json_option, print_json
from ggp.errors import GgpError
from ggp.gdl.bundled import find_game

__all__ = ["BLOCK", "command", "lines"]

#: The name of the figures in a page.
BLOCK = "peers"

#: What `--openspiel` takes beside the path of a program.
_PACKAGE, _NONE = "pyspiel", "none"


@dataclass(frozen=True, slots=True)
class _Match:
    """A game of ours and another system that plays it."""

    game: str
    rules: Path
    system: str
    peer: Peer
    #: How many of our moves are one of theirs.
    steps: int = 1


def lines(found: Sequence[Comparison]) -> Iterator[str]:
    """Yield a table for each system, in Markdown."""
    for system in dict.fromkeys(each.system for each in found):
        head = ["game", f"{system}, playouts/s", "ours", "ratio"]
        head += [f"{system}, moves a game", "ours", "ratio of moves/s"]
        rows = [_row(each) for each in found if each.system == system]
        yield from ("", f"### Beside {system}", "", *markdown(head, rows))


def _row(of: Comparison) -> list[str]:
    speeds = [_number(of.theirs.playouts), _number(of.ours.playouts), _ratio(of.playouts_ratio)]
    moves = [f"{of.theirs.moves:.1f}", f"{of.ours.moves:.1f}", _ratio(of.moves_ratio)]
    return [of.game, *speeds, *moves]


def _number(value: float) -> str:
    """Write a number with three significant digits; the others are noise."""
    digits = 2 - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def _ratio(value: float) -> str:
    """Write a ratio with two significant digits."""
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def _compared(matches: Sequence[_Match], *, seconds: float, rounds: int) -> Iterator[Comparison]:
    """Yield what is measured of each game that can be."""
    for match in matches:
        click.echo(f"{match.system}: {match.game} ...", err=True)
        try:
            yield compare(
                match.rules,
                match.peer,
                game=match.game,
                system=match.system,
                steps=match.steps,
                seconds=seconds,
                rounds=rounds,
            )
        except GgpError as error:
            click.echo(f"{match.game}: {error}", err=True)


def _rbg(_: click.Context, __: click.Parameter, values: Sequence[str]) -> list[_Match]:
    return [_rbg_match(value) for value in values]


def _rbg_match(value: str) -> _Match:
    """Read GAME=BINARY."""
    game, _, binary = value.rpartition("=")
    if not game:
        raise click.BadParameter(f"{value!r} is not GAME=BINARY")
    try:
        known = matched(game)
        rules = known.path if known else find_game(game)
    except OSError as error:
        raise click.BadParameter(f"{game}: {error.strerror}") from None
    return _Match(game, rules, "RBG", Rbg(_program(binary)))


def _program(name: str) -> Path:
    """Return the path of a program."""
    path = Path(name)
    if not path.is_file():
        raise click.BadParameter(f"{name}: no such file")
    if not os.access(path, os.X_OK):
        raise click.BadParameter(f"{name} is not a program that can be run")
    return path


def _openspiel(_: click.Context, __: click.Parameter, values: Sequence[str]) -> list[Path | str]:
    return [value if value == _PACKAGE else _program(value) for value in values if value != _NONE]


def _openspiel_matches(games: Sequence[str], openspiel: Path | str) -> Iterator[_Match]:
    """Yield games of OpenSpiel. Raises `PlayerError` if it is not installed."""
    if openspiel == _PACKAGE:
        require_openspiel()
    for game in games or GAMES:
        ours = GAMES[game]
        if isinstance(openspiel, Path):
            peer: Peer = BenchmarkGame(openspiel, ours.openspiel)
            system = "benchmark_game"
        else:
            peer, system = Pyspiel(ours.openspiel), "OpenSpiel"
        yield _Match(game, ours.path, system, peer, ours.steps)


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(tuple(GAMES)), metavar="[GAME]...")
@click.option("--openspiel", multiple=True, default=[_PACKAGE], show_default=True,
              callback=_openspiel, metavar=f"BINARY|{_PACKAGE}|{_NONE}",
              help="OpenSpiel's program benchmark_game, or its Python package."
                   " May be repeated.")  # fmt: skip
@click.option("--rbg", multiple=True, callback=_rbg, metavar="GAME=BINARY",
              help="Our rulesheet, a file or the name of a game, and the program that rbg2cpp"
                   " has made of the same game. May be repeated.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(min=0.1), default=0.5, show_default=True,
              help="Length of our turn in a round; others have at least half of that.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True,
              help="Number of rounds; medians are shown.")  # fmt: skip
@click.option("--write", "page", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Replace the figures in a page of the documentation.")  # fmt: skip
@json_option
def command(
    games: Sequence[str],
    openspiel: Sequence[Path | str],
    rbg: Sequence[_Match],
    seconds: float,
    rounds: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """Compare our random playouts with those of RBG and OpenSpiel, on one core.

    GAMEs are those of OpenSpiel, all that have the same rules here if none is named.
    """
    if page is not None:
        check_page(page, name=BLOCK)
    try:
        matches = [*rbg, *(each for way in openspiel for each in _openspiel_matches(games, way))]
    except GgpError as error:
        raise click.ClickException(str(error)) from None
    if not matches:
        raise click.UsageError("nothing to compare with: give --rbg or --openspiel")
    prepare()
    found, interrupted = measured(_compared(matches, seconds=seconds, rounds=rounds))
    text = "\n".join(lines(found)).strip()
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        click.echo(text)
    end(interrupted=interrupted, is_whole=True)
    if page is not None:
        head = f"`{command_line('benchmarks.peers')}`, on one core of this machine: {machine()}."
        write_page(page, [head, "", text], name=BLOCK)
    sys.exit(0 if len(found) == len(matches) else 1)
