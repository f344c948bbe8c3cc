"""Circuits that are kept from one run to the next, so that a game is ground only once."""

from __future__ import annotations

import gc
import hashlib
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import TYPE_CHECKING

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.native.cache import Cache
from ggp.native.sources import sources_digest

if TYPE_CHECKING:  # it takes long to load, and computing a key does not need it
    from ggp.compiler.circuit.circuit import Circuit

__all__ = ["circuit_key", "game_key", "keep_circuit", "kept_circuit", "load_circuit"]

#: The folders of sources that are part of the key: another version may make another circuit.
_SOURCES = ("kif", "gdl", "native", "compiler")


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
    # The rules and not the terms: what is added to a rulesheet, as conditions are, is another game.
    rules = "\n".join(map(str, description.rules)).encode()
    made_by = version("clingo").encode() + sources_digest(*sources)
    return f"{kind}-{hashlib.sha256(made_by + rules).hexdigest()}"


def kept_circuit(description: Description, *, cache: Cache) -> Circuit | None:
    """Return the circuit of a game if it is kept."""
    kept = cache.get(circuit_key(description))
    return None if kept is None else pickle.loads(kept)


def keep_circuit(circuit: Circuit, description: Description, *, cache: Cache) -> None:
    """Keep the circuit of a game."""
    with suppress(RecursionError):  # terms that nest too deep are not kept
        cache.put(circuit_key(description), pickle.dumps(circuit))


def load_circuit(
    description: Description, *, cache: Cache, time_limit: float, memory_limit: int
) -> Circuit:
    """Return the circuit of a game from the cache, or a new one, which goes into the cache.

    Many processes of a machine may begin with a game at once: one makes the circuit, and the others
    wait for it, no longer than the time limit.

    Raises as `build_circuit`, which takes the limits.
    """
    from ggp.compiler.circuit.build import build_circuit

    circuit = kept_circuit(description, cache=cache)
    if circuit is None:
        # Not the lock of the key, which the owner of this process may hold.
        name, due = f"{circuit_key(description)}-build", Deadline.after(time_limit)
        with cache.lock(name, deadline=due), _uncollected():
            circuit = kept_circuit(description, cache=cache)
            if circuit is None:
                circuit = build_circuit(
                    description, time_limit=time_limit, memory_limit=memory_limit
                )
                keep_circuit(circuit, description, cache=cache)
    return circuit


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage: looking through terms that stay takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
