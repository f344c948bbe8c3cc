"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits.

The process is this module, run as ``enumeration.py TIME_LIMIT MEMORY_LIMIT MAX_ROWS``. On standard
input come the pickled text of the rules, and then nothing: when it ends, the owner is gone. On
standard output go, pickled, better and better tables, as long as there are any.
"""

from __future__ import annotations

import pickle
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import IO

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.search.leaf_values.table import LeafValueTable
from ggp.workers.exit_with_parent import exit_with_parent

__all__ = ["enumerate_table"]

# -P: a file of the current folder must not stand in for a module.
_ENUMERATOR = (sys.executable, "-P", "-m", "ggp.search.leaf_values.enumeration")

# Seconds between two looks at the clock.
_TICK = 0.1
# Seconds that the process gets to leave.
_PATIENCE = 1.0


def enumerate_table(
    description: Description,
    *,
    time_limit: float,
    memory_limit: int,
    max_rows: int,
    deadline: Deadline,
) -> LeafValueTable | None:
    """Return the best table that is found in time; None if none is.

    Args:
        description: the rules.
        time_limit: seconds that it may take.
        memory_limit: bytes that each of the processes may use.
        max_rows: give up where there are more rows.
        deadline: ends it earlier.
    """
    due = min(deadline.due, time.monotonic() + time_limit)
    limits = (str(due - time.monotonic()), str(memory_limit), str(max_rows))
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            [*_ENUMERATOR, *limits],
            stdin=subprocess.PIPE,
            stdout=printed,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for us to handle
        )
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it has gone already
                pickle.dump(to_kif(description.terms), process.stdin)
                process.stdin.flush()
            _wait(process, due, deadline)
        finally:
            with suppress(BrokenPipeError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            process.kill()
            process.wait()
        printed.seek(0)
        return _last(printed)


def _wait(process: subprocess.Popen[bytes], due: float, deadline: Deadline) -> None:
    while not deadline.is_over and (left := due - time.monotonic()) > 0:
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(_TICK, left))
            return


def _last(printed: IO[bytes]) -> LeafValueTable | None:
    table: LeafValueTable | None = None
    while True:
        try:
            table = pickle.load(printed)
        except (EOFError, pickle.UnpicklingError):  # it was stopped while writing
            return table


def main() -> None:
    """Enumerate the table of one game. Arguments: seconds, bytes, rows."""
    seconds, memory_limit, max_rows = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    due = time.monotonic() + seconds
    description = Description.from_text(pickle.load(sys.stdin.buffer))
    exit_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    with suppress(ReasonerError, MemoryError, TimeUp):
        _enumerate(description, due=due, memory_limit=memory_limit, max_rows=max_rows)


def _enumerate(description: Description, *, due: float, memory_limit: int, max_rows: int) -> None:
    # Loading these takes a second, which is for this process to spend.
    from ggp.reasoner.compiled import Cache, build_circuit, keep_circuit, kept_circuit
    from ggp.search.leaf_values.outcomes import Outcomes, TooManyOutcomes

    cache = Cache()
    circuit = kept_circuit(description, cache=cache)
    if circuit is None:
        left = due - time.monotonic()
        circuit = build_circuit(description, time_limit=left, memory_limit=memory_limit)
        keep_circuit(circuit, description, cache=cache)
    if circuit.loops:
        return
    outcomes = Outcomes(circuit, due=due)
    with suppress(TooManyOutcomes):
        if (table := outcomes.table(max_rows=max_rows)) is not None:
            _print(table)
            for linked in outcomes.links(table):
                _print(linked)


def _print(table: LeafValueTable) -> None:
    pickle.dump(table, sys.stdout.buffer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
