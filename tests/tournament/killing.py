"""Tournaments as processes that are killed, and what is left of them."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ggp.tournament import Result, Store
from tests.cli.command import GGP
from tests.processes import is_running

#: Seconds after which a process that should be doing something counts as stuck.
PATIENCE = 120.0
#: Seconds for a whole tournament.
LONG = 1800.0


def play_whole(folder: Path, *options: str) -> Any:
    """Play a tournament, or what is left of it, and return the standings that are printed."""
    done = subprocess.run(
        [*GGP, "tournament", str(folder), *options, "--json"],
        capture_output=True,
        timeout=LONG,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def play_in_pieces(folder: Path, options: Sequence[str], *, kills: Sequence[int], seed: int) -> Any:
    """Play a tournament whose process is killed after a number of matches; then resume it.

    After each kill no process may be left, and nothing of what was kept may be lost or changed.

    Returns:
        The standings at the end, as the command prints them.
    """
    moments = random.Random(seed)
    kept: tuple[Result, ...] = ()
    for number, matches in enumerate(kills):
        # The same command continues, and so does one that names nothing but the folder.
        again = [] if number % 2 and Store.exists(folder) else options
        arguments = [*GGP, "tournament", str(folder), *again, "--jobs", "2"]
        with subprocess.Popen(
            arguments,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            _wait_for(folder, process, matches)
            time.sleep(moments.uniform(0, 0.5))
            assert process.poll() is None, "it ended before it could be killed"
            process.send_signal(signal.SIGKILL)  # the one process, not those that it started
        _wait_for_silence(process.pid)
        before, kept = kept, results(folder)
        assert all(result in kept for result in before)
        assert len(kept) >= matches
    finished = play_whole(folder, "--jobs", "2")
    assert all(result in results(folder) for result in kept)
    return finished


def results(folder: Path) -> tuple[Result, ...]:
    if not Store.exists(folder):
        return ()
    store = Store.open(folder)
    try:
        return store.results()
    finally:
        store.close()


def _wait_for(folder: Path, process: subprocess.Popen[bytes], matches: int) -> None:
    deadline = time.monotonic() + PATIENCE
    known = -1
    while known < matches:
        found = len(results(folder))
        if found > known:
            deadline, known = time.monotonic() + PATIENCE, found
        assert process.poll() is None, "it ended too early"
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.05)


def _wait_for_silence(session: int) -> None:
    """Wait until no process of a session is left."""
    deadline = time.monotonic() + 20
    while left := _processes(session):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.05)


def _processes(session: int) -> list[str]:
    """Return the command lines of a session's processes, zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(stat[3]) == session and is_running(int(entry.name)):
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue  # it has just ended
    return found
