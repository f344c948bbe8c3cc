"""What the subcommands share: how a game is named, how results are printed."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from ggp.clock import Clock
from ggp.gdl import Description
from ggp.kif import Source
from ggp.reasoner import KINDS, Reasoner, open_reasoner

__all__ = [
    "bounded_reasoner",
    "find_game",
    "game_argument",
    "interruptible",
    "json_option",
    "load_game",
    "print_json",
    "read_source",
    "reasoner_option",
    "seed_option",
]

Function = TypeVar("Function", bound=Callable[..., Any])

# Seconds that a question to the reasoner may go on after the clock has run out.
_GRACE = 0.4

# Where the bundled games lie: beside the package in a checkout, inside it when installed.
_GAME_FOLDERS = (
    Path(__file__).parents[2] / "games",
    Path(__file__).parents[1] / "games",
)


def json_option(function: Function) -> Function:
    """Add ``--json``: one JSON document on standard output and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def reasoner_option(function: Function) -> Function:
    """Add ``--reasoner``."""
    return click.option("--reasoner", type=click.Choice(KINDS), default="auto", show_default=True)(
        function
    )


def seed_option(function: Function) -> Function:
    """Add ``--seed``, which makes a run repeatable."""
    return click.option("--seed", type=int, default=None, help="Makes the run repeatable.")(
        function
    )


def game_argument(function: Function) -> Function:
    """Add the argument FILE: a path, ``-`` for standard input, or a bundled game's bare name."""
    return click.argument("file", metavar="FILE")(function)


def find_game(name: str) -> Path:
    """Return the path of a rulesheet, given a path or the bare name of a bundled game.

    Raises:
        click.UsageError: there is no such file.
    """
    path = Path(name)
    if path.is_file():
        return path
    if path.name == name:
        for folder in _GAME_FOLDERS:
            bundled = folder / (name if path.suffix == ".kif" else f"{name}.kif")
            if bundled.is_file():
                return bundled
    problem = "is a folder" if path.is_dir() else "no such file, and no bundled game of this name"
    raise click.UsageError(f"{name}: {problem}")


def read_source(name: str) -> Source:
    """Read FILE as the commands understand it. Raises `click.UsageError`."""
    if name == "-":
        return Source.decode(sys.stdin.buffer.read(), name="<stdin>")
    path = find_game(name)
    try:
        return Source.read(path)
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from None


def load_game(name: str) -> Description:
    """Read FILE and give it its meaning. Raises `click.UsageError`, `SourceError`."""
    return Description.from_text(read_source(name))


def print_json(value: object) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False))


@contextmanager
def interruptible(seconds: float | None = None) -> Iterator[Clock]:
    """Give a clock that Ctrl-C cuts short, so that the command can print what it has found.

    A second Ctrl-C ends the program at once.
    """
    clock = Clock.of(seconds)
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(_signal: int, _frame: object) -> None:
        clock.cut()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield clock
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def bounded_reasoner(description: Description, *, kind: str, clock: Clock) -> Iterator[Reasoner]:
    """Open a reasoner that is closed soon after the clock has run out, even in mid-question.

    The question then ends in a `ReasonerError`, which means no more than that time is up.
    """
    with open_reasoner(description, kind=kind) as reasoner:
        finished = threading.Event()
        closer = threading.Thread(
            target=_close_when_over, args=(reasoner, clock, finished), daemon=True
        )
        closer.start()
        try:
            yield reasoner
        finally:
            finished.set()
            closer.join()


def _close_when_over(reasoner: Reasoner, clock: Clock, finished: threading.Event) -> None:
    while not finished.wait(0.05):
        if clock.is_over:
            if not finished.wait(_GRACE):
                reasoner.close()
            return
