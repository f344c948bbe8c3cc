"""The colours of the boards, read from the stylesheet of the pages, so that both agree."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["colour"]

_STYLE = Path(__file__).parents[1] / "static" / "board.css"
_COLOUR = re.compile(r"--([a-z0-9-]+):\s*(#[0-9a-fA-F]{3,6})")
_DEFAULT = {"text": "#1d2126", "muted": "#5d646d", "page": "#ffffff", "cell-line": "#b9b09b"}


@cache
def _colours() -> dict[str, str]:
    light = _STYLE.read_text(encoding="utf-8").partition("@media")[0]
    found = dict(_DEFAULT)
    for name, value in _COLOUR.findall(light):
        found.setdefault(name, value) if name in _DEFAULT else found.update({name: value})
    return found


def colour(name: str, *, default: str = "#85898f") -> str:
    """Return a colour of the light pages as ``#rrggbb``.

    Args:
        name: the name of its custom property, such as ``tone-red`` or ``cell``.
        default: returned if there is no such colour.
    """
    value = _colours().get(name, default)
    return value if len(value) == 7 else "#" + "".join(2 * digit for digit in value[1:])
