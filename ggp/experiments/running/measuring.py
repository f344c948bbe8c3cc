"""Measure tasks on all cores or a cluster; a run that was stopped goes on where it was.

The results are in a file of JSON lines, one for each finished task, with the task, the result and
the seconds that it took. The task itself is the key, so it must contain everything that determines
the result.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click

from ggp.cluster import Pool, following, run
from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.files import naming

__all__ = ["Kept", "Measured", "Result", "Task", "fingerprint", "integer", "measure_all"]

#: What to measure: names and JSON scalars.
Task: TypeAlias = Mapping[str, str | int | float | bool | None]
#: What was measured: names and JSON values.
Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished task."""

    task: Task
    result: Result
    #: How long it took.
    seconds: float


def fingerprint(*texts: str) -> str:
    """Return a short hash of some texts, to be part of a task.

    >>> fingerprint("(role x)") == fingerprint("(role x)") != fingerprint("(role y)")
    True
    """
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def integer(task: Task, name: str) -> int:
    """Return the value of a name, which must be an integer."""
    value = task[name]
    assert isinstance(value, int)
    return value


class Kept:
    """The file of results. One process at a time may have it open."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """Open the file, or create it; `fresh` discards its contents.

        Raises:
            click.ClickException: another run has it open, or a line of it is not a measurement.
            OSError: it cannot be read or written.
        """
        self._path, self._file = path, path.open("a+b", buffering=0)
        try:
            self._done = dict(self._begun(path, fresh=fresh))
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file, so that another run may open it."""
        self._file.close()

    def get(self, task: Task) -> Measured | None:
        """Return the measurement of a task, or None."""
        return self._done.get(_key(task))

    def add(self, measured: Measured) -> None:
        """Append a measurement to the file at once: all of its line, or nothing.

        Raises:
            OSError: it cannot be written; `filename` is that of the file.
        """
        line, end = f"{json.dumps(asdict(measured))}\n".encode(), self._file.seek(0, os.SEEK_END)
        try:
            with naming(self._path):
                while line:
                    line = line[self._file.write(line) :]
                os.fsync(self._file.fileno())
        except BaseException:
            self._file.truncate(end)  # the next line must not go on with half of this one
            raise
        self._done[_key(measured.task)] = measured

    def _begun(self, path: Path, *, fresh: bool) -> Iterator[tuple[str, Measured]]:
        """Lock the file for this process, and yield what is in it."""
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise click.ClickException(
                f"{path}: another run is writing to it; wait for it, or choose another --output"
            ) from None
        self._file.seek(0)
        text = b"" if fresh else self._file.read()
        # The last line of a run that was killed may be incomplete.
        whole = text[: text.rfind(b"\n") + 1]
        self._file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                measured = Measured(**json.loads(line))
                yield _key(measured.task), measured
            except (ValueError, TypeError):
                raise click.ClickException(
                    f"{path}:{number}: not a measurement; delete the line, "
                    "or measure everything again with --fresh"
                ) from None


def measure_all(
    tasks: Sequence[Task],
    measure: Callable[[Task], Result],
    kept: Kept,
    *,
    pool: Pool,
    deadline: Deadline,
) -> Iterator[Measured]:
    """Measure the unfinished tasks, and yield each when it is finished.

    Args:
        tasks: what to measure.
        measure: a function of a module, or a method of an object that can be pickled: other
            processes call it.
        kept: the finished tasks; new ones are added to it.
        pool: where tasks are measured, and how many at once.
        deadline: ends the work within a second.

    Raises:
        GgpError: a task failed; the message names it. The results of earlier tasks are kept.
        OSError: a result cannot be written.
    """
    todo = {_key(task): task for task in tasks if kept.get(task) is None}
    if not todo:
        return
    with pool.open(partial(_timed, measure)) as executor:
        for _, measured in run(executor, following(todo.values()), deadline=deadline):
            kept.add(measured)
            yield measured


def _timed(measure: Callable[[Task], Result], task: Task) -> Measured:
    began = time.monotonic()
    try:
        # The result as another run would read it.
        result = json.loads(json.dumps(measure(task)))
    except GgpError as error:
        # Not every error can be sent to another process.
        raise GgpError(f"{_name(task)}: {error.one_line()}") from None
    return Measured(task, result, round(time.monotonic() - began, 3))


def _name(task: Task) -> str:
    return " ".join(f"{name}={value}" for name, value in task.items())


def _key(task: Task) -> str:
    return json.dumps(task, sort_keys=True)
