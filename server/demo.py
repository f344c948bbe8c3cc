"""`make play`: two player servers, and a match between them over HTTP."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

GAME = "connectfour"
PLAYERS = ("alphabeta", "random")
START_CLOCK, PLAY_CLOCK = 10, 3


def main() -> int:
    """Play the match and return the exit code of `ggp match`."""
    with ExitStack() as stack:
        urls = [stack.enter_context(_serving(player)) for player in PLAYERS]
        clocks = ("--start-clock", str(START_CLOCK), "--play-clock", str(PLAY_CLOCK))
        return subprocess.call([*_GGP, "match", GAME, *urls, *clocks])


_GGP = (sys.executable, "-m", "ggp")


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
    sys.exit(main())
