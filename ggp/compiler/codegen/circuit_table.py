"""A circuit as a table that a small loop runs through, made in compiled code.

It takes milliseconds where LLVM takes seconds, but does not run as fast as what LLVM makes. The
table is data: the code that runs through it is the same for all circuits.

Every entry is one AND or XOR of two literals, three numbers of 32 bits: where the result goes, and
the two operands, as offsets into the buffer. The lowest bit of an operand says that it is negated,
the next bit of the second operand that the entry is an XOR. Entries come in stretches; one with
latches is run until none of them changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit, Literals
from ggp.compiler.circuit.order import in_order
from ggp.compiler.codegen.vector import Lanes
from ggp.native.numba_support import allocating, inlined, nopython, signed

__all__ = ["RUN", "CircuitTable", "circuit_table", "runner"]

#: The function that runs a table.
RUN = "run_table"
#: Bytes of what the runner reads of each stretch: its address, its length, the row that it watches.
_STRETCH = 24
#: What a loop adds beside its gates: entries, and for each of its latches.
_OF_LOOP, _OF_LATCH = 1, 5
#: How many entries before its turn the operands of an entry are fetched into the cache. The rows of
#: a large circuit lie in memory that the processor does not foresee.
_AHEAD = 32


@dataclass(frozen=True, slots=True)
class CircuitTable:
    """Entries, and the stretches that are run one after the other."""

    #: int32[entries, 4]: the row that is written, two literals of rows, and whether an entry is an
    #: XOR. The literal of row r is 2 * r, or 2 * r + 1 for its negation.
    entries: Literals
    #: int64[stretches, 3]: where each begins, how long it is, and the row that holds all lanes in
    #: which no latch has changed; -1 for a stretch that is run once.
    stretches: NDArray[np.int64]
    #: How many rows the buffer has.
    rows: int

    def data(self, words: int) -> NDArray[np.int32]:
        """Return what the runner reads, for rows of that many words: see `runner`.

        It holds the addresses of its own entries, and so must stay where it is.
        """
        entries = _encoded(self.entries, words)
        head = np.empty(1 + self.stretches.size, np.int64)
        data = np.empty(2 * len(head) + entries.size, np.int32)
        in_head, in_entries = data[: 2 * len(head)], data[2 * len(head) :]
        begin, length, watched = self.stretches.T
        address = in_entries.ctypes.data + entries[0].nbytes * begin
        head[0] = len(self.stretches)
        head[1:] = np.stack((address, length, 8 * words * watched), axis=1).ravel()
        in_head[:], in_entries[:] = head.view(np.int32), entries.ravel()
        return data


def circuit_table(
    circuit: Circuit, wanted: Sequence[int], known: Mapping[int, int], *, first_row: int
) -> CircuitTable:
    """Return the table that computes literals of a circuit.

    Args:
        circuit: the circuit.
        wanted: the literals.
        known: nodes that are read and not computed, each with the literal of its row; all inputs
            that are needed.
        first_row: the row that receives the first literal; the others follow, and then the rows in
            which the table works.
    """
    left, right = np.array(circuit.gates.T, order="C")
    nodes = np.array([*known], np.int64)
    left[nodes] = right[nodes] = 0
    latches = {
        int(latch): int(driver)
        for loop in circuit.loops
        for latch, driver in zip(loop.latches, loop.drivers, strict=True)
        if int(latch) not in known
    }
    ordered = in_order(left, right, inputs=circuit.inputs, latches=latches, roots=wanted)
    source = np.full(len(ordered.gates), -1, np.int32)
    for node, row in known.items():
        new = ordered.known(2 * node)
        if new is not None:
            source[new >> 1] = row ^ new & 1
    loops = ordered.loops
    ends = [0, *accumulate(len(loop.latches) for loop in loops)]
    bounds = [
        (k.first, k.last, low, high) for k, (low, high) in zip(loops, pairwise(ends), strict=True)
    ]
    nothing = [np.empty(0, np.int32)]
    given = _Given(
        gates=ordered.gates,
        source=source,
        loops=np.array(bounds, np.int64).reshape(-1, 4),
        latches=np.concatenate([*nothing, *(loop.latches for loop in loops)]).astype(np.int32),
        drivers=np.concatenate([*nothing, *(loop.drivers for loop in loops)]).astype(np.int32),
        wanted=np.array(ordered.literals(wanted), np.int32),
    )
    return CircuitTable(*_tabulate(given, first_row))


class _Given(NamedTuple):
    """What a table computes, in the form that compiled code reads."""

    #: int32[nodes, 2]: the circuit, in the order in which it is computed.
    gates: Literals
    #: int32[nodes]: the literal of the row of each node that is read, -1 for all others.
    source: Literals
    #: int64[loops, 4]: the nodes of each loop from first up to last, and its latches.
    loops: NDArray[np.int64]
    #: int32[latches]: the nodes of all latches, and the literals that drive them.
    latches: Literals
    drivers: Literals
    #: int32[wanted]: the literals that are computed.
    wanted: Literals


class _Plan(NamedTuple):
    """What becomes of each node."""

    #: int32[nodes, 3]: the operands of each gate, and whether it is an XOR; 0, 0 for other nodes.
    gate: Literals
    #: int32[nodes]: the last node that needs each: the number of nodes for what is kept, -1 for
    #: what none needs.
    last: Literals


class _Rows(NamedTuple):
    """Where the value of each node stands."""

    #: As in `_Given`.
    source: Literals
    #: int32[nodes]: the row of each node that is computed, -1 while it has none.
    slot: Literals
    #: A row that is always zero; those behind it are free.
    zero: int


class _Written(NamedTuple):
    """The table as far as it is written."""

    #: Room for `CircuitTable.entries` and `CircuitTable.stretches`.
    entries: Literals
    stretches: NDArray[np.int64]
    #: int32[any]: rows that were used and are free again.
    free: Literals
    #: int64[5]: how many entries, stretches, rows and free rows there are, and the entry with which
    #: the present stretch begins.
    sizes: NDArray[np.int64]


_ENTRIES, _STRETCHES, _ROWS, _FREE, _BEGIN = range(5)


@allocating
def _tabulate(given: _Given, first_row: int) -> tuple[Literals, NDArray[np.int64], int]:
    """Return the entries, the stretches, and how many rows there are; see `circuit_table`."""
    count, zero = len(given.gates), first_row + len(given.wanted)
    plan = _Plan(np.zeros((count, 3), np.int32), np.full(count, -1, np.int32))
    rows = _Rows(given.source, np.full(count, -1, np.int32), zero)
    latches, loops = len(given.latches), len(given.loops)
    most = 1 + count + len(given.wanted) + _OF_LOOP * loops + _OF_LATCH * latches
    written = _Written(
        np.empty((most, 4), np.int32),
        np.empty((2 * loops + 1, 3), np.int64),
        np.empty(count + 2 * latches, np.int32),
        np.zeros(5, np.int64),
    )
    _find_gates(given, plan)
    _find_last_uses(given, plan)
    _place_results(given, plan, rows, first_row)
    _write(given, plan, rows, written, first_row)
    entries, stretches, end, _, _ = written.sizes
    return written.entries[:entries], written.stretches[:stretches], end


@nopython
def _place_results(given: _Given, plan: _Plan, rows: _Rows, first_row: int) -> None:
    """Have each result computed where it is wanted, where that can be."""
    for place in range(len(given.wanted)):
        literal = signed(given.wanted[place])
        node = literal >> 1
        is_kept = plan.last[node] == len(plan.last)
        if not literal & 1 and plan.gate[node, 0] and rows.slot[node] < 0 and is_kept:
            rows.slot[node] = first_row + place


@nopython
def _write(given: _Given, plan: _Plan, rows: _Rows, written: _Written, first_row: int) -> None:
    """Write all entries, in the order of the nodes."""
    sizes, loops, number = written.sizes, given.loops, 0
    sizes[_ROWS] = rows.zero + 1
    # other code that shares the buffer may have written to any row
    _entry(written, rows.zero, 2 * rows.zero, 2 * rows.zero + 1, 0)
    for node in range(1, len(given.gates) + 1):
        if number < len(loops) and node == loops[number, 0]:
            _begin_loop(given, rows, written, loops[number])
        if number < len(loops) and node == loops[number, 1]:
            _end_loop(given, rows, written, loops[number])
            number += 1
        if node < len(given.gates) and plan.last[node] >= 0 and plan.gate[node, 0]:
            _compute(plan, rows, written, node)
    for place in range(len(given.wanted)):
        row = first_row + place
        value = _at(rows, signed(given.wanted[place]))
        if value != 2 * row:
            _entry(written, row, value, 2 * rows.zero + 1, 0)
    _end_stretch(written, -1)


@nopython
def _compute(plan: _Plan, rows: _Rows, written: _Written, node: int) -> None:
    """Write the entry of a gate; its row may be that of an operand that it is the last to need."""
    gate, last, slot, sizes = plan.gate, plan.last, rows.slot, written.sizes
    x, y = _at(rows, signed(gate[node, 0])), _at(rows, signed(gate[node, 1]))
    for k in range(2):
        below = signed(gate[node, k]) >> 1
        if last[below] == node and slot[below] >= 0:
            last[below] = 0  # both operands may be the same
            written.free[sizes[_FREE]] = slot[below]
            sizes[_FREE] += 1
    if slot[node] < 0 and sizes[_FREE] > 0:
        sizes[_FREE] -= 1
        slot[node] = written.free[sizes[_FREE]]
    elif slot[node] < 0:
        slot[node] = sizes[_ROWS]
        sizes[_ROWS] += 1
    _entry(written, slot[node], x, y, gate[node, 2])


@nopython
def _begin_loop(given: _Given, rows: _Rows, written: _Written, loop: NDArray[np.int64]) -> None:
    """Give each latch of a loop a row, zero at first, and begin the stretch of the loop."""
    for place in range(loop[2], loop[3]):
        row = written.sizes[_ROWS]
        rows.slot[given.latches[place]] = row
        _entry(written, row, 2 * rows.zero, 2 * rows.zero, 0)
        written.sizes[_ROWS] += 1
    _end_stretch(written, -1)


@nopython
def _end_loop(given: _Given, rows: _Rows, written: _Written, loop: NDArray[np.int64]) -> None:
    """Let each latch of a loop take its new value, and end the stretch of the loop.

    The next row stands for what has not changed, those after it for what the latches become.
    """
    low, high, same, true = loop[2], loop[3], written.sizes[_ROWS], 2 * rows.zero + 1
    _entry(written, same, true, true, 0)
    for place in range(low, high):
        new = same + 1 + 2 * (place - low)
        held = 2 * signed(rows.slot[given.latches[place]])
        _entry(written, new, _at(rows, signed(given.drivers[place])), true, 0)
        _entry(written, new + 1, 2 * new, held, 1)
        _entry(written, same, 2 * same, 2 * (new + 1) + 1, 0)
    for place in range(low, high):
        new = same + 1 + 2 * (place - low)
        _entry(written, signed(rows.slot[given.latches[place]]), 2 * new, true, 0)
    _end_stretch(written, same)
    written.sizes[_ROWS] += 1 + 2 * (high - low)


@nopython
def _find_gates(given: _Given, plan: _Plan) -> None:
    """Fill in the operands of all gates: an XOR of gates that are ANDs becomes one gate."""
    gates, source, gate = given.gates, given.source, plan.gate
    for node in range(1, len(gates)):
        x, y = gates[node, 0], gates[node, 1]
        if source[node] >= 0 or (x == 0 and y == 0):
            continue
        gate[node, 0], gate[node, 1] = x, y
        if x & y & 1:
            one, other = x >> 1, y >> 1
            a, b = gates[one, 0], gates[one, 1]
            c, d = gates[other, 0], gates[other, 1]
            inside = a != 0 and c != 0 and source[one] < 0 and source[other] < 0
            if inside and ((a ^ c == 1 and b ^ d == 1) or (a ^ d == 1 and b ^ c == 1)):
                gate[node, 0], gate[node, 1], gate[node, 2] = a, b, 1


@nopython
def _find_last_uses(given: _Given, plan: _Plan) -> None:
    """Fill in the last node that needs each."""
    loops, drivers, wanted = given.loops, given.drivers, given.wanted
    gate, last = plan.gate, plan.last
    count = len(gate)
    for place in range(len(wanted)):
        last[wanted[place] >> 1] = count
    for place in range(len(drivers)):
        last[drivers[place] >> 1] = count
    number = len(loops) - 1
    for node in range(count - 1, 0, -1):
        while number >= 0 and node < loops[number, 0]:
            number -= 1
        if last[node] < 0 or not gate[node, 0]:
            continue
        # a loop needs its operands in every round
        tied = number >= 0 and node < loops[number, 1]
        for k in range(2):
            below = gate[node, k] >> 1
            last[below] = count if tied else max(last[below], node)


@inlined
def _at(rows: _Rows, literal: int) -> int:
    """Return a literal of a node as a literal of the row that holds it."""
    node = literal >> 1
    if rows.source[node] >= 0:
        value = signed(rows.source[node]) ^ (literal & 1)
    elif rows.slot[node] < 0:  # the constant, or a gate that is one
        value = 2 * rows.zero | (literal & 1)
    else:
        value = 2 * signed(rows.slot[node]) | (literal & 1)
    return value


@inlined
def _entry(written: _Written, row: int, x: int, y: int, is_xor: int) -> None:
    """Write an entry; the operands are literals of rows."""
    entry = written.entries[written.sizes[_ENTRIES]]
    entry[0], entry[1], entry[2], entry[3] = row, x, y, is_xor
    written.sizes[_ENTRIES] += 1


@inlined
def _end_stretch(written: _Written, watched: int) -> None:
    """End the present stretch, unless it is empty, and begin the next one."""
    sizes = written.sizes
    if sizes[_BEGIN] < sizes[_ENTRIES]:
        stretch = written.stretches[sizes[_STRETCHES]]
        stretch[0], stretch[1], stretch[2] = sizes[_BEGIN], sizes[_ENTRIES] - sizes[_BEGIN], watched
        sizes[_STRETCHES] += 1
    sizes[_BEGIN] = sizes[_ENTRIES]


def _encoded(entries: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """Return entries as `_interpreter` reads them, for rows of that many words."""
    row, x, y, is_xor = entries.T
    size = 8 * words
    found = np.zeros((len(entries) + _AHEAD, 3), np.int32)  # the last are fetched, but never run
    found[: len(row), 0] = size * row
    found[: len(row), 1] = size * (x >> 1) | x & 1
    found[: len(row), 2] = size * (y >> 1) | y & 1 | 2 * is_xor
    return found


def runner(lanes: Lanes, pointer_row: int) -> str:
    """Return LLVM's text of the function `RUN`, which runs a table.

    The first word of `pointer_row` is the address of words: how many stretches there are, and for
    each of them the address of its first entry, its length, and what it watches, as in
    `CircuitTable.stretches`, in bytes of the buffer.
    """
    fields = [
        line
        for k, name in enumerate(("first", "length", "watched"))
        for line in (
            f"  %{name}.p = getelementptr i8, ptr %about, i64 {8 * k}",
            f"  %{name} = load i64, ptr %{name}.p",
        )
    ]
    return "\n".join(
        [
            *_interpreter(lanes),
            f"define void @{RUN}(ptr %b) {lanes.attributes} {{",
            "start:",
            lanes.address("%head.p", pointer_row),
            "  %head = load ptr, ptr %head.p",
            "  %count = load i64, ptr %head",
            "  %list = getelementptr i8, ptr %head, i64 8",
            "  %any = icmp sgt i64 %count, 0",
            "  br i1 %any, label %stretch, label %done",
            "stretch:",
            "  %i = phi i64 [0, %start], [%next, %end]",
            "  %offset = mul i64 %i, " + str(_STRETCH),
            "  %about = getelementptr i8, ptr %list, i64 %offset",
            *fields,
            "  %entries = inttoptr i64 %first to ptr",
            "  br label %again",
            "again:",
            "  call void @interpret(ptr %b, ptr %entries, i64 %length)",
            "  %loops = icmp sge i64 %watched, 0",
            "  br i1 %loops, label %look, label %end",
            "look:",
            "  %row = getelementptr i8, ptr %b, i64 %watched",
            f"  %same = load {lanes.type}, ptr %row, align {8 * lanes.words}",
            f"  %changed = xor {lanes.type} %same, {lanes.ones}",
            *lanes.some("%more", "%changed"),
            "  br i1 %more, label %again, label %end",
            "end:",
            "  %next = add i64 %i, 1",
            "  %left = icmp slt i64 %next, %count",
            "  br i1 %left, label %stretch, label %done",
            "done:",
            "  ret void",
            "}",
            *lanes.declarations,
        ]
    )


def _interpreter(lanes: Lanes) -> Iterator[str]:
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
