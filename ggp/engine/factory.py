"""The choice of a search: the engine's, where there is machine code, or the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ggp.deadline import Deadline
from ggp.engine.kernels import KERNELS, load
from ggp.engine.new_search import new_search
from ggp.engine.resources import Resources
from ggp.gdl import HIGHEST_GOAL
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner
from ggp.reasoner.auto import AutoReasoner
from ggp.search import (
    ALGORITHMS,
    Algorithm,
    Estimator,
    Evaluation,
    SearchClass,
    Searcher,
    SearchOptions,
    find_algorithm,
)

if TYPE_CHECKING:  # loading it takes longer than many a search by the reference
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["KNOWN", "engine_search", "machine_code"]

#: The algorithms that the engine knows.
KNOWN = tuple(each.name for each in ALGORITHMS.values() if each.engine)

_PLENTY: Final = Resources()


def engine_search(
    graph: GameGraph,
    algorithm: str | Algorithm | SearchClass,
    options: SearchOptions | None = None,
    resources: Resources = _PLENTY,
) -> Searcher | None:
    """Return the engine's search of a graph, or None where only the reference can search.

    That is the case if the graph's reasoner has no machine code (or not yet), if a goal is outside
    0 to 100, for classes other than those of `ggp.search` (a subclass may search in another way),
    for evaluations other than `ggp.search.Evaluation`, and if the deadline of the resources is over
    before the functions that all games share are compiled.

    Args:
        graph: the game.
        algorithm: the search, as for `ggp.search.find_algorithm`.
        options: what it is asked for; None for the defaults.
        resources: what the machine gives to it.

    Raises:
        GgpError: there is no such search.
        ValueError: the options are of another algorithm, or as `SearchOptions.resolve`.
    """
    chosen, deadline = find_algorithm(algorithm), resources.deadline
    options = chosen.options.of(options)
    if chosen.engine is None:
        return None
    kernels = KERNELS[chosen.kernels]
    if isinstance(graph.reasoner, AutoReasoner):
        kernels.request()  # while the game is being compiled
    compiled, evaluation = machine_code(graph.reasoner), options.evaluation
    if compiled is None or not (evaluation is None or _is_ready(evaluation, graph)):
        return None
    if chosen.plays_out and not _has_playouts(graph):
        return None
    # The compiled loops index tables by goals.
    if any(not 0 <= goal <= HIGHEST_GOAL for goals in compiled.circuit.goals for goal, _ in goals):
        return None
    # Without a deadline, functions that could not be compiled ahead are compiled here.
    is_compiled = kernels.wait(deadline or Deadline())
    if deadline is not None and not (is_compiled and load(kernels, deadline)):
        return None
    return cast("Searcher", new_search(graph, compiled, chosen, options, resources))


def machine_code(reasoner: Reasoner) -> CompiledReasoner | None:
    """Return the machine code of a reasoner's game; None if there is none, or not yet."""
    if isinstance(reasoner, AutoReasoner):
        return reasoner.compiled
    return cast("CompiledReasoner", reasoner) if reasoner.name == "compiled" else None


def _is_ready(evaluation: Estimator, graph: GameGraph) -> bool:
    """Return whether the engine knows the evaluation, and its playouts, if any, are compiled."""
    if not isinstance(evaluation, Evaluation):
        return False
    return not evaluation.playouts or _has_playouts(graph)


def _has_playouts(graph: GameGraph) -> bool:
    """Return whether random playouts of a game are compiled."""
    return not isinstance(graph.reasoner, AutoReasoner) or graph.reasoner.is_settled
