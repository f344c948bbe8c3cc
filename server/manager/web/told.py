"""Reads the JSON that scripts send, and refuses what is none of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ggp.server.manager.web.finding import refuse

__all__ = ["texts", "told_json"]

_MAX_TEXTS = 50_000


def told_json() -> Mapping[str, Any]:
    """Return the JSON object of the request."""
    told = request.get_json()
    if not isinstance(told, dict):
        refuse("a JSON object is wanted")
    return told


def texts(told: Mapping[str, Any], name: str) -> list[str] | None:
    """Return a list of texts that a request may contain; None if it does not."""
    found = told.get(name)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        refuse(f"{name} is a list of texts")
    if len(found) > _MAX_TEXTS:
        refuse(f"{name} has over {_MAX_TEXTS:,} entries")
    return found
