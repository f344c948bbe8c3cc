"""Short matches between a search with a network and one with random playouts."""

from __future__ import annotations

import logging
from typing import Any

from ggp.deadline import Deadline
from ggp.engine import engine_search
from ggp.errors import GgpError
from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.learning import Progress, TrialResult, play_trial
from ggp.learning.trial import Contender
from ggp.reasoner import Reasoner
from ggp.search import ALGORITHMS, Evaluation, LeafValueTable, SearchAlgorithm, ValueNet

__all__ = ["search_of", "try_net"]

#: How many matches there are at most.
_MATCHES = 16
#: Seconds for a move at least.
_SHORT = 0.002
#: Bytes of the memory of each search, and states of its graph.
_MEMORY, _STATES = 16 << 20, 10_000

_log = logging.getLogger(__name__)


def search_of(reasoner: Reasoner, progress: Progress) -> str:
    """Return the search that uses a network best: "alphabeta" or "mcts".

    The first is for two roles that take turns and see everything, where nothing is left to chance.
    """
    roles, description = [*map(str, reasoner.roles)], reasoner.description
    is_duel = len(roles) == 2 and progress.takes_turns and RANDOM not in roles
    return "alphabeta" if is_duel and not description.has_imperfect_information else "mcts"


def try_net(
    reasoner: Reasoner,
    net: ValueNet,
    progress: Progress,
    table: LeafValueTable,
    *,
    most: float,
    deadline: Deadline,
    seed: int = 0,
) -> TrialResult:
    """Let the search that uses a network best play against tree search with random playouts.

    Both see everything, as they do of the states that a player takes for possible where the game
    hides information.

    Args:
        reasoner: of the game; without machine code there are no matches.
        net: the network.
        progress: of the self-play that it comes from.
        table: the leaf values of the game.
        most: seconds for each move at most; there are as many as the deadline allows.
        deadline: when it is over at the latest.
        seed: of the openings.
    """
    graph = GameGraph(reasoner, max_states=_STATES)
    moves = progress.length * (1 if progress.takes_turns else len(graph.roles))
    seconds = max(_SHORT, min(deadline.remaining / (_MATCHES * moves), most))
    of_net = ALGORITHMS[search_of(reasoner, progress)], Evaluation(leaf_values=table, net=net)
    of_playouts = ALGORITHMS["mcts"], Evaluation(leaf_values=table)
    try:
        first, second = (
            _contender(graph, *each, seed=seed, deadline=deadline) for each in (of_net, of_playouts)
        )
        if first is None or second is None:
            return TrialResult(0, 0.5)
        return play_trial(
            graph, first, second, seconds=seconds, matches=_MATCHES, deadline=deadline, seed=seed
        )
    except (GgpError, MemoryError) as error:
        _log.info("the network is not tried: %s", error)
        return TrialResult(0, 0.5)


def _contender(
    graph: GameGraph,
    kind: SearchAlgorithm,
    evaluation: Evaluation,
    *,
    seed: int,
    deadline: Deadline,
) -> Contender | None:
    """Return a search for each role; None if there is none in machine code."""
    # as in a match, a search takes the cores that are free
    options: dict[str, Any] = {"seed": seed} if kind is ALGORITHMS["mcts"] else {}
    searches = [
        engine_search(
            graph, kind, table_bytes=_MEMORY, deadline=deadline, role=role,
            leaf_values=evaluation.leaf_values, evaluation=evaluation, threads=None, **options,
        )
        for role in range(len(graph.roles))
    ]  # fmt: skip
    found = [search for search in searches if search is not None]
    return found if len(found) == len(searches) else None
