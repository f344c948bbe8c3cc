"""Symmetries and factors of games: `python -m benchmarks.authoring.structure [FILE]...`.

A FILE is a rulesheet, or the name of a bundled game; all bundled games if none are named. For each
game the program prints how many symmetries there are besides the identity (99 stands for 99 or
more), how many factors, and seconds for both. At the end it says of how many games there are some.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.figures import end, measured, of_files
from ggp.cli.common import json_option, load_game, print_json
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.factors.find import find_factors
from ggp.compiler.symmetry import find_symmetries
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games

__all__ = ["Structure", "structure_of"]

# No more symmetries are counted.
_MOST = 99


@dataclass(frozen=True, slots=True)
class Structure:
    """What was found of a game; None where the time was not enough."""

    game: str
    symmetries: int | None = None
    symmetry_seconds: float = 0.0
    factors: int | None = None
    factor_seconds: float = 0.0


def structure_of(game: str, description: Description, *, seconds: float) -> Structure:
    """Find symmetries and factors, each within `seconds`, and so the circuit."""
    try:
        circuit = build_circuit(description, time_limit=seconds)
    except ReasonerError:
        return Structure(game)
    began = time.monotonic()
    symmetries = len(find_symmetries(description, circuit, most=_MOST, time_limit=seconds))
    between = time.monotonic()
    try:
        factors = len(find_factors(circuit, time_limit=seconds))
    except ReasonerError:
        factors = None
    ended = time.monotonic()
    return Structure(game, symmetries, between - began, factors, ended - between)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--seconds", type=click.FloatRange(min=0), default=10, show_default=True)
@json_option
def main(files: Sequence[str], seconds: float, as_json: bool) -> None:
    """Find the symmetries and the factors of each FILE.

    A FILE that cannot be read is said on standard error, and makes the exit code 2.
    """
    names = files or [path.stem for path in bundled_games()]

    def measure(file: str) -> Structure:
        return structure_of(Path(file).stem, load_game(file), seconds=seconds)

    found, interrupted = measured(of_files(names, measure))
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        _print(found)
    end(interrupted=interrupted, is_whole=len(found) == len(names))


def _print(found: Sequence[Structure]) -> None:
    table = Table("game", "symmetries", "seconds", "factors", "seconds", box=None)
    for each in found:
        table.add_row(
            each.game,
            "-" if each.symmetries is None else str(each.symmetries),
            f"{each.symmetry_seconds:.2f}",
            "-" if each.factors is None else str(each.factors),
            f"{each.factor_seconds:.2f}",
        )
    Console().print(table)
    click.echo(
        f"{len(found)} games: {sum(each.symmetries is None for each in found)} without a circuit, "
        f"{sum((each.symmetries or 0) > 0 for each in found)} with symmetries, "
        f"{sum((each.factors or 0) > 1 for each in found)} with several factors, "
        f"{sum(each.factors == 1 for each in found)} with one"
    )


if __name__ == "__main__":
    main()
