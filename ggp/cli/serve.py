"""`ggp serve`: serve a player to game managers."""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from ggp.cli.common import (
    Seconds,
    complete_players,
    explain_listening,
    grouped,
    origin_options,
    reasoner_option,
)
from ggp.errors import PlayerError
from ggp.match import make_player
from ggp.server.protocol import DEFAULT_LIMITS, Limits, PlayerProtocol
from ggp.server.timing import DEFAULT_MARGIN
from ggp.workers.cores import reserved

if TYPE_CHECKING:
    from ggp.server.access.origins import Origins
    from ggp.server.access.peers import Peers

__all__ = ["command"]

#: Files that the server may open: a match needs a dozen, beside the connections.
_MAX_FILES = 1 << 14
#: Arenas of its memory.
_MAX_ARENAS = 2


def _limits(max_matches: int, max_per_peer: int, max_message: int, max_time: float) -> Limits:
    """Return the limits of the server; a message is limited in megabytes."""
    return Limits(
        matches=max_matches,
        message=max_message * 1_000_000,
        match_seconds=max_time,
        matches_per_peer=max_per_peer,
    )


def _peers(managers: tuple[str, ...], readers: tuple[str, ...]) -> Peers:
    """Return who may send messages, and who may read the state. Raises `ValueError`."""
    from ggp.server.access.peers import Peers

    return Peers.open(managers=managers, readers=readers)


@click.command()
@click.argument("player", metavar="[PLAYER]", default="auto", shell_complete=complete_players)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 accepts managers on other machines.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9147,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@click.option("--name", help="Name in the answer to INFO.  [default: PLAYER]")
@click.option(
    "--margin",
    type=Seconds(or_none=True),
    default=DEFAULT_MARGIN,
    show_default=True,
    help="Seconds of each clock to reserve, so that replies are in time.",
)
@grouped(
    "limits",
    _limits,
    click.option(
        "--max-matches",
        type=click.IntRange(min=1),
        default=DEFAULT_LIMITS.matches,
        show_default=True,
        help="Matches at the same time; the player is busy for more.",
    ),
    click.option(
        "--max-per-peer",
        type=click.IntRange(min=1),
        default=DEFAULT_LIMITS.matches_per_peer,
        show_default=True,
        help="Matches at the same time of one manager that is not on this machine.",
    ),
    click.option(
        "--max-message",
        type=click.IntRange(min=1),
        default=DEFAULT_LIMITS.message // 1_000_000,
        show_default=True,
        metavar="MB",
        help="Largest message to read.",
    ),
    click.option(
        "--max-time",
        type=Seconds(),
        default=DEFAULT_LIMITS.match_seconds,
        show_default=True,
        help="Seconds from START after which a match is aborted.",
    ),
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Memory of each process of a match: the player, its reasoner, the compiler.  [default: "
    "2048 for the player, 4096 for the others]",
)
@click.option(
    "--learn",
    type=click.Choice(("no", "start", "always")),
    help="For `auto` alone: whether it learns a game in its start clock, and uses what it has "
    "learned before; or goes on while the others think, too.  [default: start]",
)
@click.option(
    "--cores",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cores of this machine that the server and all its players use.  [default: all]",
)
@reasoner_option
@grouped(
    "peers",
    _peers,
    click.option(
        "--allow-manager",
        "managers",
        metavar="NETWORK",
        multiple=True,
        help="Take messages from this address or network alone, such as 192.0.2.7 or 192.0.2.0/24, "
        "and take its addresses for one manager; give it again for more.  [default: any address, "
        "each for one manager]",
    ),
    click.option(
        "--allow-status",
        "readers",
        metavar="NETWORK",
        multiple=True,
        help="Show /status and /metrics to this address or network, too; give it again for more.  "
        "[default: this machine]",
    ),
)
@origin_options
@click.option(
    "--log",
    "log_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Log lines as text, or as JSON objects.",
)
@click.option("--verbose", is_flag=True, help="Log the text of the messages too.")
def command(
    player: str,
    host: str,
    port: int,
    name: str | None,
    margin: float,
    limits: Limits,
    memory: int | None,
    learn: str | None,
    cores: int | None,
    reasoner: str,
    peers: Peers,
    origins: Origins,
    log_format: str,
    verbose: bool,
) -> None:
    """Serve PLAYER to game managers until Ctrl-C.

    PLAYER is the name of a player with its options, such as `alphabeta` or `maxn:depth=4`; `auto`
    if none is given, which chooses its search by the game. Each match runs in processes of its own.
    The server logs its answers on standard error. The paths /status and /metrics show its state to
    a browser and to Prometheus.

    The protocol of the managers has no passwords. On another host than 127.0.0.1, any machine that
    reaches the port can start matches, unless --allow-manager names those that may.

    A manager that gives PLAYER several roles of one match should use a path for each, as in
    http://host:9147/white and http://host:9147/black, because the messages do not name the role.
    """
    from ggp.server.access.arenas import share_arenas
    from ggp.server.access.descriptors import make_room
    from ggp.server.checking import RulesCheck
    from ggp.server.log import logging_behind
    from ggp.server.player import make_server
    from ggp.server.players import SPARES, Players

    name = name or player
    if learn is not None:
        player = f"{player}{',' if ':' in player else ':'}learn={learn}"
    try:
        make_player(player)
    except PlayerError as error:
        raise click.ClickException(str(error)) from None
    make_room(_MAX_FILES)
    share_arenas(_MAX_ARENAS)
    with ExitStack() as stack:
        if cores is not None:
            stack.enter_context(_kept_to(cores))
        level = logging.DEBUG if verbose else logging.INFO
        stack.enter_context(logging_behind(log_format, level=level))
        players = stack.enter_context(
            Players(
                player,
                reasoner=reasoner,
                memory_limit=None if memory is None else memory << 20,
                spares=min(SPARES, limits.matches),
            )
        )
        protocol = PlayerProtocol(
            players.open,
            # A name is one word of KIF.
            name=re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-") or "ggp",
            margin=margin,
            limits=limits,
            on_start=stack.enter_context(RulesCheck()).check,
        )
        try:
            server = make_server(protocol, host=host, port=port, origins=origins, peers=peers)
        except OSError as error:
            raise click.ClickException(explain_listening(error, host, port)) from None
        stack.callback(server.close)
        stack.callback(protocol.close)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: server.stop())
        click.echo(f"listening on {server.url}")
        players.warm_up()
        server.run()


@contextmanager
def _kept_to(count: int) -> Iterator[None]:
    """Let this process, and all that it starts, run on no more than `count` cores.

    They are cores that no other server has to itself, where there are enough of these. Raises
    `click.UsageError` if the machine has fewer.
    """
    before = os.sched_getaffinity(0)
    if count > len(before):
        raise click.UsageError(f"--cores {count}: this machine gives it {len(before)}")
    with reserved(count) as are_kept:
        if not are_kept:
            os.sched_setaffinity(0, sorted(before)[:count])
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)
