"""Processes that work for another end with it; and end well when their work is done."""

from __future__ import annotations

import subprocess
import sys

START = "from ggp.workers.exit_with_parent import leave_with_owner; leave_with_owner();"


def started(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", START + code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_one_whose_work_is_done_ends_while_its_owner_goes_on() -> None:
    with started("print('done')") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # standard input stays open
        assert process.stdout.read() == b"done\n"
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_one_that_is_still_at_work_leaves_with_its_owner() -> None:
    with started("import time; print('ready', flush=True); time.sleep(600)") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.stdin.close()
        assert process.wait(timeout=60) == 1
