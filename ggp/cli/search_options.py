"""The options that the commands share which search a game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from ggp.gdl import RANDOM, Description
from ggp.kif import Symbol
from ggp.match import game_spelling
from ggp.search import CLASSIFIERS
from ggp.search.leaf_values import RowFilter

__all__ = [
    "classifier_option",
    "depth_option",
    "draw_option",
    "filter_option",
    "role_number",
    "role_option",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def role_option(function: _Function) -> _Function:
    """Add the option for the role, which `role_number` finds."""
    text = "The role to search for; the first by default."
    return click.option("--role", metavar="R", help=text)(function)


def depth_option(function: _Function) -> _Function:
    """Add the option for the horizon."""
    text = "Look ahead this many joint moves."
    return click.option("--depth", type=click.IntRange(min=1), help=text)(function)


def classifier_option(function: _Function) -> _Function:
    """Add the option for what prunes."""
    return click.option(
        "--classifier",
        type=click.Choice(CLASSIFIERS),
        default="lvt",
        show_default=True,
        help="What decides that nothing better can follow.",
    )(function)


def filter_option(*names: str) -> Callable[[_Function], _Function]:
    """Return what adds the option for the row filter of max-n, by other names, too."""
    return click.option(
        "--filter",
        *names,
        "row_filter",
        type=click.Choice(get_args(RowFilter)),
        help="max-n: how closely to filter the table's rows below a state.  [default: exact]",
    )


def draw_option(text: str) -> Callable[[_Function], _Function]:
    """Return what adds the option for a drawing of the tree, with a help text."""
    return click.option(
        "--draw",
        "picture",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="OUT.svg",
        help=text,
    )


def role_number(description: Description, name: str | None) -> int:
    """Return the number of a role, of the first that has a goal for None.

    Raises:
        click.ClickException: there is no such role to search for.
    """
    choosing = [role for role in description.roles if str(role) != RANDOM]
    if not choosing:
        raise click.ClickException(f"the only role is {RANDOM}, which has no goal")
    role = choosing[0] if name is None else game_spelling(Symbol(name), choosing)
    if role is None:
        there = ", ".join(map(str, choosing))
        raise click.ClickException(f"no role {name!r} to search for; there are {there}")
    return description.roles.index(role)
