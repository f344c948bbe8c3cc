"""`ggp serve`: a player that any game manager can send its messages to."""

from __future__ import annotations

import errno
import logging
import re
import signal
from functools import partial

import click

from ggp.cli.common import Seconds, reasoner_option
from ggp.errors import PlayerError
from ggp.match import PlayerProcess, make_player
from server.player import make_server
from server.protocol import DEFAULT_MAX_MATCHES, PlayerProtocol
from server.timing import DEFAULT_MARGIN

__all__ = ["command"]


@click.command()
@click.argument("player", metavar="PLAYER")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; 0.0.0.0 lets managers on other machines in.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9147,
    show_default=True,
    help="0 takes any free port.",
)
@click.option("--name", help="What managers are told the player is called.  [default: PLAYER]")
@click.option(
    "--margin",
    type=Seconds(or_none=True),
    default=DEFAULT_MARGIN,
    show_default=True,
    help="Seconds of each clock that are kept back, so that replies are in time.",
)
@click.option(
    "--max-matches",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_MATCHES,
    show_default=True,
    help="Matches at the same time; beyond, the player is busy.",
)
@reasoner_option
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Memory for the player in each match, without its reasoner.",
)
@click.option("--verbose", is_flag=True, help="Log the text of the messages too.")
def command(
    player: str,
    host: str,
    port: int,
    name: str | None,
    margin: float,
    max_matches: int,
    reasoner: str,
    memory: int | None,
    verbose: bool,
) -> None:
    """Serve PLAYER to game managers, until Ctrl-C.

    PLAYER is a player's name with its options, such as `alphabeta` or `maxn:depth=4`. Each match
    runs in a process of its own. What is answered is logged on standard error.

    A manager that gives PLAYER several roles of one match should use a path for each, as in
    http://host:9147/white and http://host:9147/black: the messages themselves do not name the role.
    """
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    try:
        make_player(player)
    except PlayerError as error:
        raise click.ClickException(str(error)) from None
    protocol = PlayerProtocol(
        partial(
            PlayerProcess,
            player,
            reasoner=reasoner,
            memory_limit=None if memory is None else memory << 20,
        ),
        # A name is one word of KIF.
        name=re.sub(r"[^A-Za-z0-9_.-]+", "-", name or player).strip("-") or "ggp",
        margin=margin,
        max_matches=max_matches,
    )
    try:
        server = make_server(protocol, host=host, port=port)
    except OSError as error:
        raise click.ClickException(_explain(error, host, port)) from None
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    click.echo(f"listening on {server.url}")
    try:
        server.run()
    finally:
        protocol.close()
        server.close()


def _explain(error: OSError, host: str, port: int) -> str:
    reason = error.strerror or str(error)
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken; choose another with --port, or --port 0 for any free one"
    if error.errno == errno.EACCES:
        return f"port {port} is not for everyone ({reason}); choose one above 1023 with --port"
    return f"cannot listen on {host}: {reason}; choose an address of this machine with --host"
