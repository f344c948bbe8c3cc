"""One visit of a tree: down to a leaf by UCB1, and back with what its playouts came to.

UCT is Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning". Visits that are under way
count as visits whose values are not known yet (Liu, Chen, Yu, Zhai, Zhou and Liu 2020, "Watch the
unobserved: a simple approach to parallelizing Monte Carlo tree search"). Where several roles choose
at once each uses UCB1 for its own moves (decoupled UCT: Finnsson and Bjornsson 2008); chance draws.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from ggp.engine.layout import PUSHED, Game, SearchStack
from ggp.engine.mcts.bounds import is_proven, settle
from ggp.engine.mcts.expand import add_children
from ggp.engine.mcts.layout import IS_ON_PATH, IS_TERMINAL, LONGEST, Tree
from ggp.engine.transposition_table import Table
from ggp.reasoner.compiled import inlined, nopython, signed

__all__ = ["back_up", "descend", "undo"]

_FIRST = 1e9


@nopython
def descend(
    game: Game,
    stack: SearchStack,
    tree: Tree,
    table: Table,
    nodes: np.ndarray,
    edges: np.ndarray,
    nothing: np.ndarray,
) -> tuple[int, int]:
    """Go from the root to a leaf, and expand it if it has been visited often enough.

    Returns PUSHED, or why a node could not be expanded, and the length of the path, which is in
    `nodes` and `edges`.
    """
    numbers, node, length, what = tree.numbers, tree.numbers.root, 0, PUSHED
    nodes[0] = node
    tree.flights[node] += 1
    while length < LONGEST:
        tree.flags[node] |= IS_ON_PATH
        if is_proven(tree, node):
            # perhaps it was proven on other paths, and those before it here do not know
            settle(game, tree, nodes, length - 1)
            break
        if tree.first[node] < 0:
            begun = tree.visits[node] + tree.flights[node]
            if length and begun <= numbers.threshold:
                break
            what = add_children(game, stack, tree, table, node)
            if what != PUSHED or tree.first[node] < 0:
                break
            settle(game, tree, nodes, length)
            if is_proven(tree, node):
                break
        if tree.option[node] >= 0:
            number = _choose_options(game, tree, node)
            edge = tree.first[node] + number
            _count_options(tree, node, number, 1, nothing)
        else:
            edge = _choose(tree, node)
        tree.counts[edge] += 1
        child = tree.child[edge]
        edges[length] = edge
        length += 1
        nodes[length] = node = child
        tree.flights[child] += 1
        if tree.flags[child] & IS_ON_PATH:
            break
    for place in range(length + 1):
        tree.flags[nodes[place]] &= np.uint8(255 - IS_ON_PATH)
    numbers.deepest = max(numbers.deepest, length)
    return what, length


@inlined
def _random(tree: Tree) -> np.uint64:
    """Draw a random word (xorshift64*, Vigna 2016)."""
    state = tree.numbers.generator
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    tree.numbers.generator = state
    return state * np.uint64(0x2545F4914F6CDD1D)


@inlined
def _below(tree: Tree, count: int) -> int:
    """Draw a number less than `count`, at most 2^31."""
    return signed((_random(tree) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@nopython
def _choose(tree: Tree, node: int) -> int:
    """Return the edge that UCB1 prefers at a node where one role chooses.

    Moves that cannot give more than another one is proven to give are left out.
    """
    first, count, mover = tree.first[node], tree.degree[node], tree.mover[node]
    low, scale = tree.lower[node, mover], tree.scale[mover]
    visits = tree.visits[node] + tree.flights[node]
    factor = tree.numbers.exploration * sqrt(log(float(visits + 1)))
    unknown, blend = tree.means[node, mover], np.float32(tree.numbers.blend)
    chosen, highest, other = signed(-1), -1.0, signed(-1)
    start = _below(tree, count)
    for turn in range(count):
        edge = first + start + turn
        if edge >= first + count:
            edge -= count
        child = tree.child[edge]
        top, bottom = tree.upper[child, mover], tree.lower[child, mover]
        if top <= low:
            if top == low and other < 0 and not is_proven(tree, child):
                other = edge
            continue
        through = tree.counts[edge]
        if through == 0:
            score = _FIRST
        else:
            mean = unknown
            if tree.visits[child]:
                mean = tree.means[child, mover]
                mean += blend * (tree.best[child, mover] - mean)
            mean = min(max(mean, bottom), top)
            score = (mean - tree.ranges[mover, 0]) * scale + factor / sqrt(float(through))
        if score > highest:
            highest, chosen = score, edge
    if chosen < 0:
        chosen = other if other >= 0 else first + start
    return chosen


@nopython
def _choose_options(game: Game, tree: Tree, node: int) -> int:
    """Return the number of a joint move: each role's own choice."""
    place, number = tree.option[node], signed(0)
    roles = tree.lower.shape[1]
    visits = tree.visits[node] + tree.flights[node]
    factor = tree.numbers.exploration * sqrt(log(float(visits + 1)))
    at = place + roles
    for role in range(roles):
        moves, chosen = signed(tree.option_counts[place + role]), signed(0)
        if moves > 1:
            start = _below(tree, moves)
            if role == game.numbers.chance:
                chosen = start
            else:
                highest = -1.0
                for turn in range(moves):
                    move = start + turn if start + turn < moves else start + turn - moves
                    through = tree.option_counts[at + move]
                    score = _FIRST
                    if through:
                        mean = np.float32(tree.means[node, role])
                        if tree.option_visits[at + move]:
                            mean = tree.option_means[at + move]
                        mean -= tree.ranges[role, 0]
                        score = mean * tree.scale[role] + factor / sqrt(float(through))
                    if score > highest:
                        highest, chosen = score, move
        number = number * moves + chosen
        at += moves
    return number


