"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits."""

from __future__ import annotations

from contextlib import suppress

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.search.leaf_values.table import LeafValueTable
from ggp.workers.child import Owner
from ggp.workers.worker import DEVNULL, Worker

__all__ = ["enumerate_table", "main"]


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
    table: LeafValueTable | None = None
    deadline = deadline.within(time_limit)
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
            table = worker.receive(deadline)
    return table


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
