"""The leaf-value table: the goals that the leaves of a game can have, from the rules alone.

`table` is the table itself and its first level; `enumeration` and `outcomes` make the second, by
the invariants that `invariants` finds; `monotone` is the third: which rows are left below a state.
`hull` says what means of the rows can be worth. `tally` finds facts that only count for a goal.
"""

from __future__ import annotations

from ggp.search.leaf_values.background import Enumeration
from ggp.search.leaf_values.enumeration import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    MAX_ROWS,
)
from ggp.search.leaf_values.hull import Hull, Normal
from ggp.search.leaf_values.monotone import Possible, RowFilter
from ggp.search.leaf_values.region import region_svg
from ggp.search.leaf_values.table import (
    CLASSIFIERS,
    Classifier,
    Group,
    LeafValue,
    LeafValueTable,
    Link,
    Ranks,
    Tally,
    bitset,
)

__all__ = [
    "CLASSIFIERS",
    "DEFAULT_MEMORY_LIMIT",
    "DEFAULT_TIME_LIMIT",
    "MAX_ROWS",
    "Classifier",
    "Enumeration",
    "Group",
    "Hull",
    "LeafValue",
    "LeafValueTable",
    "Link",
    "Normal",
    "Possible",
    "Ranks",
    "RowFilter",
    "Tally",
    "bitset",
    "region_svg",
]
