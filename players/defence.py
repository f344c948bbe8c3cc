"""What to play in a lost position: the move that resists longest and is hardest to answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from statistics import fmean

from ggp.deadline import Deadline
from ggp.graph import GameGraph
from ggp.kif import Term
from ggp.playouts import short_playouts
from ggp.recursion import MAX_PLIES
from ggp.search import Limit, SearchResult

__all__ = ["best_defence"]


def best_defence(
    graph: GameGraph,
    run: Callable[[int, Limit], SearchResult],
    node: int,
    role: int,
    *,
    lowest: float,
    deadline: Deadline,
) -> Iterator[Term]:
    """Yield better and better moves for a position in which every move gets the lowest goal.

    The best move is the one after which the others need the most joint moves to force the loss. Of
    several such moves it is the one after which the smallest share of the others' replies does so,
    and then the one that gets the most in random playouts.

    Args:
        graph: the game.
        run: `Searcher.run` of a search for the role whose table is empty: a table that holds proven
            losses does not tell how far away they are.
        node: the position.
        role: the number of the role that moves.
        lowest: the lowest goal of the role.
        deadline: when to stop.
    """
    with ExitStack() as held:
        expansion = held.enter_context(graph.held(node))
        after: defaultdict[Term, list[int]] = defaultdict(list)
        for joint_move, child in zip(expansion.joint_moves, expansion.children, strict=True):
            after[joint_move[role]].append(child)

        def is_lost(child: int, depth: int) -> bool:
            # No estimate is as low as the lowest goal, unless no leaf below gives more.
            return run(child, Limit(depth=depth, deadline=deadline)).value == lowest

        candidates, depth = list(after), 0
        while depth < MAX_PLIES:
            alive = [m for m in candidates if not any(is_lost(child, depth) for child in after[m])]
            if deadline.is_over:
                return
            if not alive:
                break
            candidates, depth = alive, depth + 1
            yield candidates[0]

        replies = {move: (after[move], depth) for move in candidates}
        for move in candidates:
            if len(after[move]) == 1:  # the others choose in the next joint move
                following = held.enter_context(graph.held(after[move][0])).children
                replies[move] = (list(following) or after[move], depth - 1)

        def mistakes(move: Term) -> float:
            nodes, remaining = replies[move]
            return fmean(not is_lost(each, max(0, remaining)) for each in nodes)

        def sampled_goal(move: Term) -> float:
            states = map(graph.state, replies[move][0])
            played = (short_playouts(graph.reasoner, state, seed=0) for state in states)
            return fmean(totals.mean_goals[role] for totals in played)

        for quality in (mistakes, sampled_goal):
            candidates = _best(candidates, quality, deadline)
            if deadline.is_over:
                return
            yield candidates[0]


def _best(moves: list[Term], quality: Callable[[Term], float], deadline: Deadline) -> list[Term]:
    """Return the moves of the highest quality; all if there is no time to compare them."""
    if len(moves) == 1:
        return moves
    found = {}
    for move in moves:
        found[move] = quality(move)
        if deadline.is_over:
            return moves
    return [move for move in moves if found[move] == max(found.values())]
