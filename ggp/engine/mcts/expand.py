"""Makes the children of a node: all at once, in the lanes of one pass over the rules."""

from __future__ import annotations

import numpy as np

from ggp.engine.block import fact_row, goal_of, is_terminal, lane_of
from ggp.engine.keys import gathered
from ggp.engine.layout import ENDLESS, KEY_WORDS, PUSHED, Game, SearchStack
from ggp.engine.mcts.atomic import publish, replace, reserve
from ggp.engine.mcts.holding import hold, let_go
from ggp.engine.mcts.layout import (
    EDGES,
    IS_BEING_EXPANDED,
    IS_TERMINAL,
    NODES,
    OPTIONS,
    UNKNOWN,
    Tree,
)
from ggp.engine.mcts.proofs import begin_proofs, note_proofs
from ggp.engine.node import expand, place_state
from ggp.engine.state_index import find_node, hash_of_node
from ggp.native.numba_support import Words, inlined, nopython, signed

__all__ = ["add_children", "add_root", "link", "scaled"]

# How many nodes a thread takes at a time: others then take theirs elsewhere.
_TAKEN = 64


@inlined
def _enter(tree: Tree, node: int, slot: int) -> int:
    """Put a node that is complete into the hash table, from a place where there was none for it.

    Returns the node, or another one for the same state that a thread has put there meanwhile.
    """
    begin_proofs(tree, node)
    while not replace(tree.buckets, slot, -1, node):
        slot, known = find_node(tree, node, np.uint64(slot))
        if known >= 0:
            return known
    return node


@nopython
def link(tree: Tree) -> None:
    """Put all nodes into the hash table, which is empty."""
    for node in range(tree.totals[NODES]):
        slot, _ = find_node(tree, node, hash_of_node(tree, node))
        tree.buckets[slot] = node


@inlined
def _take_node(tree: Tree) -> bool:
    """Have a node that can be made next; return whether there is one."""
    own = tree.own
    if own.next == own.end:
        # one remains for ever: the hash table must have an empty place
        begin = reserve(tree.totals, NODES, _TAKEN, len(tree.visits) - 1)
        if begin < 0:
            return False
        own.next, own.end = begin, begin + _TAKEN
    return True


@nopython
def add_root(tree: Tree, state: Words) -> int:
    """Return the node of a packed state that is not terminal, which is made if it is new.

    Returns -1 if the tree has no room. No other thread is at work.
    """
    if not _take_node(tree):
        return -1
    new = tree.own.next
    for column in range(tree.states.shape[1]):
        tree.states[new, column] = state[column]
    slot, node = find_node(tree, new, hash_of_node(tree, new))
    if node < 0:
        _clear(tree, new)
        node = _enter(tree, new, slot)
        tree.own.next += 1
    return node


@inlined
def _clear(tree: Tree, node: int) -> None:
    """Make a node of which nothing is known but its state."""
    tree.visits[node] = tree.begun[node] = tree.weight[node] = tree.degree[node] = 0
    tree.first[node] = tree.option[node] = -1
    tree.flags[node] = tree.locks[node] = tree.changes[node] = 0
    for role in range(tree.means.shape[1]):
        tree.means[node, role] = tree.values[node, role] = tree.best[node, role] = 0.0
        tree.lower[node, role] = tree.ranges[role, 0]
        tree.upper[node, role] = tree.ranges[role, 1]


@inlined
def add_children(game: Game, stack: SearchStack, tree: Tree, node: int) -> int:
    """Expand a node.

    Returns PUSHED, or why that cannot be done; PUSHED, too, where the tree has no room: then
    `is_full`, and the node remains a leaf.

    Args:
        game: the game.
        stack: a stack for one expansion.
        tree: the tree.
        node: a node that is neither terminal nor expanded, and that no other thread expands.
    """
    place_state(game, stack, tree.states[node], ENDLESS)
    what = expand(game, stack, 0, 0, np.uint64(0), False)
    if what == PUSHED and not _make_children(game, stack, tree, node):
        tree.numbers.is_full = 1
    hold(tree, node)
    tree.flags[node] &= np.uint8(255 - IS_BEING_EXPANDED)
    let_go(tree, node)
    return what


