"""A program as a table that a small loop runs through: no compile time, for circuits too large.

Every entry is one AND or XOR of two literals, three numbers of 32 bits: where the result goes, and
the two operands, as offsets into the buffer. The lowest bit of an operand says that it is negated,
the next bit of the second operand that the entry is an XOR.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled.codegen.llvm_text import run_block, update
from ggp.reasoner.compiled.codegen.straightline import Kind, Program
from ggp.reasoner.compiled.codegen.vector import Lanes

__all__ = ["emit_table", "encoded", "interpreter"]

#: How many entries before its turn the operands of an entry are fetched into the cache. The rows of
#: a large circuit lie in memory that the processor does not foresee.
_AHEAD = 32


def emit_table(
    program: Program, lanes: Lanes, pointer_row: int
) -> tuple[str, int, NDArray[np.int32]]:
    """Return LLVM's text, the rows of the buffer with the scratch rows, and the table.

    As `codegen.emit`, but the address of the table must stand in the first word of `pointer_row`.
    """
    table = _Table(program)
    lines = list(interpreter(lanes))
    for number, block in enumerate(program.blocks):
        if block.latches:
            lines += update(number, block, program, lanes, table.slots, {})
    for phase in dict.fromkeys(block.phase for block in program.blocks):
        lines += [f"define void @{phase}(ptr %b) {lanes.attributes} {{"]
        lines += [lanes.address("%tp", pointer_row), "  %t = load ptr, ptr %tp"]
        for number, block in enumerate(program.blocks):
            if block.phase == phase:
                first, last = table.bounds[number]
                calls = [
                    f"  %from{number} = getelementptr i8, ptr %t, i64 {12 * first}",
                    f"  call void @interpret(ptr %b, ptr %from{number}, i64 {last - first})",
                ]
                lines += run_block(number, block, calls if last > first else [], lanes)
        lines += ["  ret void", "}"]
    entries = encoded(np.array(table.entries, np.int32).reshape(-1, 4), lanes.words)
    return "\n".join([*lines, *lanes.declarations]), table.rows, entries


def encoded(entries: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """Return entries as `interpreter` reads them, for rows of that many words.

    Args:
        entries: int32[entries, 4]: the row that is written, two literals of rows, and whether an
            entry is an XOR. The literal of row r is 2 * r, or 2 * r + 1 for its negation.
        words: words of 64 lanes in a row.
    """
    row, x, y, is_xor = entries.T
    size = 8 * words
    found = np.zeros((len(entries) + _AHEAD, 3), np.int32)  # the last are fetched, but never run
    found[: len(row), 0] = size * row
    found[: len(row), 1] = size * (x >> 1) | x & 1
    found[: len(row), 2] = size * (y >> 1) | y & 1 | 2 * is_xor
    return found


class _Table:
    """The entries of a program, as `encoded` takes them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.entries: list[tuple[int, int, int, bool]] = []
        self.bounds: list[tuple[int, int]] = []
        self.slots: dict[int, int] = {}
        self.zero = program.rows
        self.rows = program.rows + 1
        self.free: list[int] = []
        order = program.order()
        self.ends = self._last_uses(order)
        copied = {row for _, literal, _ in program.outputs for row in self._row_read(literal)}
        for number, (block, nodes) in enumerate(zip(program.blocks, order, strict=True)):
            first = len(self.entries)
            # other code that shares the buffer may have written to any row that is not named
            self._and(self.zero, 2 * self.zero, 2 * self.zero | 1)
            for node in nodes:
                self._add(node)
                if not block.latches:
                    self._release(node)
            if block.latches:
                for node in nodes:
                    self._release(node)
            outputs = [(row, lit) for row, lit, place in program.outputs if place == number]
            late = [(row, lit) for row, lit in outputs if row in copied]
            spare = [self._take() for _ in late]
            for row, (_, literal) in zip(spare, late, strict=True):
                self._and(row, self._at(literal), self._at(1))
            for row, literal in outputs:
                if row not in copied:
                    self._and(row, self._at(literal), self._at(1))
            for row, (target, _) in zip(spare, late, strict=True):
                self._and(target, 2 * row, self._at(1))
            self.free += spare
            self.bounds.append((first, len(self.entries)))

    def _row_read(self, literal: int) -> tuple[int, ...]:
        is_row = self.program.kinds[literal >> 1] is Kind.ROW
        return self.program.operands[literal >> 1] if is_row else ()

    def _last_uses(self, order: list[list[int]]) -> dict[int, list[int]]:
        """Return, per node, the nodes that are no longer needed once it is computed."""
        program = self.program
        last: dict[int, int] = {}
        for block, nodes in zip(program.blocks, order, strict=True):
            for node in nodes:
                last.setdefault(node, node)
                for operand in program.operands[node]:
                    # a loop needs its operands in every round
                    last[operand >> 1] = nodes[-1] if block.latches else node
        kept = {driver >> 1 for block in program.blocks for _, driver in block.latches}
        kept |= {literal >> 1 for _, literal, _ in program.outputs}
        ends: dict[int, list[int]] = {}
        for node, end in last.items():
            if node not in kept:
                ends.setdefault(end, []).append(node)
        return ends

    def _take(self) -> int:
        if not self.free:
            self.free.append(self.rows)
            self.rows += 1
        return self.free.pop()

    def _release(self, node: int) -> None:
        self.free += [self.slots[n] for n in self.ends.get(node, ()) if n in self.slots]

    def _at(self, literal: int) -> int:
        """Return a literal of a node as a literal of the row that holds it."""
        node = literal >> 1
        if node == 0:
            row = self.zero
        elif self.program.kinds[node] is Kind.ROW:
            (row,) = self.program.operands[node]
        else:
            row = self.slots[node]
        return 2 * row | literal & 1

    def _and(self, row: int, x: int, y: int) -> int:
        self.entries.append((row, x, y, False))
        return 2 * row

    def _xor(self, row: int, x: int, y: int) -> int:
        self.entries.append((row, x, y, True))
        return 2 * row

    def _temporary(self) -> int:
        row = self._take()
        self._used.append(row)
        return row

    def _add(self, node: int) -> None:
        self._used: list[int] = []
        row = self.slots[node] = self._take()
        kind = self.program.kinds[node]
        x, y, *rest = map(self._at, self.program.operands[node])
        if kind is Kind.AND:
            self._and(row, x, y)
        elif kind is Kind.XOR:
            self._xor(row, x, y)
        elif kind is Kind.XOR3:
            self._xor(row, self._xor(self._temporary(), x, y), rest[0])
        elif kind is Kind.MAJ:
            differ = self._xor(self._temporary(), x, y)
            third = self._and(self._temporary(), differ, rest[0])
            self._xor(row, self._and(self._temporary(), x, y), third)
        else:
            differ = self._xor(self._temporary(), y, rest[0])
            self._xor(row, self._and(self._temporary(), x, differ), rest[0])
        self.free += self._used


