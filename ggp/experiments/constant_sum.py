"""Where a constant sum lets a branch be pruned: Figures 2, 5 and 7 of Sturtevant (IJCAI 2005).

They are drawn as Figure 8 is, with ranks from 0 to 10 that add up to 10 in each row:

- *Figure 2*, alpha-beta. The first of two players holds alpha, and the second 10 - beta. That these
  bounds add up to 10 or more is the same as beta - alpha <= 0.
- *Figure 5*, shallow pruning. Two of three players hold something.
- *Figure 7*, speculative pruning. All three do; the third holds 3, as in Figure 6.

In the paper the points lie close together, and the linear test misses nothing. Ranks are whole
numbers: a row that gives each of k players more than it holds has a sum that is k more. Where the
bounds add up to less than 10 but to more than 10 - k, only the table prunes.
"""

from __future__ import annotations

from itertools import product

from ggp.kif import Symbol
from ggp.search import LeafValue, LeafValueTable
from ggp.search.leaf_values import region_svg

__all__ = ["MAXSUM", "THIRD_HOLDS", "constant_sum_table", "drawings"]

MAXSUM = 10
#: What the third player holds in Figure 6.
THIRD_HOLDS = 3


def constant_sum_table(players: int) -> LeafValueTable:
    """Return the table of all ways to share out the sum."""
    ranks = range(MAXSUM + 1)
    shares = (each for each in product(ranks, repeat=players) if sum(each) == MAXSUM)
    rows = tuple(LeafValue(str(each), each, each) for each in shares)
    roles = tuple(Symbol(f"p{number + 1}") for number in range(players))
    return LeafValueTable(roles, (tuple(ranks),) * players, found=rows)


def drawings() -> dict[str, str]:
    """Return the pictures, as SVG, by the names of their files."""
    two, three = constant_sum_table(2), constant_sum_table(3)
    return {
        "figure2.svg": region_svg(two, 0, 1),
        "figure5.svg": region_svg(three, 0, 1),
        "figure7.svg": region_svg(three, 0, 1, held={2: THIRD_HOLDS}),
    }
