"""Functions that tests let run as tasks."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ggp.cluster import tell
from ggp.errors import GgpError
from ggp.workers.cores import available

#: A number that a process counts up: tasks that run in one process share it.
_counted = 0


def square(number: int) -> int:
    """Square a number, but for 13, which fails."""
    if number == 13:
        raise GgpError("13 is unlucky")
    return number**2


def where(number: int) -> tuple[int, str, int, int]:
    """Return the process, the node, how many cores it may run on, and how many tasks it had."""
    global _counted  # noqa: PLW0603
    _counted += 1
    return os.getpid(), os.environ.get("GGP_NODE", ""), available(), _counted


def break_down(number: int) -> None:
    """End the process, as a lack of memory does."""
    os._exit(9)


def stumble(number: int) -> None:
    """Raise what nobody expects."""
    raise ZeroDivisionError("by zero")


def linger(folder: Path) -> None:
    """Tell that it runs, and go on until it is interrupted, which it notes in the folder."""
    steps = 0
    try:
        while True:
            steps += 1
            tell(steps)
            time.sleep(0.01)
    except KeyboardInterrupt:
        (folder / "interrupted").touch()
        raise


def log(task: dict[str, Any]) -> int:
    """Append a line to a file, take some time, and return the number of the task."""
    with Path(task["file"]).open("a", encoding="utf-8") as file:
        file.write(f"{task['number']} {os.environ.get('GGP_NODE', '')}\n")
    time.sleep(task["seconds"])
    number: int = task["number"]
    return number
