"""Regret matching where several roles choose at once: `ggp.search.mcts.regret` in compiled code."""

from __future__ import annotations

import numpy as np

from ggp.engine.mcts.bounds import within
from ggp.engine.mcts.layout import IS_TERMINAL, Tree
from ggp.native.numba_support import nopython, signed
from ggp.search.mcts.regret import MIXED

__all__ = ["count_regrets", "draw_by_regret"]


@nopython
def draw_by_regret(tree: Tree, at: int, moves: int, draw: float, alike: int) -> int:
    """Return the number of the move that a role makes in a visit.

    Args:
        tree: the tree.
        at: where the role's options begin.
        moves: how many there are.
        draw: a number drawn from 0 to 1.
        alike: a number drawn from all moves alike.
    """
    total = 0.0
    for option in range(at, at + moves):
        total += max(0.0, tree.option_regrets[option])
    if draw < MIXED or total <= 0.0:
        return signed(alike)
    left = (draw - MIXED) / (1.0 - MIXED) * total
    chosen = signed(alike)
    for move in range(moves):
        regret = max(0.0, tree.option_regrets[at + move])
        if regret > 0.0:
            chosen = signed(move)
            if left < regret:
                break
            left -= regret
    return chosen


@nopython
def count_regrets(tree: Tree, node: int, number: int, end: int, values: np.ndarray) -> None:
    """Count what each role would have got by its other moves, after a visit with these values.

    The options of the node end at `end`. A joint move that was not tried is worth what the node is.
    """
    place, first, stride = signed(tree.option[node]), signed(tree.first[node]), signed(1)
    at = end
    for role in range(tree.lower.shape[1] - 1, -1, -1):
        moves = signed(tree.option_counts[place + role])
        at -= moves
        made = number // stride % moves
        for move in range(moves):
            if move != made:
                child = signed(tree.child[first + number + (move - made) * stride])
                is_known = tree.visits[child] or tree.flags[child] & IS_TERMINAL
                at_hand = child if is_known else node
                value = within(tree, at_hand, role, tree.means[at_hand, role])
                tree.option_regrets[at + move] += value - values[role]
        stride *= moves
