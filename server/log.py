"""The server's log: one line for each event, as text for people or as JSON for programs.

A message, or the end of a match, is logged as a mapping of fields, the same in both forms. Text
from outside is escaped in both, so that nothing that is sent can forge a line.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

__all__ = ["log_fields", "make_formatter"]

#: Characters of a field that are logged; a move or a reason may be long.
_MAX_LENGTH = 200


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
