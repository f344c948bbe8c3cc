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
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit, Literals
from ggp.compiler.circuit.order import in_order
from ggp.compiler.codegen.vector import Lanes
from ggp.native.numba_support import nopython, signed

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
        """Return what the runner reads, for rows of that many words: see `runner`."""
        entries = _encoded(self.entries, words)
        head = np.empty(1 + self.stretches.size, np.int64)
        head[0] = len(self.stretches)
        data = np.empty(2 * len(head) + entries.size, np.int32)
        data[2 * len(head) :] = entries.ravel()
        begin, length, watched = self.stretches.T
        address = data.ctypes.data + 8 * len(head) + 12 * begin
        head[1:] = np.stack((address, length, 8 * words * watched), axis=1).ravel()
        data[: 2 * len(head)] = head.view(np.int32)
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
    bounds = np.array(
        [(k.first, k.last, low, high) for k, low, high in zip(loops, ends, ends[1:], strict=False)],
        np.int64,
    ).reshape(-1, 4)
    nothing = [np.empty(0, np.int32)]
    count, zero = len(ordered.gates), first_row + len(wanted)
    most = 1 + count + len(wanted) + _OF_LOOP * len(loops) + _OF_LATCH * ends[-1]
    entries = np.empty((most, 4), np.int32)
    stretches = np.empty((2 * len(loops) + 1, 3), np.int64)
    sizes = np.zeros(3, np.int64)
    _tabulate(
        ordered.gates, source, bounds,
        np.concatenate([*nothing, *(loop.latches for loop in loops)]).astype(np.int32),
        np.concatenate([*nothing, *(loop.drivers for loop in loops)]).astype(np.int32),
        np.array(ordered.literals(wanted), np.int32), first_row, zero,
        np.zeros((count, 3), np.int32), np.full(count, -1, np.int32), np.full(count, -1, np.int32),
        np.empty(count + 2 * ends[-1], np.int32), entries, stretches, sizes,
    )  # fmt: skip
    made, many, rows = sizes.tolist()
    return CircuitTable(entries[:made], stretches[:many], rows)


