"""`make play`: a match between two player servers over HTTP, and then the pages, in a browser."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

__all__ = ["main"]

GAME = "connectfour"
PLAYERS = ("alphabeta", "random")
START_CLOCK, PLAY_CLOCK = 6, 3

#: Where the pages are, and the exit code of a command that Ctrl-C has ended.
_PORT, _INTERRUPTED = 8080, 130

_GGP = (sys.executable, "-m", "ggp")

#: What to try after the first match: arguments of `ggp`, and what they do.
_NEXT = (
    ("match tictactoe auto mcts", "another match; `ggp games` lists the games"),
    ("new my_game", "writes a game to begin from, with comments"),
    ("serve auto --port 9147", "enters the strongest player into matches of game managers"),
)


def main() -> int:
    """Play the match, show what to try next, and serve the pages where a terminal is watching.

    Returns:
        The exit code of `ggp match`.
    """
    with ExitStack() as stack:
        urls = [stack.enter_context(_serving(player)) for player in PLAYERS]
        clocks = ("--start-clock", str(START_CLOCK), "--play-clock", str(PLAY_CLOCK))
        code = subprocess.call([*_GGP, "match", GAME, *urls, *clocks])
    if code == _INTERRUPTED:
        return code
    command = Path(sys.executable).with_name("ggp")
    print("\nNext, try:")
    for arguments, meaning in _NEXT:
        print(f"  {_shown(command)} {arguments:<28}{meaning}")
    print("The pages, on which you watch matches, play and write games: ", end="", flush=True)
    if code or not sys.stdin.isatty():
        print(f"`{_shown(command)} manager` serves them at http://127.0.0.1:{_PORT}")
        return code
    port = _PORT if _is_free(_PORT) else 0  # 0 for any other
    return subprocess.call([*_GGP, "manager", "--port", str(port)])


def _is_free(port: int) -> bool:
    """Return whether the pages can have a port of this machine."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _shown(path: Path) -> Path:
    """Return a path as a user types it in the current folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


@contextmanager
def _serving(player: str) -> Iterator[str]:
    """Run a player server on a free port and yield its URL."""
    command = (*_GGP, "serve", player, "--port", "0")
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            if "http://" not in line:
                log.seek(0)
                raise SystemExit(f"the server of {player} did not start: {log.read()}")
            print(f"{player}: {line.strip()}", flush=True)
            yield line[line.index("http://") :].split()[0]
        finally:
            server.terminate()


if __name__ == "__main__":
    # Ctrl-C is for the match or the pages, which end by it; the children do not inherit this.
    signal.signal(signal.SIGINT, lambda *_: None)
    sys.exit(main())
