"""What is proved of games: `python -m benchmarks.authoring.proofs [FILE]...`.

A FILE is a rulesheet, or the name of a bundled game; all bundled games if none is named. For each
game the program prints how many questions are proved, refuted and open, how many of the answers a
second engine or Prolog has checked, the faults, and the seconds that all questions took together.
With `--rows FILE` it continues a run that was interrupted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from benchmarks.figures import end, measured, of_files
from ggp.cli.common import json_option, load_game, print_json, show_progress
from ggp.errors import ReasonerError
from ggp.experiments.running.measuring import Kept, Measured, Task, fingerprint
from ggp.files import replace_file
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games
from ggp.prove import Verdict, prove

__all__ = ["Proved", "measure"]

# The table in a page stands between these lines.
_BEGIN, _END = "<!-- proofs: begin -->\n", "<!-- proofs: end -->\n"


@dataclass(frozen=True, slots=True)
class Proved:
    """The counts of the verdicts on one game, and the time that they took."""

    game: str
    proved: int
    refuted: int
    open: int
    #: Answers that a second engine, or Prolog, has confirmed.
    checked: int
    faults: Sequence[str]
    seconds: float


def measure(game: str, description: Description, *, seconds: float) -> Proved:
    """Ask all questions about a game, with `seconds` for each."""
    began = time.monotonic()
    found: list[Verdict] = []
    try:
        found += prove(description, seconds=seconds)
    except ReasonerError as error:
        click.echo(f"{game}: {error}", err=True)
    counts = Counter(verdict.verdict for verdict in found)
    return Proved(
        game,
        counts["proved"],
        counts["refuted"],
        counts["open"],
        sum(bool(verdict.checked) for verdict in found if verdict.verdict != "open"),
        tuple(str(verdict.question) for verdict in found if verdict.is_fault),
        round(time.monotonic() - began, 1),
    )


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--seconds", type=float, default=10.0, show_default=True, help="For each question.")
@click.option(
    "--write",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PAGE",
    help="Replace the table in a page of the documentation.",
)
@click.option(
    "--rows",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the results in a file, and skip the games whose results are in it.",
)
@json_option
def main(
    files: tuple[str, ...],
    seconds: float,
    write: Path | None,
    path: Path | None,
    *,
    as_json: bool,
) -> None:
    """Count what is proved of games.

    A FILE that cannot be read is said on standard error, and makes the exit code 2.
    """
    if write is not None and not {_BEGIN, _END} <= set(write.read_text().splitlines(keepends=True)):
        raise click.UsageError(f"{write} has no lines {_BEGIN.strip()} and {_END.strip()}")
    names = files or [path.stem for path in bundled_games()]
    with ExitStack() as stack:
        kept = stack.enter_context(closing(Kept(path))) if path else None
        work = of_files(names, lambda file: _measured(file, seconds, kept))
        rows, interrupted = measured(work)
    show_progress("")
    table = _table(rows)
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        click.echo(table)
    if write is not None and not interrupted:
        before, rest = write.read_text(encoding="utf-8").split(_BEGIN)
        after = rest.split(_END)[1]
        replace_file(write, f"{before}{_BEGIN}{table}{_END}{after}")
    end(interrupted=interrupted, is_whole=len(rows) == len(names))


def _measured(file: str, seconds: float, kept: Kept | None) -> Proved:
    """Return the result of an earlier run for a game, or measure it."""
    show_progress(file)
    game, description = Path(file).stem, load_game(file)
    task: Task = {"game": game, "rules": fingerprint(description.source.text), "seconds": seconds}
    if kept and (known := kept.get(task)):
        return Proved(**known.result)
    row = measure(game, description, seconds=seconds)
    if kept:
        kept.add(Measured(task, asdict(row), row.seconds))
    return row


def _table(rows: list[Proved]) -> str:
    lines = [
        "| game | proved | refuted | open | checked | faults | s |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        faults = ", ".join(row.faults)
        lines.append(
            f"| {row.game} | {row.proved} | {row.refuted} | {row.open} | {row.checked} "
            f"| {faults} | {row.seconds} |"
        )
    answered = sum(row.proved + row.refuted for row in rows)
    total = answered + sum(row.open for row in rows)
    share = 100 * answered / total if total else 0.0
    checked = sum(row.checked for row in rows)
    lines.append("")
    lines.append(
        f"{answered} of {total} questions are answered ({share:.1f} %); {checked} of the answers "
        "are confirmed by a second engine or by Prolog."
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
