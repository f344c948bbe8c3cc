"""`ggp draw`: draws a state of a game."""

from __future__ import annotations

from pathlib import Path

import click

from ggp.agents.position import position
from ggp.authoring.explain import drawn
from ggp.cli.common import (
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    reasoner_option,
)
from ggp.files import check_writable, read_file, replace_file
from ggp.gdl.bundled import drawing_path, find_game
from ggp.kif import MAX_BYTES, Source, parse
from ggp.printable import printable
from ggp.reasoner import bounded, open_reasoner

__all__ = ["command"]

# Legal moves of a role that are listed.
_MOVES = 16


@click.command("draw")
@game_argument
@click.option(
    "--move",
    "moves",
    multiple=True,
    metavar='"MOVE ..."',
    help="A joint move: a move of each role, in their order. The state after all moves is drawn.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg",
    help="Write a picture, as the pages of `ggp manager` show it.",
)
@reasoner_option
@json_option
def command(
    file: str, moves: tuple[str, ...], output: Path | None, reasoner: str, *, as_json: bool
) -> None:
    """Draw the initial state of a game, or the state after some moves.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. On the terminal a
    board is drawn with the first coordinate to the right and the second one upwards; a state
    without a board is a list of facts. The legal moves follow, or the goals if the game is over.
    """
    if output is not None:
        check_writable(output)
    description = load_game(file)
    made = [[str(move) for move in parse(Source(text, "--move"))] for text in moves]
    with (
        interruptible() as deadline,
        open_reasoner(description, kind=reasoner, deadline=deadline) as opened,
        bounded(opened, deadline=deadline),
    ):
        state, told = position(opened, made)
        lines = drawn(description, opened.facts(state))
        if output is not None:
            from ggp.display import picture_of

            picture = picture_of(opened, declared=_declared(file))
            replace_file(output, picture.svg(opened.facts(state)) + "\n")
    if as_json:
        print_json(told)
        return
    for line in lines:
        click.echo(printable(line))
    for role, legal in told["legal"].items():
        if told["terminal"]:
            goal = told["goals"][role]
            click.echo(printable(f"{role}: {'no goal, or several' if goal is None else goal}"))
        else:
            rest = len(legal) - _MOVES
            more = f" and {rest} more" if rest > 0 else ""
            click.echo(printable(f"{role}: {', '.join(legal[:_MOVES]) or 'no legal move'}{more}"))
    if output is not None:
        click.echo(printable(f"wrote {output}"))


def _declared(file: str) -> str:
    """Return the drawing that lies beside a rulesheet, `NAME.json`; empty if there is none."""
    drawing = drawing_path(find_game(file)) if file != "-" else None
    if drawing is None or not drawing.is_file():
        return ""
    return read_file(drawing, most=MAX_BYTES).decode(errors="replace")
