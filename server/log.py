"""The server's log: one line for each event, as text for people or as JSON for programs.

A message, or the end of a match, is logged as a mapping of fields, the same in both forms. Text
from outside is escaped in both, so that nothing that is sent can forge a line.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from logging.handlers import QueueHandler
from queue import Full, Queue
from threading import Thread
from typing import Any

__all__ = ["log_fields", "logging_behind", "make_formatter"]

#: Characters of a field that are logged; a move or a reason may be long.
_MAX_LENGTH = 200
#: Lines that wait to be written; more are dropped.
_MAX_LINES = 10_000
#: Seconds in which the last lines must be written.
_PARTING = 5.0


def log_fields(log: logging.Logger, level: int, fields: Mapping[str, Any]) -> None:
    """Log an event as its fields; fields that are None or empty are left out."""
    shown = {
        name.lower(): value[:_MAX_LENGTH] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is not None and value != ""
    }
    log.log(
        level, "%s", " ".join(f"{name}={value!a}" for name, value in shown.items()), extra=shown
    )


class _Behind(QueueHandler):
    """Leaves each record to the thread that writes."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record as it is: the thread formats it."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue the record if there is room."""
        with suppress(Full):
            self.queue.put_nowait(record)


@contextmanager
def logging_behind(kind: str, *, level: int) -> Iterator[None]:
    """Log on standard error, in a thread of its own, as long as the context is open.

    No message of a manager waits for a full disk, or for a terminal that has been stopped.

    Args:
        kind: as for `make_formatter`.
        level: the least level that is logged.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(make_formatter(kind))
    lines = Queue[Any](_MAX_LINES)

    def write() -> None:
        while (record := lines.get()) is not None:
            handler.handle(record)

    thread = Thread(target=write, daemon=True, name="log")
    thread.start()
    logging.basicConfig(level=level, handlers=[_Behind(lines)])
    try:
        yield
    finally:
        with suppress(Full):
            lines.put(None, timeout=_PARTING)
        thread.join(_PARTING)


def make_formatter(kind: str) -> logging.Formatter:
    """Return the formatter of the log: `kind` is ``text``, or ``json`` for an object a line."""
    if kind == "text":
        return logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    from pythonjsonlogger.json import JsonFormatter

    return JsonFormatter(
        "%(levelname)s %(name)s %(message)s",
        rename_fields={"levelname": "level", "name": "logger", "exc_info": "traceback"},
        timestamp="time",
        json_ensure_ascii=True,
    )
