"""`ggp manager`: serve pages for games, matches and records."""

from __future__ import annotations

import logging
import signal
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryFile

import click

from ggp.cli.common import explain_listening
from ggp.errors import PlayerError, TournamentError
from ggp.gdl.bundled import bundled_games
from ggp.workers.fork_server import ForkServer

__all__ = ["command"]

_PREPARED = "ggp.server.manager.processes.prepared"
#: Files that the process may have open, sockets included.
_FILES = 4096


@click.command("manager")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 accepts browsers on other machines.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("matches"),
    show_default=True,
    help="Folder for records and uploaded games.",
)
@click.option(
    "--tournament",
    "tournaments",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    multiple=True,
    help="Show the tournament in this folder, also while it is played; give it again for more.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    metavar="NAME",
    multiple=True,
    help="A further name of this machine, such as games.example.org, by which browsers reach the "
    "pages; * for any. Give it again for more.",
)
@click.option(
    "--allow-origin",
    "allowed_origins",
    metavar="ORIGIN",
    multiple=True,
    help="Another site, such as https://games.example.org, whose pages may send requests. Give it "
    "again for more.",
)
@click.option(
    "--player",
    "players",
    metavar="NAME=PLAYER",
    multiple=True,
    help="Offer a player under a name, with options that visitors can neither see nor set, such as "
    "small=llm:url=http://127.0.0.1:8080/v1. Give it again for more.",
)
@click.option(
    "--allow-player-host",
    "player_hosts",
    metavar="HOST[:PORT]",
    multiple=True,
    help="Let visitors name players at this host or network, such as 192.168.1.0/24; * for any. "
    "Give it again for more.  [default: any if only this machine reaches the pages, else none]",
)
def command(
    host: str,
    port: int,
    folder: Path,
    tournaments: tuple[Path, ...],
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
    players: tuple[str, ...],
    player_hosts: tuple[str, ...],
) -> None:
    """Serve the pages of the match manager until Ctrl-C.

    Choose a game and its players: players on this machine, players of other servers, or people.
    Watch matches, play, step through them, replay records and explore games. Any browser that
    reaches the pages can start matches and load this machine: on another host than 127.0.0.1,
    accept only people whom you trust.
    """
    from ggp.server.access.descriptors import make_room
    from ggp.server.access.origins import ANY, LOOPBACK, Origins
    from ggp.server.manager.manager import Manager
    from ggp.server.manager.players import Hosts, Players
    from ggp.server.manager.web.app import make_app
    from ggp.server.manager.web.site import Site

    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    try:
        origins = Origins.open(
            host=host, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins
        )
        is_local = host in LOOPBACK and not (allowed_hosts or allowed_origins)
        hosts = Hosts.parse(player_hosts or ([ANY] if is_local else []))
        offered = Players.open(dict(map(_named, players)), hosts=hosts)
    except (ValueError, PlayerError) as error:
        raise click.UsageError(str(error)) from None
    make_room(_FILES)
    folder = folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(
            f"cannot keep records in {folder}: {reason}; choose another folder with --folder"
        ) from None
    with ExitStack() as stack:
        fork_server = stack.enter_context(ForkServer(prepare=_PREPARED, in_background=True))
        try:
            manager = Manager.open(
                bundled=bundled_games(),
                folder=folder,
                tournaments=tournaments,
                players=offered,
                start=fork_server.fork,
            )
        except TournamentError as error:
            raise click.ClickException(
                f"{error}; `ggp tournament FOLDER --game … --player …` plans one"
            ) from None
        stack.callback(_leave, folder)
        try:
            site = Site(make_app(manager, origins=origins), host=host, port=port)
        except OSError as error:
            raise click.ClickException(explain_listening(error, host, port)) from None
        stack.enter_context(closing(site))
        stack.enter_context(closing(manager))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: site.stop())
        click.echo(f"open {site.url} in a browser; Ctrl-C ends it")
        site.run()


def _leave(folder: Path) -> None:
    with suppress(OSError):  # the folder stays if it holds anything
        folder.rmdir()


def _named(text: str) -> tuple[str, str]:
    """Split NAME=PLAYER. Raises `click.UsageError`."""
    name, is_given, player = text.partition("=")
    if not is_given or ":" in name:
        raise click.UsageError(f"--player {text}: write a name before the player, as in net={text}")
    return name, player
