"""One visit of a tree: down to a leaf, and back with what its playouts came to.

UCT is Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning"; `ggp.search.mcts.search`
says how moves share the visits. Visits that are under way count as visits whose values are not
known yet (Liu, Chen, Yu, Zhai, Zhou and Liu 2020, "Watch the unobserved: a simple approach to
parallelizing Monte Carlo tree search"). Where several roles choose at once each chooses among its
own moves (decoupled UCT: Finnsson and Bjornsson 2008); chance draws.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ggp.engine.layout import PUSHED, Game, SearchStack
from ggp.engine.mcts.atomic import read
from ggp.engine.mcts.bounds import after_options, is_behind, is_proven, renew, settle, within
from ggp.engine.mcts.expand import add_children, scaled
from ggp.engine.mcts.holding import change, hold, let_go
from ggp.engine.mcts.layout import CLOSED, IS_BEING_EXPANDED, LONGEST, UNKNOWN, Tree
from ggp.engine.mcts.proofs import count_proofs, hardest, note_proofs
from ggp.engine.mcts.regret import count_regrets, draw_by_regret
from ggp.native.numba_support import inlined, nopython, signed

__all__ = ["back_up", "descend", "undo"]

_FIRST = 1e9
# More visits than a move can have.
_MOST_VISITS = 1 << 31


@inlined
def descend(
    game: Game,
    stack: SearchStack,
    tree: Tree,
    nodes: np.ndarray,
    edges: np.ndarray,
) -> tuple[int, int]:
    """Go from the root to a leaf, and expand it if it has been visited often enough.

    Returns PUSHED, or why a node could not be expanded, and the length of the path, which is in
    `nodes` and `edges`.
    """
    numbers, node, length, what = tree.numbers, tree.numbers.root, 0, PUSHED
    nodes[0] = newest = node
    change(tree, tree.begun, node, 1)
    while length < LONGEST:
        if is_proven(tree, node):
            break
        if read(tree.first, node) < 0:
            if (length and tree.begun[node] <= numbers.threshold) or not _claim(tree, node):
                break
            what = add_children(game, stack, tree, node)
            if what != PUSHED or tree.first[node] < 0:
                break
            settle(game, tree, nodes, edges, length)
            if is_proven(tree, node):
                break
        if tree.option[node] >= 0:
            number = _choose_options(game, tree, node)
            edge = tree.first[node] + number
            _begin_options(tree, node, number, 1)
        else:
            edge = _choose(tree, node)
            if edge < 0:
                # what the others get may rest on what other paths have proven of moves as good
                if _is_outdated(tree, node):
                    settle(game, tree, nodes, edges, length)
                    if is_proven(tree, node):
                        break
                edge = _choose_equal(tree, node)
        change(tree, tree.counts, edge, 1)
        edges[length] = edge
        length += 1
        node = signed(tree.child[edge])
        is_round = node <= newest and _is_among(node, nodes, length)
        nodes[length] = node
        newest = max(newest, node)
        change(tree, tree.begun, node, 1)
        if is_round:
            break
    tree.own.deepest = max(tree.own.deepest, length)
    return what, length


@inlined
def _claim(tree: Tree, node: int) -> bool:
    """Return whether this thread is to make the children of a node, and no other one does."""
    hold(tree, node)
    is_free = tree.first[node] < 0 and not tree.flags[node] & IS_BEING_EXPANDED
    if is_free:
        tree.flags[node] |= IS_BEING_EXPANDED
    let_go(tree, node)
    return is_free


@inlined
def _is_among(node: int, nodes: np.ndarray, count: int) -> bool:
    found = False
    for place in range(count):
        found |= nodes[place] == node
    return found


@inlined
def _random(tree: Tree) -> np.uint64:
    """Draw a random word (xorshift64*, Vigna 2016)."""
    state = tree.own.generator
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    tree.own.generator = state
    return state * np.uint64(0x2545F4914F6CDD1D)


@inlined
def _uniform(tree: Tree) -> float:
    """Draw a number from 0 to 1."""
    return float(_random(tree) >> np.uint64(11)) * 2.0**-53


@inlined
def _below(tree: Tree, count: int) -> int:
    """Draw a number less than `count`, at most 2^31."""
    return signed((_random(tree) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@inlined
def _choose(tree: Tree, node: int) -> int:
    """Return the edge that is best to visit next at a node where one role chooses.

    Moves that cannot give more than another one is proven to give are left out; -1 if all are.
    """
    first, last = tree.first[node], tree.first[node] + tree.degree[node]
    mover = tree.mover[node]
    factor = tree.numbers.exploration * sqrt(float(tree.begun[node] + 1) / (last - first))
    unknown = scaled(tree, mover, tree.values[node, mover])
    chosen, highest, untried = signed(-1), -1.0, tree.numbers.untried
    ease, most = tree.numbers.ease, np.float32(0.0)
    if ease > 0:
        most = hardest(tree, first, last, mover)
    begin = first + _below(tree, last - first)
    for part in range(2):
        # from a place drawn at random, because the first of equals is taken
        for edge in range(begin if part == 0 else first, last if part == 0 else begin):
            through, worth = float(tree.counts[edge]), tree.worth[edge]
            if worth < UNKNOWN:
                continue
            if worth == UNKNOWN:
                worth = unknown
            score = worth + factor / sqrt(max(untried, through))
            if most > 1:
                score += ease * max(0.0, 1.0 - tree.edge_proofs[edge, mover] / most)
            if score > highest:
                highest, chosen = score, edge
    return chosen


@nopython
def _is_outdated(tree: Tree, node: int) -> bool:
    """Return whether bounds of some child are tighter than those on which the node's rest."""
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        if is_behind(tree, edge, tree.child[edge]):
            return True
    return False


