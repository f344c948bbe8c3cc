"""Interrupt a search from another thread, as a player or a server does."""

from __future__ import annotations

import threading
import time

from ggp.deadline import Deadline
from ggp.engine.search import EngineSearch
from ggp.search import Limit, SearchResult

__all__ = ["cut_in_the_middle"]


def cut_in_the_middle(search: EngineSearch) -> tuple[SearchResult, float]:
    """Deepen for 0.3 s; return the last result, and by how many seconds it was late."""
    deadline, cut_at = Deadline(), list[float]()

    def cut() -> None:
        time.sleep(0.3)
        cut_at.append(time.monotonic())
        deadline.cancel()

    thread = threading.Thread(target=cut)
    thread.start()
    *_, result = search.deepen(limit=Limit(deadline=deadline))
    late = time.monotonic() - cut_at[0]
    thread.join()
    return result, late
