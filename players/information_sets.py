"""The best move for a role that does not know the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ggp.kif import Term
from ggp.match import PlayerContext, PossibleStates, SearchInfo
from ggp.reasoner import State
from ggp.search import InformationSetSearch, Limit

__all__ = ["best_in_information_sets"]

#: After how many visits the best move is looked at, again and again.
_VISITS = 64


def best_in_information_sets(
    context: PlayerContext,
    possible: PossibleStates,
    limit: Limit,
    tell: Callable[[SearchInfo], None],
    seed: int | None = None,
) -> Iterator[Term]:
    """Yield the move that the search makes most often, whenever it changes, until a limit.

    Args:
        context: of the player.
        possible: the states that the role takes for possible.
        limit: when to stop; its `nodes` count visits.
        tell: takes what the search has found.
        seed: as for `InformationSetSearch`.

    Raises:
        TooManyJointMoves, ReasonerError: as `InformationSetSearch.visit`.
    """
    if len(possible.legal) == 1:
        yield possible.legal[0]
        return
    reasoner = context.reasoner
    search = InformationSetSearch(reasoner, context.index, possible.percepts, seed=seed)
    best: Term | None = None
    for number, state in enumerate(_drawn(possible), start=1):
        search.visit(state, limit.deadline)
        is_over = limit.deadline.is_over or number == limit.nodes
        # also after 1, 2, 4, ... visits: in a large game 64 of them may take all the time
        if number % _VISITS and number & (number - 1) and not is_over:
            continue
        visits, values = search.move_visits(), search.move_values()
        leader = max(possible.legal, key=lambda move: (visits.get(move, 0), values.get(move, 0.0)))
        tell(
            SearchInfo(
                values.get(leader),
                depth=search.depth,
                nodes=search.visits,
                reasoner=reasoner.name,
                simulations=search.playouts,
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