@nopython
def _tabulate(
    gates: Literals,
    source: Literals,
    loops: NDArray[np.int64],
    latches: Literals,
    drivers: Literals,
    wanted: Literals,
    first_row: int,
    zero: int,
    gate: Literals,
    last: Literals,
    slot: Literals,
    free: Literals,
    entries: Literals,
    stretches: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Fill in the entries, the stretches, and `sizes`: how many there are of both, and of rows.

    Args:
        gates: int32[nodes, 2]: the circuit, in the order in which it is computed.
        source: the literal of the row of each node that is read, -1 for all others.
        loops: int64[loops, 4]: the nodes of each loop from first up to last, and its latches.
        latches: the nodes of all latches.
        drivers: the literals that drive them.
        wanted: what is computed.
        first_row: the row of the first wanted literal.
        zero: a row that is always zero; those from here on are free.
        gate: zeros, int32[nodes, 3]: room for the operands of each gate, and whether it is an XOR.
        last: -1 for each node: room for the last node that needs it.
        slot: -1 for each node: room for its row.
        free: room for rows that are not in use.
        entries: room for them.
        stretches: room for them.
        sizes: room for what is returned.
    """
    count = len(gates)
    _find_gates(gates, source, gate)
    _find_last_uses(gate, loops, drivers, wanted, last)
    for place in range(len(wanted)):
        node = signed(wanted[place]) >> 1
        # a result is computed where it is wanted
        if not wanted[place] & 1 and gate[node, 0] and slot[node] < 0 and last[node] == count:
            slot[node] = first_row + place
    # other code that shares the buffer may have written to any row
    made = _entry(entries, 0, zero, 2 * zero, 2 * zero + 1, 0)
    rows, spare, many, begin, number = zero + 1, 0, 0, 0, 0
    for node in range(1, count + 1):
        if number < len(loops) and node == loops[number, 0]:
            made, rows = _reset(loops[number], latches, zero, slot, entries, made, rows)
            many, begin = _stretch(stretches, many, begin, made, -1)
        if number < len(loops) and node == loops[number, 1]:
            made = _update(loops[number], latches, drivers, source, zero, slot, entries, made, rows)
            many, begin = _stretch(stretches, many, begin, made, rows)
            rows += 1 + 2 * (loops[number, 3] - loops[number, 2])
            number += 1
        if node == count or last[node] < 0 or not gate[node, 0]:
            continue
        x = _at(source, slot, zero, signed(gate[node, 0]))
        y = _at(source, slot, zero, signed(gate[node, 1]))
        for k in range(2):
            below = signed(gate[node, k]) >> 1
            if last[below] == node and slot[below] >= 0:
                last[below] = 0  # both operands may be the same
                free[spare] = slot[below]
                spare += 1
        if slot[node] < 0 and spare > 0:
            spare -= 1
            slot[node] = free[spare]
        elif slot[node] < 0:
            slot[node] = rows
            rows += 1
        made = _entry(entries, made, slot[node], x, y, gate[node, 2])
    for place in range(len(wanted)):
        row = first_row + place
        value = _at(source, slot, zero, signed(wanted[place]))
        if value != 2 * row:
            made = _entry(entries, made, row, value, 2 * zero + 1, 0)
    many, begin = _stretch(stretches, many, begin, made, -1)
    sizes[0], sizes[1], sizes[2] = made, many, rows


@nopython
def _reset(
    loop: NDArray[np.int64],
    latches: Literals,
    zero: int,
    slot: Literals,
    entries: Literals,
    made: int,
    rows: int,
) -> tuple[int, int]:
    """Give each latch of a loop a row, zero at first; return the numbers of entries and rows."""
    for place in range(loop[2], loop[3]):
        slot[latches[place]] = rows
        made = _entry(entries, made, rows, 2 * zero, 2 * zero, 0)
        rows += 1
    return made, rows


@nopython
def _update(
    loop: NDArray[np.int64],
    latches: Literals,
    drivers: Literals,
    source: Literals,
    zero: int,
    slot: Literals,
    entries: Literals,
    made: int,
    rows: int,
) -> int:
    """Let each latch of a loop take its new value; return how many entries there are.

    The next row stands for what has not changed, those after it for what the latches become.
    """
    low, high = loop[2], loop[3]
    true = 2 * zero + 1
    made = _entry(entries, made, rows, true, true, 0)
    for place in range(low, high):
        new = rows + 1 + 2 * (place - low)
        held = 2 * signed(slot[latches[place]])
        value = _at(source, slot, zero, signed(drivers[place]))
        made = _entry(entries, made, new, value, true, 0)
        made = _entry(entries, made, new + 1, 2 * new, held, 1)
        made = _entry(entries, made, rows, 2 * rows, 2 * (new + 1) + 1, 0)
    for place in range(low, high):
        new = rows + 1 + 2 * (place - low)
        made = _entry(entries, made, signed(slot[latches[place]]), 2 * new, true, 0)
    return made


@nopython
def _find_gates(gates: Literals, source: Literals, gate: Literals) -> None:
    """Fill in the operands of all gates: an XOR of gates that are ANDs becomes one gate."""
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
def _find_last_uses(
    gate: Literals, loops: NDArray[np.int64], drivers: Literals, wanted: Literals, last: Literals
) -> None:
    """Fill in the last node that needs each: the number of nodes for those that are kept."""
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


@nopython
def _at(source: Literals, slot: Literals, zero: int, literal: int) -> int:
    """Return a literal of a node as a literal of the row that holds it."""
    node = literal >> 1
    if source[node] >= 0:
        return signed(source[node]) ^ (literal & 1)
    if slot[node] < 0:  # the constant, or a gate that is one
        return 2 * zero | (literal & 1)
    return 2 * signed(slot[node]) | (literal & 1)


@nopython
def _entry(entries: Literals, made: int, row: int, x: int, y: int, is_xor: int) -> int:
    entries[made, 0], entries[made, 1], entries[made, 2], entries[made, 3] = row, x, y, is_xor
    return made + 1


@nopython
def _stretch(
    stretches: NDArray[np.int64], many: int, begin: int, end: int, watched: int
) -> tuple[int, int]:
    """End a stretch unless it is empty; return how many there are, and where the next begins."""
    if begin == end:
        return many, end
    stretches[many, 0], stretches[many, 1], stretches[many, 2] = begin, end - begin, watched
    return many + 1, end


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
