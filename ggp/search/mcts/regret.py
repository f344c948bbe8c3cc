"""Regret matching, where several roles choose at once.

Lanctot, Lisy and Winands (2014, "Monte Carlo tree search in simultaneous move games with
applications to Goofspiel"): a role makes a move the more often the more it regrets not to have made
it before. What two roles with opposed goals do on average is an equilibrium in the end
(Hart and Mas-Colell 2000).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate

from ggp.search.mcts.node import Choice, Node, Values

__all__ = ["MIXED", "count_regrets", "drawn", "drawn_by_regret"]

#: How often a visit draws from all moves alike.
MIXED = 0.2


def drawn_by_regret(choices: Sequence[Choice], generator: random.Random) -> int:
    """Return the number of the move that a role makes in a visit."""
    regrets = [max(0.0, choice.regret) for choice in choices]
    if generator.random() < MIXED or not any(regrets):
        return generator.randrange(len(choices))
    return generator.choices(range(len(choices)), regrets)[0]


def count_regrets(node: Node, number: int, values: Values) -> None:
    """Count what each role would have got by its other moves, after a visit with these values.

    A joint move that was not tried is worth what the node is.
    """
    stride = 1
    for role in reversed(range(len(node.sizes))):
        made = number // stride % node.sizes[role]
        for move, choice in enumerate(node.choices[role]):
            if move != made:
                child = node.children[number + (move - made) * stride]
                known = child if child.visits or child.is_proven else node
                choice.regret += known.value(role, blend=0) - values[role]
        stride *= node.sizes[role]


def drawn(visits: Sequence[int], draw: float) -> int:
    """Return the number of the move that a draw, from 0 to 1, makes as often as visits made it."""
    sums = list(accumulate(visits))
    return next(number for number, so_far in enumerate(sums) if so_far >= draw * sums[-1])
