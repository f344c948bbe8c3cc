"""`ggp knowledge`: what has been learned of games, and is kept for players to use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ggp.cli.common import complete_games, json_option, load_game, print_json
from ggp.errors import GgpError
from ggp.files import check_writable, replace_file
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games
from ggp.printable import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ggp.display import Planes
    from ggp.learning.store import Entry, Knowledge, Learned, Store
    from ggp.search import ValueNet

__all__ = ["command"]

#: The facts that are listed, of each kind, if there is no board to draw them on.
_FACTS = 8
#: The characters of a curve, from low to high.
_BARS = "▁▂▃▄▅▆▇█"
#: The points of a curve that are shown.
_POINTS = 60


@click.group("knowledge")
def command() -> None:
    """List, show, remove, export and import what has been learned of games.

    A GAME is a rulesheet, the name of a bundled game, or the beginning of a key that `list` shows.
    """


@command.command("list")
@json_option
def _list(as_json: bool) -> None:
    """List the games of which something has been learned."""
    store = _store()
    rows = [(entry, known) for entry in store.entries() if (known := _load(entry)) is not None]
    if as_json:
        print_json([_summary(entry, known) for entry, known in rows])
        return
    if not rows:
        click.echo(f"{store.folder}: nothing has been learned yet; `ggp learn GAME` learns a game")
        return
    table = Table("key", "game", "joint moves", "score", "loss", "size", "used", box=None)
    for entry, known in rows:
        learned = known.learned
        table.add_row(
            entry.key[:8],
            printable(learned.name or "?"),
            f"{learned.plies:,}",
            "" if learned.score is None else f"{learned.score:.0%} of {learned.trial}",
            f"{learned.curve[-1][1]:.3f}" if learned.curve else "",
            f"{entry.bytes / 1e6:.1f} MB",
            time.strftime("%Y-%m-%d", time.localtime(entry.used)),
        )
    Console(highlight=False).print(table)


@command.command("show")
@click.argument("game", shell_complete=complete_games)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.svg",
              help="Draw how the loss fell.")  # fmt: skip
@json_option
def _show(game: str, plot: Path | None, as_json: bool) -> None:
    """Show how a network was learned, and what it looks at."""
    entry, known = _found(game)
    if plot is not None:
        check_writable(plot)
        replace_file(plot, _plotted(known.learned))
    effects = _effects(known.net)
    if as_json:
        facts = [dict(zip(known.net.roles, map(float, row), strict=True)) for row in effects]
        effect = dict(zip(known.net.facts, facts, strict=True))
        print_json({**_summary(entry, known), "effects": effect})
        return
    learned = known.learned
    click.echo(f"{entry.path}")
    click.echo(
        printable(
            f"{learned.name or 'a game'}: {learned.plies:,} joint moves and {learned.matches:,} "
            f"matches of self-play in {learned.seconds:.0f} s"
        )
    )
    if pairs := len(known.net.pairs):
        click.echo(f"weights for {pairs:,} pairs of facts, too, which are not shown")
    if learned.score is not None:
        click.echo(
            f"score against random playouts: {learned.score:.0%} of {learned.trial} short matches"
        )
    if learned.curve:
        click.echo(f"loss: {_curve([loss for _, loss in learned.curve])}")
    click.echo()
    click.echo(f"What it looks at, for {printable(known.net.roles[0])}, in points of the goal:")
    for line in _drawn(known, effects[:, 0]):
        click.echo(printable(line))


@command.command("remove")
@click.argument("games", metavar="GAME...", nargs=-1, required=True, shell_complete=complete_games)
def _remove(games: tuple[str, ...]) -> None:
    """Forget what has been learned of games."""
    store = _store()
    for game in games:
        entry, _ = _found(game)
        try:
            store.remove(entry.key)
        except OSError as error:
            raise click.ClickException(f"{entry.path}: {error.strerror}") from None
        click.echo(f"{entry.path} is removed")


@command.command("export")
@click.argument("game", shell_complete=complete_games)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def _export(game: str, file: Path) -> None:
    """Write what has been learned of a game to a file, for another machine or for `net=FILE`."""
    _, known = _found(game)
    try:
        replace_file(file, known.to_bytes())
    except OSError as error:
        raise click.ClickException(f"{error.filename or file}: {error.strerror}") from None
    click.echo(f"{file}: `ggp knowledge import` reads it, and players do, as in mcts:net={file}")


@command.command("import")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
def _import(files: tuple[Path, ...]) -> None:
    """Keep what other machines have learned, from files that `export` has written."""
    from ggp.learning.store import Knowledge

    for file in files:
        try:
            known = Knowledge.load(file)
            kept = _store().keep(Description.from_text(known.rules), known)
        except GgpError as error:
            raise click.ClickException(printable(str(error))) from None
        if kept is None:
            raise click.ClickException(f"{file} could not be kept")
        click.echo(f"{kept}")


def _store() -> Store:
    from ggp.learning.store import Store

    return Store()


def _load(entry: Entry) -> Knowledge | None:
    """Read an entry; say on standard error that it cannot be read.

    A player that has learned a game knows no name of it: a bundled game is found by its rules.
    """
    from ggp.learning.store import Knowledge

    try:
        known = Knowledge.load(entry.path)
    except GgpError as error:
        click.echo(f"ggp: {printable(str(error))}", err=True)
        return None
    name = known.learned.name or _bundled_names().get(entry.key)
    return replace(known, learned=replace(known.learned, name=name))


@cache
def _bundled_names() -> dict[str | None, str]:
    """Return the names of the bundled games by their keys in a store."""
    from ggp.gdl import game_key

    return {game_key(Description.load(path)): path.stem for path in bundled_games()}


def _found(game: str) -> tuple[Entry, Knowledge]:
    """Return the entry of a game. Raises `click.ClickException`."""
    from ggp.gdl import game_key

    entries = list(_store().entries())
    matching = [entry for entry in entries if entry.key.startswith(game)]
    if not matching:
        key = game_key(load_game(game))
        matching = [entry for entry in entries if entry.key == key]
    if len(matching) != 1:
        few = "nothing has been learned of" if not matching else "several keys begin with"
        raise click.ClickException(f"{few} {printable(game)}; `ggp knowledge list` lists all")
    known = _load(matching[0])
    if known is None:
        raise click.ClickException(f"{matching[0].path} cannot be read")
    return matching[0], known


def _summary(entry: Entry, known: Knowledge) -> dict[str, Any]:
    return {
        "key": entry.key,
        "path": str(entry.path),
        "bytes": entry.bytes,
        "used": entry.used,
        "hidden": len(known.net.bias),
        "pairs": len(known.net.pairs),
        **asdict(known.learned),
    }


def _effects(net: ValueNet) -> NDArray[np.float64]:
    """Return float[facts, roles]: by how many points a fact changes a goal, near the middle.

    Each hidden unit is taken to be within its range, so the sum of all effects is an outline.
    """
    from ggp.search.evaluation.value_net import HIDDEN_ONE, OUTPUT_ONE

    linear = net.weights[: len(net.facts)].astype(np.float64) @ net.outputs.T.astype(np.float64)
    of_logistic = 25.0  # its slope in the middle, in points
    return of_logistic * linear / (HIDDEN_ONE * OUTPUT_ONE)


def _curve(losses: list[float]) -> str:
    """Return losses as a line of bars, with the first and the last number."""
    step = max(1, len(losses) // _POINTS)
    shown = losses[::step]
    low, high = min(shown), max(shown)
    span = high - low or 1.0
    bars = "".join(_BARS[round((loss - low) / span * (len(_BARS) - 1))] for loss in shown)
    return f"{losses[0]:.3f} {bars} {losses[-1]:.3f}"


def _plotted(learned: Learned) -> bytes:
    """Return a drawing of the loss against the joint moves of self-play, as SVG."""
    from ggp.display.figure import figure_svg

    name = learned.name or "a game"

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([plies / 1e6 for plies, _ in learned.curve], [loss for _, loss in learned.curve])
        axes.set(xlabel="million joint moves", ylabel="loss in nats", title=name)
        axes.grid(visible=True, alpha=0.3)

    return figure_svg(draw, size=(7, 4), name=name)


def _drawn(known: Knowledge, effects: NDArray[np.float64]) -> Iterator[str]:
    """Yield lines: the effects on a grid for each channel of the board, or the largest ones."""
    from ggp.batch import Game
    from ggp.display import Planes

    description = Description.from_text(known.rules)
    try:
        with Game(description) as game:
            planes = Planes.of(game)
            numbers = {str(fact): place for place, fact in enumerate(game.facts)}
    except GgpError:
        yield from _listed(known.net, effects)
        return
    places = [numbers.get(fact, -1) for fact in known.net.facts]
    if planes.height * planes.width < 4 or -1 in places:
        yield from _listed(known.net, effects)
        return
    of_game = np.zeros(len(numbers))
    of_game[places] = effects
    yield from _grids(planes, of_game)


def _grids(planes: Planes, effects: NDArray[np.float64]) -> Iterator[str]:
    flat = np.full(int(np.prod(planes.shape)), np.nan)
    flat[planes.places] = effects[planes.facts]
    for name, grid in zip(planes.channels, flat.reshape(planes.shape), strict=True):
        known = grid[~np.isnan(grid)]
        if len(set(known.tolist())) == 1:
            yield f"{name}: {known[0]:+.0f}"
            continue
        yield f"{name}:"
        for row in grid:
            yield "  " + "".join("     " if np.isnan(x) else f"{x:+5.0f}" for x in row)


def _listed(net: ValueNet, effects: NDArray[np.float64]) -> Iterator[str]:
    order = np.argsort(effects)
    chosen = order if len(order) <= 2 * _FACTS else np.r_[order[:_FACTS], order[-_FACTS:]]
    for place in chosen[::-1]:
        yield f"  {effects[place]:+5.0f}  {net.facts[place]}"
