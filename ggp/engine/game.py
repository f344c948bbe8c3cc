"""A game in the form that the engine's loops read: addresses of machine code, sizes and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.rows import POINTER_ROW, ViewRows
from ggp.compiler.runtime.halves import Halves
from ggp.compiler.symmetry import Symmetry
from ggp.engine.evaluation import EvaluationCode
from ggp.engine.layout import STATE_WORDS, Game, GameNumbers, new_record
from ggp.native.cache import Cache
from ggp.reasoner import MAX_JOINT_MOVES
from ggp.recursion import MAX_PLIES
from ggp.search import Evaluation
from ggp.search.settings import SearchSettings

__all__ = ["GameCode"]

# The seed of the random bits in the keys of large states.
_SEED = 0x6767


class GameCode:
    """The machine code of a game, with buffers of its own; for one thread at a time."""

    def __init__(self, circuit: Circuit, *, words: int, cache: Cache | None) -> None:
        """Compile the circuit, or take its code from the cache.

        Args:
            circuit: the game.
            words: a pass makes 64 * words children; 1, 4 or 8.
            cache: where compiled code is kept; None compiles anew.
        """
        halves = Halves(circuit, words=words, form=None, cache=cache)
        self._view, self._step, self._rows = halves.view, halves.step, ViewRows.of(circuit)
        #: The moves of all roles.
        self.moves = len(circuit.legal)
        self._words, self._circuit, self._cache = words, circuit, cache

    @property
    def block(self) -> int:
        """The words of a block of children, a multiple of 64 bytes."""
        return -(-self._rows.total * self._words // 8) * 8

    @property
    def scratch(self) -> int:
        """The most words that are written or read from the beginning of a block."""
        return max(len(self._view.buffer), 64 * STATE_WORDS * 2)

    @property
    def room(self) -> int:
        """The words that a stack begins with: two blocks."""
        return 2 * self.block + self.scratch

    def new_game(
        self,
        settings: SearchSettings,
        *,
        has_table: bool,
        ordered: bool = False,
        symmetries: Sequence[Symmetry] = (),
    ) -> Game:
        """Make the game for a search, with its role and its evaluation.

        Symmetries are left out where keys of all children are never made at once.

        Args:
            settings: what the search is asked for.
            has_table: whether it has a transposition table.
            ordered: whether it tries promising moves first.
            symmetries: those of the game that it may use.
        """
        if (
            settings.tally is not None
            or self._words > 1
            or len(self._circuit.facts) > 64 * STATE_WORDS
        ):
            symmetries = ()
        circuit, words = self._circuit, self._words
        assert isinstance(settings.evaluation, Evaluation)
        self._evaluation = EvaluationCode(settings.evaluation, circuit, cache=self._cache)
        numbers = new_record(GameNumbers)
        numbers.view_code = self._view.addresses["view"]
        numbers.next_code = self._step.code.addresses["next"]
        numbers.words, numbers.shift = words, (64 * words).bit_length() - 1
        numbers.facts, numbers.roles = len(circuit.facts), len(circuit.roles)
        numbers.moves = self.moves
        numbers.role = settings.role
        numbers.chance = -1 if settings.chance is None else settings.chance
        numbers.is_ordered, numbers.has_table = ordered, has_table
        numbers.max_plies, numbers.max_children = MAX_PLIES, MAX_JOINT_MOVES
        numbers.block, numbers.scratch = self.block, self.scratch
        numbers.pointer = int(self._view.buffer[POINTER_ROW * words])
        numbers.low, numbers.high = settings.low, settings.high
        numbers.lose, numbers.win = settings.lose, settings.win
        numbers.low_mask = numbers.high_mask = ~np.uint64(0)
        tally = settings.tally
        ignored = frozenset() if tally is None else tally.ignored
        random, table = np.random.default_rng(_SEED), settings.leaf_values
        return Game(
            numbers=numbers,
            highest=np.array([table.highest(role) for role in range(len(table.goals))], np.float64),
            first_move=circuit.first_move,
            first_goal=circuit.first_goal,
            goals=np.array([goal for goals in circuit.goals for goal, _ in goals], np.float64),
            sets=self._step.table,
            random=random.integers(0, 2**64, (2, len(circuit.facts)), np.uint64),
            ignored=np.array(
                [number for number, fact in enumerate(circuit.facts) if fact in ignored], np.int64
            ),
            sources=_rows([np.argsort(symmetry.facts) for symmetry in symmetries]),
            images=_rows([symmetry.moves for symmetry in symmetries]),
            rows=self._rows,
            step_rows=self._step.rows,
            buffer=self._step.code.buffer,
            horizon=self._evaluation.horizon,
        )


def _rows(permutations: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Return permutations as the rows of an array, which may have none."""
    return np.array(permutations, np.int64) if permutations else np.empty((0, 1), np.int64)
