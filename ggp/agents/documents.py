"""The pages of the documentation, as a client reads them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from ggp.agents.calls import Refused
from ggp.agents.reference import described, entries
from ggp.gdl.check import closest

__all__ = ["page", "pages"]

# A table that a benchmark has written: it is long, and helps in no call.
_MEASURED = re.compile(r"<!-- (\S+): begin -->.*?<!-- \1: end -->", re.DOTALL)
# A comment in a block of code looks like a heading.
_CODE, _HEADING = re.compile(r"```.*?```", re.DOTALL), re.compile(r"^##? (.*)$", re.MULTILINE)


@cache
def _texts() -> dict[str, str]:
    """Return the text of each page by its name; those of the reference begin with a folder's."""
    docs = files("ggp") / "docs"
    return {
        f"{prefix}{Path(page.name).stem}": page.read_text(encoding="utf-8")
        for prefix, folder in (("", docs), ("reference/", docs / "reference"))
        for page in folder.iterdir()
        if page.name.endswith(".md")
    }


def page(name: str) -> str:
    """Return a page without the tables of measurements; one of the reference with all it describes.

    Args:
        name: as in `pages`; ``name.md`` and ``name.md#part``, as pages name each other, will do.

    Raises:
        Refused: there is no such page.
    """
    texts, plain = _texts(), name.strip().partition("#")[0].removesuffix(".md")
    if plain not in texts:
        close = closest(plain, texts)
        hint = f"did you mean {close}? " if close else ""
        raise Refused(
            f"there is no page {name[:50]!r}; {hint}the pages are {', '.join(sorted(texts))}"
        )
    return described(_MEASURED.sub("(measurements are left out here)", texts[plain]))


def pages() -> str:
    """Return the list of the pages, sorted, each with its title and its headings or entries."""
    return "\n".join(f"{name}: {_contents(text)}" for name, text in sorted(_texts().items()))


def _contents(text: str) -> str:
    title, *parts = _HEADING.findall(_CODE.sub("", text)) + entries(text)
    return f"{title} ({'; '.join(parts)})" if parts else title
