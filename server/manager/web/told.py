"""Reads the JSON that scripts send, and refuses what is none of theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import abort, request

from ggp.server.manager.web.finding import refuse

__all__ = ["joint_moves", "number", "parsed", "texts", "told_json"]

#: Bytes of the JSON of a script: rules that are being edited are the longest.
_MAX_JSON = 4_000_000
_OBJECT = "a JSON object"

_MAX_TEXTS = 50_000
#: Steps of a line of play, and characters of its moves.
_MAX_STEPS, _MAX_MOVES = 2000, 2_000_000


def told_json() -> Mapping[str, Any]:
    """Return the JSON object of the request."""
    if not request.is_json:
        # Other sites can have a browser send text, but not JSON.
        abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{_OBJECT} is wanted, as application/json")
    request.max_content_length = _MAX_JSON
    return parsed(request.get_data())


def parsed(text: str | bytes, wanted: str = _OBJECT) -> Mapping[str, Any]:
    """Return a JSON object that a request contains; `wanted` says what it is."""
    try:
        told = json.loads(text)
    except json.JSONDecodeError as error:
        refuse(f"{wanted} is wanted; this is no JSON: {error}")
    except RecursionError:
        refuse(f"{wanted} is wanted; this is nested too deeply")
    except ValueError:  # no Unicode, or a number of thousands of digits
        refuse(f"{wanted} is wanted; this is no JSON that can be read")
    if not isinstance(told, dict):
        refuse(f"{wanted} is wanted")
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


def number(told: Mapping[str, Any], name: str) -> int:
    """Return a natural number that a request contains."""
    found = told.get(name)
    if type(found) is not int or found < 0:
        refuse(f"{name} is a number")
    return found


def joint_moves(told: Mapping[str, Any]) -> list[list[str]]:
    """Return the line of play that a request contains, under the name ``moves``."""
    line = told.get("moves")
    if not isinstance(line, list) or not all(
        isinstance(moves, list) and all(isinstance(move, str) for move in moves) for moves in line
    ):
        refuse("moves is a list of joint moves, each a list of texts")
    if len(line) > _MAX_STEPS or sum(len(move) for moves in line for move in moves) > _MAX_MOVES:
        refuse(f"a line of play has at most {_MAX_STEPS:,} steps")
    return line
