"""The parts of a joint move: one role's move, the replies of the others, and chance.

Joint moves are numbered with the last role's move varying fastest, so the number of a joint move
is a sum with one term for each role. Searches choose the terms one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from ggp.kif import Term
from ggp.reasoner import JointMove

__all__ = ["Legal", "Turn", "joint_move", "split", "terms"]

#: The legal moves of each role, in role order.
Legal: TypeAlias = tuple[tuple[Term, ...], ...]


class Turn(NamedTuple):
    """The joint moves of a state, from the view of one role.

    The number of a joint move is one item of `own` plus one of `replies` plus one of `chance`.
    """

    own: range
    #: The combined replies of all other roles but chance; empty only if one of them cannot move.
    replies: Sequence[int]
    #: The moves of chance; a single 0 where there is no role of chance.
    chance: range

    def after_own(self, own: int) -> int:
        """Return how many joint moves there are with later moves of the role."""
        left = len(self.own) - 1 - self.own.index(own)
        return left * len(self.replies) * len(self.chance)

    def after_reply(self, reply: int) -> int:
        """Return how many joint moves have the same move of the role and a later reply."""
        return (len(self.replies) - 1 - self.replies.index(reply)) * len(self.chance)


def terms(legal: Legal) -> list[range]:
    """Return, for each role, what each of its moves adds to the number of the joint move.

    >>> from ggp.kif import Symbol
    >>> a, b, c = map(Symbol, "abc")
    >>> terms(((a, b), (a, b, c)))
    [range(0, 6, 3), range(0, 3)]
    """
    found: list[range] = []
    stride = 1
    for moves in reversed(legal):
        found.append(range(0, stride * len(moves), stride))
        stride *= max(1, len(moves))
    return found[::-1]


def split(legal: Legal, role: int, chance: int | None) -> Turn:
    """Split the joint moves of a state into the moves of one role, replies and chance.

    Args:
        legal: the legal moves of each role.
        role: whose view it is.
        chance: the number of the role `random`; None if there is none.
    """
    parts = terms(legal)
    others = [part for i, part in enumerate(parts) if i not in (role, chance)]
    chance_moves = range(1) if chance is None else parts[chance]
    return Turn(parts[role], [sum(reply) for reply in product(*others)], chance_moves)


def joint_move(legal: Legal, number: int) -> JointMove:
    """Return the joint move of a number."""
    moves: list[Term] = []
    for options in reversed(legal):
        number, index = divmod(number, len(options))
        moves.append(options[index])
    return tuple(reversed(moves))
