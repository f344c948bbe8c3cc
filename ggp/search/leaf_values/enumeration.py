"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING

from ggp.background import Background
from ggp.compiler.store import game_key
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.native.cache import Cache
from ggp.search.leaf_values.table import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
    LeafValueTable,
)
from ggp.workers.child import Owner
from ggp.workers.worker import BACKGROUND, DEVNULL, Worker

if TYPE_CHECKING:
    from ggp.compiler.circuit.circuit import Circuit
    from ggp.search.leaf_values.outcomes import Outcomes

__all__ = ["Enumeration", "enumerate_table", "main"]

# How many times as long as the processor time it may take on a busy machine.
_PATIENCE = 8
# How often what was given up for lack of time is taken up again.
_PASSES = 4
# The lock of the process that enumerates.
_TURN = "leaf-values"
# The folders of sources that are part of a table's key: another version may find another.
_SOURCES = ("kif", "gdl", "native", "compiler", "search/leaf_values")


def enumerate_table(
    description: Description,
    *,
    time_limit: float,
    memory_limit: int,
    max_rows: int,
    deadline: Deadline,
) -> LeafValueTable | None:
    """Return the best table that is found in time, now or before; None if none is.

    Args:
        description: the rules.
        time_limit: seconds of processor time that it may take.
        memory_limit: bytes that each of the processes may use.
        max_rows: give up where there are more rows.
        deadline: ends it earlier.
    """
    kept = _Kept.find(Cache(), description, max_rows=max_rows)
    if kept is not None and kept.suffices(time_limit):
        return kept.table
    tables = _better_and_better(
        description,
        time_limit=time_limit,
        memory_limit=memory_limit,
        max_rows=max_rows,
        deadline=deadline.within(_PATIENCE * time_limit),
        niceness=0,
    )
    found = deque(tables, maxlen=1)
    kept = _Kept.find(Cache(), description, max_rows=max_rows)  # what took the most time
    if found and (kept is None or found[0].is_complete):
        return found[0]
    return None if kept is None else kept.table


@dataclass(frozen=True, slots=True)
class _Kept:
    """A table in the cache."""

    table: LeafValueTable
    #: Seconds of processor time that it took.
    seconds: float

    @classmethod
    def find(
        cls, cache: Cache, description: Description, *, max_rows: int = MAX_ROWS
    ) -> _Kept | None:
        """Return the table of a game; None if there is none, or if it has more rows at level 2."""
        data = cache.get(_key(description))
        kept = None if data is None else cls(*pickle.loads(data))
        if kept is not None and len(kept.table.found or ()) > max_rows:
            return None
        return kept

    def suffices(self, seconds: float) -> bool:
        """Return whether this much time would find no more."""
        return self.table.is_complete or self.seconds >= seconds

    def keep(self, cache: Cache, description: Description) -> None:
        """Keep this, unless what is there took more time, or is complete."""
        before = self.find(cache, description)
        if before is None or self.table.is_complete or not before.suffices(self.seconds):
            cache.put(_key(description), pickle.dumps((self.table, self.seconds)))


class Enumeration(Background):
    """A leaf-value table that becomes better in the background.

    A table that was found before, by any process, is taken from the cache; if it is not complete,
    and this may take more time, a better one follows. Where many players begin at once, one after
    the other enumerates its table: each takes a second of processor time and some hundred
    megabytes.

    Attributes:
        table: the best table so far.
    """

    def __init__(self, description: Description, *, time_limit: float = DEFAULT_TIME_LIMIT) -> None:
        """Begin with the table of level 1.

        Args:
            description: the rules.
            time_limit: seconds of processor time that it may take once it is its turn.
        """
        self.table = LeafValueTable.of(description)
        self._description = description
        self._time_limit = time_limit
        self._has_kept = False
        super().__init__("leaf values")

    def _run(self) -> None:
        cache = Cache()
        if self._take_kept(cache):
            return
        with cache.lock(_TURN, deadline=self._open):
            # Another process may have found it meanwhile.
            if not self._open.is_over and not self._take_kept(cache):
                self._enumerate()
                self._take_kept(cache)  # a table that is not complete, but took more time

    def _take_kept(self, cache: Cache) -> bool:
        """Take what is in the cache; return whether that is all that can be found."""
        kept = _Kept.find(cache, self._description)
        if kept is not None:
            self._has_kept = True
            if kept.table != self.table:  # players begin anew with another table
                self.table = kept.table
        return kept is not None and kept.suffices(self._time_limit)

    def _enumerate(self) -> None:
        for table in _better_and_better(
            self._description,
            time_limit=self._time_limit,
            memory_limit=DEFAULT_MEMORY_LIMIT,
            max_rows=MAX_ROWS,
            deadline=self._open,
            niceness=BACKGROUND,
        ):
            if table.is_complete or not self._has_kept:
                self.table = table


def _better_and_better(
    description: Description,
    *,
    time_limit: float,
    memory_limit: int,
    max_rows: int,
    deadline: Deadline,
    niceness: int,
) -> Iterator[LeafValueTable]:
    """Yield the tables that a process finds."""
    with (
        Worker(
            __name__,
            to_kif(description.terms),
            time_limit,
            deadline.due,
            memory_limit,
            max_rows,
            memory_limit=memory_limit,
            niceness=niceness,
            streams=(DEVNULL, DEVNULL, DEVNULL),
        ) as worker,
        suppress(EOFError, TimeUp),
    ):
        while True:
            yield worker.receive(deadline)


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
                _Kept(table, process_time()).keep(cache, description)


def _tables(
    description: Description,
    cache: Cache,
    seconds: float,
    due: float,
    memory_limit: int,
    max_rows: int,
) -> Iterator[LeafValueTable]:
    # Loading these takes a second, which is for this process to spend.
    from ggp.compiler.store import load_circuit
    from ggp.search.leaf_values.outcomes import Outcomes

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
    from ggp.search.leaf_values.outcomes import TooManyOutcomes
    from ggp.search.leaf_values.tally import find_tallies

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


def _key(description: Description) -> str:
    """Return the key under which the table of a game is kept."""
    return game_key("leaf-values", description, sources=_SOURCES)
