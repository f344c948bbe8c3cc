"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.search.leaf_values.table import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
    LeafValueTable,
)
from ggp.workers.child import Owner
from ggp.workers.worker import DEVNULL, Worker

__all__ = ["Enumeration", "enumerate_table", "main"]


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
    tables = _better_and_better(
        description,
        memory_limit=memory_limit,
        max_rows=max_rows,
        deadline=deadline.within(time_limit),
    )
    last = deque(tables, maxlen=1)
    return last[0] if last else None


class Enumeration(Closing):
    """A leaf-value table that becomes better in the background.

    Attributes:
        table: the best table so far.
    """

    def __init__(self, description: Description, *, time_limit: float = DEFAULT_TIME_LIMIT) -> None:
        """Begin with the table of level 1.

        Args:
            description: the rules.
            time_limit: seconds that it may take.
        """
        self.table = LeafValueTable.of(description)
        self._description = description
        self._deadline = Deadline.after(time_limit)
        self._thread = Thread(target=self._run, daemon=True, name="leaf values")
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the table is the last one."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait until it is over, at most that many seconds; return whether it is."""
        self._thread.join(seconds)
        return self.is_over

    def close(self) -> None:
        """End the process."""
        self._deadline.cancel()
        self._thread.join()

    def _run(self) -> None:
        for table in _better_and_better(
            self._description,
            memory_limit=DEFAULT_MEMORY_LIMIT,
            max_rows=MAX_ROWS,
            deadline=self._deadline,
        ):
            self.table = table


def _better_and_better(
    description: Description, *, memory_limit: int, max_rows: int, deadline: Deadline
) -> Iterator[LeafValueTable]:
    """Yield the tables that a process finds until the deadline."""
    with (
        Worker(
            __name__,
            to_kif(description.terms),
            deadline.due,
            memory_limit,
            max_rows,
            memory_limit=memory_limit,
            streams=(DEVNULL, DEVNULL, DEVNULL),
        ) as worker,
        suppress(EOFError, TimeUp),
    ):
        while True:
            yield worker.receive(deadline)


def main(owner: Owner, rules: str, due: float, memory_limit: int, max_rows: int) -> None:
    """Send better and better tables of one game, as long as there are any."""
    with suppress(ReasonerError, MemoryError, TimeUp):
        _enumerate(owner, rules, due=due, memory_limit=memory_limit, max_rows=max_rows)


def _enumerate(owner: Owner, rules: str, *, due: float, memory_limit: int, max_rows: int) -> None:
    # Loading these takes a second, which is for this process to spend.
    from ggp.reasoner.compiled import Cache, build_circuit, keep_circuit, kept_circuit
    from ggp.search.leaf_values.outcomes import Outcomes, TooManyOutcomes

    description, cache = Description.from_text(rules), Cache()
    circuit = kept_circuit(description, cache=cache)
    if circuit is None:
        left = Deadline(due).remaining
        circuit = build_circuit(description, time_limit=left, memory_limit=memory_limit)
        keep_circuit(circuit, description, cache=cache)
    if circuit.loops:
        return
    outcomes = Outcomes(circuit, due=due)
    with suppress(TooManyOutcomes):
        if (table := outcomes.table(max_rows=max_rows)) is not None:
            owner.send(table)
            for linked in outcomes.links(table):
                owner.send(linked)
