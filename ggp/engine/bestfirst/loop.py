"""Best-first minimax as one compiled loop.

Each step goes down to the leaf to which the line of best moves leads, makes all its children in the
lanes of one pass, estimates them, and goes back as far as values change. From there, and not from
the root, the next step goes down.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.bestfirst.layout import LONGEST, NEW, ROUND, Tree
from ggp.engine.bestfirst.values import renew, take
from ggp.engine.block import fact_row, goal_of, is_terminal, lane_of
from ggp.engine.horizon import estimate_of, find_means, look_at, net_estimate
from ggp.engine.keys import gathered, key_of
from ggp.engine.layout import (
    ENDLESS,
    FINISHED,
    KEY_WORDS,
    PAUSED,
    PUSHED,
    SPENT,
    Game,
    SearchStack,
)
from ggp.engine.node import expand, place_state
from ggp.engine.state_index import find_node, hash_of_node
from ggp.native.numba_support import Words, inlined, nopython, signed, transpose_lanes

__all__ = ["NO_ROOM", "add_root", "explore", "link"]

#: Why `explore` returned, besides the reasons of `ggp.engine.layout`: the tree is full.
NO_ROOM = 100


@nopython
def add_root(tree: Tree, state: Words, low: float, high: float) -> None:
    """Begin at a packed state that is not terminal; a node must be free."""
    numbers = tree.numbers
    for step in range(numbers.length + 1):
        tree.on_path[tree.nodes[step]] = 0
    for column in range(tree.states.shape[1]):
        tree.states[numbers.nodes, column] = state[column]
    numbers.root = _node(tree, low, high)
    numbers.length, tree.nodes[0] = 0, numbers.root
    tree.on_path[numbers.root] = 1
    numbers.held = -1


@nopython
def link(tree: Tree) -> None:
    """Put all nodes into the hash table, which is empty."""
    for node in range(tree.numbers.nodes):
        slot, _ = find_node(tree, node, hash_of_node(tree, node))
        tree.buckets[slot] = node


@inlined
def _node(tree: Tree, low: float, high: float) -> int:
    """Return the node of the state that is where the next new node has it, made if it is new."""
    numbers, new = tree.numbers, tree.numbers.nodes
    slot, node = find_node(tree, new, hash_of_node(tree, new))
    if node >= 0:
        numbers.transpositions += 1
        return node
    tree.buckets[slot] = new
    tree.first[new] = tree.best[new] = -1
    tree.degree[new], tree.on_path[new] = 0, 0
    tree.worth[new] = np.float32(0.5) * np.float32(low + high)
    tree.lower[new], tree.upper[new] = low, high
    numbers.nodes += 1
    return signed(new)


@nopython
def explore(game: Game, stack: SearchStack, tree: Tree, steps: int) -> int:
    """Continue the search for some steps; return why it ended.

    It is PAUSED then; FINISHED if the root is proven, SPENT after `limit` expansions, NO_ROOM if
    the tree is full, or else what `ggp.engine.node.expand` returns.
    """
    numbers = tree.numbers
    for _ in range(steps):
        root = numbers.root
        if tree.first[root] >= 0 and (tree.lower[root] >= tree.upper[root] or tree.best[root] < 0):
            return FINISHED
        if numbers.expanded >= numbers.limit:
            return SPENT
        what = _descend(game, stack, tree)
        if what != PUSHED:
            return what
    return PAUSED


@inlined
def _descend(game: Game, stack: SearchStack, tree: Tree) -> int:
    """Go down to a leaf, expand it, and go back; return PUSHED, or why that cannot be done."""
    numbers = tree.numbers
    while True:
        length = signed(numbers.length)
        node = signed(tree.nodes[length])
        if tree.first[node] < 0:
            return _grow(game, stack, tree, node)
        edge = signed(tree.best[node])
        if edge < 0:  # it is proven, or leads round in circles only
            if length:
                _close(tree, length)
                continue
            return PUSHED
        child = signed(tree.child[edge])
        if child == NEW:
            if numbers.nodes + 1 >= len(tree.first):
                return NO_ROOM
            what = _make(game, stack, tree, node, edge)
            if what != PUSHED:
                return what
            child = signed(tree.child[edge])
        if tree.on_path[child] or length + 1 >= LONGEST:
            tree.child[edge], tree.edge_worth[edge] = ROUND, 0.0
            _back_up(tree, length)
        elif (tree.first[child] >= 0) and take(tree, edge, child):
            _back_up(tree, length)
        else:
            tree.edges[length], tree.nodes[length + 1] = edge, child
            tree.on_path[child] = 1
            numbers.length = length + 1
            numbers.deepest = max(numbers.deepest, length + 1)


@inlined
def _close(tree: Tree, length: int) -> None:
    """Leave a node from which the search cannot go on."""
    edge, node = signed(tree.edges[length - 1]), signed(tree.nodes[length])
    if not take(tree, edge, node) and tree.lower[node] < tree.upper[node]:
        tree.child[edge] = ROUND
    tree.on_path[node] = 0
    tree.numbers.length = length - 1
    _back_up(tree, length - 1)


@nopython
def _back_up(tree: Tree, last: int) -> None:
    """Make the values on the path anew, from its node number `last` to the root while they change.

    The path then ends where the search goes another way.
    """
    ends = step = last
    while True:
        before = tree.best[tree.nodes[step]]
        is_new = renew(tree, signed(tree.nodes[step]))
        if tree.best[tree.nodes[step]] != before:
            ends = step
        if step == 0 or not is_new:
            break
        step -= 1
        take(tree, signed(tree.edges[step]), signed(tree.nodes[step + 1]))
    for place in range(ends + 1, tree.numbers.length + 1):
        tree.on_path[tree.nodes[place]] = 0
    tree.numbers.length = ends


@inlined
def _hold(game: Game, stack: SearchStack, tree: Tree, node: int) -> int:
    """Have the children of a node in the stack; return PUSHED, or why that cannot be done."""
    if tree.numbers.held == node:
        return PUSHED
    tree.numbers.held = -1
    place_state(game, stack, tree.states[node], ENDLESS)
    what = expand(game, stack, 0, 0, np.uint64(0), False)
    if what == PUSHED:
        tree.numbers.held = node
    return what


@inlined
def _make(game: Game, stack: SearchStack, tree: Tree, node: int, edge: int) -> int:
    """Make the node to which an edge leads; return PUSHED, or why that cannot be done."""
    numbers, new, number = tree.numbers, tree.numbers.nodes, edge - tree.first[node]
    mask = len(tree.recent) - 1
    if tree.kept[node] >= 0 and numbers.kept - tree.kept[node] <= len(tree.recent):
        at = (tree.kept[node] + number) & mask
        for column in range(tree.states.shape[1]):
            tree.states[new, column] = tree.recent[at, column]
    else:
        numbers.researched += numbers.held != node
        what = _hold(game, stack, tree, node)
        if what != PUSHED:
            return what
        words, facts = game.numbers.words, game.numbers.facts
        block, lane = lane_of(game, stack.frames[1].children, number)
        for column in range(tree.states.shape[1]):
            begin, count = fact_row(game, block, 64 * column), min(64, facts - 64 * column)
            tree.states[new, column] = gathered(stack.arena, begin, count, words, lane)
    child = _node(tree, tree.edge_lower[edge], tree.edge_upper[edge])
    if child == new:
        tree.worth[new] = tree.edge_worth[edge]
    tree.child[edge] = child
    return PUSHED


@inlined
def _grow(game: Game, stack: SearchStack, tree: Tree, node: int) -> int:
    """Expand the last node on the path; return PUSHED, or why that cannot be done."""
    numbers, role = tree.numbers, game.numbers.role
    what = _hold(game, stack, tree, node)
    if what != PUSHED:
        return what
    total = signed(1)
    for other in range(game.numbers.roles):
        total *= stack.counts[1, other]
    first = signed(numbers.edges)
    if first + total > len(tree.child):
        return NO_ROOM
    numbers.edges += total
    tree.kept[node] = _keep(game, stack, tree, total)
    for number in range(total):
        _estimate(game, stack, tree, node, first + number, number)
    tree.first[node], tree.degree[node] = first, total
    tree.own[node], tree.stride[node] = stack.counts[1, role], stack.strides[1, role]
    numbers.expanded += 1
    numbers.generated += total
    for step in range(numbers.length):
        tree.counts[tree.edges[step]] += 1
    _back_up(tree, signed(numbers.length))
    return PUSHED


@inlined
def _keep(game: Game, stack: SearchStack, tree: Tree, total: int) -> int:
    """Keep the states of the children in the stack; return the number of the first, or -1.

    They are packed where the view's code has its scratch, if that has room for them.
    """
    numbers, columns, facts = tree.numbers, tree.states.shape[1], game.numbers.facts
    if game.numbers.words > 1 or total > 64 or 64 * columns > game.numbers.scratch:
        return signed(-1)
    arena, block = stack.arena, stack.frames[1].children
    packed, mask = block + game.numbers.block, len(tree.recent) - 1
    last = ~np.uint64(0) >> np.uint64(64 * columns - facts)
    for column in range(columns):
        for lane in range(0, total, 8):
            at = packed + lane * columns + column
            transpose_lanes(arena, fact_row(game, block, 64 * column), lane, at, columns)
    begin = numbers.kept
    for number in range(total):
        place = (begin + number) & mask
        for column in range(columns):
            word = arena[packed + number * columns + column]
            tree.recent[place, column] = word & last if column + 1 == columns else word
    numbers.kept += total
    return signed(begin)


@inlined
def _estimate(
    game: Game, stack: SearchStack, tree: Tree, node: int, edge: int, number: int
) -> None:
    """Make the edge to a child that is in the stack, by what the child seems to be worth."""
    arena, row, role = stack.arena, stack.frames[1], game.numbers.role
    block, lane = lane_of(game, row.children, number)
    tree.child[edge], tree.counts[edge] = NEW, 0
    if is_terminal(game, arena, block, lane):
        goal = max(0.0, goal_of(game, arena, block, lane, role))
        tree.edge_worth[edge] = tree.edge_lower[edge] = tree.edge_upper[edge] = goal
        return
    tree.edge_lower[edge], tree.edge_upper[edge] = game.numbers.low, game.numbers.high
    if game.horizon.numbers.hidden > 0 and tree.kept[node] >= 0:
        at = (tree.kept[node] + number) & (len(tree.recent) - 1)
        for column in range(tree.states.shape[1]):
            look_at(game.horizon.net, column, tree.recent[at, column])
        tree.edge_worth[edge] = net_estimate(game.horizon, role)
        return
    first, second = np.uint64(0), np.uint64(0)
    if row.keys:
        first, second = (
            arena[row.keys + number * KEY_WORDS],
            arena[row.keys + number * KEY_WORDS + 1],
        )
    elif game.numbers.facts <= 128 or game.horizon.numbers.of_playouts > 0:
        first, second = key_of(game, arena, block, lane)
    entry = find_means(game, stack, 1, number, first, second)
    tree.edge_worth[edge] = estimate_of(game, arena, block, lane, role, entry)
