"""Compiles one game in this process, and prints what each stage has taken.

The time counts to the first answer, which a table gives; the stages go on until the code that runs
fastest is compiled.

`python -m benchmarks.compiling.one FILE` prints a JSON object. `benchmarks.compiling` runs it with
an empty cache.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any

__all__ = ["main"]

#: The stages in their order: what they do, and the functions that do it, as module and name.
STAGES = (
    ("ground", "circuit.build", "ground_game"),
    ("circuit", "circuit.build", "_assemble"),
    ("table", "runtime.halves", "view_table"),
    ("table", "runtime.halves", "next_table"),
    ("table", "runtime.halves", "_table_code"),
    ("program", "runtime.halves", "move_sets"),
    ("program", "runtime.halves", "view_program"),
    ("program", "runtime.halves", "next_program"),
    ("text", "codegen.assemble", "emit"),
    ("machine code", "codegen.assemble", "compile_text"),
)


class Stopwatch:
    """The resources that each stage takes; a stage inside another one is not counted twice."""

    def __init__(self) -> None:
        """Count from the start of the process."""
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}
        self._open: list[str] = []
        self._last = (0.0, time.monotonic())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what is done meanwhile for a stage."""
        self._count()
        self._open.append(name)
        yield
        self._count()
        self._open.pop()

    def watched(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose calls count for a stage."""

        @wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self.stage(name):
                return function(*args, **kwargs)

        return watched

    def _count(self) -> None:
        now = (cpu_seconds(), time.monotonic())
        name = self._open[-1] if self._open else "rest"
        self.cpu[name] = self.cpu.get(name, 0.0) + now[0] - self._last[0]
        self.wall[name] = self.wall.get(name, 0.0) + now[1] - self._last[1]
        self._last = now


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def peak_bytes() -> int:
    """Return the most memory that this process or one of its children has taken."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(1024 * usage.ru_maxrss for usage in usages)


def main(path: str, time_limit: float) -> dict[str, object]:
    """Compile a rulesheet, and return what that has taken."""
    watch = Stopwatch()
    with watch.stage("load"):
        from importlib import import_module

        from ggp.errors import GgpError
        from ggp.gdl import Description
        from ggp.reasoner.compiled import CompiledReasoner

        for stage, module_name, name in STAGES:
            module: ModuleType = import_module(f"ggp.compiler.{module_name}")
            setattr(module, name, watch.watched(stage, getattr(module, name)))
    found: dict[str, object] = {}
    try:
        with watch.stage("read"):
            description = Description.load(path)
        made = CompiledReasoner(description, time_limit=time_limit)
        with watch.stage("first answer"):
            made.prepare_to_answer()
            made.view(made.initial_state())
        found["cpu_seconds"], found["seconds"] = cpu_seconds(), sum(watch.wall.values())
        made.kernel.compile()
    except GgpError as error:
        found["error"] = str(error)
    else:
        found["gates"] = len(made.circuit.gates)
    with watch.stage("rest"):
        pass
    return {
        "cpu_seconds": cpu_seconds(),
        "seconds": sum(watch.wall.values()),
        **found,
        "cpu": watch.cpu,
        "peak_bytes": peak_bytes(),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], float(sys.argv[2]))))
