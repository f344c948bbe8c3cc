"""What to play in a lost position: the move that resists longest and is hardest to answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.errors import GameError
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.recursion import MAX_PLIES
from ggp.search import Searcher

__all__ = ["best_defence"]

#: Random playouts after each reply, and their longest length in joint moves.
_PLAYOUTS, _MAX_STEPS = 64, 200


def best_defence(
    graph: GameGraph, search: Searcher, node: int, role: int, *, lowest: float, deadline: Deadline
) -> Iterator[Term]:
    """Yield better and better moves for a position in which every move gets the lowest goal.

    The best move is the one after which the others need the most joint moves to force the loss. Of
    several such moves it is the one after which the smallest share of the others' replies does so,
    and then the one that gets the most in random playouts.

    Args:
        graph: the game.
        search: a search for the role whose table is empty: a table that holds proven losses does
            not tell how far away they are.
        node: the position, which is held.
        role: the number of the role that moves.
        lowest: the lowest goal of the role.
        deadline: when to stop.
    """
    expansion = graph.expansion(node)
    replies: defaultdict[Term, list[int]] = defaultdict(list)
    for joint_move, child in zip(expansion.joint_moves, expansion.children, strict=True):
        replies[joint_move[role]].append(child)
    candidates = list(replies)
    losing = dict.fromkeys(candidates, 0.0)
    for depth in range(MAX_PLIES):
        found: dict[Term, float] = {}
        is_settled = True
        for move in candidates:
            results = []
            for child in replies[move]:
                results.append(search.run(child, depth=depth, deadline=deadline))
                if deadline.is_over:
                    return
            # no estimate is as low as the lowest goal: it comes from the end of the game
            lost = sum(result.value == lowest for result in results)
            is_settled &= all(result.exact for result in results)
            found[move] = lost / len(results)
        remaining = [move for move in candidates if not found[move]]
        losing = found
        if not remaining or is_settled:
            break
        candidates = remaining
        yield candidates[0]
    fewest = min(losing[move] for move in candidates)
    candidates = [move for move in candidates if losing[move] == fewest]
    yield candidates[0]
    if len(candidates) > 1:
        means = {}
        for move in candidates:
            means[move] = sum(_mean(graph, child, role) for child in replies[move])
            means[move] /= len(replies[move])
            if deadline.is_over:
                return
        yield max(candidates, key=means.__getitem__)


def _mean(graph: GameGraph, node: int, role: int) -> float:
    """Return the mean goal of a role in random playouts; 0 where the game breaks its rules."""
    try:
        totals = graph.reasoner.playout_totals(
            graph.state(node), count=_PLAYOUTS, seed=0, max_steps=_MAX_STEPS
        )
    except GameError:
        return 0.0
    return totals.goals[role] / _PLAYOUTS
