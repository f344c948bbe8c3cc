"""A program as a table that a small loop runs through: no compile time, for circuits too large.

Every entry is one AND of two literals, three numbers of 32 bits: where the result goes, and the two
operands, as offsets into the buffer whose lowest bit says that the operand is negated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled.codegen.llvm_text import run_block, update
from ggp.reasoner.compiled.codegen.straightline import Kind, Program
from ggp.reasoner.compiled.codegen.vector import Lanes

__all__ = ["emit_table"]


def emit_table(
    program: Program, lanes: Lanes, pointer_row: int
) -> tuple[str, int, NDArray[np.int32]]:
    """Return LLVM's text, the rows of the buffer with the scratch rows, and the table.

    As `codegen.emit`, but the address of the table must stand in the first word of `pointer_row`.
    """
    table = _Table(program)
    lines = list(_interpreter(lanes))
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
    entries = np.array(table.entries, np.int32).reshape(-1, 3)
    width = 8 * lanes.words
    entries[:, 0] *= width
    entries[:, 1:] = (entries[:, 1:] >> 1) * width | (entries[:, 1:] & 1)
    return "\n".join([*lines, *lanes.declarations]), table.rows, entries


class _Table:
    """The entries of a program as (row, literal of a row, literal of a row)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.entries: list[tuple[int, int, int]] = []
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
        self.entries.append((row, x, y))
        return 2 * row

    def _temporary(self, x: int, y: int) -> int:
        row = self._take()
        self._used.append(row)
        return self._and(row, x, y)

    def _xor(self, row: int, x: int, y: int) -> int:
        both, neither = self._temporary(x, y), self._temporary(x ^ 1, y ^ 1)
        return self._and(row, both ^ 1, neither ^ 1)

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
            spare = self._take()
            self._used.append(spare)
            self._xor(row, self._xor(spare, x, y), rest[0])
        elif kind is Kind.MAJ:
            some = self._temporary(x ^ 1, y ^ 1) ^ 1
            third = self._temporary(some, rest[0])
            self._and(row, self._temporary(x, y) ^ 1, third ^ 1)
            self._and(row, 2 * row | 1, self._at(1))
        else:
            chosen, other = self._temporary(x, y), self._temporary(x ^ 1, rest[0])
            self._and(row, chosen ^ 1, other ^ 1)
            self._and(row, 2 * row | 1, self._at(1))
        self.free += self._used


def _interpreter(lanes: Lanes) -> Iterator[str]:
    kind, align = lanes.type, f"align {8 * lanes.words}"
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
        if name == "d":
            continue
        yield f"  %{name}o = and i64 %{name}, -8"
        yield f"  %{name}p = getelementptr i8, ptr %b, i64 %{name}o"
        yield f"  %{name}v = load {kind}, ptr %{name}p, {align}"
        yield f"  %{name}s = and i64 %{name}, 1"
        yield f"  %{name}m = sub i64 0, %{name}s"
        mask = f"%{name}m"
        if lanes.words > 1:
            yield f"  %{name}h = insertelement {kind} poison, i64 {mask}, i64 0"
            mask = f"%{name}w"
            yield (
                f"  {mask} = shufflevector {kind} %{name}h, {kind} poison, "
                f"<{lanes.words} x i32> zeroinitializer"
            )
        yield f"  %{name}z = xor {kind} %{name}v, {mask}"
    yield f"  %r = and {kind} %xz, %yz"
    yield "  %dp = getelementptr i8, ptr %b, i64 %d"
    yield f"  store {kind} %r, ptr %dp, {align}"
    yield "  %j = add i64 %i, 1"
    yield "  %more = icmp ult i64 %j, %n"
    yield "  br i1 %more, label %loop, label %done"
    yield "done:"
    yield "  ret void"
    yield "}"
