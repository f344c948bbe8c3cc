"""Tells a game that is written down as its tree from rules; `ggp.search.tree.notation` reads it."""

from __future__ import annotations

import re

__all__ = ["COMMENT", "is_tree"]

#: A comment in a tree.
COMMENT = re.compile(r";[^\n]*")
_BEGIN = re.compile(r"\s*(?:maxsum\s*=\s*\d+\s*)?(?:[A-Za-z_]\w*\s*=\s*)?P\d+\s*\[")


def is_tree(text: str) -> bool:
    """Return whether a text looks like a tree, and not like rules in KIF."""
    return _BEGIN.match(COMMENT.sub("", text)) is not None
