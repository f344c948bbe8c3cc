"""`ggp tournament`: many matches between many players, with standings, ratings and a page."""

from __future__ import annotations

import secrets
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ggp.cli.common import (
    clock_options,
    complete_games,
    complete_players,
    interruptible,
    json_option,
    load_game,
    log_to_stderr,
    name_and_url,
    pool_options,
    print_json,
    reasoner_option,
    seed_option,
    show_progress,
    time_left,
)
from ggp.cluster import Pool
from ggp.errors import PlayerError, TournamentError
from ggp.files import update_file
from ggp.match import Address, make_player, player_names
from ggp.printable import printable
from ggp.tournament import (
    ERRORS,
    SYSTEMS,
    Plan,
    PlannedGame,
    Result,
    Standings,
    Store,
    Underway,
    match_count,
    play,
    standings,
    write_pages,
)

__all__ = ["command"]

#: Seconds between two writings of the page while matches are played.
_PAGE_EVERY = 5.0

#: The options that plan a tournament, with what the plan calls them.
_PLANNING = {
    "games": "--game",
    "players": "--player",
    "system": "--system",
    "rounds": "--rounds",
    "start_clock": "--start-clock",
    "play_clock": "--play-clock",
    "scramble": "--scramble",
    "seed": "--seed",
    "max_steps": "--max-steps",
    "reasoner": "--reasoner",
}


@click.command("tournament")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--game",
    "games",
    metavar="FILE",
    multiple=True,
    shell_complete=complete_games,
    help="A game; may be given again for more.",
)
@click.option(
    "--player",
    "players",
    metavar="PLAYER",
    multiple=True,
    shell_complete=complete_players,
    help="A player; give it again for more.",
)
@click.option(
    "--system",
    type=click.Choice(SYSTEMS),
    default=SYSTEMS[0],
    show_default=True,
    help="Every player meets every other, or players meet that have done equally well.",
)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@clock_options
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Abort a match that is not over after this many joint moves.",
)
@click.option("--scramble", is_flag=True, help="Tell the players the games in other words.")
@seed_option
@reasoner_option
@pool_options("Matches")
@click.option(
    "--database",
    metavar="URL",
    help="Keep the matches on a PostgreSQL server, postgresql://USER@HOST/DATABASE, and not in a "
    "file of FOLDER, which remembers it.",
)
@click.option("--standings", "only_standings", is_flag=True, help="Only show the standings.")
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write the record of every match into this folder.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    folder: Path,
    pool: Pool,
    database: str | None,
    only_standings: bool,
    records: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Play a tournament in FOLDER, or continue the one that is there.

    Every game is played by every combination of players in every seat (round robin), or in each
    round, one game after the other, by players who have done equally well (swiss). A PLAYER is
    what `ggp match` takes: a name with options, a class of your own, or a URL.

    Whatever ends the command, even a kill, `ggp tournament FOLDER` continues where it was: nothing
    is lost, and nothing counts twice. FOLDER/index.html is a page of the standings;
    `ggp manager --tournament FOLDER` shows them live, with the replay of every match.
    """
    log_to_stderr()
    given = [
        name
        for name in _PLANNING
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    try:
        with closing(
            _opened(folder, database, options, given, only_standings=only_standings)
        ) as store:
            if not only_standings:
                _play(store, pool)
            shown = standings(store.plan, store.results())
            if records:
                _write_records(store, records)
    except (TournamentError, PlayerError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if as_json:
        print_json(shown.to_dict())
    else:
        _print(shown, folder)


def _opened(
    folder: Path,
    database: str | None,
    options: dict[str, Any],
    given: list[str],
    *,
    only_standings: bool,
) -> Store:
    """Open the tournament of the folder, or plan one. Raises as `Store` does."""
    options["games"] = tuple(map(_game, options["games"]))
    if only_standings or Store.exists(folder, database):
        store = Store.open(folder, database)
        for name in given:
            if getattr(store.plan, name) != options[name]:
                store.close()
                raise TournamentError(
                    f"{folder} has a tournament with another {_PLANNING[name]}; leave the option "
                    "out to continue it, or choose another folder"
                )
        return store
    if not options["games"] or not options["players"]:
        raise TournamentError(
            f"{folder} has no tournament; to plan one, give --game and --player, such as "
            f"{', '.join(player_names())}"
        )
    if options["seed"] is None:
        options["seed"] = secrets.randbits(32)
    for player in options["players"]:
        if Address.parse(player) is None:
            make_player(player)  # complains before anything is played
    return Store.create(folder, Plan(name=folder.resolve().name, **options), database)


def _game(file: str) -> PlannedGame:
    return PlannedGame.of(*name_and_url(file), load_game(file))


def _play(store: Store, pool: Pool) -> None:
    """Play the remaining matches; write the pages from time to time and at the end."""
    shown = _Shown(store)
    try:
        with interruptible() as deadline:
            play(store, pool=pool, deadline=deadline, on_result=shown.add, meanwhile=shown.show)
    finally:
        show_progress("")
    shown.write_pages()


class _Shown:
    """Shows how far a tournament is, on the terminal and on its pages."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._before = self._over = len(store.results())
        self._all = match_count(store.plan)
        self._began, self._written = time.monotonic(), 0.0
        self.show([])

    def add(self, _result: Result) -> None:
        """Count a match that is over."""
        self._over += 1
        if time.monotonic() - self._written > _PAGE_EVERY:
            self.write_pages()

    def write_pages(self) -> None:
        results = self._store.results()
        write_pages(self._store.folder, standings(self._store.plan, results), results)
        self._written = time.monotonic()

    def show(self, underway: Underway) -> None:
        """Show how many matches are over, how long the others will take, and those underway."""
        parts = [f"{self._over:,} of {self._all:,} matches"]
        if (played := self._over - self._before) > 0:
            parts.append(time_left(self._began, played, self._all - self._over))
        for fixture, record in underway:
            game = printable(self._store.plan.games[fixture.game].name)
            parts.append(f"{game}, move {0 if record is None else len(record.moves)}")
        show_progress("; ".join(parts))


def _write_records(store: Store, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for match_id, record in store.records():
        update_file(folder / f"{match_id}.json", f"{record}\n")


def _print(shown: Standings, folder: Path) -> None:
    columns = ("rank", "player", "matches", "points", "mean goal", "firsts", "rating", *ERRORS)
    table = Table(*columns, box=None, padding=(0, 1, 0, 0))
    table.columns[1].overflow = "fold"
    for column in table.columns[2:]:
        column.justify, column.no_wrap = "right", True  # the players' names wrap instead
    for player in shown.players:
        goal, error = player.goals.value, player.goals.standard_error
        table.add_row(
            str(player.rank),
            Text(printable(player.player)),
            f"{player.matches}" + f" + {player.byes}" * bool(player.byes),
            f"{player.points:.2f}",
            "-" if goal is None else f"{goal:.1f}" + (f" ± {error:.1f}" if error else ""),
            str(player.firsts),
            f"{player.rating.mean:.1f} ± {player.rating.deviation:.1f}",
            *(str(player.errors[kind]) for kind in ERRORS),
        )
    Console(highlight=False).print(table)
    for result in shown.aborted:
        click.echo(printable(f"aborted: {result.match_id}: {result.remark}"))
    if shown.is_finished:
        click.echo(printable(f"{shown.played} matches; {folder / 'index.html'}"))
    else:
        click.echo(
            printable(
                f"{shown.played} of {shown.settled} matches so far; "
                f"`ggp tournament {folder}` continues it"
            )
        )
