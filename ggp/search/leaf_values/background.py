"""A leaf-value table that becomes better in the background."""

from __future__ import annotations

from ggp.background import Background
from ggp.gdl import Description
from ggp.native.cache import Cache
from ggp.search.leaf_values.enumeration import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
    Kept,
    better_and_better,
)
from ggp.search.leaf_values.table import LeafValueTable
from ggp.workers.worker import BACKGROUND

__all__ = ["Enumeration"]

# The lock of the process that enumerates.
_TURN = "leaf-values"


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
        kept = Kept.find(cache, self._description)
        if kept is not None:
            self._has_kept = True
            if kept.table != self.table:  # players begin anew with another table
                self.table = kept.table
        return kept is not None and kept.suffices(self._time_limit)

    def _enumerate(self) -> None:
        for table in better_and_better(
            self._description,
            time_limit=self._time_limit,
            memory_limit=DEFAULT_MEMORY_LIMIT,
            max_rows=MAX_ROWS,
            deadline=self._open,
            niceness=BACKGROUND,
        ):
            if table.is_complete or not self._has_kept:
                self.table = table
