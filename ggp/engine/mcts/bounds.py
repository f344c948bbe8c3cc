"""Score bounds: what is proven of a node's max-n value, by what is proven of its children.

Cazenave and Saffidine (2010, "Score bounded Monte-Carlo tree search") keep bounds of a score for two
players. Here every role has bounds, which are combined as max-n combines values: the role that moves
gets the highest value, and the others get what they have after one of the moves that it may prefer.
Of equal moves max-n prefers the first.

Where several roles choose at once, a role gets at least what one of its moves guarantees.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import Game
from ggp.engine.mcts.layout import Tree
from ggp.reasoner.compiled import inlined, nopython

__all__ = ["is_proven", "settle"]


@inlined
def is_proven(tree: Tree, node: int) -> bool:
    """Return whether the values of all roles are known."""
    for role in range(tree.lower.shape[1]):
        if tree.lower[node, role] < tree.upper[node, role]:
            return False
    return True


@nopython
def settle(game: Game, tree: Tree, nodes: np.ndarray, last: int) -> None:
    """Tighten the bounds of the nodes on a path, from number `last` back to the first."""
    while last >= 0 and _settle(game, tree, nodes[last]):
        last -= 1


@nopython
def _settle(game: Game, tree: Tree, node: int) -> bool:
    """Tighten the bounds of an expanded node by those of its children; return whether that does."""
    if tree.option[node] >= 0:
        changed = _settle_options(game, tree, node)
    else:
        changed = _settle_mover(tree, node)
    roles, total = tree.lower.shape[1], tree.numbers.constant_sum
    if changed and total >= 0:
        rest = np.float32(total)
        for role in range(roles):
            rest -= tree.lower[node, role]
        for role in range(roles):
            # the others get at least their lower bounds
            _limit(tree, node, role, tree.lower[node, role], rest + tree.lower[node, role])
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


@nopython
def _settle_mover(tree: Tree, node: int) -> bool:
    """Tighten the bounds of a node at which one role chooses; also correct its means.

    Visits to moves that the role will not choose no longer count.
    """
    mover, first, count = tree.mover[node], tree.first[node], tree.count[node]
    lower, upper, roles = tree.lower, tree.upper, tree.lower.shape[1]
    low, high, attained = np.float32(-1), np.float32(-1), first
    for edge in range(first, first + count):
        child = tree.child[edge]
        if lower[child, mover] > low:
            low, attained = lower[child, mover], edge
        high = max(high, upper[child, mover])
    changed = _limit(tree, node, mover, low, high)
    for role in range(roles):
        if role != mover:
            low_other, high_other = np.float32(1e9), np.float32(-1)
            for edge in range(first, first + count):
                child = tree.child[edge]
                if upper[child, mover] > low or (upper[child, mover] == low and edge <= attained):
                    low_other = min(low_other, lower[child, role])
                    high_other = max(high_other, upper[child, role])
            changed |= _limit(tree, node, role, low_other, high_other)
    if changed and tree.visits[node]:
        total = 0.0
        for edge in range(first, first + count):
            child = tree.child[edge]
            if upper[child, mover] >= low and tree.visits[child]:
                total += tree.counts[edge]
        if total:
            for role in range(roles):
                value = 0.0
                for edge in range(first, first + count):
                    child = tree.child[edge]
                    if upper[child, mover] >= low and tree.visits[child]:
                        mean = min(max(tree.means[child, role], lower[child, role]), upper[child, role])
                        value += tree.counts[edge] * mean
                tree.means[node, role] = value / total
    return changed


@nopython
def _settle_options(game: Game, tree: Tree, node: int) -> bool:
    """Tighten the bounds of a node at which several roles choose, or chance does."""
    roles, chance, place = tree.lower.shape[1], game.numbers.chance, tree.option[node]
    first, count = tree.first[node], tree.count[node]
    if count > len(tree.low_bounds):
        return False
    for number in range(count):
        child = tree.child[first + number]
        for role in range(roles):
            tree.low_bounds[number, role] = tree.lower[child, role]
            tree.high_bounds[number, role] = tree.upper[child, role]
    # a role's stride: the last role's moves vary fastest
    if chance >= 0:
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
    changed, stride = False, 1
    for role in range(roles - 1, -1, -1):
        moves = tree.option_counts[place + role]
        low, high = np.float32(-1), np.float32(-1)
        for move in range(moves):
            least = np.float32(1e9)
            for number in range(count):
                if (number // stride) % moves == move:
                    least = min(least, tree.low_bounds[number, role])
                    high = max(high, tree.high_bounds[number, role])
            low = max(low, least)
        changed |= _limit(tree, node, role, low, high)
        stride *= moves
    return changed
