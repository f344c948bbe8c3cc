"""How soon a person can move after *Play now*: `python -m benchmarks.pages.playing [FILE...]`.

The program uploads each rulesheet to a manager in another process, opens the page of the game, and
begins a match against the level *Easy* as soon as that page has its board. It counts from there to
the moment at which the page of the match has all that it needs for a click: the board of the
initial state, the turn of the person, and the places of the legal moves. The requests are those of
the pages' scripts, over HTTP; what the browser draws comes on top (`benchmarks.pages.paint`).
Without files the bundled games are taken. `--busy` keeps processes busy meanwhile.

It fails if a board stays empty, or if more than one game in ten takes longer than it may.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from threading import Event
from typing import Any
from urllib.parse import urlencode, urlsplit

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.pages.visitor import Visitor, cpu_seconds, running_manager
from ggp.gdl.bundled import bundled_games
from ggp.server.manager.playing.level import LEVELS

__all__ = ["main"]

#: Seconds to wait for a board or a turn.
_PATIENCE = 60.0
#: The share of the games that may take longer.
_RARELY = 0.1


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds that a person waits, and what is wrong; empty if nothing is."""

    name: str
    #: From the request for the game's page to its board.
    page: float = 0.0
    #: From *Play now* to the match's board, and to a board that takes a click.
    board: float = 0.0
    click: float = 0.0
    #: Processor time of the manager from *Play now* to there.
    cpu: float = 0.0
    problem: str = ""


@click.command()
@click.argument("rules", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--busy", type=click.IntRange(min=0), default=0, show_default=True,
              help="Processes that keep the cores busy meanwhile.")  # fmt: skip
