"""Chooses a legal move uniformly in every lane at once, by operations on bits alone.

The legal moves of a role are counted by a tree: a node has one move, and the moves before and after
it. An adder takes three bits, so the move comes into the sum of the others as the carry. A random
number of k bits times the count, shifted down by k bits, is the rank of the move to do. Walking
down the tree, the count of the moves before is taken off the rank, and the move of the node as a
borrow: what is left is the rank among the moves after; if it is below zero, the move is the node's
or one before. All numbers are bit-sliced: bit i of every lane is one literal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.reasoner.compiled.circuit.circuit import FALSE, TRUE
from ggp.reasoner.compiled.codegen.straightline import Builder

__all__ = ["Tally", "choose", "scale", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some moves are legal: of one move, and of the others before and after it.

    Where all moves are legal at the same time, a node may have no move of its own.
    """

    #: How many moves there are, and how many are legal, lowest bit first.
    size: int
    count: tuple[int, ...]
    #: The node's own move, and whether it is legal.
    move: int | None
    legal: int
    before: Tally | None = None
    after: Tally | None = None


def tally(builder: Builder, legal: Sequence[int], *, by_halves: bool = True) -> Tally | None:
    """Count the legal moves, unless none is ever legal.

    Equal literals are counted side by side, where most of it folds. With `by_halves`, a node whose
    literals are all equal has no move of its own: a digit of the rank tells which half to go to.
    """
    moves = [move for move in range(len(legal)) if legal[move] != FALSE]
    moves.sort(key=lambda move: legal[move])
    return _tally(builder, moves, legal, by_halves)


def _tally(
    builder: Builder, moves: Sequence[int], legal: Sequence[int], by_halves: bool
) -> Tally | None:
    if not moves:
        return None
    size = len(moves)
    if by_halves and size > 1 and legal[moves[0]] == legal[moves[-1]]:
        half = 2 ** ((size - 1).bit_length() - 1)
        own, beyond, carry = None, half, FALSE
    else:
        # adders have no idle inputs where there are 2^n - 1 moves on both sides
        half = 2 ** (size.bit_length() - 1) - 1
        own, beyond, carry = moves[half], half + 1, legal[moves[half]]
    before = _tally(builder, moves[:half], legal, by_halves)
    after = _tally(builder, moves[beyond:], legal, by_halves)
    count = _add(builder, _count(before), _count(after), carry)
    return Tally(size, tuple(count[: size.bit_length()]), own, carry, before, after)


def _count(tree: Tally | None) -> tuple[int, ...]:
    return tree.count if tree else ()


def _add(builder: Builder, x: Sequence[int], y: Sequence[int], carry: int = FALSE) -> list[int]:
    total = []
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


def choose(builder: Builder, tree: Tally | None, rank: Sequence[int]) -> dict[int, int]:
    """Return, for each move that may be legal, the lanes in which it has the given rank.

    Exactly one move is chosen in a lane where the rank is less than the count of legal moves.
    """
    chosen: dict[int, int] = {}
    stack = [(tree, [*rank], TRUE)] if tree else []
    while stack:
        here, digits, selected = stack.pop()
        digits = digits[: (here.size - 1).bit_length()]
        before = _count(here.before)
        borrow, rest = here.legal if here.after else FALSE, []
        for a, b in zip(digits, _widened(before, len(digits)), strict=True):
            rest.append(builder.xor3(a, b, borrow))
            borrow = builder.majority(a ^ 1, b, borrow)
        own = selected
        if here.after:
            stack.append((here.after, rest, builder.and_(selected, borrow ^ 1)))
            selected = builder.and_(selected, borrow)
            # the rest is -1 for the move if it is legal, else for the last one before it
            own = builder.all([selected, here.legal, *rest[: len(before)]])
        elif here.before:
            own = builder.and_(selected, borrow ^ 1)
        if here.before:
            stack.append((here.before, digits, builder.and_(selected, own ^ 1)))
        if here.move is not None:
            chosen[here.move] = own
    return chosen
