"""A program as a table that small loops run through: no compile time, for circuits too large.

Every entry is a function of up to three rows, four numbers of 32 bits: where the result goes, and
the inputs, as offsets into the buffer. Entries of the same function stand in runs, and there is a
loop for each function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.codegen.cover import cover
from ggp.compiler.codegen.formulas import INPUTS, NEVER, formula
from ggp.compiler.codegen.llvm_text import run_block, update
from ggp.compiler.codegen.runs import in_runs
from ggp.compiler.codegen.straightline import Kind, Program
from ggp.compiler.codegen.vector import Lanes
from ggp.native.numba_support import nopython

__all__ = ["emit_table"]

_Numbers = NDArray[np.int32]

_COPY, _NEGATION = INPUTS[0], INPUTS[0] ^ 0xFF


class _Part(NamedTuple):
    """The entries of a block, int32[entries, 4] in rows, and the function of each."""

    entries: _Numbers
    functions: NDArray[np.uint8]


def emit_table(
    program: Program, lanes: Lanes, pointer_row: int, *, begin: int = 0
) -> tuple[str, int, NDArray[np.int32]]:
    """Return LLVM's text, the rows of the buffer with the scratch rows, and the table.

    As `codegen.emit`, but the address of a table must stand in the first word of `pointer_row`;
    the offset of this one, in bytes, is added to it.
    """
    table = _Table(program)
    parts = table.parts()
    used = sorted({int(f) for part in parts for f in np.unique(part.functions)})
    entries = np.concatenate([np.empty((0, 4), np.int32), *(part.entries for part in parts)])
    runs = [_runs(part.functions, used) for part in parts]
    data = [8 * lanes.words * entries.ravel(), *(each.ravel() for each in runs)]
    lines = list(_interpreter(used, lanes))
    for number, block in enumerate(program.blocks):
        if block.latches:
            lines += update(number, block, program, lanes, table.slots(block.latches), {})
    first = begin + 16 * np.cumsum([0, *(len(part.entries) for part in parts)])
    first_run = begin + 16 * len(entries) + 8 * np.cumsum([0, *map(len, runs)])
    for phase in program.phases:
        lines += [f"define void @{phase}(ptr %b) {lanes.attributes} {{"]
        lines += [lanes.address("%tp", pointer_row), "  %t = load ptr, ptr %tp"]
        for number, block in enumerate(program.blocks):
            if block.phase == phase:
                calls = [
                    f"  %e{number} = getelementptr i8, ptr %t, i64 {first[number]}",
                    f"  %r{number} = getelementptr i8, ptr %t, i64 {first_run[number]}",
                    f"  call void @interpret(ptr %b, ptr %e{number}, ptr %r{number}, "
                    f"i64 {len(runs[number])})",
                ]
                lines += run_block(number, block, calls if len(runs[number]) else [], lanes)
        lines += ["  ret void", "}"]
    return "\n".join([*lines, *lanes.declarations]), table.rows, np.concatenate(data)


def _runs(functions: NDArray[np.uint8], used: Sequence[int]) -> _Numbers:
    """Return int32[runs, 2]: the place of each run's function in `used`, and its length."""
    if not len(functions):
        return np.empty((0, 2), np.int32)
    begins = np.flatnonzero(np.diff(functions, prepend=~functions[:1]))
    lengths = np.diff(begins, append=len(functions))
    return np.stack((np.searchsorted(used, functions[begins]), lengths), axis=1).astype(np.int32)