def interpreter(lanes: Lanes) -> Iterator[str]:
    """Yield LLVM's text of the function that runs through entries, at least one."""
    kind, align = lanes.type, f"align {8 * lanes.words}"
    yield "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    yield f"define internal void @interpret(ptr %b, ptr %t, i64 %n) {lanes.attributes} {{"
    yield "start:"
    yield "  br label %loop"
    yield "loop:"
    yield "  %i = phi i64 [0, %start], [%j, %loop]"
    yield "  %e = getelementptr [3 x i32], ptr %t, i64 %i"
    for k, name in enumerate("dxy"):
        yield f"  %{name}a = getelementptr i32, ptr %e, i64 {k}"
        yield f"  %{name}i = load i32, ptr %{name}a, align 4"
        yield f"  %{name} = zext i32 %{name}i to i64"
    for name in "xy":
        yield f"  %{name}o = and i64 %{name}, -8"
        yield f"  %{name}p = getelementptr i8, ptr %b, i64 %{name}o"
        yield f"  %{name}v = load {kind}, ptr %{name}p, {align}"
        yield f"  %{name}s = and i64 %{name}, 1"
        yield from _mask(f"%{name}m", f"%{name}s", lanes)
        yield f"  %{name}z = xor {kind} %{name}v, %{name}m"
    yield f"  %ea = getelementptr [3 x i32], ptr %e, i64 {_AHEAD}"
    for k, name in enumerate("xy", start=1):
        yield f"  %{name}la = getelementptr i32, ptr %ea, i64 {k}"
        yield f"  %{name}li = load i32, ptr %{name}la, align 4"
        yield f"  %{name}l = zext i32 %{name}li to i64"
        yield f"  %{name}f = getelementptr i8, ptr %b, i64 %{name}l"
        yield f"  call void @llvm.prefetch.p0(ptr %{name}f, i32 0, i32 3, i32 1)"
    yield "  %yk = lshr i64 %y, 1"
    yield "  %ks = and i64 %yk, 1"
    yield from _mask("%k", "%ks", lanes)
    # x XOR y is (x AND y) XOR (x OR y); an AND leaves the second part out
    yield f"  %and = and {kind} %xz, %yz"
    yield f"  %or = or {kind} %xz, %yz"
    yield f"  %any = and {kind} %or, %k"
    yield f"  %r = xor {kind} %and, %any"
    yield "  %dp = getelementptr i8, ptr %b, i64 %d"
    yield f"  store {kind} %r, ptr %dp, {align}"
    yield "  %j = add i64 %i, 1"
    yield "  %more = icmp ult i64 %j, %n"
    yield "  br i1 %more, label %loop, label %done"
    yield "done:"
    yield "  ret void"
    yield "}"


def _mask(name: str, bit: str, lanes: Lanes) -> Iterator[str]:
    """Spread a bit over a row: all ones if it is 1."""
    if lanes.words == 1:
        yield f"  {name} = sub i64 0, {bit}"
        return
    yield f"  {name}n = sub i64 0, {bit}"
    yield f"  {name}h = insertelement {lanes.type} poison, i64 {name}n, i64 0"
    yield (
        f"  {name} = shufflevector {lanes.type} {name}h, {lanes.type} poison, "
        f"<{lanes.words} x i32> zeroinitializer"
    )
