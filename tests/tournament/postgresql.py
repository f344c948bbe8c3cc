"""A PostgreSQL server of the tests' own, which listens at a socket in a temporary folder only."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.processes import happens

#: The Unix account of the server if the tests run as root: PostgreSQL refuses to run as root.
_ACCOUNT = "nobody"
_USER = "ggp"
#: Seconds in which it starts.
_PATIENCE = 120.0


def _find(program: str) -> str | None:
    """Return the path of a program of PostgreSQL; Debian has them outside of the search path."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return shutil.which(program) or shutil.which(program, path=":".join(map(str, debian)))


class Server:
    """A server, which may be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        """Make an empty server in a folder, which the user that runs it must be able to enter."""
        self._folder, self._data = folder, folder / "data"
        self._rights: dict[str, Any] = {"cwd": folder}
        if os.getuid() == 0:
            shutil.chown(folder, _ACCOUNT)
            group = pwd.getpwnam(_ACCOUNT).pw_gid
            self._rights |= {"user": _ACCOUNT, "group": group, "extra_groups": ()}
        self._process: subprocess.Popen[bytes] | None = None
        arguments = ("--auth=trust", "--encoding=UTF8", "--no-sync", f"--username={_USER}")
        subprocess.run(
            [str(_find("initdb")), f"--pgdata={self._data}", *arguments],
            check=True,
            capture_output=True,
            **self._rights,
        )

    @property
    def url(self) -> str:
        """The URL of its database."""
        return f"postgresql://{_USER}@/postgres?host={self._folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [str(_find("postgres")), "-D", str(self._data), "-k", str(self._folder)]
        self._process = subprocess.Popen(
            [*command, "-F", "-c", "listen_addresses="], stderr=subprocess.DEVNULL, **self._rights
        )
        assert happens(self._answers, within=_PATIENCE), "the server does not start"

    def stop(self) -> None:
        """Stop it, and end all connections. May be called again."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # "fast": without waiting for clients
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        import psycopg

        assert self._process is not None
        assert self._process.poll() is None, "the server has ended"
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def server() -> Iterator[Server]:
    """Run a server; skip the test where there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'ggp[postgresql]'")
    if _find("initdb") is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # The folders of pytest are closed to other users; and the path of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="ggp-postgresql-"))
    folder.chmod(0o755)
    try:
        made = Server(folder)
        try:
            made.start()
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder)