class _Table:
    """Gives every value of a program a row, block by block."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._cover = cover(program)
        count = len(program.kinds)
        is_row = np.fromiter((kind is Kind.ROW for kind in program.kinds), np.bool_, count)
        #: The row of each node that has one by now, -1 for others.
        self._slot = np.full(count, -1, np.int32)
        self._slot[is_row] = [program.operands[node][0] for node in np.flatnonzero(is_row)]
        self._zero = program.rows
        self._slot[0] = self._zero
        self._free = np.empty(count, np.int32)
        #: How many rows there are by now, and how many of them are free again.
        self._counts = np.array([program.rows + 1, 0], np.int64)
        self._read = {
            program.operands[literal >> 1][0]
            for _, literal, _ in program.outputs
            if program.kinds[literal >> 1] is Kind.ROW
        }
        self._placed = self._place()

    def _place(self) -> set[tuple[int, int]]:
        """Let nodes be computed into the rows that receive them, where the program reads none.

        Returns:
            row and literal of each output that needs no copy.
        """
        read = set(self._slot.tolist())
        placed = set()
        for row, literal, place in self._program.outputs:
            node, block = literal >> 1, self._program.blocks[place]
            is_here = block.first <= node < block.last and self._slot[node] < 0
            if is_here and not literal & 1 and row not in read:
                self._slot[node] = row
                placed.add((row, literal))
        return placed

    @property
    def rows(self) -> int:
        """How many rows the program needs."""
        return int(self._counts[0])

    def slots(self, latches: Sequence[tuple[int, int]]) -> dict[int, int]:
        """Return the rows of the nodes that drive latches and are no rows by themselves."""
        drivers = {driver >> 1 for _, driver in latches}
        return {
            node: int(self._slot[node])
            for node in drivers
            if self._program.kinds[node] not in (Kind.ROW, Kind.FALSE)
        }

    def parts(self) -> list[_Part]:
        """Return the entries of each block."""
        program, (blocks, inputs, functions) = self._program, self._cover
        blocks = [in_runs(nodes, inputs, functions) for nodes in blocks]
        last = np.full(len(program.kinds), -1, np.int64)
        end = 0
        for block, nodes in zip(program.blocks, blocks, strict=True):
            _note_last(nodes, inputs, end, bool(block.latches), last)
            end += len(nodes)
        kept = [literal >> 1 for _, literal, _ in program.outputs]
        kept += [driver >> 1 for block in program.blocks for _, driver in block.latches]
        last[kept] = end
        begin, result = 0, []
        for number, (block, nodes) in enumerate(zip(program.blocks, blocks, strict=True)):
            entries = np.empty((len(nodes), 4), np.int32)
            _allocate(
                nodes, inputs, last, begin, bool(block.latches), self._zero,
                self._slot, self._free, self._counts, entries,
            )  # fmt: skip
            begin += len(nodes)
            copies = self._copies(number)
            # other code that shares the buffer may have written to any row that is not named
            first = np.array([[self._zero, 0, 0, 0]])
            copied = np.array([(*copy, 0, 0) for copy, _ in copies], np.int32).reshape(-1, 4)
            of_copies = [function for _, function in copies]
            result.append(
                _Part(
                    np.concatenate([first, entries, copied]).astype(np.int32),
                    np.concatenate([[NEVER], functions[nodes], of_copies]).astype(np.uint8),
                )
            )
        return result

    def _copies(self, block: int) -> list[tuple[tuple[int, int], int]]:
        """Return target and source of each copy at the end of a block, and whether it negates."""
        outputs = [
            (row, literal)
            for row, literal, place in self._program.outputs
            if place == block and (row, literal) not in self._placed
        ]
        # a row that another output copies gets its new value after that
        late = [(row, literal) for row, literal in outputs if row in self._read]
        spare = range(self.rows, self.rows + len(late))
        self._counts[0] += len(late)
        early = [(row, literal) for row, literal in outputs if row not in self._read]
        early += [(row, literal) for row, (_, literal) in zip(spare, late, strict=True)]
        return [
            *(((row, self._slot[x >> 1]), _NEGATION if x & 1 else _COPY) for row, x in early),
            *(((target, row), _COPY) for row, (target, _) in zip(spare, late, strict=True)),
        ]


@nopython
def _note_last(
    nodes: _Numbers, inputs: _Numbers, begin: int, is_loop: bool, last: NDArray[np.int64]
) -> None:
    """Note for each node the place of the last entry that needs its value."""
    for i in range(len(nodes)):
        # a loop needs all its values in every round
        place = begin + (len(nodes) - 1 if is_loop else i)
        last[nodes[i]] = place
        for k in range(3):
            if inputs[nodes[i], k] >= 0:
                last[inputs[nodes[i], k]] = place


@nopython
def _allocate(
    nodes: _Numbers,
    inputs: _Numbers,
    last: NDArray[np.int64],
    begin: int,
    is_loop: bool,
    zero: int,
    slot: _Numbers,
    free: _Numbers,
    counts: NDArray[np.int64],
    entries: _Numbers,
) -> None:
    """Give each node of a block a row, and fill in its entry; rows are used again.

    `free` has `counts[1]` of the `counts[0]` rows. Rows up to `zero` are never free.
    """
    for i in range(len(nodes)):
        node = nodes[i]
        for k in range(3):
            below = inputs[node, k]
            entries[i, 1 + k] = slot[below] if below >= 0 else 0
        if not is_loop:
            _release(inputs[node], last, begin + i, zero, slot, free, counts)
        if slot[node] >= 0:
            pass  # it is where it is wanted
        elif counts[1] > 0:
            counts[1] -= 1
            slot[node] = free[counts[1]]
        else:
            slot[node] = counts[0]
            counts[0] += 1
        entries[i, 0] = slot[node]
    if is_loop:
        for i in range(len(nodes)):
            _release(inputs[nodes[i]], last, begin + len(nodes) - 1, zero, slot, free, counts)


@nopython
def _release(
    values: _Numbers,
    last: NDArray[np.int64],
    place: int,
    zero: int,
    slot: _Numbers,
    free: _Numbers,
    counts: NDArray[np.int64],
) -> None:
    """Free the rows of values that are not needed after this place."""
    for k in range(len(values)):
        value = values[k]
        if value >= 0 and last[value] == place and slot[value] > zero:
            last[value] = -1
            free[counts[1]] = slot[value]
            counts[1] += 1


def _interpreter(functions: Sequence[int], lanes: Lanes) -> Iterator[str]:
    """Yield LLVM's text of the function that goes through runs, at least one."""
    yield f"define internal void @interpret(ptr %b, ptr %t, ptr %r, i64 %n) {lanes.attributes} {{"
    yield from ("start:", "  br label %run", "run:")
    yield "  %i = phi i64 [0, %start], [%j, %next]"
    yield "  %first = phi ptr [%t, %start], [%last, %next]"
    yield "  %about = getelementptr [2 x i32], ptr %r, i64 %i"
    yield "  %function = load i32, ptr %about"
    yield "  %lengthp = getelementptr i32, ptr %about, i64 1"
    yield from ("  %length = load i32, ptr %lengthp", "  %count = zext i32 %length to i64")
    yield "  %last = getelementptr [4 x i32], ptr %first, i64 %count"
    yield from ("  %j = add i64 %i, 1", "  switch i32 %function, label %f0 [")
    yield from (f"    i32 {place}, label %f{place}" for place in range(1, len(functions)))
    yield "  ]"
    for place, function in enumerate(functions):
        yield from _loop(place, function, lanes)
    yield from ("next:", "  %more = icmp ult i64 %j, %n", "  br i1 %more, label %run, label %done")
    yield from ("done:", "  ret void", "}")


