"""Score bounds: what is proven of a node's max-n value, by what is proven of its children.

The functions of `ggp.search.mcts.bounds` in compiled code.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import Game
from ggp.engine.mcts.holding import hold, let_go
from ggp.engine.mcts.layout import CLOSED, UNKNOWN, Tree
from ggp.reasoner.compiled import inlined, nopython

__all__ = ["is_proven", "is_solved", "settle"]


# Above all goals.
_ABOVE = 1e9


@inlined
def is_proven(tree: Tree, node: int) -> bool:
    """Return whether the values of all roles are known."""
    for role in range(tree.lower.shape[1]):
        if tree.lower[node, role] < tree.upper[node, role]:
            return False
    return True


@inlined
def is_solved(game: Game, tree: Tree) -> bool:
    """Return whether the value of the root is known for the role that the search is for."""
    root, role = tree.numbers.root, game.numbers.role
    return bool(tree.lower[root, role] >= tree.upper[root, role])


@nopython
def settle(game: Game, tree: Tree, nodes: np.ndarray, last: int) -> None:
    """Tighten the bounds of the nodes on a path, from number `last` back to the first."""
    is_tighter = True
    while last >= 0 and is_tighter:
        hold(tree, nodes[last])
        is_tighter = _settle(game, tree, nodes[last])
        let_go(tree, nodes[last])
        last -= 1


@inlined
def _settle(game: Game, tree: Tree, node: int) -> bool:
    """Tighten the bounds of an expanded node by those of its children; return whether that does.

    The thread holds the lock of the node. The bounds of its children may become tighter meanwhile:
    those that are read hold all the same.
    """
    if tree.option[node] >= 0:
        changed = _settle_options(game, tree, node)
    else:
        changed = _settle_mover(tree, node)
    if changed:
        # all roles together get no less and no more than some row of the leaf-value table gives
        numbers, roles = tree.numbers, tree.lower.shape[1]
        for role in range(roles):
            low, high = numbers.minsum, numbers.maxsum
            for other in range(roles):
                if other != role:
                    low -= tree.upper[node, other]
                    high -= tree.lower[node, other]
            _limit(tree, node, role, low, high)
    return changed


@inlined
def _limit(tree: Tree, node: int, role: int, low: float, high: float) -> bool:
    """Take over tighter bounds of a role; return whether they are."""
    changed = False
    if low > tree.lower[node, role]:
        tree.lower[node, role] = min(low, tree.upper[node, role])
        changed = True
    if high < tree.upper[node, role]:
        tree.upper[node, role] = max(high, tree.lower[node, role])
        changed = True
    return changed


@inlined
def _settle_mover(tree: Tree, node: int) -> bool:
    """Tighten the bounds of a node at which one role chooses."""
    mover, first, last = tree.mover[node], tree.first[node], tree.first[node] + tree.degree[node]
    low, high, attained = -1.0, -1.0, first
    for edge in range(first, last):
        child = tree.child[edge]
        if tree.lower[child, mover] > low:
            low, attained = tree.lower[child, mover], edge
        high = max(high, tree.upper[child, mover])
    changed = _limit(tree, node, mover, low, high)
    for role in range(tree.lower.shape[1]):
        if role != mover:
            low_other, high_other = _ABOVE, -1.0
            for edge in range(first, last):
                child = tree.child[edge]
                top = tree.upper[child, mover]
                if top > low or (top == low and edge <= attained):
                    low_other = min(low_other, tree.lower[child, role])
                    high_other = max(high_other, tree.upper[child, role])
            changed |= _limit(tree, node, role, low_other, high_other)
    if changed:
        _forget_worse(tree, node, mover)
    _close(tree, node, mover)
    return changed


@inlined
def _close(tree: Tree, node: int, mover: int) -> None:
    """Close the edges to children that cannot give more than is proven."""
    low = tree.lower[node, mover]
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        high = tree.upper[tree.child[edge], mover]
        if high <= low and tree.worth[edge] >= UNKNOWN:
            most = (high - tree.ranges[mover, 0]) * tree.scale[mover]
            tree.worth[edge] = min(tree.worth[edge], most) - CLOSED


@nopython
def _forget_worse(tree: Tree, node: int, mover: int) -> None:
    """Take the visits to moves that are proven worse than others out of the means of a node."""
    first, last, total = tree.first[node], tree.first[node] + tree.degree[node], 0.0
    for edge in range(first, last):
        if _is_counted(tree, node, mover, edge):
            total += tree.counts[edge]
    for role in range(tree.lower.shape[1]):
        value = 0.0
        for edge in range(first, last):
            if _is_counted(tree, node, mover, edge):
                child = tree.child[edge]
                low, high = tree.lower[child, role], tree.upper[child, role]
                value += tree.counts[edge] * min(max(tree.means[child, role], low), high)
        if total:
            tree.means[node, role] = value / total


@inlined
def _is_counted(tree: Tree, node: int, mover: int, edge: int) -> bool:
    child = tree.child[edge]
    is_worse = tree.upper[child, mover] < tree.lower[node, mover]
    return bool(tree.visits[child] and not is_worse)


@nopython
def _settle_options(game: Game, tree: Tree, node: int) -> bool:
    """Tighten the bounds of a node at which several roles choose, or chance does."""
    roles, chance, place = tree.lower.shape[1], game.numbers.chance, tree.option[node]
    first, count = tree.first[node], tree.degree[node]
    if count > len(tree.low_bounds):
        return False
    for number in range(count):
        child = tree.child[first + number]
        for role in range(roles):
            tree.low_bounds[number, role] = tree.lower[child, role]
            tree.high_bounds[number, role] = tree.upper[child, role]
    if chance >= 0:
        _expect(tree, place, count, chance)
    # a role's stride: the last role's moves vary fastest
    changed, stride = False, 1
    for role in range(roles - 1, -1, -1):
        moves = tree.option_counts[place + role]
        low, high = -1.0, -1.0
        for move in range(moves):
            least = _ABOVE
            for number in range(count):
                if (number // stride) % moves == move:
                    least = min(least, tree.low_bounds[number, role])
                    high = max(high, tree.high_bounds[number, role])
            low = max(low, least)
        changed |= _limit(tree, node, role, low, high)
        stride *= moves
    return changed


@nopython
def _expect(tree: Tree, place: int, count: int, chance: int) -> None:
    """Give all moves of chance, with the same moves of the others, the mean of their bounds."""
    roles = tree.lower.shape[1]
    moves, stride = tree.option_counts[place + chance], 1
    for role in range(chance + 1, roles):
        stride *= tree.option_counts[place + role]
    for number in range(count):
        if (number // stride) % moves == 0:
            for role in range(roles):
                low, high = 0.0, 0.0
                for move in range(moves):
                    low += tree.low_bounds[number + move * stride, role]
                    high += tree.high_bounds[number + move * stride, role]
                for move in range(moves):
                    tree.low_bounds[number + move * stride, role] = low / moves
                    tree.high_bounds[number + move * stride, role] = high / moves
