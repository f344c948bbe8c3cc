"""The server's log: a line an event, for people or as JSON for programs.

What is said of a message, or of a match that has ended, is a mapping of fields, the same in both
forms. Text from outside is escaped in both, so that nobody can forge a line.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["JsonFormatter", "log_fields"]

#: Characters of a field that are logged; a move or a reason may be long.
_MAX_LENGTH = 200


def log_fields(log: logging.Logger, level: int, fields: Mapping[str, Any]) -> None:
    """Log an event that is told in fields; those that are None or empty are left out."""
    told = {
        name.lower(): value[:_MAX_LENGTH] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is not None and value != ""
    }
    text = " ".join(f"{name}={value!a}" for name, value in told.items())
    log.log(level, "%s", text, extra={"fields": told})


class JsonFormatter(logging.Formatter):
    """Writes an object a line: time, level, logger, and the event's fields, or its `message`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        line |= {"message": record.getMessage()} if fields is None else fields
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)
