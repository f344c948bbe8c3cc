"""Small random games for three players, whose goals do not have a constant sum."""

from __future__ import annotations

import random
from itertools import pairwise

__all__ = ["coins", "stones"]

_ROLES = ("ann", "bob", "cid")

_TURNS = """
(init (control ann))
(follows ann bob)
(follows bob cid)
(follows cid ann)
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))
(<= (next (control ?next)) (true (control ?player)) (follows ?player ?next))
"""

_COINS = """
(<= (legal ?player (take ?coin)) (true (control ?player)) (true (coin ?coin)) (end ?coin))
(<= (end ?coin) (true (coin ?coin)) (not (left ?coin)))
(<= (end ?coin) (true (coin ?coin)) (not (right ?coin)))

; There is a coin to the left of this one, to the right
(<= (left ?coin) (beside ?other ?coin) (true (coin ?other)))
(<= (left ?coin) (beside ?other ?coin) (left ?other))
(<= (right ?coin) (beside ?coin ?other) (true (coin ?other)))
(<= (right ?coin) (beside ?coin ?other) (right ?other))

(<= (taken ?coin) (does ?player (take ?coin)))
(<= (next (coin ?coin)) (true (coin ?coin)) (not (taken ?coin)))
(<= (next (has ?player ?m))
    (does ?player (take ?coin)) (worth ?coin ?k) (true (has ?player ?n)) (plus ?n ?k ?m))
(<= (next (has ?player ?n)) (true (has ?player ?n)) (not (true (control ?player))))

(<= more (true (coin ?coin)))
(<= terminal (not more))
(<= (goal ?player ?goal) (true (has ?player ?n)) (value ?player ?n ?goal))
"""

_STONES = """
(<= (legal ?player (take ?k)) (true (control ?player)) (true (pile ?m)) (plus ?n ?k ?m))
(<= (next (pile ?n)) (does ?player (take ?k)) (true (pile ?m)) (plus ?n ?k ?m))
(<= (next (has ?player ?m))
    (does ?player (take ?k)) (true (has ?player ?n)) (plus ?n ?k ?m))
(<= (next (has ?player ?n)) (true (has ?player ?n)) (not (true (control ?player))))

(<= terminal (true (pile 0)))
(<= (goal ?player ?goal) (true (has ?player ?n)) (value ?player ?n ?goal))
"""


def coins(number: int, *, length: int = 12) -> str:
    """Return the rules of a game in which players in turn take a coin from either end of a row.

    Players score the values of their coins, and ten more points if these reach a certain sum.
    The number determines the values and sums.
    """
    chance = random.Random(f"coins {number}")
    worth = [chance.randint(1, 3) for _ in range(length)]
    total = sum(worth)
    wanted = [total // 3 + chance.randint(-1, 2) for _ in _ROLES]
    lines = [f"(role {role})" for role in _ROLES]
    lines += [f"(init (coin {coin})) (worth {coin} {k})" for coin, k in enumerate(worth, 1)]
    lines += [f"(beside {coin} {other})" for coin, other in pairwise(range(1, length + 1))]
    lines += [f"(init (has {role} 0))" for role in _ROLES]
    lines += _plus(total)
    lines += [
        f"(value {role} {n} {n + 10 * (n >= least)})"
        for role, least in zip(_ROLES, wanted, strict=True)
        for n in range(total + 1)
    ]
    return "\n".join([*lines, _TURNS, _COINS])


def stones(number: int, *, most: int = 16) -> str:
    """Return the rules of a game in which players in turn take one to three stones from a pile.

    Each stone scores a point. A player scores ten more points for a multiple of a certain number of
    stones, different for each player. The number of the game determines these and the pile.
    """
    chance = random.Random(f"stones {number}")
    total = chance.randint(most - 2, most)
    lucky = chance.sample((2, 3, 4, 5), len(_ROLES))
    lines = [f"(role {role}) (init (has {role} 0))" for role in _ROLES]
    lines.append(f"(init (pile {total}))")
    lines += _plus(total)
    lines += [
        f"(value {role} {n} {n + 10 * (n % of == 0)})"
        for role, of in zip(_ROLES, lucky, strict=True)
        for n in range(total + 1)
    ]
    return "\n".join([*lines, _TURNS, _STONES])


def _plus(most: int) -> list[str]:
    """Return the facts for adding one, two or three."""
    return [f"(plus {n} {k} {n + k})" for k in (1, 2, 3) for n in range(most - k + 1)]
