"""Functions that tests let run as tasks."""

from __future__ import annotations

import os
import random
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ggp.cluster import tell
from ggp.compiler.circuit import build
from ggp.compiler.codegen import assemble
from ggp.errors import GgpError
from ggp.experiments.running.measuring import Result, Task
from ggp.gdl import Description
from ggp.reasoner.compiled import CompiledReasoner
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


def draw(task: Task) -> Result:
    """Draw a number that depends on the seed alone."""
    return {"drawn": random.Random(task["seed"]).random()}


def occupy(seconds: float) -> tuple[str, float, float, set[int]]:
    """Take some time; return the node, from when until when, and the cores to run on."""
    begun = time.monotonic()
    time.sleep(seconds)
    cores = os.sched_getaffinity(0)
    return os.environ.get("GGP_NODE", ""), begun, time.monotonic(), cores


def compile_game(task: tuple[str, int]) -> tuple[str, list[str], str]:
    """Compile a game; return the node, what was really made, and a digest of the circuit."""
    made = list[str]()

    def noted(module: Any, name: str) -> Any:
        original = getattr(module, name)

        def make(*arguments: Any, **options: Any) -> Any:
            made.append(name)
            return original(*arguments, **options)

        return patch.object(module, name, make)

    with (
        noted(build, "build_circuit"),
        noted(assemble, "_compile"),
        closing(CompiledReasoner(Description.from_text(task[0]))) as reasoner,
    ):
        reasoner.kernel.compile()
        return os.environ["GGP_NODE"], made, assemble.digest(reasoner.circuit)


def break_down(number: int) -> None:
    """End the process, as a lack of memory does."""
    os._exit(9)


def stumble(number: int) -> None:
    """Raise an exception of an unexpected kind."""
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


def log(task: tuple[Path, int, str]) -> int:
    """Append a line with number and node to a file, and return the number.

    A task on the given node never ends; the others wait until the file ``over`` is there.
    """
    path, number, endless = task
    node = os.environ["GGP_NODE"]
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{number} {node}\n")
    while node == endless or not path.with_name("over").exists():
        time.sleep(0.05)
    return number
