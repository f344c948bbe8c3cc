"""Makes the children of a node: all at once, in the lanes of one pass over the rules."""

from __future__ import annotations

import numpy as np

from ggp.engine.keys import gathered, key_of, key_of_state
from ggp.engine.layout import ENDLESS, KEY_WORDS, PUSHED, Game, SearchStack
from ggp.engine.mcts.layout import IS_TERMINAL, Tree
from ggp.engine.node import expand, goal_of, is_terminal, lane_of, place_state
from ggp.engine.transposition_table import Table, hash_of
from ggp.reasoner.compiled import Words, inlined, nopython, signed

__all__ = ["add_children", "add_root", "find", "link"]


@inlined
def _slot_of(tree: Tree, first: np.uint64, second: np.uint64) -> int:
    """Return the place in the hash table where the node of a key is, or where it would be."""
    mask = np.uint64(len(tree.buckets) - 1)
    slot = hash_of(first, second) & mask
    while True:
        node = tree.buckets[slot]
        if node < 0 or (tree.keys[node, 0] == first and tree.keys[node, 1] == second):
            return signed(slot)
        slot = (slot + np.uint64(1)) & mask


@nopython
def find(tree: Tree, first: np.uint64, second: np.uint64) -> int:
    """Return the node of a key, or -1."""
    return signed(tree.buckets[_slot_of(tree, first, second)])


@nopython
def link(tree: Tree) -> None:
    """Put all nodes into the hash table, which is empty."""
    for node in range(tree.numbers.nodes):
        tree.buckets[_slot_of(tree, tree.keys[node, 0], tree.keys[node, 1])] = node


@nopython
def add_root(game: Game, tree: Tree, state: Words) -> int:
    """Return the node of a packed state that is not terminal, which is made if it is new.

    Returns -1 if the tree has no room.
    """
    first, second = key_of_state(game, state)
    slot = _slot_of(tree, first, second)
    node = signed(tree.buckets[slot])
    if node < 0 and tree.numbers.nodes < len(tree.visits):
        node = _new_node(tree, slot, first, second)
        for column in range(tree.states.shape[1]):
            tree.states[node, column] = state[column]
        for role in range(game.numbers.roles):
            tree.lower[node, role], tree.upper[node, role] = (
                tree.ranges[role, 0],
                tree.ranges[role, 1],
            )
    return node


@inlined
def _new_node(tree: Tree, slot: int, first: np.uint64, second: np.uint64) -> int:
    node = tree.numbers.nodes
    tree.numbers.nodes += 1
    tree.buckets[slot] = node
    tree.keys[node, 0], tree.keys[node, 1] = first, second
    tree.visits[node] = tree.flights[node] = tree.degree[node] = 0
    tree.first[node] = tree.option[node] = -1
    tree.flags[node] = 0
    for role in range(tree.means.shape[1]):
        tree.means[node, role] = tree.best[node, role] = 0.0
    return node


@nopython
def add_children(game: Game, stack: SearchStack, tree: Tree, table: Table, node: int) -> int:
    """Expand a node.

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
    place_state(game, stack, tree.states[node], ENDLESS)
    what = expand(game, stack, table, 0, 0, np.uint64(0), False)
    if what != PUSHED:
        return what
    arena = stack.arena
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
        numbers.nodes + total > len(tree.visits)
        or numbers.edges + total > len(tree.child)
        or numbers.options + needed > len(tree.option_counts)
    ):
        numbers.is_full = 1
        return PUSHED
    row = stack.frames[1]
    first_edge = numbers.edges
    for number in range(total):
        block, lane = lane_of(game, row.base, number)
        if row.keys:
            at = row.keys + number * KEY_WORDS
            first, second = arena[at], arena[at + 1]
        else:
            first, second = key_of(game, arena, block, lane)
        slot = _slot_of(tree, first, second)
        child = signed(tree.buckets[slot])
        if child >= 0:
            numbers.transpositions += 1
        else:
            child = _new_child(game, arena, tree, slot, first, second, block, lane)
        tree.child[first_edge + number] = child
        tree.counts[first_edge + number] = 0
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
def _new_child(
    game: Game,
    arena: Words,
    tree: Tree,
    slot: int,
    first: np.uint64,
    second: np.uint64,
    block: int,
    lane: np.uint64,
) -> int:
    """Make the node of the state in a lane."""
    node, facts, words = (
        _new_node(tree, slot, first, second),
        game.numbers.facts,
        game.numbers.words,
    )
    if facts > 128:
        for column in range(tree.states.shape[1]):
            count = min(64, facts - 64 * column)
            begin = block + (1 + 64 * column) * words
            tree.states[node, column] = gathered(arena, begin, count, words, lane)
    over = is_terminal(game, arena, block, lane)
    for role in range(game.numbers.roles):
        if over:
            goal = max(0.0, goal_of(game, arena, block, lane, role))
            tree.lower[node, role] = tree.upper[node, role] = goal
            tree.means[node, role] = tree.best[node, role] = goal
        else:
            tree.lower[node, role], tree.upper[node, role] = (
                tree.ranges[role, 0],
                tree.ranges[role, 1],
            )
    if over:
        tree.flags[node] = IS_TERMINAL
    return node
