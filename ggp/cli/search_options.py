"""The options that the commands share which search a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import click

from ggp.errors import GgpError
from ggp.gdl import RANDOM, Description
from ggp.kif import Symbol
from ggp.match import game_spelling
from ggp.match.options import read_option
from ggp.search import ALGORITHMS, CLASSIFIERS, Algorithm, SearchOptions
from ggp.search.leaf_values import RowFilter

__all__ = [
    "algorithm_options",
    "classifier_option",
    "depth_option",
    "draw_option",
    "filter_option",
    "options_of",
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


def algorithm_options(function: _Function) -> _Function:
    """Add the options that an algorithm takes, or does not.

    The command is given those that were written, by the names of the fields of the algorithm's
    options, as the mapping `asked`; `options_of` reads it.
    """
    names = ("win", "lose", "classifier", "discrete", "row_filter")

    @wraps(function)
    def command(*arguments: Any, written: Sequence[str], **given: Any) -> Any:
        asked = {name: given.pop(name) for name in names}
        asked = {name: value for name, value in asked.items() if value is not None}
        for text in written:
            name, is_given, value = text.partition("=")
            if not is_given:
                raise click.ClickException(f"--option {text}: write NAME=VALUE")
            asked[name.strip()] = value.strip()
        return function(*arguments, asked=asked, **given)

    options = (
        click.option(
            "--win",
            type=float,
            help="bounded: a value that is good enough.  [default: more than half where two roles "
            "have a constant sum of goals, else 100]",
        ),
        click.option(
            "--lose", type=float, help="bounded: a value that is bad enough.  [default: 0]"
        ),
        classifier_option,
        click.option(
            "--discrete",
            is_flag=True,
            default=None,
            help="max-n: the linear test relies on ranks being whole numbers.",
        ),
        filter_option("--form"),
        click.option(
            "--option",
            "-o",
            "written",
            multiple=True,
            metavar="NAME=VALUE",
            help="Another option of the algorithm, such as exploration=0.1 for mcts.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command  # type: ignore[return-value]


def options_of(algorithm: Algorithm, asked: Mapping[str, Any], **chosen: Any) -> SearchOptions:
    """Return the options of an algorithm.

    Args:
        algorithm: the search.
        asked: what `algorithm_options` collects.
        **chosen: more options.

    Raises:
        click.ClickException: the algorithm has no such option, or a value does not fit.
    """
    for name in asked:
        takers = [each.name for each in ALGORITHMS.values() if each.takes(name)]
        if takers and not algorithm.takes(name):
            option = f"--{name.removeprefix('row_')}"
            raise click.ClickException(f"{option} is for --algorithm {', '.join(takers)}")
    hints = get_type_hints(algorithm.options)
    try:
        read = {
            name: read_option(name, value, hints[name])
            if isinstance(value, str) and algorithm.takes(name)
            else value
            for name, value in asked.items()
        }
        return algorithm.options_of({**read, **chosen})
    except GgpError as error:
        raise click.ClickException(f"--algorithm {error}") from None


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
