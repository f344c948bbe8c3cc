"""The best move for a role that does not know the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ggp.kif import Term
from ggp.match import PlayerContext, PossibleStates, SearchInfo
from ggp.reasoner import State
from ggp.search import InformationSetSearch, Limit

__all__ = ["best_in_information_sets"]

#: After how many visits the best move is looked at.
_VISITS = 64


def best_in_information_sets(
    context: PlayerContext,
    possible: PossibleStates,
    limit: Limit,
    tell: Callable[[SearchInfo], None],
    seed: int | None = None,
) -> Iterator[Term]:
    """Yield the move that the search of information sets makes most often, whenever it changes.

    Args:
        context: of the player.
        possible: the states that the role takes for possible.
        limit: when to stop; its nodes are visits.
        tell: takes what the search has found.
        seed: as for `InformationSetSearch`.

    Raises:
        GameError, ReasonerError: as `InformationSetSearch.visit`.
    """
    reasoner = context.reasoner
    search = InformationSetSearch(reasoner, context.index, possible.percepts, seed=seed)
    best: Term | None = None
    for state in _drawn(possible):
        search.visit(state)
        is_over = limit.deadline.is_over or search.visits == limit.nodes
        if search.visits % _VISITS and not is_over:
            continue
        visits, values = search.move_visits(), search.move_values()
        leader = max(visits, key=visits.__getitem__)
        tell(
            SearchInfo(
                values[leader],
                depth=search.depth,
                nodes=search.visits,
                reasoner=reasoner.name,
                simulations=search.visits,
            )
        )
        if leader != best:
            best = leader
            yield leader
        if is_over:
            return


def _drawn(possible: PossibleStates) -> Iterator[State]:
    """Yield possible states by their probabilities, without end."""
    while True:
        yield from possible.sample(_VISITS)
