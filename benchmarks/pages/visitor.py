"""A manager in another process, and a visitor of its pages."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import click

__all__ = ["CLOCKS", "Visitor", "cpu_seconds", "running_manager"]

#: Seconds to prepare and for each move of the matches that a visitor begins.
CLOCKS = {"start_clock": 2, "play_clock": 2}


class Visitor:
    """A visitor of the pages, with how long each request took."""

    def __init__(self, port: int) -> None:
        #: On this machine.
        self.port = port
        self.waits: dict[str, list[float]] = {}

    def get(self, what: str, path: str) -> None:
        """Open a page, and record under a name how long that took."""
        began = time.perf_counter()
        status, _ = self._ask("GET", path)
        self.waits.setdefault(what, []).append(time.perf_counter() - began)
        if status != http.client.OK:
            raise click.ClickException(f"{path}: {status}")

    def begin_match(self, game: str, player: str) -> str:
        """Begin a match with the player in both roles; return its id."""
        seats = {"kind-0": player, "kind-1": player}
        status, place = self._ask("POST", f"/games/{game}/matches", urlencode(seats | CLOCKS))
        if status != http.client.FOUND:
            raise click.ClickException(f"a match of {game} could not begin: {status}")
        return urlsplit(place).path.rpartition("/")[2]

    def upload(self, rules: Path) -> str:
        """Upload a rulesheet; return the path of its page."""
        body = urlencode({"name": rules.stem, "rules": rules.read_text(encoding="utf-8")})
        status, place = self._ask("POST", "/games", body)
        if status != http.client.FOUND:
            raise click.ClickException(f"{rules} could not be uploaded: {status}")
        return urlsplit(place).path

    def _ask(self, verb: str, path: str, body: str | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(verb, path, body, headers)
        reply = connection.getresponse()
        reply.read()
        connection.close()
        return reply.status, reply.headers.get("Location", "")


@contextmanager
def running_manager() -> Iterator[int]:
    """Run the manager, and give its port."""
    with tempfile.TemporaryDirectory() as folder:
        command = (sys.executable, "-m", "ggp", "manager", "--port", "0", "--folder", folder)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                told = re.search(r"http://[^ ]+:(\d+)", process.stdout.readline())
                assert told is not None
                yield int(told[1])
            finally:
                process.terminate()


def cpu_seconds(*, without: Container[int] = ()) -> float:
    """Return the seconds of processor time of all processes that this one has started.

    Args:
        without: the ids of processes that do not count.
    """
    ticks = os.sysconf("SC_CLK_TCK")
    parents, times = {}, {}
    for pid, values in _processes():
        parents[pid] = int(values[1])
        # Its own, and those of its children that have ended; not those of browsers.
        times[pid] = sum(map(int, values[11:15])) / ticks

    def is_ours(pid: int) -> bool:
        while pid in parents:
            pid = parents[pid]
            if pid == os.getpid():
                return True
        return False

    return sum(seconds for pid, seconds in times.items() if pid not in without and is_ours(pid))


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Yield the running processes, without browsers, with the fields of their status."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = path.read_text().rpartition(")")
        except OSError:  # it has ended
            continue
        if "chrom" not in head:
            yield int(path.parent.name), rest.split()
