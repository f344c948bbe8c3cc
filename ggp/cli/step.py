"""`ggp step`: a search, node by node, with bounds and the reason for each cut."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ggp.cli.common import (
    game_argument,
    interruptible,
    json_option,
    load_game_or_tree,
    print_json,
    reasoner_option,
)
from ggp.cli.search_options import (
    algorithm_options,
    depth_option,
    draw_option,
    options_of,
    role_number,
    role_option,
)
from ggp.errors import GgpError
from ggp.files import check_writable, replace_file
from ggp.reasoner import bounded, open_reasoner
from ggp.search import ALGORITHMS, LeafValueTable, Limit
from ggp.search.tree.drawing import draw
from ggp.search.tree.stepping import DEFAULT_VISITS, STEPPED, stepped, suited_to
from ggp.search.tree.steps import Step

__all__ = ["command"]

_KEYS = "Enter: next step; a: all; q: quit"


@click.command("step")
@game_argument
@click.option(
    "--algorithm",
    type=click.Choice(list(STEPPED)),
    help="The search.  [default: alphabeta for two roles or one, else speculative]",
)
@role_option
@depth_option
@algorithm_options
@click.option(
    "--visits",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"mcts: how many visits it makes.  [default: {DEFAULT_VISITS}]",
)
@click.option("--all", "at_once", is_flag=True, help="Print all steps, and do not wait for a key.")
@draw_option("Also draw the searched tree.")
@reasoner_option
@json_option
def command(
    file: str,
    algorithm: str | None,
    role: str | None,
    depth: int | None,
    visits: int | None,
    at_once: bool,
    picture: Path | None,
    reasoner: str,
    as_json: bool,
    asked: Mapping[str, Any],
) -> None:
    """Step through a search: each node, what is held there, and why moves are skipped.

    FILE is a rulesheet, a tree such as P1[(5,4,1) P2[(0,6,4) (6,4,0)]], - for standard input, or
    the name of a bundled game or tree, such as figure4. There is no transposition table, so that
    each node is a place in the tree; a search may visit 300 of them. On a terminal each key shows
    the next step.
    """
    if picture is not None:
        check_writable(picture)
    description, table = load_game_or_tree(file)
    search_of = ALGORITHMS[algorithm] if algorithm else suited_to(description.roles)
    options = options_of(search_of, asked, role=role_number(description, role))
    with interruptible() as deadline:
        if table is None:
            table = (
                LeafValueTable.of(description)
                if options.classifier == "none"
                else LeafValueTable.enumerate(description, deadline=deadline)
            )
        with (
            open_reasoner(description, kind=reasoner, deadline=deadline) as opened,
            bounded(opened, deadline=deadline),
        ):
            try:
                options = replace(options, leaf_values=table)
                limit = Limit(depth=depth, nodes=visits, deadline=deadline)
                found = stepped(opened, search_of, options, limit)
            except ValueError as error:
                raise click.ClickException(str(error)) from None
            except GgpError as error:
                raise click.ClickException(f"{file}: {error}") from None
    if as_json:
        steps = [step.to_json() for step in found.steps]
        print_json({"result": found.result.to_json(), "steps": steps})
    else:
        _show(found.steps, at_once=at_once or not (sys.stdin.isatty() and sys.stdout.isatty()))
    if picture is not None:
        title = f"{file}: {found.result.algorithm}, {found.result.classifier}"
        replace_file(picture, draw(found.recorder, title, reasons=found.reasons))


def _show(steps: list[Step], *, at_once: bool) -> None:
    if not at_once:
        click.echo(_KEYS, err=True)
    for number, step in enumerate(steps, 1):
        click.echo(f"{number:4}  {'  ' * len(step.line)}{step.text}")
        if not at_once:
            key = click.getchar()
            if key in ("q", "Q", "\x1b"):
                return
            at_once = key in ("a", "A")
