"""Short matches between a search with a network and one with random playouts."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import inf

from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import GgpError, ReasonerError
from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.learning import Progress, TrialResult, play_trial
from ggp.learning.trial import Contender
from ggp.reasoner import Reasoner
from ggp.search import (
    ALGORITHMS,
    Algorithm,
    AlphaBeta,
    BestFirst,
    Evaluation,
    LeafValueTable,
    Searcher,
    TreeOptions,
    TreeSearch,
    ValueNet,
)

__all__ = ["try_net"]

#: How many matches there are at most, and the seconds for a move at least.
_MATCHES, _SHORT = 16, 0.002
#: Bytes of the memory of each search, and states of its graph.
_MEMORY, _STATES = 16 << 20, 10_000

_log = logging.getLogger(__name__)


def _searches_of(reasoner: Reasoner, progress: Progress) -> tuple[str, str]:
    """Return the search that uses a network in short matches, and the one that plays by it then.

    Where two roles take turns and see everything, and nothing is left to chance, best-first minimax
    plays better with a few milliseconds for a move, alpha-beta with the clock of a match, where it
    uses all cores. Tree search is for all games.
    """
    roles, description = [*map(str, reasoner.roles)], reasoner.description
    is_duel = len(roles) == 2 and progress.takes_turns and RANDOM not in roles
    if is_duel and not description.has_imperfect_information:
        return BestFirst.algorithm, AlphaBeta.algorithm
    return TreeSearch.algorithm, TreeSearch.algorithm


def try_net(
    reasoner: Reasoner,
    net: ValueNet,
    progress: Progress,
    table: LeafValueTable,
    *,
    most: float,
    deadline: Deadline,
    seconds: float = inf,
    seed: int = 0,
) -> TrialResult:
    """Let a search with a network play against tree search with random playouts.

    Both have one core, and see everything, also where the game hides information. The result names
    the search that is to play by the network.

    Args:
        reasoner: of the game; without machine code there are no matches.
        net: the network.
        progress: of the self-play that it comes from.
        table: the leaf values of the game.
        most: seconds for each move at most; there are as many as the deadline allows.
        deadline: when it is over at the latest.
        seconds: for the matches at most, once the machine code of the searches is there.
        seed: of the openings.
    """
    graph = GameGraph(reasoner, max_states=_STATES)
    moves = progress.length * (1 if progress.takes_turns else len(graph.roles))
    tried, playing = _searches_of(reasoner, progress)
    try:
        of_net, of_playouts = (
            _contender(graph, ALGORITHMS[name], evaluation, seed=seed, deadline=deadline)
            for name, evaluation in (
                (tried, Evaluation(leaf_values=table, net=net)),
                (TreeSearch.algorithm, Evaluation(leaf_values=table)),
            )
        )
        deadline = deadline.within(seconds)
        result = play_trial(
            graph,
            of_net,
            of_playouts,
            seconds=max(_SHORT, min(deadline.remaining / (_MATCHES * moves), most)),
            matches=_MATCHES,
            deadline=deadline,
            seed=seed,
        )
        return replace(result, search=playing)
    except (GgpError, MemoryError) as error:
        _log.info("the network is not tried: %s", error)
        return TrialResult(0, 0.5)


def _contender(
    graph: GameGraph,
    algorithm: Algorithm,
    evaluation: Evaluation,
    *,
    seed: int,
    deadline: Deadline,
) -> Contender:
    """Return a search for each role but chance.

    Raises:
        ReasonerError: there is none in machine code.
    """
    resources = Resources(table_bytes=_MEMORY, deadline=deadline)
    options = algorithm.options(leaf_values=evaluation.leaf_values, evaluation=evaluation)
    if isinstance(options, TreeOptions):
        options = replace(options, seed=seed)
    contender: list[Searcher | None] = []
    for role, name in enumerate(graph.roles):
        search = None
        if str(name) != RANDOM:
            search = engine_search(graph, algorithm, replace(options, role=role), resources)
            if search is None:
                raise ReasonerError("there is no machine code yet")
        contender.append(search)
    return contender
