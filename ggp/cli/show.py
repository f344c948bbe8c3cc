"""`ggp show`: what a game is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ggp.cli.common import (
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    reasoner_option,
)
from ggp.errors import GameError, ReasonerError
from ggp.gdl import Description
from ggp.reasoner import bounded_reasoner
from ggp.survey import Declared, Survey, declarations, declared, survey

__all__ = ["command"]


@click.command("show")
@game_argument
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=3.0,
    show_default=True,
    help="How long to play at random for the figures that come from play.",
)
@reasoner_option
@json_option
def command(file: str, seconds: float, reasoner: str, as_json: bool) -> None:
    """Show what a game is: roles, sizes, properties, and which rules rest on what.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. What is said to be
    seen was seen in random playouts, always the same ones.
    """
    description = load_game(file)
    found = _declared(description, kind=reasoner)
    with (
        interruptible(seconds) as clock,
        bounded_reasoner(description, kind=reasoner, clock=clock) as opened,
    ):
        seen = survey(opened, clock=clock)
    shown = _as_json(file, description, found, seen)
    if as_json:
        print_json(shown)
    else:
        _print(shown)


def _declared(description: Description, *, kind: str) -> Declared | None:
    """Return what the game declares; None where that is nothing, or too much to enumerate.

    Ctrl-C gives it up, too: then what play shows has to do.
    """
    asking = declarations(description)
    if asking is None:
        return None
    try:
        with interruptible() as clock, bounded_reasoner(asking, kind=kind, clock=clock) as opened:
            return declared(opened)
    except (GameError, ReasonerError):
        return None


def _as_json(
    file: str, description: Description, found: Declared | None, seen: Survey
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
    }


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
    table = Table("relation", "rules", "kind")
    for relation in shown["relations"]:
        kind = relation["kind"] + (", recursive" if relation["recursive"] else "")
        table.add_row(f"{relation['name']}/{relation['arity']}", str(relation["rules"]), kind)
    Console().print(table)
