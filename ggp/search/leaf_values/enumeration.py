"""Enumerates a leaf-value table in a process of its own, which is stopped at its limits.

The process runs `ggp.search.leaf_values.enumerator`.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ggp.compiler.store import game_key
from ggp.deadline import Deadline, TimeUp
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.native.cache import Cache
from ggp.workers.worker import DEVNULL, Worker

__all__ = [
    "DEFAULT_MEMORY_LIMIT",
    "DEFAULT_TIME_LIMIT",
    "MAX_ROWS",
    "Kept",
    "better_and_better",
    "enumerate_table",
]

#: A table with more rows than this is not enumerated.
MAX_ROWS = 100_000
#: Seconds of processor time, and bytes, that enumerating may take.
DEFAULT_TIME_LIMIT = 20.0
DEFAULT_MEMORY_LIMIT = 2 << 30

# The module that the process runs.
_ENUMERATOR = "ggp.search.leaf_values.enumerator"
# How many times as long as the processor time it may take on a busy machine.
_PATIENCE = 8
# The folders of sources that are part of a table's key: another version may find another.
_SOURCES = ("kif", "gdl", "native", "compiler", "search/leaf_values")


class _Table(Protocol):
    """What this module needs of a `LeafValueTable`, whose module imports this one."""

    @property
    def found(self) -> Sized | None: ...

    @property
    def is_complete(self) -> bool: ...


_T = TypeVar("_T", bound=_Table)


def enumerate_table(
    level_1: _T,
    description: Description,
    *,
    time_limit: float,
    memory_limit: int,
    max_rows: int,
    deadline: Deadline,
) -> _T:
    """Return the best table that is found in time, now or before.

    Args:
        level_1: the table to return where none is found.
        description: the rules.
        time_limit: seconds of processor time that it may take.
        memory_limit: bytes that each of the processes may use.
        max_rows: give up where there are more rows.
        deadline: ends it earlier.
    """
    kept: Kept[_T] | None = Kept.find(Cache(), description, max_rows=max_rows)
    if kept is not None and kept.suffices(time_limit):
        return kept.table
    tables: Iterator[_T] = better_and_better(
        description,
        time_limit=time_limit,
        memory_limit=memory_limit,
        max_rows=max_rows,
        deadline=deadline.within(_PATIENCE * time_limit),
        niceness=0,
    )
    found = deque(tables, maxlen=1)
    kept = Kept.find(Cache(), description, max_rows=max_rows)  # what took the most time
    if found and (kept is None or found[0].is_complete):
        return found[0]
    return level_1 if kept is None else kept.table


@dataclass(frozen=True, slots=True)
class Kept(Generic[_T]):
    """A table in the cache."""

    table: _T
    #: Seconds of processor time that it took.
    seconds: float

    @classmethod
    def find(
        cls, cache: Cache, description: Description, *, max_rows: int = MAX_ROWS
    ) -> Kept[Any] | None:
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


def better_and_better(
    description: Description,
    *,
    time_limit: float,
    memory_limit: int,
    max_rows: int,
    deadline: Deadline,
    niceness: int,
) -> Iterator[Any]:
    """Yield the tables that a process finds, each a `LeafValueTable`.

    Args:
        description: the rules.
        time_limit: seconds of processor time that the process may take.
        memory_limit: bytes that it may use.
        max_rows: how many rows a table may have.
        deadline: ends it earlier.
        niceness: what is added to the process's niceness.
    """
    with (
        Worker(
            _ENUMERATOR,
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


def _key(description: Description) -> str:
    """Return the key under which the table of a game is kept."""
    return game_key("leaf-values", description, sources=_SOURCES)
