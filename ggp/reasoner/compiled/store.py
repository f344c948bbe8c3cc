"""Circuits that are kept from one run to the next, so that a game is ground only once."""

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.reasoner.compiled.cache import Cache

if TYPE_CHECKING:  # it takes long to load, and computing a key does not need it
    from ggp.reasoner.compiled.circuit.circuit import Circuit

__all__ = ["circuit_key", "game_key", "keep_circuit", "kept_circuit"]

#: The folders of sources that are part of the key: another version may make another circuit.
_SOURCES = ("kif", "gdl", "reasoner/compiled")


def circuit_key(description: Description) -> str:
    """Return the key under which the circuit of a game is kept in a cache."""
    return game_key("circuit", description, sources=_SOURCES)


def game_key(kind: str, description: Description, *, sources: tuple[str, ...]) -> str:
    """Return the key under which something that is made of a game is kept in a cache.

    Args:
        kind: what it is.
        description: the rules.
        sources: the folders of the package whose code makes it.
    """
    rules = to_kif(description.terms).encode()
    return f"{kind}-{hashlib.sha256(_version(sources) + rules).hexdigest()}"


def kept_circuit(description: Description, *, cache: Cache) -> Circuit | None:
    """Return the circuit of a game if it is kept."""
    kept = cache.get(circuit_key(description))
    return None if kept is None else pickle.loads(kept)


def keep_circuit(circuit: Circuit, description: Description, *, cache: Cache) -> None:
    """Keep the circuit of a game."""
    with suppress(RecursionError):  # terms that nest too deep are not kept
        cache.put(circuit_key(description), pickle.dumps(circuit))


@lru_cache
def _version(sources: tuple[str, ...]) -> bytes:
    total = hashlib.sha256(version("clingo").encode())
    for folder in sources:
        for path in sorted((Path(__file__).parents[2] / folder).rglob("*.py")):
            total.update(path.read_bytes())
    return total.digest()
