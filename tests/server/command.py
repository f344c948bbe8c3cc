"""`ggp serve` in a process, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from tests.server.sockets import exchange, ggp_base

#: Seconds after which a server counts as one that never listens.
_PATIENCE = 120


@dataclass
class Command:
    process: subprocess.Popen[str]
    port: int

    def ask(self, message: str, **more: str) -> str:
        return exchange(self.port, ggp_base(message, **more)).body


@contextmanager
def running(
    *arguments: str, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[Command]:
    """Run the command on a free port; what is left of it is killed."""
    with subprocess.Popen(
        [sys.executable, "-m", "ggp", "serve", *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
    ) as process:
        # A server that does not listen must fail its test rather than keep it waiting.
        watch = Timer(_PATIENCE, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            watch.cancel()
            assert line.startswith("listening on http://127.0.0.1:")
            yield Command(process, int(line.rsplit(":", 1)[1]))
        finally:
            watch.cancel()
            process.kill()
