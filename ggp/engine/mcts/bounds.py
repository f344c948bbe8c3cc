"""Score bounds: what is proven of a node's max-n value, by what is proven of its children.

The functions of `ggp.search.mcts.bounds` in compiled code.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import Game
from ggp.engine.mcts.atomic import publish, read
from ggp.engine.mcts.expand import scaled
from ggp.engine.mcts.holding import hold, let_go
from ggp.engine.mcts.layout import CLOSED, IS_TERMINAL, UNKNOWN, Tree
from ggp.native.numba_support import inlined, nopython, signed

__all__ = ["after_options", "is_behind", "is_proven", "is_solved", "renew", "settle", "within"]


# Above all goals.
_ABOVE = 1e9

# What a move may be: one that may give as much as is proven, one that surely does, and one that may
# give more.
_EQUAL, _SURE, _OPEN = 1, 2, 3


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


@inlined
def is_behind(tree: Tree, edge: int, child: int) -> bool:
    """Return whether bounds of a child are tighter than those on which the node's bounds rest."""
    return bool(tree.seen[edge] != read(tree.changes, child))


@nopython
def settle(game: Game, tree: Tree, nodes: np.ndarray, edges: np.ndarray, last: int) -> None:
    """Renew the last node on a path, number `last`, and those before it as far as that matters."""
    step, is_due = last, True
    while is_due:
        hold(tree, nodes[step])
        renew(game, tree, nodes[step])
        let_go(tree, nodes[step])
        step -= 1
        is_due = step >= 0 and is_behind(tree, edges[step], nodes[step + 1])


@nopython
def renew(game: Game, tree: Tree, node: int) -> None:
    """Make the bounds of an expanded node, and its means, by those of its children.

    The thread holds the lock of the node. The bounds of its children may become tighter meanwhile:
    those that are read hold all the same, and the edge remains behind.
    """
    roles = tree.lower.shape[1]
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        tree.seen[edge] = read(tree.changes, tree.child[edge])
    if tree.option[node] >= 0:
        changed = _settle_options(game, tree, node)
    else:
        changed = _settle_mover(tree, node)
    if changed:
        # all roles together get no less and no more than some row of the leaf-value table gives
        numbers = tree.numbers
        for role in range(roles):
            low, high = numbers.minsum, numbers.maxsum
            for other in range(roles):
                if other != role:
                    low -= tree.upper[node, other]
                    high -= tree.lower[node, other]
            _limit(tree, node, role, low, high)
    if tree.option[node] >= 0:
        _recount_options(tree, node)
    else:
        _recount(tree, node)
        _note_worth(tree, node)
    for role in range(roles):
        tree.best[node, role] = within(tree, node, role, tree.best[node, role])
        tree.values[node, role] = within(tree, node, role, tree.values[node, role])
    if changed:
        publish(tree.changes, node, tree.changes[node] + 1)


@inlined
def within(tree: Tree, node: int, role: int, value: float) -> float:
    """Return what is left of a value of a role within the bounds of a node."""
    return float(min(max(value, tree.lower[node, role]), tree.upper[node, role]))


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
    return changed


@inlined
def _note_worth(tree: Tree, node: int) -> None:
    """Note at the edges what the children are worth now to the role that chooses.

    The edges to children that cannot give more than is proven are closed.
    """
    mover = tree.mover[node]
    low = tree.lower[node, mover]
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        child, worth = tree.child[edge], tree.worth[edge]
        if worth < UNKNOWN:
            continue
        if tree.visits[child] or tree.flags[child] & IS_TERMINAL:
            worth = scaled(tree, mover, tree.values[child, mover])
        tree.worth[edge] = worth - CLOSED if tree.upper[child, mover] <= low else worth


@nopython
def _recount(tree: Tree, node: int) -> None:
    """Make the means of a node at which one role chooses by those of its children.

    The moves count that may give the role more than is proven; without any, those that surely give
    as much; without any, those that may.
    """
    mover, first, last = tree.mover[node], tree.first[node], tree.first[node] + tree.degree[node]
    kind, total = signed(_EQUAL), signed(0)
    for edge in range(first, last):
        kind = max(kind, _kind_of(tree, node, mover, tree.child[edge]))
    for role in range(tree.lower.shape[1]):
        value, total = 0.0, signed(0)
        for edge in range(first, last):
            child = tree.child[edge]
            if _kind_of(tree, node, mover, child) == kind:
                # a move that ends the game may have been known without a visit
                through = max(signed(tree.counts[edge]), signed(kind == _SURE))
                total += through
                value += through * within(tree, child, role, tree.means[child, role])
        if total:
            tree.means[node, role] = value / total
    if total:
        tree.weight[node] = total


@inlined
def _kind_of(tree: Tree, node: int, mover: int, child: int) -> int:
    """Return what a child is to the role that chooses; 0 for no move that counts."""
    kind, low = signed(0), tree.lower[node, mover]
    if tree.visits[child] and tree.upper[child, mover] > low:
        kind = signed(_OPEN)
    elif tree.lower[child, mover] >= low and (tree.visits[child] or is_proven(tree, child)):
        kind = signed(_SURE)
    elif tree.visits[child] and tree.upper[child, mover] == low:
        kind = signed(_EQUAL)
    return kind


@nopython
def _recount_options(tree: Tree, node: int) -> None:
    """Make the means of a node with options, and those of the options, by those of its children."""
    roles, place = tree.lower.shape[1], signed(tree.option[node])
    first, count = signed(tree.first[node]), signed(tree.degree[node])
    if count > len(tree.low_bounds):
        return
    at, stride = after_options(tree, place), signed(1)
    for role in range(roles - 1, -1, -1):
        moves = signed(tree.option_counts[place + role])
        at -= moves
        whole, visits = 0.0, signed(0)
        for move in range(moves):
            value, total = 0.0, signed(0)
            for number in range(count):
                child = tree.child[first + number]
                if number // stride % moves == move and tree.visits[child]:
                    through = tree.counts[first + number]
                    total += through
                    value += through * within(tree, child, role, tree.means[child, role])
            if total and tree.option_visits[at + move]:
                tree.option_means[at + move] = value / total
            whole += value
            visits += total
        if visits:
            tree.means[node, role] = whole / visits
            tree.weight[node] = visits
        stride *= moves


@inlined
def after_options(tree: Tree, place: int) -> int:
    """Return the end of the options that begin at a place."""
    roles = tree.lower.shape[1]
    end = signed(place + roles)
    for role in range(roles):
        end += signed(tree.option_counts[place + role])
    return end


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
