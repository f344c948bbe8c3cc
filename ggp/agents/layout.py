"""How an answer is laid out as text: what belongs together stands on one line."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["laid_out"]

#: The longest line of what can be broken, in characters; and of an answer to one question, which
#: holds no other answers.
_WIDTH, _ANSWER = 160, 360
_INDENT = " "


def laid_out(value: Any, *, indent: str = "") -> str:
    """Return JSON in which a joint move, a list of facts and a short answer take one line each.

    The items of what is longer take a line each. An answer as a whole is always broken.

    Args:
        value: what `json.dumps` takes.
        indent: blanks before each line but the first.

    >>> print(laid_out({"steps": 2, "moves": [["noop", "(go 1)"], ["(go 2)", "noop"]]}))
    {
     "steps": 2,
     "moves": [["noop", "(go 1)"], ["(go 2)", "noop"]]
    }
    """
    line = json.dumps(value, ensure_ascii=False)
    is_whole = not indent and isinstance(value, dict)
    width = _ANSWER if isinstance(value, dict) and all(map(_is_flat, value.values())) else _WIDTH
    if _is_flat(value) or (not is_whole and len(indent) + len(line) <= width):
        return line
    inner = indent + _INDENT
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {laid_out(each, indent=inner)}"
            for name, each in value.items()
        ]
        begin, end = "{}"
    else:
        items = [laid_out(each, indent=inner) for each in value]
        begin, end = "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{end}"


def _is_flat(value: Any) -> bool:
    """Return whether a value is never broken: a list of facts or moves, a number, an empty one."""
    if isinstance(value, list):
        return not any(isinstance(each, list | dict) for each in value)
    return not value or not isinstance(value, dict)
