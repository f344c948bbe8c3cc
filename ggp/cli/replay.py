"""`ggp replay`: replays match records by the rules and reports their first mistakes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
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
)
from ggp.deadline import Deadline
from ggp.errors import ReasonerError, RecordError
from ggp.match import MatchRecord, first_mistake
from ggp.match.records.signature import find_signature
from ggp.match.records.xml import is_xml
from ggp.printable import printable
from ggp.reasoner import Reasoner, bounded, open_reasoner

__all__ = ["command"]


@click.command("replay")
@click.argument(
    "records",
    metavar="RECORD...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--game", metavar="FILE", help="The game that was played.  [default: as recorded]")
@reasoner_option
@json_option
def command(records: tuple[Path, ...], game: str | None, reasoner: str, as_json: bool) -> None:
    """Check match records: every state, every move, the end, the goals, and the signature.

    A RECORD is a file in ggp-base's JSON or XML, or a folder of Dresden's GameController. Exit
    code 1 says that a record is wrong; its first wrong step is printed.
    """
    log_to_stderr()
    found = []
    with interruptible() as deadline:
        for checked in _checked(records, game, reasoner, deadline):
            found.append(checked)
            if not as_json:
                click.echo(printable(_describe(checked)))
    if as_json:
        print_json(found)
    elif len(found) < len(records):
        click.echo(f"stopped after {len(found)} of {len(records)} records")
    if any(checked["mistake"] or checked["signature"] == "invalid" for checked in found):
        sys.exit(1)


def _checked(
    records: tuple[Path, ...], game: str | None, kind: str, deadline: Deadline
) -> Iterator[dict[str, object]]:
    """Yield the findings about each record until the deadline."""
    reasoners: dict[str, Reasoner] = {}
    with ExitStack() as stack:
        for path in records:
            record = _read(path)
            file = game or _game_of(record, path)
            if file not in reasoners:
                opened = open_reasoner(load_game(file), kind=kind)
                reasoners[file] = stack.enter_context(opened)
            try:
                with bounded(reasoners[file], deadline=deadline):
                    mistake = first_mistake(record, reasoners[file])
            except ReasonerError:
                if deadline.is_over:
                    return
                raise
            yield {
                "record": str(path),
                "match": record.match_id,
                "steps": len(record.moves),
                "mistake": mistake and asdict(mistake),
                "signature": _signature(path),
            }


def _read(path: Path) -> MatchRecord:
    try:
        return MatchRecord.read(path)
    except RecordError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None


def _game_of(record: MatchRecord, path: Path) -> str:
    """Return the file of the game that the record names. Raises `click.UsageError`."""
    url = urlsplit(record.game_meta_url)
    file = unquote(url.path)
    if url.scheme != "file" or not Path(file).is_file():
        where = f"is at {record.game_meta_url}" if record.game_meta_url else "is not recorded"
        raise click.UsageError(f"{path}: the game {where}; give it with --game FILE")
    return file


def _signature(path: Path) -> str | None:
    """Return "valid", "invalid", or None for a record without a signature; only JSON has one."""
    if path.is_dir() or is_xml(data := path.read_bytes()):
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
