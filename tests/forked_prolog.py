"""The program of a process that answers in Prolog, forked where that has been prepared."""

from __future__ import annotations

from ggp.reasoner.prolog import prepared, worker
from ggp.server.manager.processes.prepared import prepare
from ggp.workers.child import Owner

__all__ = ["main", "prepare"]


def main(owner: Owner, memory_limit: int) -> None:
    assert prepared._engine is not None
    worker.main(owner, memory_limit, prepared._engine)