def _loop(place: int, function: int, lanes: Lanes) -> Iterator[str]:
    """Yield the loop that goes through a run of one function."""
    kind, align = lanes.type, f"align {8 * lanes.words}"
    tag = f"f{place}"
    yield from (f"{tag}:", f"  %{tag}.e = phi ptr [%first, %run], [%{tag}.n, %{tag}]")
    used = [k for k in range(3) if _reads(function, k)]
    names = {}
    for k, name in enumerate("dxyz"):
        if k and k - 1 not in used:
            continue
        own = f"%{tag}.{name}"
        yield from _offset(own, f"%{tag}.e", k)
        if k:
            names[k - 1] = f"{own}v"
            yield f"  {own}v = load {kind}, ptr {own}p, {align}"
    some = next(iter(names.values()), lanes.splat(0))
    x, y, z = (names.get(k, some) for k in range(3))
    yield from formula(function, (x, y, z), lanes, f"{tag}.r")
    yield f"  store {kind} %{tag}.r, ptr %{tag}.dp, {align}"
    yield f"  %{tag}.n = getelementptr [4 x i32], ptr %{tag}.e, i64 1"
    yield f"  %{tag}.m = icmp ult ptr %{tag}.n, %last"
    yield f"  br i1 %{tag}.m, label %{tag}, label %next"


def _offset(name: str, entry: str, place: int) -> Iterator[str]:
    """Yield the address `{name}p` of the row of which an entry has the offset."""
    yield f"  {name}a = getelementptr i32, ptr {entry}, i64 {place}"
    yield f"  {name}i = load i32, ptr {name}a"
    yield f"  {name}o = zext i32 {name}i to i64"
    yield f"  {name}p = getelementptr i8, ptr %b, i64 {name}o"


def _reads(function: int, k: int) -> bool:
    """Return whether a function depends on an input."""
    place, held = 2 - k, INPUTS[k]
    return (function & held) >> (1 << place) != function & (held ^ 0xFF)
