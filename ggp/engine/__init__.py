"""Searches at full speed: the algorithms of `ggp.search` as compiled loops over machine code."""

from __future__ import annotations

from ggp.engine.factory import DEFAULT_TABLE_BYTES, KNOWN, engine_search, machine_code
from ggp.engine.kernels import KERNELS, warm_up

__all__ = ["DEFAULT_TABLE_BYTES", "KERNELS", "KNOWN", "engine_search", "machine_code", "warm_up"]
