"""Writes the standings of a tournament into its folder: a web page, and tables for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from ggp.files import replace_file
from ggp.tournament.plan import Plan
from ggp.tournament.plot import plot
from ggp.tournament.standings import Standings
from ggp.tournament.store import ERRORS, Result

__all__ = ["TEMPLATES", "template_values", "write_pages"]

#: The templates of the standings.
TEMPLATES = PackageLoader("ggp.tournament", ".")


def template_values(
    standings: Standings,
    *,
    match_url: Callable[[str], str] | None = None,
    pair_url: Callable[[int, int], str] | None = None,
) -> dict[str, Any]:
    """Return the values of the template ``standings.html``.

    Args:
        standings: what it shows.
        match_url: returns the address of a match, given its id; None for no links.
        pair_url: returns the address of the matches of two players, given their places in the
            standings; None for no links.
    """
    return {
        "standings": standings,
        "plan": standings.plan,
        "errors": ERRORS,
        "plot": plot(standings),
        "match_url": match_url,
        "pair_url": pair_url,
    }


def write_pages(folder: Path, standings: Standings, results: Iterable[Result]) -> None:
    """Write index.html, standings.json, standings.csv and matches.csv. Raises `OSError`.

    Each file is replaced at once: a reader gets the whole old file or the whole new one.
    """
    # Names of games and players are escaped: they may contain anything.
    environment = Environment(
        loader=TEMPLATES,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html").render(template_values(standings))
    rows = [standing.to_dict() for standing in standings.players]
    replace_file(folder / "index.html", page)
    replace_file(folder / "standings.json", json.dumps(standings.to_dict(), indent=1) + "\n")
    replace_file(folder / "standings.csv", _table([rows[0], *(row.values() for row in rows)]))
    replace_file(folder / "matches.csv", _table(_matches(standings.plan, results)))


def _matches(plan: Plan, results: Iterable[Result]) -> Iterator[tuple[object, ...]]:
    """Yield the column headings, then a row for each seat of each match."""
    yield "match", "id", "round", "game", "seat", "player", "goal", "moves", *ERRORS, "remark"
    names = plan.player_names
    for result in results:
        fixture = result.fixture
        for seat, player in enumerate(fixture.players):
            yield (
                fixture.number,
                result.match_id,
                fixture.round + 1,
                plan.games[fixture.game].name,
                seat + 1,
                names[player],
                None if result.goals is None else result.goals[seat],
                result.moves,
                *(result.errors[seat].get(error, 0) for error in ERRORS),
                result.remark,
            )


def _table(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
