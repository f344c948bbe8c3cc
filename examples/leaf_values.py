"""The leaf-value table of a game: which goals the roles can end with, together.

python examples/leaf_values.py
"""

from __future__ import annotations

from ggp import Description
from ggp.search.leaf_values import LeafValueTable


def main() -> None:
    """Print the table of harvest, in which both roles can do well."""
    table = LeafValueTable.enumerate(Description.load("harvest"), time_limit=60)
    print(*table.roles)
    for row in table:
        print(*row.goals)
    print("constant sum" if table.constant_sum else f"the ranks add up to at most {table.maxsum}")


if __name__ == "__main__":
    main()
