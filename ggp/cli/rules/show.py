"""`ggp show`: what a game is."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    reasoner_option,
)
from ggp.cli.rules.passes import show_passes
from ggp.cli.rules.structure import print_structure, structure_of
from ggp.errors import GameError, ReasonerError
from ggp.files import check_writable, replace_file
from ggp.gdl import Description
from ggp.printable import printable
from ggp.reasoner import bounded, open_reasoner
from ggp.survey import Declared, Survey, declarations, declared, survey

if TYPE_CHECKING:
    from ggp.compiler.circuit.circuit import Circuit

__all__ = ["command"]

#: Seconds to open the reasoner, or as long as it may be compiled or plays if that is longer.
_OPENING = 5.0

_PHASES = {"view": "legal moves and the end", "goals": "goals", "next": "the next state"}


@click.command("show")
@game_argument
@click.option(
    "--seconds",
    type=Seconds(or_none=True),
    default=3.0,
    show_default=True,
    help="How long to play at random for the figures that come from play.",
)
@click.option(
    "--compile-seconds",
    type=Seconds(or_none=True),
    default=10.0,
    show_default=True,
    help="How long making the circuit may take; 0 for no circuit.",
)
@click.option(
    "--structure-seconds",
    type=Seconds(or_none=True),
    default=2.0,
    show_default=True,
    help="How long to look for symmetries, and for factors; 0 for neither.",
)
@click.option(
    "--proof-seconds",
    type=Seconds(or_none=True),
    default=2.0,
    show_default=True,
    help="How long each question of `ggp prove` may take; 0 for none of them.",
)
@click.option(
    "--draw",
    "drawing",
    metavar="OUT.svg|OUT.dot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the circuit, if it is small: as DOT, or in any form that Graphviz knows.",
)
@click.option(
    "--passes",
    is_flag=True,
    help="Show instead what each pass of the compiler does, within --compile-seconds.",
)
@click.option(
    "--check",
    "is_checked",
    is_flag=True,
    help="With --passes: compare what each pass has made with Prolog, on states of random play.",
)
@reasoner_option
@json_option
def command(
    file: str,
    seconds: float,
    compile_seconds: float,
    structure_seconds: float,
    proof_seconds: float,
    drawing: Path | None,
    passes: bool,
    is_checked: bool,
    reasoner: str,
    as_json: bool,
) -> None:
    """Show what a game is: sizes, properties, circuit, symmetries, factors, proofs, relations.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. What is
    reported as seen was seen in random playouts, which are the same in every run.
    """
    description = load_game(file)
    if is_checked and not passes:
        raise click.UsageError("--check is for --passes")
    if passes:
        keep = show_passes(
            file, description, seconds=compile_seconds, is_checked=is_checked, as_json=as_json
        )
        sys.exit(not keep)
    if drawing is not None:
        check_writable(drawing)
    made = _compiled(description, seconds=compile_seconds)
    if drawing is not None:
        _draw(made, drawing, file=file)
    found, given_up = None, made.interrupted
    if not given_up:
        found, given_up = _declared(description, kind=reasoner)
    with interruptible() as interrupt, ExitStack() as stack:
        patience = interrupt.within(max(seconds, compile_seconds, _OPENING))
        opened = stack.enter_context(open_reasoner(description, kind=reasoner, deadline=patience))
        deadline = interrupt.within(0 if given_up else seconds)
        with bounded(opened, deadline=deadline):
            seen = survey(opened, deadline=deadline)
    shown = _as_json(file, description, made, found, seen)
    shown |= structure_of(description, made.circuit, seconds=0 if given_up else structure_seconds)
    shown["proofs"] = [] if given_up else _proofs(description, made.circuit, seconds=proof_seconds)
    if as_json:
        print_json(shown)
    else:
        _print(shown)


@dataclass(frozen=True, slots=True)
class _Made:
    """What came of compiling a game: its circuit, or why there is none."""

    seconds: float
    circuit: Circuit | None = None
    error: str | None = None
    interrupted: bool = False


def _compiled(description: Description, *, seconds: float) -> _Made:
    """Make the circuit of a game within `seconds`, or take it from the cache.

    Ctrl-C abandons it.
    """
    from ggp.reasoner.compiling import compiled_by

    if seconds == 0:
        return _Made(0.0, error="not asked for: --compile-seconds is 0")
    began = time.monotonic()
    with interruptible() as interrupt:
        deadline = interrupt.within(seconds)
        try:
            with compiled_by(deadline, description, time_limit=seconds) as made:
                return _Made(time.monotonic() - began, made.circuit)
        except ReasonerError as error:
            gone = time.monotonic() - began
            if interrupt.is_cancelled:
                return _Made(gone, error="interrupted", interrupted=True)
            return _Made(gone, error=str(error))


def _draw(made: _Made, path: Path, *, file: str) -> None:
    """Write the drawing of the circuit. Raises `click.UsageError`, or `ReasonerError` without one.

    What cannot be drawn is said before any time goes into play.
    """
    from ggp.compiler.drawing import draw, render

    if made.circuit is None:
        raise ReasonerError(f"{file}: there is no circuit to draw: {made.error}")
    try:
        text, form = draw(made.circuit), path.suffix.removeprefix(".")
        replace_file(path, text if form in ("dot", "gv") else render(text, form or "svg"))
    except ValueError as error:
        raise click.UsageError(f"{file}: {error}") from None


def _declared(description: Description, *, kind: str) -> tuple[Declared | None, bool]:
    """Return what the game declares, and whether Ctrl-C was pressed meanwhile.

    None where that is nothing, or too much to enumerate: then what play shows has to do.
    """
    asking = declarations(description)
    if asking is None:
        return None, False
    with interruptible() as deadline:
        try:
            with (
                open_reasoner(asking, kind=kind, deadline=deadline) as opened,
                bounded(opened, deadline=deadline),
            ):
                return declared(opened), deadline.is_over
        except (GameError, ReasonerError):
            return None, deadline.is_over


def _proofs(
    description: Description, circuit: Circuit | None, *, seconds: float
) -> list[dict[str, Any]]:
    """Return the answers to the questions of `ggp prove`, none where there is no circuit."""
    if circuit is None or seconds == 0:
        return []
    from ggp.prove import prove

    with interruptible() as deadline:
        found = list(prove(description, seconds=seconds, deadline=deadline))
    return [verdict.to_json(description) for verdict in found]


def _as_json(
    file: str, description: Description, made: _Made, found: Declared | None, seen: Survey
) -> dict[str, Any]:
    return {
        "file": file,
        "roles": [str(role) for role in description.roles],
        "rules": len(description.terms),
        "normal_rules": len(description.rules),
        "relations": list(_relations(description)),
        "base_facts": len(found.base_facts) if found else seen.facts,
        "moves": len(found.moves) if found else seen.moves,
        "declared": found is not None,
        "goal_values": {str(role): values for role, values in description.goal_values.items()},
        "properties": {
            "language": "GDL-II" if description.has_imperfect_information else "GDL",
            "recursive": bool(description.dependencies.recursive),
            "turn_taking": seen.turn_taking,
            "constant_sum": seen.constant_sum,
            "goals_defined": seen.goals_defined,
            "goals_everywhere": seen.goals_everywhere,
        },
        "seen": {
            "playouts": seen.playouts,
            "states": seen.states,
            "facts": seen.facts,
            "moves": seen.moves,
            "longest": seen.longest,
            "branching": round(seen.branching, 3),
        },
        "circuit": _measures(made.circuit, made.seconds) if made.circuit else None,
        "circuit_error": made.error,
    }


def _measures(circuit: Circuit, seconds: float) -> dict[str, Any]:
    from ggp.compiler.measures import measure

    return {**asdict(measure(circuit)), "seconds": round(seconds, 3)}


def _relations(description: Description) -> Iterator[dict[str, Any]]:
    recursive = description.dependencies.recursive
    for relation, rules in sorted(description.by_relation.items()):
        kind = "dynamic" if relation in description.dynamic else "static"
        yield {
            "name": relation.name,
            "arity": relation.arity,
            "rules": len(rules),
            "kind": kind if any(rule.body for rule in rules) else "facts",
            "recursive": relation in recursive,
        }


def _print(shown: dict[str, Any]) -> None:
    source = "declared" if shown["declared"] else "seen"
    seen, properties = shown["seen"], shown["properties"]
    click.echo(f"roles       {' '.join(shown['roles'])}")
    click.echo(f"rules       {shown['rules']} ({shown['normal_rules']} in normal form)")
    click.echo(f"facts       {shown['base_facts']:,} {source}, {seen['facts']:,} seen in play")
    click.echo(f"moves       {shown['moves']:,} {source}, {seen['moves']:,} seen in play")
    for role, values in shown["goal_values"].items():
        text = "0..100, computed" if len(values) > 100 else " ".join(map(str, values))
        click.echo(f"goals       {role}: {text}")
    click.echo(
        f"play        {seen['playouts']} random playouts, the longest of {seen['longest']} moves; "
        f"{seen['branching']:.1f} joint moves a state"
    )
    names = [name.replace("_", " ") for name, value in properties.items() if value is True]
    click.echo(f"properties  {', '.join([properties['language'], *names])}")
    _print_circuit(shown)
    print_structure(shown)
    _print_proofs(shown["proofs"])
    table = Table("relation", "rules", "kind")
    for relation in shown["relations"]:
        kind = relation["kind"] + (", recursive" if relation["recursive"] else "")
        table.add_row(f"{relation['name']}/{relation['arity']}", str(relation["rules"]), kind)
    Console().print(table)


def _print_proofs(proofs: list[dict[str, Any]]) -> None:
    for answer, title in (("proved", "proved"), ("refuted", "refuted"), ("open", "not known")):
        names = [_question(proof) for proof in proofs if proof["verdict"] == answer]
        if names:
            click.echo(
                textwrap.fill(
                    ", ".join(names), 88, initial_indent=f"{title:12}", subsequent_indent=" " * 12
                )
            )


def _question(proof: dict[str, Any]) -> str:
    parts = (proof["name"], proof.get("role"), proof.get("subject"))
    note = ""
    if proof["verdict"] == "refuted" and proof["expected"]:
        note = " (a fault)"
    elif "longest" in proof:
        note = f" (after {proof['longest']} joint moves at most)"
    return f"{printable(' '.join(filter(None, parts)))}{note}"


def _print_circuit(shown: dict[str, Any]) -> None:
    circuit = shown["circuit"]
    if circuit is None:
        click.echo(f"circuit     none: {shown['circuit_error']}")
        return
    click.echo(
        f"circuit     {circuit['gates']:,} gates, depth {circuit['depth']}; from "
        f"{circuit['facts']:,} facts and {circuit['moves']:,} moves; "
        f"made in {circuit['seconds']:.2f} s"
    )
    for phase, gates in circuit["phase_gates"].items():
        depth = circuit["phase_depths"][phase]
        click.echo(f"            {_PHASES[phase]}: {gates:,} gates of its own, depth {depth}")
    if circuit["loops"]:
        click.echo(f"            {circuit['loops']:,} loops, of {circuit['latches']:,} latches")
    forms = {"code": "machine code", "table": "a table"}
    view, following = (forms[circuit["forms"][half]] for half in ("view", "next"))
    runs = view if view == following else f"{view} to look at a state, {following} to go on"
    click.echo(f"            runs as {runs}")
