"""The circuit of a game: AND gates and negations that turn a state and a joint move into answers.

An and-inverter graph. Node 0 is the constant false; then come the inputs: one for each base fact
(is it true?) and one for each move of each role (is it done?); then the gates, each the AND of two
literals of nodes before it. A *literal* is ``2 * node``, or ``2 * node + 1`` for its negation, so
literal 0 is false and literal 1 is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ggp.kif import Symbol, Term

__all__ = ["FALSE", "TRUE", "Circuit", "Literals", "Loop"]

#: Literals of a circuit, or node numbers.
Literals: TypeAlias = NDArray[np.int32]

FALSE, TRUE = 0, 1

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Loop:
    """Gates that depend on each other, which are run again until the latches do not change.

    Before the first run every latch node is false (the least fixed point: latches only rise). After
    each run latch i takes the value of the literal `drivers[i]`; the block is run until nothing
    changes. Gates outside the loop come strictly before or after it.
    """

    #: The gates of the block are the nodes first <= n < last.
    first: int
    last: int
    #: Nodes without inputs of their own (their rows in `Circuit.gates` are 0, 0), before `first`.
    latches: Literals
    drivers: Literals


@dataclass(frozen=True, slots=True)
class Circuit:
    """One game as a circuit. All terms are in the game's own spelling, lists sorted by text."""

    roles: tuple[Symbol, ...]
    #: The base facts, sorted by printed text; `fact_nodes` are their inputs.
    facts: tuple[Term, ...]
    #: The moves of each role, sorted by printed text; `move_nodes` are their inputs, those of the
    #: first role first.
    moves: tuple[tuple[Term, ...], ...]
    #: int32[nodes, 2]: the two input literals of every node; rows of constants and inputs are 0, 0.
    gates: Literals
    #: int32[moves]: the literal that tells whether each move is legal, in the order of the inputs.
    legal: Literals
    #: The literal that tells whether the game is over.
    terminal: int
    #: Per role the goals that it can have, ascending, each with the literal that tells whether.
    goals: tuple[tuple[tuple[int, int], ...], ...]
    #: Per role, the literal that tells whether some goal holds that is no integer (an error).
    bad_goals: Literals
    #: int32[facts]: the literal that tells whether each fact is true in the next state.
    next: Literals
    #: The facts that are true initially, as indices, ascending.
    initial: Literals
    loops: tuple[Loop, ...] = ()
    #: Groups of facts, as indices, ascending. The circuit says what the rules say of a state in
    #: which at most one fact of each group is true, as in every state of a match.
    unique: tuple[Literals, ...] = ()

    def is_said(self, true: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return of which states, bool[n, facts or more], the circuit says what the rules say."""
        said = np.ones(len(true), np.bool_)
        for group in self.unique:
            said &= np.count_nonzero(true[:, group], axis=1) <= 1
        return said

    @property
    def inputs(self) -> int:
        """The number of inputs: facts and moves."""
        return len(self.facts) + len(self.legal)

    @property
    def fact_nodes(self) -> range:
        """The input nodes of the facts, which come after the constant."""
        return range(1, 1 + len(self.facts))

    @property
    def move_nodes(self) -> range:
        """The input nodes of all moves, which come after those of the facts."""
        return range(1 + len(self.facts), 1 + self.inputs)

    @property
    def own_moves(self) -> tuple[range, ...]:
        """The moves of each role, as numbers among all moves."""
        return tuple(range(low, high) for low, high in pairwise(self.first_move.tolist()))

    def by_role(self, values: Sequence[_T]) -> list[Sequence[_T]]:
        """Return values of all moves in groups, those of the moves of each role together."""
        return [values[own.start : own.stop] for own in self.own_moves]

    @property
    def ends(self) -> list[int]:
        """The literals of the end: whether the game is over, all goals, and the bad goals."""
        goals = (literal for of_role in self.goals for _, literal in of_role)
        return [self.terminal, *goals, *self.bad_goals.tolist()]

    @property
    def levels(self) -> list[int]:
        """Per node the most gates on a way to it, itself included: 0 for inputs and latches."""
        result = [0] * len(self.gates)
        for node, (left, right) in enumerate(self.gates.tolist()):
            if left or right:  # else an input, or a latch
                result[node] = 1 + max(result[left >> 1], result[right >> 1])
        return result

    @property
    def first_move(self) -> NDArray[np.int64]:
        """Where each role's moves begin among all moves, and their number: int64[roles + 1]."""
        return _begins(self.moves)

    @property
    def first_goal(self) -> NDArray[np.int64]:
        """Where each role's goals begin among all goals, and their number: int64[roles + 1]."""
        return _begins(self.goals)


def _begins(groups: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)
