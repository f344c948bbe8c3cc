"""A match as one HTML file, which replays it without a server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["replay_page"]

_STATIC = Path(__file__).parents[1] / "static"
_STYLES = ("site.css", "board.css", "watch/watch.css")
_MAIN = "watch/replay.js"
_IMPORT = re.compile(r'^import (?:\{ ?([^}]*?) ?\}|\* as (\w+)) from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?=(?:async )?(?:function|class|const|let)\s+(?P<name>\w+))", re.MULTILINE
)


def replay_page(data: Mapping[str, Any], *, title: str, style: str) -> str:
    """Return the page.

    Args:
        data: what `watch/replay.js` reads: the layout, the scenes, the roles, the moves and so on.
        title: the title of the page.
        style: the stylesheet of the game, sanitised; empty for none.
    """
    sheets = [(_STATIC / name).read_text(encoding="utf-8") for name in _STYLES]
    # "<" could end the element that holds the data, whatever the words of the game are.
    kept = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    body = (_STATIC.parent / "export" / "replay.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": escape(title),
        "STYLE": "\n".join([*sheets, style]),
        "DATA": kept,
        "SCRIPT": _bundled(_MAIN),
    }
    return re.sub(r"@(TITLE|STYLE|DATA|SCRIPT)@", lambda found: parts[found[1]], body)


def _bundled(main: str) -> str:
    """Return one script with a module and all that it imports, each in a function of its own."""
    order: list[str] = []
    texts: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in texts:
            return
        text = (_STATIC / name).read_text(encoding="utf-8")
        folder = (_STATIC / name).parent

        def bound(found: re.Match[str]) -> str:
            path = (folder / found[3]).resolve().relative_to(_STATIC.resolve()).as_posix()
            visit(path)
            names = found[2] or "{ " + found[1].replace(" as ", ": ") + " }"
            return f"const {names} = modules[{json.dumps(path)}];"

        texts[name] = ""
        body = _IMPORT.sub(bound, text)
        exported = ", ".join(found["name"] for found in _EXPORT.finditer(body))
        body = _EXPORT.sub("", body)
        texts[name] = (
            f"modules[{json.dumps(name)}] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
        )
        order.append(name)

    visit(main)
    return "\n".join(["const modules = {};", *(texts[name] for name in order)])
