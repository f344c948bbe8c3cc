"""How far it is to a goal, if what was once so could stay so: the additive heuristic, in lanes.

Each fact has two costs in a state: of becoming true, and of becoming false. What is so costs 0. To
change a fact by a move costs 1, and the costs of all that the move and the change rest on; a gate
costs the sum of the costs of both its literals, and its negation costs the least of them. This is
repeated until nothing becomes cheaper. What then costs infinitely much can never be reached; all
else is an estimate, too high where one move serves for several things, too low where moves undo
what others need.

(Bonet and Geffner 2001, "Planning as heuristic search": h_add. There a move has a list of facts as
its condition; here conditions are gates, and facts may have to be false.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.engine.puzzle.effects import Effects
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.native.numba_support import Words, nopython

__all__ = ["UNREACHABLE", "RelaxedCost"]

#: The cost of what can never be reached, and more than all others.
UNREACHABLE = 1 << 20

# States that are estimated together, and the rounds after which no state is called unreachable.
_LANES, _ROUNDS = 32, 2000


class RelaxedCost:
    """Estimates how many moves lead from states to the end of the game with a goal."""

    def __init__(self, puzzle: PackedPuzzle, effects: Effects, target: int) -> None:
        """Prepare to estimate.

        Args:
            puzzle: the game.
            effects: what its moves do.
            target: the literal of the graph of the effects that is to hold.
        """
        wanted = [target, *effects.legal]
        wanted += [literal for changes in effects.changes for _, literal in changes]
        first = effects.nodes.stop
        gates = sorted(node for node in effects.nodes_below(wanted) if node >= first)
        numbers = {node: node for node in range(first)}
        numbers.update({node: first + i for i, node in enumerate(gates)})

        def literal(old: int) -> int:
            return 2 * numbers[old >> 1] | (old & 1)

        left, right = effects.graph.left, effects.graph.right
        self._gates = np.array(
            [(literal(left[node]), literal(right[node])) for node in gates], np.int64
        ).reshape(-1, 2)
        self._legal = np.array([literal(one) for one in effects.legal], np.int64)
        self._changes = np.array(
            [
                (move, effects.nodes[fact], literal(one))
                for move, changes in enumerate(effects.changes)
                for fact, one in changes
            ],
            np.int64,
        ).reshape(-1, 3)
        self._target = literal(target)
        self._nodes = np.array([effects.nodes[fact] for fact in effects.facts], np.int64)
        self._words, self._bits = puzzle.where(effects.facts)
        # What the clock shows costs nothing: it will come by itself.
        self._costs = np.zeros((first + len(gates), 2, _LANES), np.int32)
        self._of_moves = np.zeros((len(effects.legal), _LANES), np.int32)

    def __call__(self, states: Words) -> NDArray[np.int32]:
        """Return the cost of the goal from each state, uint64[n, words]."""
        found = np.zeros(len(states), np.int32)
        _estimate(
            states, self._nodes, self._words, self._bits, self._gates, self._legal, self._changes,
            self._target, self._costs, self._of_moves, found,
        )  # fmt: skip
        return found


@nopython
def _estimate(
    states: Words,
    nodes: NDArray[np.int64],
    words: NDArray[np.int64],
    bits: Words,
    gates: NDArray[np.int64],
    legal: NDArray[np.int64],
    changes: NDArray[np.int64],
    target: int,
    costs: NDArray[np.int32],
    of_moves: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:
    """Estimate states; `costs[node, 1]` are those of its being true, `[node, 0]` of its not."""
    costs[0, 0, :] = 0
    costs[0, 1, :] = UNREACHABLE
    for begin in range(0, len(states), _LANES):
        count = min(_LANES, len(states) - begin)
        for number in range(len(nodes)):
            cost = costs[nodes[number]]
            for lane in range(_LANES):
                state = begin + (lane if lane < count else 0)
                is_true = states[state, words[number]] >> bits[number] & np.uint64(1)
                cost[0, lane] = UNREACHABLE if is_true else 0
                cost[1, lane] = 0 if is_true else UNREACHABLE
        rounds, is_cheaper = 0, True
        while is_cheaper and rounds < _ROUNDS:
            rounds += 1
            _pass_gates(costs, gates)
            is_cheaper = _pass_moves(costs, legal, changes, of_moves)
        for lane in range(count):
            cost_of_target = costs[target >> 1, 1 - (target & 1), lane]
            if rounds == _ROUNDS:
                cost_of_target = min(cost_of_target, UNREACHABLE - 1)
            found[begin + lane] = cost_of_target


@nopython
def _pass_gates(costs: NDArray[np.int32], gates: NDArray[np.int64]) -> None:
    """Compute the costs of all gates from those of the facts."""
    first = len(costs) - len(gates)
    for number in range(len(gates)):
        left, right = gates[number, 0], gates[number, 1]
        one, other, cost = costs[left >> 1], costs[right >> 1], costs[first + number]
        one_true, other_true = 1 - (left & 1), 1 - (right & 1)
        for lane in range(_LANES):
            total = one[one_true, lane] + other[other_true, lane]
            cost[1, lane] = min(total, UNREACHABLE)
            cost[0, lane] = min(one[1 - one_true, lane], other[1 - other_true, lane])


@nopython
def _pass_moves(
    costs: NDArray[np.int32],
    legal: NDArray[np.int64],
    changes: NDArray[np.int64],
    of_moves: NDArray[np.int32],
) -> bool:
    """Lower the costs of facts that a move changes; return whether one became cheaper."""
    for move in range(len(legal)):
        cost = costs[legal[move] >> 1, 1 - (legal[move] & 1)]
        for lane in range(_LANES):
            of_moves[move, lane] = cost[lane] + 1
    is_cheaper = False
    for number in range(len(changes)):
        move, node, literal = changes[number, 0], changes[number, 1], changes[number, 2]
        becomes, fact = costs[literal >> 1], costs[node]
        true, false = 1 - (literal & 1), literal & 1
        saved = 0
        for lane in range(_LANES):
            made = min(fact[1, lane], of_moves[move, lane] + becomes[true, lane])
            undone = min(fact[0, lane], of_moves[move, lane] + becomes[false, lane])
            saved |= (fact[1, lane] - made) | (fact[0, lane] - undone)
            fact[1, lane], fact[0, lane] = made, undone
        is_cheaper = is_cheaper or saved != 0
    return is_cheaper
