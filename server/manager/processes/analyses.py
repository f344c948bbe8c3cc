"""The analyses of a manager: tasks of analysts, limited in number and time."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Condition, Lock, Timer
from typing import Any

from ggp.server.manager.places import Full, visitor
from ggp.server.manager.processes.children import Child, Message
from ggp.workers.worker import Start, spawn

__all__ = ["Analyses", "Analysis"]

_MODULE = "ggp.server.manager.processes.analyst"
#: Bytes of address space of an analyst, without its reasoner's process.
_MEMORY = 3 << 30
#: Seconds by which an analyst may exceed its time, such as for loading machine code.
_GRACE = 5.0
#: The limits on running analyses, on those of one visitor, and on those that are remembered.
_MAX_RUNNING, _MAX_OF_VISITOR, _MAX_KEPT = 4, 3, 30


class Analysis:
    """One task of an analyst. Only its latest finding counts."""

    def __init__(
        self,
        task: Mapping[str, Any],
        on_done: Callable[[Mapping[str, Any]], None],
        *,
        start: Start = spawn,
    ) -> None:
        """Begin the task. Raises `OSError` if no process can be started."""
        self._on_done = on_done
        self.id = secrets.token_hex(8)
        self.visitor = visitor.get()
        self._changed = Condition()
        self._number = 0
        self._found: Message = {}
        self._end_message: Message | None = None
        self.is_over = False
        self._child = Child(
            _MODULE, memory=_MEMORY, on_message=self._take, on_end=self._end, start=start
        )
        self._child.send(dict(task))
        self._timer = Timer(task["seconds"] + _GRACE, self._child.close)
        self._timer.daemon = True
        self._timer.start()

    def news(self, after: int, *, timeout: float) -> tuple[list[Message], int, bool]:
        """Return the new messages, waiting for one if there is none, as `Match.events` does."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > after or self.is_over, timeout)
            news = [self._found] if self._found and self._number > after else []
            if self.is_over and self._end_message:
                news.append(self._end_message)
            return news, self._number, self.is_over

    def close(self) -> None:
        """End the analyst; its findings remain."""
        self._child.close()

    def join(self) -> None:
        """Wait until it has ended."""
        self._child.join()

    def _take(self, message: Message) -> None:
        with self._changed:
            if message["event"] == "progress":
                self._found = message
            else:
                self._end_message = message
            self._number += 1
            self._changed.notify_all()

    def _end(self, exit_code: int) -> None:
        self._timer.cancel()
        with self._changed:
            if self._end_message is None:
                stopped = {"event": "done", "stopped": True}
                failed = {"event": "failed", "error": "the analyst's process died"}
                self._end_message = stopped if exit_code <= 0 else failed
            self.is_over = True
            self._number += 1
            self._changed.notify_all()
        if self._found:
            self._on_done(self._found["found"])


class Analyses:
    """The analyses of a manager. Any thread may call the methods."""

    def __init__(self, *, start: Start = spawn) -> None:
        """Start without any analysis; `start` starts the processes of analysts."""
        self._start = start
        self._lock = Lock()
        self._analyses: OrderedDict[str, Analysis] = OrderedDict()

    def begin(
        self,
        task: Mapping[str, Any],
        *,
        on_done: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> Analysis:
        """Begin a task.

        Args:
            task: as `analyst.find` takes it.
            on_done: called at the end with the last finding, if there is one.

        Raises:
            Full: too many are running.
            OSError: no process can be started.
        """
        with self._lock:
            running = [each for each in self._analyses.values() if not each.is_over]
            own = [each for each in running if each.visitor == visitor.get()]
            if len(running) >= _MAX_RUNNING or len(own) >= _MAX_OF_VISITOR:
                raise Full(f"{len(running)} analyses are running; stop one first")
            analysis = Analysis(task, on_done, start=self._start)
            self._analyses[analysis.id] = analysis
            while len(self._analyses) > _MAX_KEPT:
                self._analyses.popitem(last=False)[1].close()
            return analysis

    def find(self, analysis_id: str) -> Analysis | None:
        """Return the analysis with an id; None if there is none."""
        return self._analyses.get(analysis_id)

    def close(self) -> None:
        """End all analysts."""
        analyses = list(self._analyses.values())
        for analysis in analyses:
            analysis.close()
        for analysis in analyses:
            analysis.join()
