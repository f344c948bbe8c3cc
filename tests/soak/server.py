"""The server of the soak: `ggp serve`, observed from outside."""

from __future__ import annotations

import html
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ggp.reasoner.prolog import is_installed
from ggp.server.players import SPARES
from tests.processes import command_line, descendants, resident_bytes
from tests.server.sockets import exchange, ggp_base

__all__ = ["Server", "rows_of", "serving"]

#: Bytes of the file system to which the server writes: the compiled games, and its log.
_DISK = 128 << 20


@dataclass
class Server:
    """A running server, with its processes and files."""

    process: subprocess.Popen[str]
    port: int
    #: The only folder for temporary files that it knows of.
    folder: Path
    #: The folder with all that the server writes, a file system of its own if it may be mounted.
    disk: Path

    def ask(self, message: str) -> str:
        return exchange(self.port, ggp_base(message)).body

    def running(self) -> list[str]:
        """The ids of the matches that the status page lists."""
        return [row["match"] for row in self._rows()]

    def processes_of(self, match: str) -> list[int]:
        """The processes in which a match is played, as the status page says: the player's first."""
        rows = [row for row in self._rows() if row["match"] == match]
        return [int(pid) for row in rows for pid in row["processes"].split()]

    def _rows(self) -> list[dict[str, str]]:
        """The rows of the table of matches, by the names of its columns."""
        return rows_of(exchange(self.port, b"GET /status HTTP/1.0\r\n\r\n").body)

    def connections(self) -> int:
        """The number of connections of clients that the front process has open."""
        own = set[str]()
        for file in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                own.add(str(file.readlink()))
        lines = Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]
        # The second field is the address of this end, the tenth the number of the socket.
        fields = (line.split() for line in lines)
        return sum(
            parts[1].endswith(f":{self.port:04X}") and f"socket:[{parts[9]}]" in own
            for parts in fields
        )

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Fill the file system of the server; do nothing where it is that of others, too."""
        filler = self.disk / "filler"
        try:
            if self.disk.is_mount():
                with suppress(OSError), filler.open("wb", buffering=0) as file:
                    while True:
                        file.write(bytes(1 << 16))
            yield
        finally:
            filler.unlink(missing_ok=True)

    @property
    def fork_servers(self) -> set[int]:
        """The processes that fork all the others: the players, and their fallback players."""
        return {
            pid
            for pid in descendants(self.process.pid)
            if _parent(pid) == self.process.pid and "fork_server" in command_line(pid)
        }

    def is_idle(self) -> bool:
        """Whether all spare processes are there, and no other process of a match."""
        return len(self._below()) == SPARES * (2 if is_installed() else 1)

    def described(self) -> list[str]:
        """The processes of matches and the spare ones, each with its state and command."""
        return list(map(_described, self._below()))

    def _below(self) -> list[int]:
        below = set[int]().union(*map(descendants, self.fork_servers))
        # What all games share is compiled to the end, whatever becomes of a match.
        return sorted(pid for pid in below if "kernels" not in command_line(pid))

    def memory(self) -> int:
        """Bytes that the front process and the fork servers have to themselves."""
        return sum(map(resident_bytes, (self.process.pid, *self.fork_servers)))

    def files(self) -> list[Path]:
        """The temporary files of the server, but for the locks of the cores, which remain."""
        return [path for path in self.folder.iterdir() if not path.name.startswith("ggp-cores-")]


def rows_of(page: str) -> list[dict[str, str]]:
    """Return the rows of the status page's table, by the names of its columns."""
    head, *rows = re.findall(r"<tr\b.*?</tr>", page, re.DOTALL)
    names = re.findall(r"<th[^>]*>(.*?)</th>", head, re.DOTALL)
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows)
    return [
        dict(zip(names, map(html.unescape, found), strict=True))
        for found in cells
        if found != ["none"]
    ]


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _described(pid: int) -> str:
    state, parent, *_ = _stat(pid)
    return f"{pid} (state {state}, parent {parent}): {command_line(pid)}"


def _stat(pid: int) -> list[str]:
    """What the system says of a process, from its state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["gone", "0"]


@contextmanager
def _mounted(folder: str) -> Iterator[Path]:
    """Mount a small file system, which can be filled; root may do that, others get the folder."""
    command = ("mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", folder)
    try:
        is_mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        is_mounted = False
    try:
        yield Path(folder)
    finally:
        if is_mounted:
            subprocess.run(("umount", "--lazy", folder), check=False)


@contextmanager
def serving(player: str, *options: str, log: Path | None = None) -> Iterator[Server]:
    """Run the server with a cache of its own, and a temporary log unless `log` is given."""
    # A process that outlives the server may still write to the cache while that is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, _mounted(name) as disk:
        folder, cache = (disk / part for part in ("tmp", "cache"))
        log = log or disk / "log"
        folder.mkdir()
        environment = {**os.environ, "TMPDIR": str(folder), "GGP_CACHE_DIR": str(cache)}
        command = (sys.executable, "-m", "ggp", "serve", player, "--port", "0", *options)
        with (
            log.open("w") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            ) as process,
        ):
            try:
                assert process.stdout is not None
                port = int(process.stdout.readline().rsplit(":", 1)[1])
                yield Server(process, port, folder, disk)
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=30)
