"""`ggp replay`: replays match records by the rules and reports their first mistakes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click

from ggp.cli.common import (
    interruptible,
    json_option,
    load_game,
    log_to_stderr,
    print_json,
    reasoner_option,
    show_progress,
)
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GgpError, ReasonerError
from ggp.files import read_file
from ggp.match import MatchRecord, first_mistake
from ggp.match.records.record import Progress
from ggp.match.records.signature import find_signature
from ggp.match.records.xml import MAX_RECORD, is_xml
from ggp.printable import printable
from ggp.reasoner import Reasoner, bounded, open_reasoner

__all__ = ["command"]

#: How the names of rulesheets end. A record may come from anywhere, and name any file.
_RULESHEETS = (".kif", ".gdl")
#: Seconds between two lines of progress.
_TICK = 0.2


@click.command("replay")
@click.argument(
    "records",
    metavar="RECORD...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option("--game", metavar="FILE", help="The game that was played.  [default: as recorded]")
@reasoner_option
@json_option
def command(records: tuple[Path, ...], game: str | None, reasoner: str, as_json: bool) -> None:
    """Check match records: every state, every move, the end, the goals, and the signature.

    A RECORD is a file in ggp-base's JSON or XML or in the XML of Stanford's Gamemaster, or a folder
    of Dresden's GameController. Exit code 1 says that a record is wrong; its first wrong step is
    printed. Exit code 2 says that a record cannot be read, or cannot be checked; the others are
    checked all the same.
    """
    log_to_stderr()
    found = []
    with interruptible() as deadline:
        for checked in _checked(records, game, reasoner, deadline):
            found.append(checked)
            if checked["error"]:
                click.echo(f"ggp: {printable(str(checked['error']))}", err=True)
            elif not as_json:
                click.echo(printable(_describe(checked)))
    if as_json:
        print_json(found)
    elif len(found) < len(records):
        click.echo(f"stopped after {len(found)} of {len(records)} records")
    if any(checked["error"] for checked in found):
        sys.exit(2)
    if any(checked["mistake"] or checked["signature"] == "invalid" for checked in found):
        sys.exit(1)


def _checked(
    records: tuple[Path, ...], game: str | None, kind: str, deadline: Deadline
) -> Iterator[dict[str, object]]:
    """Yield the findings about each record until the deadline.

    Raises:
        GgpError: the game that is given for all records cannot be used.
        click.UsageError: it cannot be read.
    """
    with ExitStack() as stack:
        reasoners = _Reasoners(stack, kind, deadline)
        try:
            if game is not None:
                reasoners.of(game)
        except ReasonerError:
            if deadline.is_over:
                return
            raise
        for path in records:
            try:
                found = _check(path, game, reasoners, deadline)
            except TimeUp:
                return
            except (GgpError, OSError, click.ClickException) as error:
                if deadline.is_over:
                    return
                yield _finding(path, error=_explained(path, error))
            else:
                yield found


@dataclass
class _Reasoners:
    """The reasoners of games, each of which is opened once."""

    stack: ExitStack
    kind: str
    deadline: Deadline
    opened: dict[str, Reasoner] = field(default_factory=dict)

    def of(self, file: str) -> Reasoner:
        """Return the reasoner of a game. Raises `GgpError`, `click.UsageError`."""
        if file not in self.opened:
            reasoner = open_reasoner(load_game(file), kind=self.kind, deadline=self.deadline)
            self.opened[file] = self.stack.enter_context(reasoner)
        return self.opened[file]


def _check(
    path: Path, game: str | None, reasoners: _Reasoners, deadline: Deadline
) -> dict[str, object]:
    """Return the findings about a record.

    Raises:
        GgpError: it is none, or its game cannot be used.
        OSError: it cannot be read.
        click.UsageError: its game cannot be read.
        TimeUp: the deadline is over.
    """
    try:
        record = MatchRecord.read(path, progress=_shown(f"{path}: reads state", deadline))
        reasoner = reasoners.of(game or _game_of(record, path))
        with bounded(reasoner, deadline=deadline):
            progress = _shown(f"{path}: replays step", deadline)
            mistake = first_mistake(record, reasoner, progress=progress)
    finally:
        show_progress("")
    return _finding(
        path,
        match=record.match_id,
        steps=len(record.moves),
        mistake=asdict(mistake) if mistake else None,
        signature=_signature(path),
    )


def _shown(what: str, deadline: Deadline) -> Progress:
    """Return what shows the progress of something long, and ends it with the deadline."""
    due = time.monotonic() + _TICK

    def show(done: int, steps: int) -> None:
        nonlocal due
        deadline.check()
        if time.monotonic() > due:
            due = time.monotonic() + _TICK
            show_progress(printable(f"{what} {done + 1:,} of {steps:,}"))

    return show


def _finding(
    path: Path,
    *,
    match: str | None = None,
    steps: int | None = None,
    mistake: dict[str, object] | None = None,
    signature: str | None = None,
    error: str | None = None,
) -> dict[str, object]:
    return {
        "record": str(path),
        "match": match,
        "steps": steps,
        "mistake": mistake,
        "signature": signature,
        "error": error,
    }


def _explained(path: Path, error: Exception) -> str:
    """Return in a line why a record could not be checked."""
    match error:
        case click.ClickException():
            text = error.format_message()
        case GgpError():
            text = error.one_line()
        case OSError():
            return f"{error.filename or path}: {error.strerror}"
        case _:
            text = str(error)
    return text if text.startswith(f"{path}: ") else f"{path}: {text}"


def _game_of(record: MatchRecord, path: Path) -> str:
    """Return the file of the game that the record names. Raises `click.UsageError`.

    Only a rulesheet of this machine is opened without the user's word.
    """
    file = _local_rulesheet(record.game_meta_url)
    if file is None:
        where = f"is at {record.game_meta_url}" if record.game_meta_url else "is not recorded"
        raise click.UsageError(f"{path}: the game {where}; give it with --game FILE")
    return file


def _local_rulesheet(address: str) -> str | None:
    """Return the file at an address; None if there is none, or it is no rulesheet by its name."""
    try:
        url = urlsplit(address)
    except ValueError:
        return None
    path = Path(unquote(url.path))
    is_local = url.scheme == "file" and url.netloc in ("", "localhost")
    if is_local and path.is_file() and path.resolve().suffix.lower() in _RULESHEETS:
        return str(path)
    return None


def _signature(path: Path) -> str | None:
    """Return "valid", "invalid", or None for a record without a signature; only JSON has one."""
    if path.is_dir() or is_xml(data := read_file(path, most=MAX_RECORD)):
        return None
    signature = find_signature(data.decode("utf-8"))
    if signature is None:
        return None
    return "valid" if signature.is_valid else "invalid"


def _describe(checked: dict[str, object]) -> str:
    mistake = checked["mistake"]
    told = f"step {mistake['step']}: {mistake['reason']}" if isinstance(mistake, dict) else "right"
    signed = f"; {checked['signature']} signature" if checked["signature"] else ""
    return f"{checked['record']}: {checked['steps']} steps, {told}{signed}"
