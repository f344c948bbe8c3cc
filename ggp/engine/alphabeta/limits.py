"""The most that a role can get below a state, by the rows of the leaf-value table.

This is `RoleSearch.upper` of the reference.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import LimitNumbers, Limits
from ggp.engine.layout import Game, new_record
from ggp.engine.row_filter import find_rows, new_links, recall
from ggp.reasoner.compiled import Circuit, Words, nopython, popcount
from ggp.search import Minimax
from ggp.search.leaf_values import Possible
from ggp.search.settings import SearchSettings

__all__ = ["find_upper", "new_limits"]

# How many recent answers to keep: a power of 2.
_MEMO = 1 << 12


def new_limits(settings: SearchSettings, circuit: Circuit) -> Limits:
    """Return what a search knows of states; without links from facts to rows it is nothing."""
    table, numbers = settings.leaf_values, new_record(LimitNumbers)
    possible = Possible.exact(table)
    prunes = settings.classifier == "lvt" and settings.algorithm != Minimax.algorithm
    numbers.prunes = possible is not None and prunes
    memo = 1 if possible is None else _MEMO
    goals = [] if possible is None else [row.goals[settings.role] for row in table]
    return Limits(
        numbers=numbers,
        links=new_links(table, possible, circuit, rows=len(goals), memo=memo),
        goals=np.array(goals, np.float64),
        memo=np.zeros(memo),
        upper=np.zeros(1),
    )


@nopython
def find_upper(game: Game, limits: Limits, arena: Words, block: int, lane: np.uint64) -> float:
    """Return the most that the role can get below the state in a lane."""
    slot, is_known = recall(game, limits.links, arena, block, lane)
    if not is_known:
        find_rows(limits.links, 0)
        highest, rows = 0.0, limits.links.bits
        for word in range(len(rows)):
            left = rows[word]
            while left:
                lowest = left & (np.uint64(0) - left)
                left ^= lowest
                goal = limits.goals[64 * word + popcount(lowest - np.uint64(1))]
                highest = max(highest, goal)
        limits.memo[slot] = highest
    return float(limits.memo[slot])
