"""Command options for the rules and goals of card games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from ggp.cli.common import Function
from ggp.errors import SourceError
from ggp.experiments.cards.rulesheet import RANK_EQUIVALENTS, RankEquivalent
from ggp.gdl.rules import head_name
from ggp.kif import Source, parse, to_kif

__all__ = ["breaking_option", "goals_option", "rank_equivalent_option"]


def _read(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> str:
    """Return the rules of a file that define the goals, or "" without a file.

    Of a whole rulesheet, as `ggp experiment deal` writes it, these are the rules for `goal` only.
    """
    if path is None:
        return ""
    try:
        source = Source.read(path)
        terms = parse(source)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    except SourceError as error:
        raise click.ClickException(str(error)) from None
    goals = [term for term in terms if head_name(term).lower() == "goal"]
    if not goals:
        raise click.ClickException(f"{path}: no rule defines goal")
    is_whole = any(head_name(term).lower() == "role" for term in terms)
    return to_kif(goals if is_whole else terms)


def goals_option(function: Function) -> Function:
    """Add ``--goals``, which gives the games of an experiment other goals."""
    return click.option(
        "--goals",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_read,
        metavar="FILE",
        help="Use the goals of this file: rules for goal, and those that they need beyond the "
        "game's own; or an edited rulesheet of `ggp experiment deal`.",
    )(function)


def breaking_option(function: Function) -> Function:
    """Add ``--breaking``, the usual rule for leads, and ``--free-leads``."""
    return click.option(
        "--breaking/--free-leads",
        default=True,
        show_default=True,
        help="Whether spades (in Hearts, hearts) may not be led until one has been played.",
    )(function)


def rank_equivalent_option(default: RankEquivalent) -> Callable[[Function], Function]:
    """Add ``--rank-equivalent``, which selects the cards that count as equivalent."""
    return click.option(
        "--rank-equivalent",
        type=click.Choice(RANK_EQUIVALENTS),
        default=default,
        show_default=True,
        help="Of equivalent cards only the highest may be played. Cards of a hand and suit are "
        "equivalent if no card between them is left to other players; if none was dealt to other "
        "players; or never.",
    )
