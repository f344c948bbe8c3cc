"""`ggp manager`: games, matches and records as pages in a browser."""

from __future__ import annotations

import logging
import signal
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import click

from ggp.cli.common import explain_listening
from ggp.gdl.bundled import bundled_games

__all__ = ["command"]

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@click.command("manager")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; 0.0.0.0 lets browsers on other machines in.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="0 takes any free port.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("matches"),
    show_default=True,
    help="Where records, and the games that people bring, are kept.",
)
def command(host: str, port: int, folder: Path) -> None:
    """Serve the match manager's pages, until Ctrl-C.

    Choose a game, players here, elsewhere or people; watch, play, step through, replay, explore.
    Whoever can reach the pages can start matches and make this machine work: on other hosts than
    this one, let in only whom you trust.
    """
    from ggp.server.manager.manager import Manager
    from ggp.server.manager.web.app import make_app
    from ggp.server.manager.web.site import Site

    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
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
    manager = Manager.open(bundled=bundled_games(), folder=folder)
    # Only a manager for this machine alone knows all the names it may be called by.
    hosts = _LOOPBACK if host in _LOOPBACK else None
    try:
        site = Site(make_app(manager, hosts=hosts), host=host, port=port)
    except OSError as error:
        raise click.ClickException(explain_listening(error, host, port)) from None
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: site.stop())
    click.echo(f"open {site.url} in a browser; Ctrl-C ends it")
    try:
        site.run()
    finally:
        manager.close()
        site.close()
        with suppress(OSError):  # it stays if anything was kept in it
            folder.rmdir()