@nopython
def back_up(
    tree: Tree, nodes: np.ndarray, edges: np.ndarray, length: int, values: np.ndarray
) -> None:
    """Count a visit with its values, one for each role, for all nodes on its path."""
    roles = len(values)
    for step in range(length, -1, -1):
        node = nodes[step]
        tree.flights[node] -= 1
        tree.visits[node] += 1
        share = 1.0 / tree.visits[node]
        for role in range(roles):
            tree.means[node, role] += (values[role] - tree.means[node, role]) * share
        if step == length or tree.option[node] >= 0 or tree.numbers.blend == 0:
            for role in range(roles):
                tree.best[node, role] = tree.means[node, role]
        else:
            _take_best(tree, node)
        if step < length and tree.option[node] >= 0:
            _count_options(tree, node, edges[step] - tree.first[node], 0, values)
    tree.numbers.visits += 1


@inlined
def _take_best(tree: Tree, node: int) -> None:
    """Give a node the values of the child that the role which moves there prefers."""
    mover, first = tree.mover[node], tree.first[node]
    highest, chosen = np.float32(-1), signed(-1)
    for edge in range(first, first + tree.degree[node]):
        child = tree.child[edge]
        if tree.visits[child] or tree.flags[child] & IS_TERMINAL:
            value = min(
                max(tree.best[child, mover], tree.lower[child, mover]), tree.upper[child, mover]
            )
            if value > highest:
                highest, chosen = value, child
    if chosen >= 0:
        for role in range(tree.lower.shape[1]):
            tree.best[node, role] = tree.best[chosen, role]


@nopython
def _count_options(tree: Tree, node: int, number: int, step: int, values: np.ndarray) -> None:
    """Count the moves of a joint move, and, if there are values, what each of its roles got.

    The counts, which include visits under way, change by `step`.
    """
    place, roles = tree.option[node], tree.lower.shape[1]
    at = place + roles
    for role in range(roles):
        at += tree.option_counts[place + role]
    for role in range(roles - 1, -1, -1):
        moves = tree.option_counts[place + role]
        at -= moves
        option = at + number % moves
        number //= moves
        tree.option_counts[option] += step
        if len(values):
            tree.option_visits[option] += 1
            mean = tree.option_means[option]
            tree.option_means[option] = mean + (values[role] - mean) / tree.option_visits[option]


@nopython
def undo(
    tree: Tree, nodes: np.ndarray, edges: np.ndarray, length: int, nothing: np.ndarray
) -> None:
    """Take back a visit that gets no values."""
    for step in range(length + 1):
        tree.flights[nodes[step]] -= 1
    for step in range(length):
        node = nodes[step]
        tree.counts[edges[step]] -= 1
        if tree.option[node] >= 0:
            _count_options(tree, node, edges[step] - tree.first[node], -1, nothing)
