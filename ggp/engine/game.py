"""A game as the engine's loop wants it: addresses of machine code, sizes and tables, in arrays."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ggp.engine import loops
from ggp.reasoner import MAX_JOINT_MOVES
from ggp.reasoner.compiled.assemble import POINTER_ROW, assemble, digest
from ggp.reasoner.compiled.cache import Cache
from ggp.reasoner.compiled.circuit import Circuit
from ggp.reasoner.compiled.kernel import next_program, view_program
from ggp.reasoner.compiled.unions import unions
from ggp.search import AlphaBeta, Bounded, GoalsAndMobility, Minimax
from ggp.search.recursion import MAX_PLIES
from ggp.search.role_search import RoleSearch

__all__ = ["GameCode"]

_ALGORITHMS: dict[type[RoleSearch], int] = {
    Minimax: loops.MINIMAX,
    Bounded: loops.BOUNDED,
    AlphaBeta: loops.ALPHABETA,
}

# What `goals_or_middle` says where there is no goal.
_MIDDLE = 50.0

# The random bits in the keys of large states: any, but the same for all states of a search.
_SEED = 0x6767


class GameCode:
    """The machine code of a game, with buffers of its own. Of one thread at a time."""

    def __init__(self, circuit: Circuit, *, words: int, cache: Cache | None) -> None:
        """Compile the circuit, or take its code from the cache.

        Args:
            circuit: the game.
            words: a pass makes 64 * words children; 1, 4 or 8.
            cache: where compiled code is kept; None compiles anew.
        """
        key, sets = digest(circuit), unions(circuit)
        self._view = assemble(
            lambda: view_program(circuit), ["view"],
            key=f"view {key}", words=words, form=None, cache=cache,
        )  # fmt: skip
        self._next = assemble(
            lambda: next_program(circuit, sets), ["next"],
            key=f"next {key}", words=words, form=None, cache=cache,
        )  # fmt: skip
        #: The moves of all roles.
        self.moves = sum(map(len, circuit.moves))
        self._sets = np.empty((0, 1), np.uint64) if sets is None else sets.table
        self._inputs = self.moves if sets is None else len(sets.literals)
        self._words, self._circuit = words, circuit

    @property
    def block(self) -> int:
        """The words of a block of children, a multiple of 64 bytes."""
        goals = sum(map(len, self._circuit.goals))
        rows = 2 + len(self._circuit.facts) + self.moves + goals + len(self._circuit.roles)
        return -(-rows * self._words // 8) * 8

    @property
    def scratch(self) -> int:
        """The words that the view writes to, from the beginning of a block."""
        return len(self._view.buffer)

    def seen_by(self, search: RoleSearch, *, has_table: bool, ordered: bool) -> loops.Game:
        """Return the game as a search sees it: its role, its range of values, its evaluation."""
        circuit, words = self._circuit, self._words
        numbers = np.zeros(loops.NUMBERS, np.int64)
        numbers[loops.VIEW] = self._view.addresses["view"]
        numbers[loops.NEXT] = self._next.addresses["next"]
        numbers[loops.WORDS] = words
        numbers[loops.FACTS] = len(circuit.facts)
        numbers[loops.MOVES] = self.moves
        numbers[loops.ROLES] = len(circuit.roles)
        numbers[loops.INPUTS] = self._inputs
        numbers[loops.ROLE] = search.role
        numbers[loops.CHANCE] = -1 if search.chance is None else search.chance
        numbers[loops.ALGORITHM] = _ALGORITHMS[type(search)]
        numbers[loops.ORDERED] = ordered
        numbers[loops.MOBILITY] = isinstance(search.evaluation, GoalsAndMobility)
        numbers[loops.MAX_PLIES] = MAX_PLIES
        numbers[loops.MAX_CHILDREN] = MAX_JOINT_MOVES
        numbers[loops.SCRATCH] = self.scratch
        numbers[loops.HAS_TABLE] = has_table
        numbers[loops.POINTER] = int(self._view.buffer[POINTER_ROW * words])
        numbers[loops.SHIFT] = (64 * words).bit_length() - 1
        numbers[loops.BLOCK] = self.block
        floats = np.zeros(loops.FLOATS)
        floats[loops.LOW], floats[loops.HIGH] = search.low, search.high
        floats[loops.LOSE] = search.lose if isinstance(search, Bounded) else search.low
        floats[loops.WIN] = search.win if isinstance(search, Bounded) else search.high
        floats[loops.HIGHEST] = search.leaf_values.highest(search.role)
        floats[loops.MIDDLE] = _MIDDLE
        floats[loops.SHARE] = GoalsAndMobility.MOBILITY
        random = np.random.default_rng(_SEED)
        return loops.Game(
            numbers,
            floats,
            np.array([0, *accumulate(map(len, circuit.moves))], np.int64),
            np.array([0, *accumulate(map(len, circuit.goals))], np.int64),
            np.array([goal for goals in circuit.goals for goal, _ in goals], np.float64),
            self._sets,
            random.integers(0, 2**64, (2, len(circuit.facts)), np.uint64),
            self._next.buffer,
        )
