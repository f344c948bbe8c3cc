"""The two halves of a circuit as code: the view of a state, and the step to the next one.

A table of a half is made in milliseconds. What runs fastest is code of its own, which takes seconds
to compile; for a circuit that is too large for that, it is a table that reads sets of moves.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import (
    LARGEST_CODE,
    Assembly,
    Form,
    assemble,
    code_name,
    digest,
)
from ggp.compiler.codegen.circuit_table import RUN, CircuitTable, circuit_table, runner
from ggp.compiler.codegen.machine import Library, compile_text, host
from ggp.compiler.codegen.rows import POINTER_ROW, StepRows, ViewRows
from ggp.compiler.codegen.straightline import Builder, Program
from ggp.compiler.codegen.vector import Lanes
from ggp.compiler.runtime.move_sets import MoveSets, move_sets
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, aligned_words

__all__ = [
    "Halves", "Step", "ends_program", "ends_table", "next_program", "next_table", "view_program",
    "view_table",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """The code of a step, and the sets of moves that it reads instead of the moves."""

    code: Assembly
    sets: MoveSets | None
    #: Where the code reads and writes.
    rows: StepRows

    @property
    def table(self) -> Words:
        """The sets of moves, as `step_states` reads them; no rows where it reads the moves."""
        return np.empty((0, 1), np.uint64) if self.sets is None else self.sets.table


class Halves:
    """The code of a circuit, made when it is asked for."""

    def __init__(
        self, circuit: Circuit, *, words: int, form: Form | None, cache: Cache | None
    ) -> None:
        """Take the circuit.

        Args:
            circuit: the game.
            words: words of 64 lanes in a row: 1, 4 or 8.
            form: whether what runs fastest is code or a table; by the size if None.
            cache: where it is kept; None makes it anew.
        """
        self._circuit, self._words, self._form, self._cache = circuit, words, form, cache
        self._digest = digest(circuit)

    @cached_property
    def first_view(self) -> Assembly:
        """The view from a table."""
        return _table_code(self._view_table, "view", words=self._words)

    @cached_property
    def first_step(self) -> Step:
        """The step from a table, of moves instead of sets of moves."""
        return self._step_of(_table_code(self._next_table, "next", words=self._words), None)

    @cached_property
    def view(self) -> Assembly:
        """The view that runs fastest."""
        if self._is_large(self._view_table):
            return self.first_view
        return assemble(
            lambda: [view_program(self._circuit)],
            ["view"],
            key=self._key("view"),
            words=self._words,
            form="code",
            cache=self._cache,
        )

    @cached_property
    def step(self) -> Step:
        """The step that runs fastest."""
        if self._is_large(self._next_table):
            table, sets = self._step_table()
            return self._step_of(_table_code(table, "next", words=self._words), sets)
        sets = move_sets(self._circuit)
        code = assemble(
            lambda: [next_program(self._circuit, sets)],
            ["next"],
            key=self._key("next"),
            words=self._words,
            form="code",
            cache=self._cache,
        )
        return self._step_of(code, sets)

    @cached_property
    def ends(self) -> Assembly:
        """The part of the view that says whether the game is over, and the goals."""
        table = ends_table(self._circuit)
        if self._is_large(table):
            return _table_code(table, "view", words=self._words)
        return assemble(
            lambda: [ends_program(self._circuit)],
            ["view"],
            key=self._key("ends"),
            words=self._words,
            form="code",
            cache=self._cache,
        )

    @property
    def is_kept(self) -> bool:
        """Whether the cache has all of `view` and `step` that takes time to make."""
        if self._cache is None:
            return False
        if not self._is_large(self._view_table) and self._code_name("view") not in self._cache:
            return False
        is_large = self._is_large(self._next_table)
        return (self._table_name if is_large else self._code_name("next")) in self._cache

    @cached_property
    def _view_table(self) -> CircuitTable:
        return view_table(self._circuit)

    @cached_property
    def _next_table(self) -> CircuitTable:
        return next_table(self._circuit)

    def _is_large(self, table: CircuitTable) -> bool:
        """Return whether a half stays a table."""
        return self._form == "table" or (self._form is None and len(table.entries) > LARGEST_CODE)

    def _step_of(self, code: Assembly, sets: MoveSets | None) -> Step:
        return Step(code, sets, _step_rows(self._circuit, sets))

    def _step_table(self) -> tuple[CircuitTable, MoveSets | None]:
        kept = self._cache.get(self._table_name) if self._cache else None
        if kept is not None:
            found: tuple[CircuitTable, MoveSets | None] = pickle.loads(kept)
            return found
        sets = move_sets(self._circuit)
        table = self._next_table if sets is None else next_table(self._circuit, sets)
        if self._cache:
            self._cache.put(self._table_name, pickle.dumps((table, sets)))
        return table, sets

    def _key(self, name: str) -> str:
        return f"{name} {self._digest}"

    def _code_name(self, name: str) -> str:
        return code_name([name], key=self._key(name), words=self._words, form="code")

    @property
    def _table_name(self) -> str:
        # the table does not depend on the words of a row
        return code_name(["next"], key=self._key("next"), words=1, form="table")


def view_program(circuit: Circuit) -> Program:
    """Return the program of a view, which reads and writes `ViewRows`."""
    return _viewing(circuit, has_moves=True)


def ends_program(circuit: Circuit) -> Program:
    """Return the program of a view without the legal moves."""
    return _viewing(circuit, has_moves=False)


def _viewing(circuit: Circuit, *, has_moves: bool) -> Program:
    rows, wanted = ViewRows.of(circuit, has_moves=has_moves), _viewed(circuit, has_moves=has_moves)
    builder = Builder(rows=rows.total, phase="view")
    known = {
        node: builder.row(row) for node, row in zip(circuit.fact_nodes, rows.facts, strict=True)
    }
    for row, literal in zip(rows.written, builder.add(circuit, wanted, known), strict=True):
        builder.write(row, literal)
    return builder.program()


def _viewed(circuit: Circuit, *, has_moves: bool) -> list[int]:
    """Return the literals that a view computes, in the order of `ViewRows.written`."""
    return [*circuit.legal.tolist(), *circuit.ends] if has_moves else circuit.ends


def next_program(circuit: Circuit, sets: MoveSets | None = None) -> Program:
    """Return the program of a step, which reads and writes `StepRows`.

    With `sets` it reads which of them hold a move that was done, instead of the moves.
    """
    rows = _step_rows(circuit, sets)
    builder = Builder(rows=rows.total, phase="next")
    known = {
        literal >> 1: builder.row(row) ^ (literal & 1)
        for row, literal in zip(rows.read, _read(circuit, sets), strict=True)
    }
    wanted = circuit.next.tolist()
    for row, literal in zip(rows.following, builder.add(circuit, wanted, known), strict=True):
        builder.write(row, literal)
    return builder.program()


def view_table(circuit: Circuit) -> CircuitTable:
    """Return the table of a view: reads and writes the rows of `view_program`."""
    return _viewing_table(circuit, has_moves=True)


def ends_table(circuit: Circuit) -> CircuitTable:
    """Return the table of a view without the legal moves."""
    return _viewing_table(circuit, has_moves=False)


def _viewing_table(circuit: Circuit, *, has_moves: bool) -> CircuitTable:
    rows, wanted = ViewRows.of(circuit, has_moves=has_moves), _viewed(circuit, has_moves=has_moves)
    known = {node: 2 * row for node, row in zip(circuit.fact_nodes, rows.facts, strict=True)}
    return circuit_table(circuit, wanted, known, first_row=rows.written.start)


def next_table(circuit: Circuit, sets: MoveSets | None = None) -> CircuitTable:
    """Return the table of a step: reads and writes the rows of `next_program`."""
    rows = _step_rows(circuit, sets)
    known = {
        literal >> 1: 2 * row | literal & 1
        for row, literal in zip(rows.read, _read(circuit, sets), strict=True)
    }
    return circuit_table(circuit, circuit.next.tolist(), known, first_row=rows.following.start)


def _step_rows(circuit: Circuit, sets: MoveSets | None) -> StepRows:
    return StepRows.of(circuit, inputs=len(circuit.legal) if sets is None else len(sets.literals))


def _read(circuit: Circuit, sets: MoveSets | None) -> list[int]:
    """Return the literals that a step reads: the facts, and the moves or sets of moves."""
    facts = [2 * node for node in circuit.fact_nodes]
    moves = [2 * node for node in circuit.move_nodes]
    return [*facts, *(moves if sets is None else sets.literals)]


def _table_code(table: CircuitTable, name: str, *, words: int) -> Assembly:
    """Return what runs a table, as a function of that name; `words` of 64 lanes are in a row."""
    library = _library(words)
    data = table.data(words)
    buffer = aligned_words(table.rows * words)
    buffer[POINTER_ROW * words] = data.ctypes.data
    return Assembly(library, {name: library.address(RUN)}, buffer, words, data)


@lru_cache
def _library(words: int) -> Library:
    return Library([compile_text(runner(Lanes.on(host(), words), POINTER_ROW))], [RUN])
