"""The engine's search of a game by an algorithm, set up."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ggp.engine.resources import Resources
from ggp.graph import GameGraph
from ggp.search import Algorithm, SearchOptions

if TYPE_CHECKING:  # loading it takes longer than many a search by the reference
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["new_search"]


def new_search(
    graph: GameGraph,
    compiled: CompiledReasoner,
    algorithm: Algorithm,
    options: SearchOptions | None,
    resources: Resources,
) -> Any:
    """Return an object of the engine's class for an algorithm, for a graph with this machine code.

    Raises:
        ValueError: as `engine_search`.
    """
    assert algorithm.engine is not None
    module, _, name = algorithm.engine.partition(":")
    settings = algorithm.resolve(graph, options)
    return getattr(import_module(module), name)(graph, settings, compiled, resources)
