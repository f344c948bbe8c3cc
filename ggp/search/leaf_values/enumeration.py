"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from ggp.background import Background
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.reasoner.compiled import Cache, game_key
from ggp.search.leaf_values.table import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
    LeafValueTable,
)
from ggp.workers.child import Owner
from ggp.workers.worker import BACKGROUND, DEVNULL, Worker

__all__ = ["Enumeration", "enumerate_table", "main"]

# The lock of the process that enumerates.
_TURN = "leaf-values"
# The folders of sources that are part of a table's key: another version may find another.
_SOURCES = ("kif", "gdl", "reasoner/compiled", "search/leaf_values")


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


class Enumeration(Background):
    """A leaf-value table that becomes better in the background.

    A table that was found before, by any process, is taken from the cache. Where many players
    begin at once, one after the other enumerates its table: each takes a second of processor time
    and some hundred megabytes.

    Attributes:
        table: the best table so far.
    """

    def __init__(self, description: Description, *, time_limit: float = DEFAULT_TIME_LIMIT) -> None:
        """Begin with the table of level 1.

        Args:
            description: the rules.
            time_limit: seconds that it may take once it is its turn.
        """
        self.table = LeafValueTable.of(description)
        self._description = description
        self._time_limit = time_limit
        super().__init__("leaf values")

    def _run(self) -> None:
        cache = Cache()
        if self._take_kept(cache):
            return
        with cache.lock(_TURN, deadline=self._open):
            # Another process may have found it meanwhile.
            if not self._open.is_over and not self._take_kept(cache):
                self._enumerate()

    def _take_kept(self, cache: Cache) -> bool:
        kept = cache.get(_key(self._description))
        if kept is not None:
            self.table = pickle.loads(kept)
        return kept is not None

    def _enumerate(self) -> None:
        for table in _better_and_better(
            self._description,
            memory_limit=DEFAULT_MEMORY_LIMIT,
            max_rows=MAX_ROWS,
            deadline=self._open.within(self._time_limit),
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
            niceness=BACKGROUND,
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
    from ggp.reasoner.compiled import load_circuit
    from ggp.search.leaf_values.outcomes import Outcomes, TooManyOutcomes
    from ggp.search.leaf_values.tally import find_tallies

    description, cache = Description.from_text(rules), Cache()
    left = Deadline(due).remaining
    circuit = load_circuit(description, cache=cache, time_limit=left, memory_limit=memory_limit)
    if circuit.loops:
        return
    outcomes = Outcomes(circuit, due=due)
    best = replace(LeafValueTable.of(description), takes_turns=outcomes.takes_turns())
    with suppress(TooManyOutcomes):
        if (table := outcomes.table(max_rows=max_rows)) is not None:
            table = best = replace(table, takes_turns=best.takes_turns)
            owner.send(best)
            for best in outcomes.links(table):
                owner.send(best)
            cache.put(_key(description), pickle.dumps(best))
            tallies = find_tallies(circuit, best)
            if any(tallies) and outcomes.always_ends():
                best = replace(best, tallies=tallies)
                owner.send(best)
                cache.put(_key(description), pickle.dumps(best))
            return
    owner.send(best)


def _key(description: Description) -> str:
    """Return the key under which the table of a game is kept."""
    return game_key("leaf-values", description, sources=_SOURCES)
