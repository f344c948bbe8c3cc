"""Checks the rules of the matches that begin, and logs what is wrong with them."""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import TypeAlias

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.gdl.check import Severity, check
from ggp.server.log import log_fields
from ggp.workers.child import IDLE, Owner
from ggp.workers.worker import Worker

__all__ = ["RulesCheck", "main"]

#: Texts that wait to be checked; more are not. Texts whose findings are known.
_MOST_WAITING, _MOST_KNOWN = 64, 256
#: Seconds that a check may take, and bytes.
_LONGEST, _MEMORY = 60.0, 1 << 30
#: Findings that are told of one text.
_SHOWN = 3

#: What is wrong with some rules: the severity and the message of each finding.
_Found: TypeAlias = tuple[tuple[Severity, str], ...]

_log = logging.getLogger(__name__)


def _start_worker() -> Worker:
    return Worker(__name__, memory_limit=_MEMORY, niceness=IDLE)


class RulesCheck(Closing):
    """Checks one text after the other, each in a process that stands back behind all players.

    No match waits for it. Any thread may call the methods.
    """

    def __init__(self, start: Callable[[], Worker] = _start_worker) -> None:
        """Check with processes that `start` starts, whose program is `main`."""
        self._start = start
        self._waiting = Queue[tuple[str, str] | None](_MOST_WAITING)
        self._known: OrderedDict[bytes, _Found] = OrderedDict()
        self._worker: Worker | None = None
        self._is_closed = False
        self._thread = Thread(target=self._run, daemon=True, name="rules")
        self._thread.start()

    def check(self, match_id: str, rules: str) -> None:
        """Have the rules of a match checked, soon; what is wrong with them is logged."""
        with suppress(Full):
            self._waiting.put_nowait((match_id, rules))

    def close(self) -> None:
        """Check no more, and end the process."""
        self._is_closed = True
        with suppress(Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(None)
        if (worker := self._worker) is not None:
            worker.kill()
        self._thread.join()

    def _run(self) -> None:
        while (asked := self._waiting.get()) is not None:
            match_id, rules = asked
            key = hashlib.sha256(rules.encode(errors="replace")).digest()
            found = self._known.get(key)
            if found is None:
                found = self._found(rules)
            if found is not None:
                self._known[key] = found
                self._known.move_to_end(key)
                while len(self._known) > _MOST_KNOWN:
                    self._known.popitem(last=False)
                _tell(match_id, found)

    def _found(self, rules: str) -> _Found | None:
        """Return what is wrong with some rules; None if that took too much of something."""
        with suppress(OSError, EOFError, TimeUp), self._start() as worker:
            self._worker = worker
            try:
                if not self._is_closed:
                    worker.post(rules)
                    found: _Found = worker.receive(Deadline.after(_LONGEST))
                    return found
            finally:
                self._worker = None
        return None


def _tell(match_id: str, found: _Found) -> None:
    errors = sum(severity == "error" for severity, _ in found)
    if not errors:
        return  # warnings are for authors: most rulesheets that are played have some
    fields = {
        "event": "rules",
        "match": match_id,
        "errors": errors,
        "warnings": len(found) - errors,
        "found": "; ".join(message for _, message in found[:_SHOWN]),
    }
    log_fields(_log, logging.WARNING, fields)


def main(owner: Owner) -> None:
    """Be the process of one check: answer a text with what is wrong with it, errors first."""
    found = {(each.severity, each.message): None for each in check(owner.receive())}
    owner.send(tuple(sorted(found, key=lambda each: each[0] != "error")))