@inlined
def _make_children(game: Game, stack: SearchStack, tree: Tree, node: int) -> bool:
    """Make the children in the lanes of a stack, and the edges to them; return whether they fit."""
    roles, total, choosers, mover, options = game.numbers.roles, signed(1), 0, 0, 0
    for role in range(roles):
        own = stack.counts[1, role]
        total *= own
        options += own
        if own > 1:
            choosers += 1
            mover = role
    is_shared = choosers > 1 or (choosers == 1 and mover == game.numbers.chance)
    first, place = reserve(tree.totals, EDGES, total, len(tree.child)), signed(-1)
    if is_shared:
        place = reserve(tree.totals, OPTIONS, roles + options, len(tree.option_counts))
    if first < 0 or (is_shared and place < 0):
        return False
    for number in range(total):
        if not _take_node(tree):
            return False
        child = _make_child(game, stack, tree, number)
        edge = first + number
        tree.child[edge], tree.counts[edge], tree.seen[edge] = child, 0, 0
        tree.worth[edge] = UNKNOWN
        if tree.numbers.ease > 0:
            note_proofs(tree, edge, child)
        if not is_shared and (tree.visits[child] or tree.flags[child] & IS_TERMINAL):
            tree.worth[edge] = scaled(tree, mover, tree.values[child, mover])
    if is_shared:
        for role in range(roles):
            tree.option_counts[place + role] = stack.counts[1, role]
        for at in range(place + roles, place + roles + options):
            tree.option_counts[at] = tree.option_visits[at] = 0
            tree.option_means[at] = 0.0
            if tree.numbers.by_regret:
                tree.option_regrets[at] = 0.0
    tree.degree[node], tree.option[node] = total, place
    tree.mover[node] = -1 if is_shared else mover
    publish(tree.first, node, first)
    tree.own.expanded += 1
    return True


@inlined
def scaled(tree: Tree, role: int, value: float) -> float:
    """Return a goal of a role as a number from 0 to 1."""
    return float((value - tree.ranges[role, 0]) * tree.scale[role])


@inlined
def _make_child(game: Game, stack: SearchStack, tree: Tree, number: int) -> int:
    """Return the node of the state in a lane, which is made if it is new."""
    arena, row, new = stack.arena, stack.frames[1], tree.own.next
    block, lane = lane_of(game, row.children, number)
    _pack(game, arena, tree, block, lane, row.keys + number * KEY_WORDS if row.keys else 0)
    slot, child = find_node(tree, new, hash_of_node(tree, new))
    if child < 0:
        _clear(tree, new)
        if is_terminal(game, arena, block, lane):
            tree.flags[new], tree.changes[new] = IS_TERMINAL, 1
            for role in range(game.numbers.roles):
                goal = max(0.0, goal_of(game, arena, block, lane, role))
                tree.lower[new, role] = tree.upper[new, role] = goal
                tree.means[new, role] = tree.values[new, role] = tree.best[new, role] = goal
        child = _enter(tree, new, slot)
    if child == new:
        tree.own.next += 1
    else:
        tree.own.transpositions += 1
    return child


@inlined
def _pack(game: Game, arena: Words, tree: Tree, block: int, lane: np.uint64, key: int) -> None:
    """Put the state in a lane where the next new node has it; `key` is where its key is, or 0."""
    node, facts, words = tree.own.next, game.numbers.facts, game.numbers.words
    for column in range(tree.states.shape[1]):
        if key:  # a state of up to 128 facts is its own key
            tree.states[node, column] = arena[key + column]
        else:
            begin, count = fact_row(game, block, 64 * column), min(64, facts - 64 * column)
            tree.states[node, column] = gathered(arena, begin, count, words, lane)
