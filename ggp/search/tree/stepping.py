"""Steps through the search of a small game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ggp.errors import GgpError
from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.kif import Symbol
from ggp.reasoner import Reasoner
from ggp.search.algorithms import ALGORITHMS, Algorithm
from ggp.search.classifiers import decisive
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.mcts import TreeOptions
from ggp.search.options import SearchOptions
from ggp.search.result import SearchResult
from ggp.search.tree.reasons import Reasons
from ggp.search.tree.recorder import Recorder
from ggp.search.tree.steps import Step, Steps
from ggp.search.tree.visits import Visits

__all__ = ["DEFAULT_VISITS", "STEPPED", "Stepped", "stepped", "suited_to"]

#: The names of the searches that can be stepped through.
STEPPED = tuple(name for name, each in ALGORITHMS.items() if each.is_observed)
#: The visits of a tree search, if no other number is asked for.
DEFAULT_VISITS = 30
#: Playouts of a visit: few, so that values move from visit to visit.
_PLAYOUTS = 4


@dataclass(frozen=True, slots=True)
class Stepped:
    """A search with all its steps."""

    result: SearchResult
    steps: list[Step]
    recorder: Recorder
    reasons: Reasons


def suited_to(roles: Sequence[Symbol]) -> Algorithm:
    """Return alpha-beta for two roles or one that choose, else speculative pruning."""
    choosers = [role for role in roles if str(role) != RANDOM]
    return ALGORITHMS["speculative" if len(choosers) > 2 else "alphabeta"]


def stepped(
    reasoner: Reasoner,
    algorithm: Algorithm,
    options: SearchOptions | None = None,
    limit: Limit = NO_LIMIT,
) -> Stepped:
    """Search a game from its first state, without a transposition table, and write down each step.

    Args:
        reasoner: the game.
        algorithm: one of `STEPPED`.
        options: what it is asked for; None for the defaults.
        limit: when it ends: a search by depth at a depth, a tree search after its visits.

    Raises:
        ValueError: the search has no depth, or no visits; or as `SearchOptions.resolve`.
        GgpError: the search visits more nodes than a drawing may have, or is ended.
    """
    if limit.depth is not None and not algorithm.takes_depth:
        raise ValueError(f"{algorithm.name} has no depth, but visits")
    if limit.nodes is not None and algorithm.takes_depth:
        raise ValueError(f"visits are for searches without a depth, not for {algorithm.name}")
    graph, options = GameGraph(reasoner), algorithm.options.of(options)
    settings = algorithm.resolve(graph, options)
    decides, table = settings.classifier, settings.leaf_values
    if algorithm.of_all:
        at_leaves = settings.asks_leaves(is_endless=limit.depth is None)
        decides = decisive(table, decides, at_leaves=at_leaves)
    recorder = Recorder(graph.roles, settings.role)
    reasons = Reasons(graph.roles, table, decides, settings.role)
    steps: Steps | Visits
    if algorithm.takes_depth:
        steps = Steps(recorder, reasons, of_all=algorithm.of_all)
    else:
        steps = Visits(graph, recorder)
        limit = replace(limit, nodes=limit.nodes or DEFAULT_VISITS)
        if isinstance(options, TreeOptions) and options.playouts is None:
            options = replace(options, playouts=_PLAYOUTS)
    # a table would hide a part of a search by depth; a tree is limited by its visits
    size = {"table_size": 0} if algorithm.takes_depth else {}
    result = algorithm.search(graph, options, observer=steps, **size).run(limit=limit)
    if algorithm.takes_depth and not result.completed:
        raise GgpError("the search was ended before it was done")
    return Stepped(result, steps.steps, recorder, reasons)