@click.option("--most", type=click.FloatRange(min=0), default=1.0, show_default=True,
              help="Most seconds until a click is taken, for nine games in ten.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(rules: tuple[Path, ...], busy: int, most: float, as_json: bool) -> None:
    """Measure how soon a person can move after Play now."""
    paths = rules or tuple(bundled_games())
    with running_manager() as port, _busy(busy) as others:
        found = []
        for path in paths:
            found.append(each := _waited(Player(port), path, others))
            told = each.problem or f"{each.click:.2f} s, {each.cpu:.2f} s of processor time"
            click.echo(f"{each.name}: {told}", err=True)
    if as_json:
        click.echo(json.dumps(list(map(asdict, found))))
    else:
        Console(highlight=False).print(_table(found))
    empty = [each for each in found if each.problem]
    for each in empty:
        click.echo(f"{each.name}: {each.problem}")
    slow = [each.name for each in found if each.click > most]
    if empty or len(slow) > _RARELY * len(found):
        raise click.ClickException(
            f"{len(empty)} without a board, {len(slow)} of {len(found)} took more than {most:g} s"
        )


class Player(Visitor):
    """A visitor who plays."""

    def ask(self, path: str, told: Any = None) -> Any:
        """Return the answer to a question of a script, which asks again while there is no place."""
        deadline = time.monotonic() + _PATIENCE
        form = isinstance(told, str)
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
            kind = "application/x-www-form-urlencoded" if form else "application/json"
            body = told if form or told is None else json.dumps(told)
            headers = {} if told is None else {"Content-Type": kind}
            connection.request("GET" if told is None else "POST", path, body, headers)
            reply = connection.getresponse()
            text = reply.read().decode()
            connection.close()
            if reply.status == http.client.OK:
                return json.loads(text) if text.startswith(("{", "[")) else text
            again = reply.headers.get("Retry-After")
            if again is None or time.monotonic() > deadline:
                raise click.ClickException(f"{path}: {reply.status} {text[:200]}")
            time.sleep(float(again))

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        connection.request("GET", path)
        reply = connection.getresponse()
        try:
            while line := reply.readline():
                if line.startswith(b"data: {"):
                    yield json.loads(line[6:])
        finally:
            connection.close()


def _waited(player: Player, path: Path, others: Sequence[int]) -> Waited:
    """Open the page of a game, begin a match, and end it when a person can move."""
    try:
        place = player.upload(path)
        began = time.monotonic()
        with ThreadPoolExecutor() as pool:  # as the scripts of the page ask, at once
            check = pool.submit(player.ask, f"/api{place}/check")
            player.ask(place)
            player.ask(f"/api{place}/layout")
            player.ask(f"/api{place}/draw", {"facts": None})
            page = time.monotonic() - began
            roles = [role for role in check.result()["roles"] if role != "random"]
        before = cpu_seconds(without=others)
        board, taken = _play(player, place, len(roles))
        cpu = cpu_seconds(without=others) - before
    except click.ClickException as error:
        return Waited(path.stem, problem=error.message)
    except (OSError, KeyError, TypeError, ValueError) as error:
        return Waited(path.stem, problem=repr(error))
    return Waited(path.stem, page, board, taken, cpu)


def _play(player: Player, place: str, roles: int) -> tuple[float, float]:
    """Return the seconds from *Play now* to the board, and to the places of the legal moves."""
    level = LEVELS[0]
    form = {f"kind-{seat}": "human" if seat == 0 else level.name for seat in range(roles)}
    clocks = {"start_clock": level.start_clock, "play_clock": level.play_clock}
    began = time.monotonic()
    told = urlencode(form | clocks | {"humans_take_time": "on"})
    url = urlsplit(player.ask(f"/api{place}/matches", told)["url"])
    api, key = f"/api{url.path}", url.fragment.removeprefix("key=")
    player.ask(url.path)
    try:
        seat = player.ask(f"{api}/seat", {"key": key})["view"]
        has_begun = Event()
        with ThreadPoolExecutor() as pool:
            turn = pool.submit(_turn, player, f"{api}/events?as={seat}", has_begun)
            player.ask(f"/api{place}/layout")
            has_begun.wait(_PATIENCE)
            drawing = player.ask(f"{api}/drawings/0?as={seat}")
            board = time.monotonic() - began
            if not drawing["scene"]:
                raise click.ClickException("the board is empty")
            step = turn.result()
            if "percepts" not in drawing:  # a seat that sees less has a list of moves
                player.ask(f"{api}/scenes/{step}?as={seat}")
            return board, time.monotonic() - began
    finally:
        player.ask(f"{api}/abort", {"key": key})


def _turn(player: Player, path: str, has_begun: Event) -> int:
    """Wait until the person, the first role, has a choice; return the number of the state."""
    try:
        for event in player.events(path):
            if event["event"] == "started":
                has_begun.set()
            if event["event"] == "turn" and "0" in event["legal"]:
                step: int = event["turn"]
                return step
            if event["event"] == "finished":
                break
    finally:
        has_begun.set()
    raise click.ClickException("the person is never asked for a move")


@contextmanager
def _busy(count: int) -> Iterator[Sequence[int]]:
    """Keep processes busy, and give their ids."""
    context, others = multiprocessing.get_context("spawn"), []
    with ExitStack() as stack:
        for _ in range(count):
            process = context.Process(target=_spin, daemon=True)
            process.start()
            stack.callback(process.kill)
            others.append(process.pid or 0)
        yield others


def _spin() -> None:
    while True:
        pass


def _table(found: list[Waited]) -> Table:
    table = Table("game", title="seconds", box=box.SIMPLE)
    for column in ("page: board", "Play now: board", "takes a click", "CPU"):
        table.add_column(column, justify="right")
    known = [each for each in found if not each.problem]
    rows = sorted(known, key=lambda each: -each.click)
    for each in rows:
        table.add_row(
            each.name, *(f"{s:.2f}" for s in (each.page, each.board, each.click, each.cpu))
        )
    if len(known) > 1:
        columns = [
            [getattr(each, name) for each in known] for name in ("page", "board", "click", "cpu")
        ]
        table.add_section()
        table.add_row("median", *(f"{median(column):.2f}" for column in columns))
        nine = [quantiles(column, n=10, method="inclusive")[-1] for column in columns]
        table.add_row("nine in ten", *(f"{each:.2f}" for each in nine))
    return table


if __name__ == "__main__":
    main()
