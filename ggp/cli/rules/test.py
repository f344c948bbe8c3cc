"""`ggp test`: a game's regression test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ggp.authoring.regression import PROOF_SECONDS, Outcome, run_tests, update
from ggp.cli.common import Seconds, complete_games, json_option, print_json
from ggp.errors import GgpError
from ggp.gdl.bundled import find_game
from ggp.printable import printable

__all__ = ["command"]


@click.command("test")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_games)
@click.option("--update", "updates", is_flag=True, help="Record the golden values anew.")
@click.option(
    "--seconds",
    type=Seconds(or_none=True),
    default=PROOF_SECONDS,
    show_default=True,
    help="For each proof; 0 for no proofs.",
)
@json_option
def command(files: tuple[str, ...], *, updates: bool, seconds: float, as_json: bool) -> None:
    """Test games: the checker, golden playthroughs and perft counts beside each FILE, proofs.

    Beside NAME.kif stand NAME.playthrough.json, NAME.WORD.playthrough.json and NAME.perft.json.
    Playthroughs are replayed by Prolog and by machine code. What has to hold in every game, as
    `ggp prove` finds it, must not be refuted. Exit code 1 if a test fails. With
    --update the playthroughs are recorded anew, with the same joint moves, and the perft counts to
    the same depth; what is missing is made. Where a move is no longer legal, nothing is written,
    and the exit code is 1. docs/authoring.md describes the files. A FILE that cannot be read, or be
    written with --update, is said on standard error: the others are tested all the same, and the
    exit code is 2.
    """
    games: list[dict[str, Any]] = []
    interrupted, unread = False, 0
    try:
        for file in files:
            try:
                path = _path(file, is_written=updates)
                if updates:
                    games.append(_update(path, as_json=as_json))
                else:
                    games.append(_test(path, seconds=seconds, as_json=as_json))
            except click.UsageError as error:
                unread += 1
                games.append({"file": file, "passed": False, "error": error.message})
                click.echo(f"ggp: {printable(error.message)}", err=True)
    except KeyboardInterrupt:
        interrupted = True
    failed = sum(not game["passed"] for game in games)
    if as_json:
        print_json({"passed": not failed, "games": games})
    elif unread < len(games):
        click.echo(f"{failed} of {len(games)} failed")
    if interrupted:
        raise click.Abort
    if unread:
        raise click.exceptions.Exit(2)
    if failed:
        raise click.exceptions.Exit(1)


def _path(file: str, *, is_written: bool) -> Path:
    try:
        path = find_game(file)
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from None
    if not path.is_file():
        raise click.UsageError(f"{file}: is no regular file")
    if is_written and not Path(file).exists():
        raise click.UsageError(f"{file}: comes with the program; give the name of a copy")
    return path


def _test(path: Path, *, seconds: float, as_json: bool) -> dict[str, Any]:
    """Run the tests of a game, and show each outcome as soon as it is known.

    Raises:
        click.UsageError: the game cannot be read.
    """
    _say(str(path), as_json=as_json)
    outcomes = []
    for outcome in _outcomes(path, seconds):
        outcomes.append(outcome)
        for line in _lines(outcome):
            _say(line, as_json=as_json)
    return {
        "file": str(path),
        "passed": all(outcome.status != "failed" for outcome in outcomes),
        "tests": [asdict(outcome) for outcome in outcomes],
    }


def _outcomes(path: Path, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome of each test of a game; what keeps it from being tested is one, too.

    Raises:
        click.UsageError: the game cannot be read.
    """
    try:
        yield from run_tests(path, seconds=seconds)
    except OSError as error:
        raise click.UsageError(f"{error.filename or path}: {error.strerror}") from None
    except GgpError as error:
        yield Outcome("reasoner", path.name, "failed", (str(error),))


def _lines(outcome: Outcome) -> Iterator[str]:
    status = "FAILED" if outcome.status == "failed" else outcome.status
    yield f"  {status:7} {outcome.test} {outcome.what}"
    yield from (f"          {detail}" for detail in outcome.details)


def _update(path: Path, *, as_json: bool) -> dict[str, Any]:
    """Record the golden values of a game, and show what became of each file.

    Raises:
        click.UsageError: a file cannot be read or written.
    """
    files, error = [], ""
    try:
        for file, told in update(path):
            files.append({"file": str(file), "what": told})
            _say(f"{file}: {told}", as_json=as_json)
    except OSError as raised:
        raise click.UsageError(f"{raised.filename or path}: {raised.strerror}") from None
    except GgpError as raised:
        error = str(raised)
        _say(f"{path}: FAILED: {error}", as_json=as_json)
    return {"file": str(path), "passed": not error, "files": files, "error": error}


def _say(line: str, *, as_json: bool) -> None:
    if not as_json:
        click.echo(printable(line))
