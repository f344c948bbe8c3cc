"""The circuit of a game: AND gates and negations that turn a state and a joint move into answers.

An and-inverter graph. Node 0 is the constant false; then come the inputs: one for each base fact
(is it true?) and one for each move of each role (is it done?); then the gates, each the AND of two
literals of nodes before it. A *literal* is ``2 * node``, or ``2 * node + 1`` for its negation, so
literal 0 is false and literal 1 is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.kif import Symbol, Term

__all__ = ["FALSE", "TRUE", "Circuit", "Literals", "Loop"]

#: Literals of a circuit, or node numbers.
Literals: TypeAlias = NDArray[np.int32]

FALSE, TRUE = 0, 1


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
    #: The base facts: input node 1 + i is fact i. Sorted by printed text.
    facts: tuple[Term, ...]
    #: The moves of each role, sorted by printed text. Input node 1 + len(facts) + k is the k-th
    #: move, the first role's first.
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
        return len(self.facts) + sum(map(len, self.moves))

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
