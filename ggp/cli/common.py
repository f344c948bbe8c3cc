"""Options, input and output that the subcommands share."""

from __future__ import annotations

import errno
import json
import logging
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from ggp.cluster import LOCAL, Pool
from ggp.deadline import Deadline
from ggp.files import read_stream
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games, bundled_trees, find_game
from ggp.gdl.outer import blank_outer_parentheses
from ggp.gdl.trees import is_tree
from ggp.kif import MAX_BYTES, Source
from ggp.printable import printable
from ggp.reasoner import KINDS

if TYPE_CHECKING:
    from ggp.search import LeafValueTable

__all__ = [
    "Seconds",
    "clock_options",
    "complete_games",
    "complete_players",
    "duration",
    "explain_listening",
    "game_argument",
    "grouped",
    "interruptible",
    "json_option",
    "load_game",
    "load_game_or_tree",
    "log_to_stderr",
    "name_and_url",
    "origin_options",
    "pool_options",
    "print_json",
    "read_source",
    "reasoner_option",
    "seed_option",
    "show_progress",
    "time_left",
]

Function = TypeVar("Function", bound=Callable[..., Any])


class Seconds(click.FloatRange):
    """A number of seconds: finite, and not negative."""

    name = "seconds"

    def __init__(self, *, or_none: bool = False) -> None:
        """Take whether 0 is allowed, for what may be left out."""
        super().__init__(min=0, min_open=not or_none)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        seconds: float = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return seconds


def json_option(function: Function) -> Function:
    """Add ``--json``: one JSON document on standard output and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def reasoner_option(function: Function) -> Function:
    """Add ``--reasoner``."""
    return click.option("--reasoner", type=click.Choice(KINDS), default="auto", show_default=True)(
        function
    )


def clock_options(function: Function) -> Function:
    """Add ``--start-clock`` and ``--play-clock``, in seconds."""
    for name, default, text in (
        ("--play-clock", 5, "Seconds for each move."),
        ("--start-clock", 10, "Seconds to prepare."),
    ):
        add = click.option(name, type=Seconds(), default=default, show_default=True, help=text)
        function = add(function)
    return function


def seed_option(function: Function) -> Function:
    """Add ``--seed``, which makes a run repeatable."""
    return click.option("--seed", type=int, default=None, help="Makes the run repeatable.")(
        function
    )


def grouped(
    name: str, record: Callable[..., Any], *options: Callable[[Any], Any]
) -> Callable[[Function], Function]:
    """Add options that belong together; the command gets one record of their values.

    Args:
        name: the parameter of the command.
        record: makes the record; its parameters are those of the options.
        *options: what adds each option, in the order of the help text.

    Raises:
        click.UsageError: when the command is called, the record does not take the values.
    """
    names = [*signature(record).parameters]

    def decorate(function: Function) -> Function:
        @wraps(function)
        def command(*arguments: Any, **values: Any) -> Any:
            try:
                made = record(**{each: values.pop(each) for each in names})
            except ValueError as error:
                raise click.UsageError(str(error)) from None
            return function(*arguments, **{name: made}, **values)

        decorated: Any = command
        for option in reversed(options):
            decorated = option(decorated)
        return cast("Function", decorated)

    return decorate


def pool_options(things: str, *, jobs: int | None = None) -> Callable[[Function], Function]:
    """Add ``--cluster``, ``--jobs``, ``--cores`` and ``--memory``; the command gets a `Pool`.

    Args:
        things: what the tasks are, such as "Matches".
        jobs: how many run at once on this machine by default; None for one per core, or as many as
            leave each task the cores that it asks for.
    """
    here = jobs or "as many as there are cores for"
    options = (
        click.option("--cluster", default=LOCAL, show_default=True, metavar="ADDRESS",
                     help="Where to run: local; auto for the cluster of Ray that this machine is "
                     "part of; ray://HOST:10001."),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N",
                     help=f"{things} at the same time.  [default: {here}; on a cluster, all that "
                     "fit]"),
        click.option("--cores", type=click.IntRange(min=1), metavar="N",
                     help="Cores that each of them has for itself.  [default: its share]"),
        click.option("--memory", type=click.FloatRange(min=0, min_open=True), default=1.0,
                     show_default=True, metavar="GIB",
                     help="Memory that each of them needs on a node of a cluster."),
    )  # fmt: skip
    default = jobs

    def pool(cluster: str, jobs: int | None, cores: int | None, memory: float) -> Pool:
        given = jobs or (default if cluster == LOCAL else None)
        return Pool(cluster=cluster, jobs=given, cores=cores, memory=memory)

    return grouped("pool", pool, *options)


def origin_options(function: Function) -> Function:
    """Add ``--allow-host`` and ``--allow-origin``; the command gets `origins`, an `Origins`.

    The command has an option ``--host``.
    """

    @click.option(
        "--allow-host",
        "allowed_hosts",
        metavar="NAME",
        multiple=True,
        help="Answer to this name of the server, too, besides its addresses and the names of this "
        "machine; give it again for more; * for any.",
    )
    @click.option(
        "--allow-origin",
        "allowed_origins",
        metavar="ORIGIN",
        multiple=True,
        help="Take requests from the web pages of another site, such as https://ggp.org; give it "
        "again for more; * for any.",
    )
    @wraps(function)
    def command(
        *arguments: Any,
        host: str,
        allowed_hosts: tuple[str, ...],
        allowed_origins: tuple[str, ...],
        **options: Any,
    ) -> Any:
        from ggp.server.access.origins import Origins

        try:
            origins = Origins.open(
                host=host, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return function(*arguments, host=host, origins=origins, **options)

    decorated: Any = command
    return cast("Function", decorated)


def game_argument(function: Function) -> Function:
    """Add the argument FILE: a path, ``-`` for standard input, or a bundled game's bare name."""
    return click.argument("file", metavar="FILE", shell_complete=complete_games)(function)


