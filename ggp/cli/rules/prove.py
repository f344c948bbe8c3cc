"""`ggp prove`: answers questions about a game for all its states."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ggp.authoring.explain import explain
from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    name_and_url,
    print_json,
    show_progress,
)
from ggp.errors import GdlError, GgpError, KifError
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.printable import printable
from ggp.prove import (
    MEANINGS,
    Answer,
    Phases,
    Repair,
    Verdict,
    faults_told,
    prove,
    read_condition,
    slips,
    witness_record,
)

__all__ = ["command"]

_ORDER = {name: number for number, name in enumerate(MEANINGS)}
_COLOURS: dict[Answer, str] = {"proved": "green", "refuted": "red", "open": "yellow"}


@click.command("prove")
@game_argument
@click.option(
    "--seconds",
    type=Seconds(),
    default=10.0,
    show_default=True,
    help="For each question. The game is compiled first, in this time or a minute.",
)
@click.option(
    "--never",
    "conditions",
    multiple=True,
    metavar="GDL",
    help="Ask also whether this condition on a state never holds; may be given several times.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write each play that shows an answer there, as a match record.",
)
@json_option
def command(
    file: str, seconds: float, conditions: tuple[str, ...], save: Path | None, *, as_json: bool
) -> None:
    """Prove what holds in every state of a game, or show a play that refutes it.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. Exit code 1 says that
    something which should hold in any game is refuted: a role without a legal move or with no
    goal or two at the end, a play that never ends, two contents of a cell or none, or a condition
    of --never. The play is shown with its last state, the rules to look at and, where one is
    found, a small change that heals the fault. What the checker warns of comes first.
    docs/authoring.md explains the questions.
    """
    description = load_game(file)
    try:
        never = [read_condition(text, description) for text in conditions]
    except (KifError, GdlError) as error:
        raise click.UsageError(f"--never: {error.one_line()}") from None
    url = name_and_url(file)[1]
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
    found: list[Verdict] = []
    phases: list[Phases] = []
    with interruptible() as deadline:
        show_progress("grounding the rules")
        try:
            for verdict in prove(
                description,
                seconds=seconds,
                never=never,
                deadline=deadline,
                timed=phases.append,
            ):
                found.append(verdict)
                show_progress(f"{len(found)} answers; the last: {printable(str(verdict.question))}")
        except GgpError:
            _tell_errors(description, as_json=as_json)
            raise
        finally:
            show_progress("")
    found.sort(key=lambda verdict: _ORDER[verdict.question.name])
    if as_json:
        print_json(
            {
                "summary": faults_told(found),
                "repairs": _repairs(found, description),
                "seconds": phases[0].to_json() if phases else None,
                "questions": [verdict.to_json(description) for verdict in found],
            }
        )
    else:
        _print(found, description, phases)
    if save is not None:
        _save(description, found, save, url=url)
    if any(verdict.is_fault for verdict in found):
        raise click.exceptions.Exit(1)


def _repairs(found: list[Verdict], description: Description) -> list[dict[str, Any]]:
    """Return each change once, with the faults that it heals."""
    healed: dict[Repair, list[str]] = {}
    for verdict in found:
        if verdict.repair is not None:
            healed.setdefault(verdict.repair, []).append(str(verdict.question))
    return [{**repair.to_json(description), "heals": heals} for repair, heals in healed.items()]


def _tell_errors(description: Description, *, as_json: bool) -> None:
    """Print why the rules cannot be proved, as the checker sees it."""
    for finding in check(description.source):
        if finding.severity == "error":
            click.echo(str(finding), err=as_json)


def _print(found: list[Verdict], description: Description, phases: list[Phases]) -> None:
    for finding in slips(description):
        click.echo(str(finding))
    console = Console()
    console.print(_table("What should hold in any game", [v for v in found if v.question.expected]))
    rest = [v for v in found if not v.question.expected]
    if rest:
        console.print(_table("What this game is like", rest))
    doubts = [verdict.doubt for verdict in found if verdict.doubt]
    if doubts:
        click.echo("Suspicious:")
        for doubt in doubts:
            click.echo(printable(f"  {doubt}"))
    faults = [verdict for verdict in found if verdict.is_fault]
    told: set[Repair] = set()
    for verdict in faults:
        _explain(verdict, description, is_known=verdict.repair in told)
        told |= {verdict.repair} if verdict.repair else set()
    answered = sum(verdict.verdict != "open" for verdict in found)
    parts = [faults_told(found), f"{answered} of {len(found)} questions answered"]
    click.echo(printable("; ".join([*parts, *map(str, phases)])))


def _table(title: str, found: list[Verdict]) -> Table:
    table = Table("question", "answer", "by", "checked by", "s", "joint moves", title=title)
    table.title_justify = "left"
    for verdict in found:
        table.add_row(
            printable(str(verdict.question)),
            _answer(verdict),
            verdict.engine,
            verdict.checked,
            f"{verdict.seconds:.1f}",
            _length(verdict),
        )
    return table


def _answer(verdict: Verdict) -> str:
    """Return the answer: what should hold is proved or refuted; what may hold does or does not."""
    if verdict.question.expected:
        is_fault = " (a fault)" if verdict.is_fault else ""
        return f"[{_COLOURS[verdict.verdict]}]{verdict.verdict}{is_fault}[/]"
    if verdict.verdict == "open":
        return "[yellow]open[/]"
    if verdict.doubt:
        return "[yellow]no: is that meant?[/]"
    return "yes" if verdict.verdict == "proved" else "no"


def _length(verdict: Verdict) -> str:
    """Return the length of the witness, or that of the longest play as far as it is known."""
    if verdict.witness is not None:
        return str(len(verdict.witness))
    return "" if verdict.longest is None else f"at most {verdict.longest}"


def _explain(verdict: Verdict, description: Description, *, is_known: bool) -> None:
    """Print a fault: what it is, and what explains it."""
    click.echo(printable(f"{verdict.question}: {verdict.summary}"))
    for line in explain(description, verdict, carets=True, is_known=is_known):
        click.echo(printable(f"  {line}"))


def _save(description: Description, found: list[Verdict], folder: Path, *, url: str) -> None:
    """Write the plays as match records. Raises `OSError`."""
    for verdict in found:
        if verdict.witness is not None:
            name = "-".join(str(verdict.question).replace("*", "x").translate(_PLAIN).split())
            record = witness_record(
                description, verdict, url=url, start_time=int(time.time()) * 1000
            )
            record.write(folder / f"{name}.json")


#: No file name holds these.
_PLAIN = str.maketrans(dict.fromkeys("()?/\\:", " "))
