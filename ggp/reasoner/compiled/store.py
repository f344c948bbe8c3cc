"""Circuits that are kept from one run to the next, so that a game is ground only once."""

from __future__ import annotations

import hashlib
import pickle
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.reasoner.compiled.build import build_circuit
from ggp.reasoner.compiled.cache import Cache
from ggp.reasoner.compiled.circuit import Circuit

__all__ = ["kept_circuit", "make_circuit"]

#: What is read for the rules becomes part of the key: another version may make another circuit.
_SOURCES = tuple(Path(__file__).parents[2] / part for part in ("kif", "gdl", "reasoner/compiled"))


def make_circuit(
    description: Description, *, cache: Cache, time_limit: float, memory_limit: int
) -> Circuit:
    """Return the circuit of a game: the one that is kept, or a new one, which is then kept.

    Where several processes want the same circuit at once, one makes it and the others wait. Raises
    as `build_circuit`.
    """
    key = _key(description)
    deadline = time.monotonic() + time_limit
    with cache.lock(key, deadline=deadline):
        circuit = _read(cache.get(key))
        if circuit is None:
            left = max(0.0, deadline - time.monotonic())
            circuit = build_circuit(description, time_limit=left, memory_limit=memory_limit)
            with suppress(RecursionError):  # terms that nest too deep are not kept
                cache.put(key, pickle.dumps(circuit))
    return circuit


def kept_circuit(description: Description, *, cache: Cache) -> Circuit | None:
    """Return the circuit of a game if it is kept."""
    return _read(cache.get(_key(description)))


def _read(kept: bytes | None) -> Circuit | None:
    circuit = pickle.loads(kept) if kept is not None else None
    return circuit if isinstance(circuit, Circuit) else None


def _key(description: Description) -> str:
    total = hashlib.sha256(version("clingo").encode())
    for folder in _SOURCES:
        for path in sorted(folder.rglob("*.py")):
            total.update(path.read_bytes())
    total.update(to_kif(description.terms).encode())
    return f"circuit-{total.hexdigest()}"
