"""What the leaf-value table says to a search for one role: bounds, and what only counts.

The most that the role can get below a state is `RoleSearch.upper` of the reference, what is added
to a count is `RoleSearch.keep` and `probe`.
"""

from __future__ import annotations

from math import nan

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.engine.alphabeta.layout import LimitNumbers, Limits
from ggp.engine.block import is_true
from ggp.engine.layout import Game, new_record
from ggp.engine.row_filter import find_rows, new_links, recall
from ggp.gdl import HIGHEST_GOAL
from ggp.native.numba_support import Words, inlined, lowest_bit, nopython, signed
from ggp.search import Minimax
from ggp.search.leaf_values import Possible
from ggp.search.settings import SearchSettings

__all__ = [
    "UNKNOWN",
    "added_to",
    "count_of",
    "count_of_state",
    "find_upper",
    "goal_after",
    "new_limits",
]

#: Added to a count: less than anything that can be.
UNKNOWN = -1_000

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
    tally = settings.tally
    numbers.has_tally = tally is not None and possible is not None
    facts = {fact: number for number, fact in enumerate(circuit.facts)}
    ends = () if tally is None else tally.goals
    count_at = np.full(HIGHEST_GOAL + 1, -1, np.int64)
    for count, goal in enumerate(ends):
        if goal is not None:
            count_at[goal] = count
    return Limits(
        numbers=numbers,
        links=new_links(table, possible, circuit, rows=len(goals), memo=memo),
        goals=np.array(goals, np.float64),
        memo=np.zeros(memo),
        upper=np.zeros(1),
        counted=np.array([facts[fact] for fact in tally.facts] if tally else [], np.int64),
        goal_at=np.array([nan if goal is None else goal for goal in ends], np.float64),
        count_at=count_at,
    )


@inlined
def count_of(game: Game, limits: Limits, arena: Words, block: int, lane: np.uint64) -> int:
    """Return the count in a lane; -1 if there is none."""
    for count in range(len(limits.counted)):
        if is_true(game, arena, block, lane, limits.counted[count]):
            return count
    return -1


@inlined
def count_of_state(limits: Limits, state: Words) -> int:
    """Return the count in a packed state; -1 if there is none."""
    for count in range(len(limits.counted)):
        fact = limits.counted[count]
        if (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
            return count
    return -1


@inlined
def added_to(limits: Limits, count: int, value: float) -> int:
    """Return what is added to a count until the end, given the role's value; or UNKNOWN."""
    if count >= 0 and 0 <= value < len(limits.count_at) and value == np.floor(value):
        last = limits.count_at[int(value)]
        if last >= 0:
            return signed(last - count)
    return UNKNOWN


@inlined
def goal_after(limits: Limits, count: int, added: float) -> float:
    """Return the role's goal if so much is added to a count until the end; NaN if it has none."""
    last = count + signed(added)
    if count < 0 or not 0 <= last < len(limits.goal_at):
        return np.nan
    return float(limits.goal_at[last])


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
                goal = limits.goals[64 * word + lowest_bit(left)]
                left &= left - np.uint64(1)
                highest = max(highest, goal)
        limits.memo[slot] = highest
    return float(limits.memo[slot])