def complete_games(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete the names of bundled games and trees, and those of files."""
    bundled = (*bundled_games(), *bundled_trees())
    names = [path.stem for path in bundled if path.stem.startswith(incomplete)]
    # The shell looks for files where nothing else fits.
    return [CompletionItem(incomplete, type="file"), *map(CompletionItem, names)]


def complete_players(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete the names of installed players."""
    from ggp.match import player_names

    names = player_names()
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def explain_listening(error: OSError, host: str, port: int) -> str:
    """Return why a server cannot listen at an address, and what to do about it."""
    reason = error.strerror or str(error)
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken; choose another with --port, or --port 0 for any free one"
    if error.errno == errno.EACCES:
        return f"port {port} needs more rights ({reason}); choose one above 1023 with --port"
    return f"cannot listen on {host}: {reason}; choose an address of this machine with --host"


def read_source(name: str) -> Source:
    """Read the argument FILE. Raises `click.UsageError`."""
    if name == "-":
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise click.UsageError("standard input is closed")
        try:
            return Source.decode(read_stream(stream, most=MAX_BYTES), name="<stdin>")
        except OSError as error:
            raise click.UsageError(f"standard input: {error.strerror}") from None
    try:
        return Source.read(find_game(name))
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from None


def load_game(name: str) -> Description:
    """Read the argument FILE as a game. Raises `click.UsageError`, `SourceError`.

    It is a rulesheet in KIF, or a tree as `ggp.search.tree.notation` reads it. A rulesheet in one
    outer pair of parentheses is read, with a warning on standard error.
    """
    return load_game_or_tree(name)[0]


def load_game_or_tree(name: str) -> tuple[Description, LeafValueTable | None]:
    """Read the argument FILE as a game; for a tree, return what it says of its leaves, too.

    Raises: as `load_game`.
    """
    source = read_source(name)
    if is_tree(source.text):
        from ggp.search.tree.notation import read_game  # which takes a tenth of a second to load

        return read_game(source)
    if blank_outer_parentheses(source) is not None:
        warning = "one pair of parentheses stands around the whole rulesheet; `ggp format` drops it"
        click.echo(f"ggp: {printable(source.name)}: {warning}", err=True)
    return Description.from_text(source), None


def name_and_url(file: str) -> tuple[str, str]:
    """Return the name of the game in FILE and its URL, which is "" for standard input.

    Raises `click.UsageError`.
    """
    if file == "-":
        return "stdin", ""
    try:
        path = find_game(file)
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from None
    return path.stem, path.resolve().as_uri()


def print_json(value: object) -> None:
    """Print one JSON document, in ASCII, which every terminal and pipe takes."""
    click.echo(json.dumps(value))


class _PrintableFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).split("\n")
        return "\n".join(printable(line.expandtabs()) for line in lines)


def log_to_stderr() -> None:
    """Let warnings go to standard error, with a visible character for each control character."""
    handler = logging.StreamHandler()
    handler.setFormatter(_PrintableFormatter("%(message)s"))
    logging.basicConfig(handlers=[handler])


def duration(seconds: float) -> str:
    """Return about how long something takes, in words.

    >>> duration(42), duration(180), duration(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def time_left(began: float, done: int, left: int) -> str:
    """Return how long the rest takes, by what was done since a moment of `time.monotonic`."""
    return f"{duration((time.monotonic() - began) / done * left)} left"


def show_progress(text: str) -> None:
    """Show a line on standard error, where that is a terminal, in place of the line before.

    An empty text removes the line.
    """
    if sys.stderr.isatty():
        # a line that wraps could not be replaced
        width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
        click.echo(f"\r{text[:width]}\x1b[K", err=True, nl=False)


@contextmanager
def interruptible(seconds: float | None = None) -> Iterator[Deadline]:
    """Give a deadline that Ctrl-C cancels, so that the command can print what it has found.

    When the command has ended, the program says that it was interrupted and exits with code 130.
    A second Ctrl-C ends the program at once. Deadlines for parts of the work are made by
    `deadline.within`, so that one Ctrl-C ends all of them.
    """
    deadline = Deadline.after(seconds)
    context = click.get_current_context()

    def on_interrupt(_signal: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if not deadline.is_cancelled:
            context.call_on_close(_abort)
        deadline.cancel()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield deadline
    finally:
        signal.signal(signal.SIGINT, before)


def _abort() -> None:
    raise click.Abort
