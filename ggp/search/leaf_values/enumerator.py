"""The process that enumerates a leaf-value table: it sends better and better ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from time import process_time

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.store import load_circuit
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.native.cache import Cache
from ggp.search.leaf_values.enumeration import MAX_ROWS, Kept
from ggp.search.leaf_values.outcomes import Outcomes, TooManyOutcomes
from ggp.search.leaf_values.table import LeafValueTable
from ggp.search.leaf_values.tally import find_tallies
from ggp.workers.child import Owner

__all__ = ["main"]

# How often what was given up for lack of time is taken up again.
_PASSES = 4


def main(
    owner: Owner, rules: str, seconds: float, due: float, memory_limit: int, max_rows: int
) -> None:
    """Send better and better tables of one game, as long as there are any.

    Time is that of the processor, so that what is found does not depend on what else it does.
    """
    description, cache = Description.from_text(rules), Cache()
    with suppress(ReasonerError, MemoryError, TimeUp):
        for table in _tables(description, cache, seconds, due, memory_limit, max_rows):
            owner.send(table)
            if max_rows >= MAX_ROWS:
                Kept(table, process_time()).keep(cache, description)


def _tables(
    description: Description,
    cache: Cache,
    seconds: float,
    due: float,
    memory_limit: int,
    max_rows: int,
) -> Iterator[LeafValueTable]:
    left, level_1 = Deadline(due).remaining, LeafValueTable.of(description)
    try:
        circuit = load_circuit(description, cache=cache, time_limit=left, memory_limit=memory_limit)
    except ReasonerError as error:
        if type(error) is not ReasonerError:  # more time or memory might do
            raise
        circuit = None
    if circuit is None or circuit.loops:
        yield replace(level_1, is_complete=True)
        return
    outcomes = Outcomes(circuit, due=process_time() + seconds, clock=process_time)
    for _ in range(_PASSES):
        best = level_1
        for best in _pass(outcomes, circuit, level_1, max_rows=max_rows):
            yield best
        if outcomes.is_complete:
            yield replace(best, is_complete=True)
            return
        if not outcomes.go_on():
            return


def _pass(
    outcomes: Outcomes, circuit: Circuit, level_1: LeafValueTable, *, max_rows: int
) -> Iterator[LeafValueTable]:
    """Yield the tables that what is proved of the game so far gives."""
    best = replace(level_1, takes_turns=outcomes.takes_turns())
    try:
        table = outcomes.table(max_rows=max_rows)
    except (TooManyOutcomes, TimeUp):
        table = None
    if table is None:
        yield best
        return
    table = best = replace(table, takes_turns=best.takes_turns)
    yield best
    for best in outcomes.links(table):
        yield best
    tallies = find_tallies(circuit, best)
    if any(tallies) and outcomes.always_ends():
        yield replace(best, tallies=tallies)
