"""Chooses a legal move uniformly in every lane at once, by operations on bits alone.

The legal moves of a role are counted by a tree of adders over its moves. A random number of k bits
times the count, shifted down by k bits, is the rank of the move to do. Walking down the tree, the
rank is compared with the count on the left: if smaller, the move is there, else the count is taken
off and the move is on the right. All numbers are bit-sliced: bit i of every lane is one literal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.reasoner.compiled.circuit.circuit import FALSE, TRUE
from ggp.reasoner.compiled.codegen.straightline import Builder

__all__ = ["Tally", "choose", "scale", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some moves are legal, lowest bit first; for more than one move also by halves."""

    moves: tuple[int, ...]
    count: tuple[int, ...]
    halves: tuple[Tally, ...] = ()


def tally(builder: Builder, legal: Sequence[int]) -> Tally:
    """Count the legal moves. Equal literals are counted side by side, where most of it folds."""
    if not legal:
        return Tally((), ())
    order = sorted(range(len(legal)), key=lambda move: legal[move])
    return _tally(builder, order, legal)


def _tally(builder: Builder, moves: Sequence[int], legal: Sequence[int]) -> Tally:
    if len(moves) == 1:
        return Tally(tuple(moves), (legal[moves[0]],))
    middle = len(moves) // 2
    left = _tally(builder, moves[:middle], legal)
    right = _tally(builder, moves[middle:], legal)
    total = _add(builder, left.count, right.count)
    return Tally(tuple(moves), tuple(total[: len(moves).bit_length()]), (left, right))


def _add(builder: Builder, x: Sequence[int], y: Sequence[int]) -> list[int]:
    carry, total = FALSE, []
    width = max(len(x), len(y))
    for a, b in zip(_widened(x, width), _widened(y, width), strict=True):
        total.append(builder.xor3(a, b, carry))
        carry = builder.majority(a, b, carry)
    return [*total, carry]


def _widened(number: Sequence[int], width: int) -> list[int]:
    return [*number, *[FALSE] * (width - len(number))]


def scale(builder: Builder, count: Sequence[int], random: Sequence[int]) -> list[int]:
    """Return floor(count * U / 2^k) for the k random bits U, lowest first: less than the count.

    Each value comes up with a probability within 2^-k of 1 / count.
    """
    rank = [FALSE] * len(count)
    for bit in random:
        rank = _add(builder, rank, [builder.and_(bit, digit) for digit in count])[1:]
    return rank


def choose(builder: Builder, tree: Tally, rank: Sequence[int]) -> list[int]:
    """Return, for each move, the lanes in which it has the given rank among the legal ones.

    Exactly one move is chosen in a lane where the rank is less than the count of legal moves.
    """
    chosen = [FALSE] * len(tree.moves)
    stack = [(tree, list(rank), TRUE)] if tree.moves else []
    while stack:
        here, number, selected = stack.pop()
        if not here.halves:
            chosen[here.moves[0]] = selected
            continue
        left, right = here.halves
        width = max(len(left.count), (len(here.moves) - 1).bit_length())
        borrow, rest = FALSE, []
        digits = _widened(number[:width], width)
        for a, b in zip(digits, _widened(left.count, width), strict=True):
            rest.append(builder.xor3(a, b, borrow))
            borrow = builder.majority(a ^ 1, b, borrow)
        stack.append(
            (left, digits[: (len(left.moves) - 1).bit_length()], builder.and_(selected, borrow))
        )
        stack.append(
            (right, rest[: (len(right.moves) - 1).bit_length()], builder.and_(selected, borrow ^ 1))
        )
    return chosen
