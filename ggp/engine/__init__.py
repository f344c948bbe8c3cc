"""Searches at full speed: the algorithms of `ggp.search` as compiled loops over machine code."""

from __future__ import annotations

from ggp.engine.factory import KNOWN, engine_search, machine_code
from ggp.engine.kernels import KERNELS, warm_up
from ggp.engine.resources import DEFAULT_TABLE_BYTES, Resources

__all__ = [
    "DEFAULT_TABLE_BYTES",
    "KERNELS",
    "KNOWN",
    "Resources",
    "engine_search",
    "machine_code",
    "warm_up",
]