@nopython
def _choose_equal(tree: Tree, node: int) -> int:
    """Return an edge at a node whose role has a proven best move.

    What the others get may rest on other moves that are as good: of these, the one with the fewest
    visits is next.
    """
    first, mover = tree.first[node], tree.mover[node]
    chosen, fewest = signed(first), _MOST_VISITS
    for edge in range(first, first + tree.degree[node]):
        child, through = tree.child[edge], signed(tree.counts[edge])
        is_as_good = tree.upper[child, mover] == tree.lower[node, mover]
        if is_as_good and not is_proven(tree, child) and through < fewest:
            chosen, fewest = signed(edge), through
    return chosen


@inlined
def _choose_options(game: Game, tree: Tree, node: int) -> int:
    """Return the number of a joint move: each role's own choice."""
    place, number = tree.option[node], signed(0)
    roles = tree.lower.shape[1]
    factor = tree.numbers.exploration * sqrt(float(tree.begun[node] + 1))
    at = place + roles
    for role in range(roles):
        moves, chosen = signed(tree.option_counts[place + role]), signed(0)
        if moves > 1:
            start = _below(tree, moves)
            if role == game.numbers.chance:
                chosen = start
            elif tree.numbers.by_regret:
                chosen = draw_by_regret(tree, at, moves, _uniform(tree), start)
            else:
                highest = -1.0
                for turn in range(moves):
                    move = start + turn if start + turn < moves else start + turn - moves
                    through = tree.option_counts[at + move]
                    score = _FIRST
                    if through:
                        mean = np.float32(within(tree, node, role, tree.means[node, role]))
                        if tree.option_visits[at + move]:
                            mean = tree.option_means[at + move]
                        mean -= tree.ranges[role, 0]
                        score = mean * tree.scale[role] + factor / sqrt(float(moves * through))
                    if score > highest:
                        highest, chosen = score, move
        number = number * moves + chosen
        at += moves
    return number


@inlined
def back_up(
    game: Game,
    tree: Tree,
    nodes: np.ndarray,
    edges: np.ndarray,
    length: int,
    goals: np.ndarray,
) -> None:
    """Count a visit with the goals that it found for all nodes on its path.

    Where the mean of a node is out of its bounds, what is proven counts from there to the root, and
    not what visits found. Single goals may be out of bounds: chance and playouts scatter them.
    """
    for step in range(length, -1, -1):
        node = nodes[step]
        hold(tree, node)
        if step < length and _is_due(tree, node, edges[step], nodes[step + 1]):
            renew(game, tree, node)
        is_aside = step < length and _is_aside(tree, node, edges[step], nodes[step + 1])
        _count(tree, node, goals, is_aside)
        best = signed(-1)
        if step < length:
            if tree.option[node] >= 0:
                _end_options(tree, node, edges[step] - tree.first[node], goals)
            else:
                best = _best_child(tree, node, edges[step], nodes[step + 1])
                if tree.numbers.ease > 0:
                    note_proofs(tree, edges[step], nodes[step + 1])
        _mix(tree, node, best)
        if tree.numbers.ease > 0:
            count_proofs(tree, node)
        _pass_on(tree, node, goals, is_aside)
        let_go(tree, node)
    tree.own.visits += 1


