"""Which version of the sources has made what is kept: part of the keys of caches."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

__all__ = ["sources_digest"]

_PACKAGE = Path(__file__).parents[1]


@lru_cache
def sources_digest(*folders: str) -> bytes:
    """Return a hash of all Python files in some folders of the package, such as ``"gdl"``."""
    total = hashlib.sha256()
    for folder in folders:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            total.update(path.read_bytes())
    return total.digest()
