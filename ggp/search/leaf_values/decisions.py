"""Every decision that a leaf-value table can make, in one array.

"For small games, we can build a lookup table enumerating all possible bound vectors and whether or
not we can prune" (Sturtevant 2005, section 4). For t rows and n roles it has O(t^n) entries. The
paper gives O(t^(n+1)) steps to compute it; here each axis is swept once, which is O(n t^n).

The searches do not use it: they ask for few of the entries, and keep those (Figure 9).
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.search.leaf_values.table import LeafValueTable

__all__ = ["MAX_DECISIONS", "Decisions", "decisions", "linear_decisions"]

#: For each bound vector whether it prunes. An axis for each role: place 0 for a role without a
#: bound, place r + 1 for one that holds rank r.
Decisions: TypeAlias = NDArray[np.bool_]

#: The most entries of an array.
MAX_DECISIONS = 1_000_000


def decisions(table: LeafValueTable) -> Decisions:
    """Return for each bound vector whether the table prunes: whether no row is above it.

    Raises:
        ValueError: there are more than `MAX_DECISIONS` bound vectors.
    """
    is_reached = np.zeros(_shape(table), dtype=np.bool_)
    for ranks in table.vectors:
        # A rank of -1, of a goal that the rules do not name, is above no bound, as rank 0 is.
        is_reached[tuple(max(rank, 0) for rank in ranks)] = True
    # A row is above a bound at place p of an axis if its rank is p or more.
    for axis in range(is_reached.ndim):
        swept = np.logical_or.accumulate(np.flip(is_reached, axis), axis=axis)
        is_reached = np.flip(swept, axis)
    return ~is_reached


def linear_decisions(table: LeafValueTable) -> Decisions:
    """Return the same for the linear test, which adds up the bounds: is it `maxsum` or more?

    A role without a bound counts 0. Raises `ValueError` as `decisions`.
    """
    places = np.indices(_shape(table))
    held = np.maximum(places - 1, 0).sum(axis=0)
    is_bounded = (places > 0).any(axis=0)
    prunes: Decisions = (held >= table.maxsum) & is_bounded
    return prunes


def _shape(table: LeafValueTable) -> tuple[int, ...]:
    shape = tuple(len(goals) + 1 for goals in table.goals)
    if prod(shape) > MAX_DECISIONS:
        raise ValueError(f"{prod(shape):,} bound vectors, more than {MAX_DECISIONS:,}")
    return shape