@inlined
def _is_due(tree: Tree, node: int, edge: int, child: int) -> bool:
    """Return whether a node must be renewed, after a visit to a child of it.

    Where several roles choose, some joint moves are never made: each visit looks at one more.
    """
    if is_behind(tree, edge, child):
        return True
    if tree.option[node] < 0:
        return False
    other = tree.first[node] + tree.visits[node] % tree.degree[node]
    return is_behind(tree, other, tree.child[other])


@inlined
def _count(tree: Tree, node: int, goals: np.ndarray, is_aside: bool) -> None:
    """Count a visit at a node, and what it found unless that says nothing of the node."""
    tree.visits[node] += 1
    if not is_aside:
        tree.weight[node] += 1
        share = 1.0 / tree.weight[node]
        for role in range(len(goals)):
            tree.means[node, role] += (goals[role] - tree.means[node, role]) * share


@inlined
def _pass_on(tree: Tree, node: int, goals: np.ndarray, is_aside: bool) -> None:
    """Set the goals with which a visit goes on from a node to the root."""
    for role in range(len(goals)):
        mean = float(tree.means[node, role])
        proven = within(tree, node, role, mean)
        if is_aside or proven != mean:
            goals[role] = proven


@inlined
def _is_aside(tree: Tree, node: int, edge: int, child: int) -> bool:
    """Return whether what a visit to a child found says nothing of the value of a node.

    The role that chooses surely gets as much by another move.
    """
    if tree.option[node] >= 0 or tree.worth[edge] >= UNKNOWN or tree.weight[node] == 0:
        return False
    mover = tree.mover[node]
    return bool(tree.lower[child, mover] < tree.lower[node, mover])


@inlined
def _best_child(tree: Tree, node: int, visited: int, child: int) -> int:
    """Return the child whose value its role prefers; the edge that was visited may have changed."""
    mover = tree.mover[node]
    if tree.worth[visited] >= UNKNOWN:
        tree.worth[visited] = scaled(tree, mover, tree.values[child, mover])
    highest, chosen = UNKNOWN, visited
    for edge in range(tree.first[node], tree.first[node] + tree.degree[node]):
        worth = tree.worth[edge]
        if worth < UNKNOWN:
            worth += CLOSED
        if worth > highest:
            highest, chosen = worth, edge
    return signed(tree.child[chosen])


@inlined
def _mix(tree: Tree, node: int, best: int) -> None:
    """Make the values of a node: its means, and where the line of best children leads."""
    for role in range(tree.means.shape[1]):
        value = float(tree.means[node, role])
        end = float(tree.best[best, role]) if best >= 0 else value
        mixed = value + tree.numbers.blend * (end - value)
        tree.best[node, role] = within(tree, node, role, end)
        tree.values[node, role] = within(tree, node, role, mixed)


@nopython
def _begin_options(tree: Tree, node: int, number: int, step: int) -> None:
    """Change by `step` the visits that have begun of the moves of a joint move."""
    place, roles = signed(tree.option[node]), tree.lower.shape[1]
    at = after_options(tree, place)
    for role in range(roles - 1, -1, -1):
        moves = tree.option_counts[place + role]
        at -= moves
        change(tree, tree.option_counts, at + number % moves, step)
        number //= moves


@nopython
def _end_options(tree: Tree, node: int, number: int, values: np.ndarray) -> None:
    """Count for the moves of a joint move what each of its roles got."""
    place, roles = signed(tree.option[node]), tree.lower.shape[1]
    at = after_options(tree, place)
    if tree.numbers.by_regret:
        count_regrets(tree, node, number, at, values)
    for role in range(roles - 1, -1, -1):
        moves = tree.option_counts[place + role]
        at -= moves
        option = at + number % moves
        number //= moves
        tree.option_visits[option] += 1
        mean = tree.option_means[option]
        tree.option_means[option] = mean + (values[role] - mean) / tree.option_visits[option]


@nopython
def undo(tree: Tree, nodes: np.ndarray, edges: np.ndarray, length: int) -> None:
    """Take back a visit that gets no values."""
    for step in range(length + 1):
        change(tree, tree.begun, nodes[step], -1)
    for step in range(length):
        node = nodes[step]
        change(tree, tree.counts, edges[step], -1)
        if tree.option[node] >= 0:
            _begin_options(tree, node, edges[step] - tree.first[node], -1)
