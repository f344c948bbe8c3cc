"""The program of a process that answers in Prolog and was forked where that was prepared."""

from __future__ import annotations

from ggp.reasoner.prolog import prepared, worker
from ggp.workers.child import Owner


def main(owner: Owner, memory_limit: int) -> None:
    assert prepared._engine is not None
    worker.main(owner, memory_limit, prepared._engine)
