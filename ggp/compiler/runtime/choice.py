"""Chooses a legal move uniformly in every lane at once, by operations on bits alone.

The legal moves of a role are counted by a tree: a node has one move, and the moves before and after
it. An adder takes three bits, so the move comes into the sum of the others as the carry. A random
number of k bits times the count, shifted down by k bits, is the rank of the move to do. Walking
down the tree, the count of the moves before is taken off the rank, and the move of the node as a
borrow: what is left is the rank among the moves after; if it is below zero, the move is the node's
or one before. All numbers are bit-sliced: bit i of every lane is one literal.

Some moves may stand in groups, each a part of the tree: the walk ends there with the lanes that
choose from the group, and their rank among its legal moves. Another walk can go on from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.straightline import Builder, cone

__all__ = ["Choice", "Tally", "choose", "note_stuck", "scale", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some moves are legal: of one move, and of the others before and after it.

    A node has no move of its own where it joins groups, and may have none where all its moves are
    legal at the same time.
    """

    #: How many moves there are, and how many are legal, lowest bit first.
    size: int
    count: tuple[int, ...]
    #: The node's own move, and whether it is legal.
    move: int | None
    legal: int
    before: Tally | None = None
    after: Tally | None = None
    #: The number of the group, if the node is one; `choose` stops here.
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The moves that have been chosen."""

    #: Of each move, the lanes that make it.
    made: dict[int, int]
    #: Of each group, the lanes that make one of its moves, and the rank of the move among the
    #: group's legal moves.
    apart: dict[int, tuple[int, list[int]]]


def tally(
    builder: Builder,
    legal: Mapping[int, int],
    *,
    by_halves: bool = True,
    groups: Sequence[Sequence[int]] = (),
) -> Tally | None:
    """Count the legal moves, unless none is ever legal.

    Equal literals are counted side by side, where most of it folds.

    Args:
        builder: gets the gates.
        legal: of each move, whether it is legal.
        by_halves: whether a node whose literals are all equal has no move of its own: a digit of
            the rank tells which half to go to.
        groups: moves that may be legal, in groups; each becomes a node at which `choose` stops.
    """
    moves = [move for move, literal in legal.items() if literal != FALSE]
    grouped = {move for group in groups for move in group}
    common = _tally(builder, [move for move in moves if move not in grouped], legal, by_halves)
    trees = []
    for number, group in enumerate(groups):
        tree = _tally(builder, group, legal, by_halves)
        assert tree is not None
        trees.append(replace(tree, group=number))
    while len(trees) > 1:
        pairs = zip(trees[::2], trees[1::2], strict=False)
        trees = [_joined(builder, *pair) for pair in pairs] + trees[len(trees) & ~1 :]
    if not trees or common is None:
        return trees[0] if trees else common
    return _joined(builder, trees[0], common)


def _joined(builder: Builder, before: Tally, after: Tally) -> Tally:
    size = before.size + after.size
    count = _add(builder, before.count, after.count)
    return Tally(size, tuple(count[: size.bit_length()]), None, FALSE, before, after)


def _tally(
    builder: Builder, moves: Iterable[int], legal: Mapping[int, int], by_halves: bool
) -> Tally | None:
    return _sorted_tally(builder, sorted(moves, key=legal.__getitem__), legal, by_halves)


def _sorted_tally(
    builder: Builder, moves: Sequence[int], legal: Mapping[int, int], by_halves: bool
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
    before = _sorted_tally(builder, moves[:half], legal, by_halves)
    after = _sorted_tally(builder, moves[beyond:], legal, by_halves)
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


def choose(builder: Builder, tree: Tally | None, rank: Sequence[int], lanes: int = TRUE) -> Choice:
    """Return, for each move that may be legal, the lanes in which it has the given rank.

    Exactly one move is chosen in a lane where the rank is less than the count of legal moves; of
    groups, only which lanes choose from them.

    Args:
        builder: gets the gates.
        tree: the count of the moves.
        rank: the rank, lowest bit first.
        lanes: those that make one of these moves.
    """
    chosen = Choice({}, {})
    stack = [(tree, [*rank], lanes)] if tree else []
    while stack:
        here, digits, selected = stack.pop()
        digits = digits[: (here.size - 1).bit_length()]
        if here.group is not None:
            chosen.apart[here.group] = selected, digits
            continue
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
            chosen.made[here.move] = own
    return chosen


def note_stuck(
    builder: Builder,
    circuit: Circuit,
    possible: Sequence[Sequence[int]],
    trees: Sequence[Tally | None],
    known: dict[int, int],
) -> None:
    """Find out from the count whether a role has no legal move, where the end of the game asks it.

    Args:
        builder: gets the gates.
        circuit: the game.
        possible: of each role, the moves that may be legal, numbered among all roles'.
        trees: of each role, the count of these.
        known: the literals here of nodes of the circuit; it gains these gates.
    """
    need = set() if circuit.loops else cone(circuit, [circuit.terminal], known)
    roots = {x >> 1 for x in circuit.gates[sorted(need)].ravel().tolist() if x & 1}
    roots |= {circuit.terminal >> 1}
    refusals = [
        ({literal ^ 1 for literal in circuit.legal[own].tolist()}, tree)
        for own, tree in zip(possible, trees, strict=True)
        if own
    ]
    given = {literal for refused, _ in refusals for literal in refused}
    for root in sorted(roots & need):
        conjuncts = _conjuncts(circuit, root, given)
        stuck = [(refused, tree) for refused, tree in refusals if refused <= conjuncts]
        if stuck:
            others = conjuncts.difference(*(refused for refused, _ in stuck))
            literals = builder.add(circuit, sorted(others), known)
            literals += [builder.any(_count(tree)) ^ 1 for _, tree in stuck]
            known[root] = builder.all(literals)


def _conjuncts(circuit: Circuit, root: int, given: Collection[int]) -> set[int]:
    """Return the literals that a gate is the conjunction of; none of those given is divided."""
    found = set()
    seen: set[int] = set()
    stack = circuit.gates[root].tolist()
    while stack:
        literal = stack.pop()
        if literal & 1 or literal >> 1 <= circuit.inputs or literal in given:
            found.add(literal)
        elif literal not in seen:
            seen.add(literal)
            stack += circuit.gates[literal >> 1].tolist()
    return found
