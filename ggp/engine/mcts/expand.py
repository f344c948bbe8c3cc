"""Makes the children of a node: all at once, in the lanes of one pass over the rules."""

from __future__ import annotations

import numpy as np

from ggp.engine.keys import gathered
from ggp.engine.layout import ENDLESS, KEY_WORDS, PUSHED, Game, SearchStack
from ggp.engine.mcts.layout import IS_EXPANDED, IS_TERMINAL, UNKNOWN, Tree
from ggp.engine.mcts.lock import acquire, release
from ggp.engine.node import expand, goal_of, is_terminal, lane_of, place_state
from ggp.engine.transposition_table import Table, hash_of
from ggp.reasoner.compiled import Words, inlined, nopython, signed

__all__ = ["add_children", "add_root", "link", "scaled"]


@inlined
def _hash(tree: Tree, node: int) -> np.uint64:
    """Mix the packed state of a node."""
    mixed = np.uint64(0)
    for column in range(tree.states.shape[1]):
        mixed = hash_of(tree.states[node, column], mixed)
    return mixed


@inlined
def _is_same(tree: Tree, one: int, other: int) -> bool:
    """Return whether two nodes have the same state."""
    for column in range(tree.states.shape[1]):
        if tree.states[one, column] != tree.states[other, column]:
            return False
    return True


@inlined
def _slot_of(tree: Tree, node: int) -> int:
    """Return the place in the hash table where the state of a node is, or where it would be."""
    mask = np.uint64(len(tree.buckets) - 1)
    slot = _hash(tree, node) & mask
    while True:
        known = tree.buckets[slot]
        if known < 0 or _is_same(tree, known, node):
            return signed(slot)
        slot = (slot + np.uint64(1)) & mask


@nopython
def link(tree: Tree) -> None:
    """Put all nodes into the hash table, which is empty."""
    for node in range(tree.numbers.nodes):
        tree.buckets[_slot_of(tree, node)] = node


@nopython
def add_root(tree: Tree, state: Words) -> int:
    """Return the node of a packed state that is not terminal, which is made if it is new.

    Returns -1 if the tree has no room.
    """
    if tree.numbers.nodes >= len(tree.visits):
        return -1
    new = tree.numbers.nodes
    for column in range(tree.states.shape[1]):
        tree.states[new, column] = state[column]
    slot = _slot_of(tree, new)
    node = signed(tree.buckets[slot])
    if node < 0:
        node = _add_node(tree, slot)
        for role in range(tree.means.shape[1]):
            tree.lower[node, role] = tree.ranges[role, 0]
            tree.upper[node, role] = tree.ranges[role, 1]
    return node


@inlined
def _add_node(tree: Tree, slot: int) -> int:
    """Make the node whose state is in `states` already."""
    node = tree.numbers.nodes
    tree.numbers.nodes += 1
    tree.buckets[slot] = node
    tree.visits[node] = tree.flights[node] = tree.degree[node] = 0
    tree.first[node] = tree.option[node] = -1
    tree.flags[node] = 0
    for role in range(tree.means.shape[1]):
        tree.means[node, role] = tree.values[node, role] = tree.best[node, role] = 0.0
    return node


@nopython
def add_children(game: Game, stack: SearchStack, tree: Tree, table: Table, node: int) -> int:
    """Expand a node; the thread holds the lock, but not all the time.

    Returns PUSHED, or why that cannot be done; PUSHED, too, where the tree has no room: then
    `is_full`, and the node remains a leaf.

    Args:
        game: the game.
        stack: a stack for one expansion.
        tree: the tree.
        table: any transposition table: none is used.
        node: a node that is neither terminal nor expanded.
    """
    numbers, arena = tree.numbers, stack.arena
    # what takes longest needs nothing of the tree but a state, which does not change
    tree.flags[node] |= IS_EXPANDED
    release(tree.lock)
    place_state(game, stack, tree.states[node], ENDLESS)
    what = expand(game, stack, table, 0, 0, np.uint64(0), False)
    acquire(tree.lock)
    tree.flags[node] &= np.uint8(255 - IS_EXPANDED)
    if what != PUSHED:
        return what
    roles, total, choosers, mover, options = game.numbers.roles, signed(1), 0, 0, 0
    for role in range(roles):
        own = stack.counts[1, role]
        total *= own
        options += own
        if own > 1:
            choosers += 1
            mover = role
    is_shared = choosers > 1 or (choosers == 1 and mover == game.numbers.chance)
    needed = roles + options if is_shared else 0
    if (
        # one node more, where states are packed
        numbers.nodes + total >= len(tree.visits)
        or numbers.edges + total > len(tree.child)
        or numbers.options + needed > len(tree.option_counts)
    ):
        numbers.is_full = 1
        return PUSHED
    row = stack.frames[1]
    first_edge = numbers.edges
    for number in range(total):
        block, lane = lane_of(game, row.base, number)
        _pack(game, arena, tree, block, lane, row.keys + number * KEY_WORDS if row.keys else 0)
        slot = _slot_of(tree, numbers.nodes)
        child = signed(tree.buckets[slot])
        if child >= 0:
            numbers.transpositions += 1
        else:
            child = _add_child(game, arena, tree, slot, block, lane)
        edge = first_edge + number
        tree.child[edge], tree.counts[edge] = child, 0
        tree.worth[edge] = UNKNOWN
        if not is_shared and (tree.visits[child] or tree.flags[child] & IS_TERMINAL):
            tree.worth[edge] = scaled(tree, mover, tree.values[child, mover])
    numbers.edges += total
    numbers.expanded += 1
    tree.first[node], tree.degree[node] = first_edge, total
    tree.mover[node] = -1 if is_shared else mover
    if is_shared:
        place = numbers.options
        numbers.options += needed
        tree.option[node] = place
        for role in range(roles):
            tree.option_counts[place + role] = stack.counts[1, role]
        for at in range(place + roles, place + needed):
            tree.option_counts[at] = tree.option_visits[at] = 0
            tree.option_means[at] = 0.0
    return PUSHED


@inlined
def scaled(tree: Tree, role: int, value: float) -> float:
    """Return a goal of a role as a number from 0 to 1."""
    return float((value - tree.ranges[role, 0]) * tree.scale[role])


@inlined
def _pack(game: Game, arena: Words, tree: Tree, block: int, lane: np.uint64, key: int) -> None:
    """Put the state in a lane where the next new node has it; `key` is where its key is, or 0."""
    node, facts, words = tree.numbers.nodes, game.numbers.facts, game.numbers.words
    for column in range(tree.states.shape[1]):
        if key:  # a state of up to 128 facts is its own key
            tree.states[node, column] = arena[key + column]
        else:
            begin, count = block + (1 + 64 * column) * words, min(64, facts - 64 * column)
            tree.states[node, column] = gathered(arena, begin, count, words, lane)


@inlined
def _add_child(game: Game, arena: Words, tree: Tree, slot: int, block: int, lane: np.uint64) -> int:
    """Make the node of the state in a lane."""
    node, over = _add_node(tree, slot), is_terminal(game, arena, block, lane)
    for role in range(game.numbers.roles):
        if over:
            goal = max(0.0, goal_of(game, arena, block, lane, role))
            tree.lower[node, role] = tree.upper[node, role] = goal
            tree.means[node, role] = tree.values[node, role] = tree.best[node, role] = goal
        else:
            tree.lower[node, role] = tree.ranges[role, 0]
            tree.upper[node, role] = tree.ranges[role, 1]
    if over:
        tree.flags[node] = IS_TERMINAL
    return node
