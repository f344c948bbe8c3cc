"""The default limits of grounding and building a circuit."""

from __future__ import annotations

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT"]

#: Seconds that grounding and building may take.
DEFAULT_TIME_LIMIT = 60.0
#: Bytes that the grounder may use.
DEFAULT_MEMORY_LIMIT = 4 << 30
