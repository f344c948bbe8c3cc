"""Straight-line LLVM code for a program: each row of lanes is a vector, each node an instruction.

The code is cut into functions of a few hundred nodes, so that the time to compile it stays linear
in its length. A scratch row of the buffer passes a value from one function to another. Where a row
needs several registers, some functions run for one part of the rows, then for the next: with more
registers for each value, fewer values fit in them, and the code is longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

from ggp.compiler.codegen.straightline import Block, Kind, Program
from ggp.compiler.codegen.vector import Lanes

__all__ = ["emit", "run_block", "update"]

#: Nodes in a function; a block of no more than WHOLE nodes is not cut. Shorter functions cost more
#: calls; longer ones make LLVM keep more values on the stack, and take longer to compile.
CHUNK, WHOLE = 150, 400

#: Nodes that run for one part of the rows before they run for the next. Fewer cost more calls; of
#: more, code and values do not stay near the CPU until the next part needs them.
STAGE = 200


@dataclass(slots=True)
class _Chunk:
    """The nodes of one function, and what it stores in the end."""

    block: int
    nodes: list[int] = field(default_factory=list)
    #: (row, literal) pairs.
    outputs: list[tuple[int, int]] = field(default_factory=list)


def emit(program: Program, lanes: Lanes) -> tuple[str, int]:
    """Return LLVM's text of a program, and the rows of its buffer with the scratch rows.

    Each phase is a function `void phase(ptr buffer)`.
    """
    chunks = _cut(program)
    slots, rows = _slots(program, chunks)
    lines: list[str] = []
    inverted: dict[int, bool] = {}
    for number, chunk in enumerate(chunks):
        lines += [f"define internal void @chunk{number}(ptr %b) {lanes.attributes} {{"]
        lines += _ChunkWriter(program, lanes.part, slots, inverted).write(chunk)
        lines += ["  ret void", "}"]
    for number, block in enumerate(program.blocks):
        if block.latches:
            lines += update(number, block, program, lanes.part, slots, inverted)
    for phase in program.phases:
        lines += _phase(phase, program, chunks, lanes)
    return "\n".join([*lines, *lanes.part.declarations]), rows


def _phase(phase: str, program: Program, chunks: Sequence[_Chunk], lanes: Lanes) -> Iterator[str]:
    """Write the function of a phase: stage by stage, each for all parts of the rows in turn."""
    begin = f"(ptr %b) {lanes.attributes} {{"
    stages = [*_stages(phase, program, chunks, lanes.part)]
    if lanes.part == lanes:
        yield f"define void @{phase}{begin}"
        yield from (*chain.from_iterable(stages), "  ret void", "}")
        return
    for number, body in enumerate(stages):
        yield f"define internal void @{phase}.stage{number}{begin}"
        yield from (*body, "  ret void", "}")
    yield f"define void @{phase}{begin}"
    parts = range(0, lanes.words, lanes.part.words)
    for word in parts:
        yield f"  %part{word} = getelementptr i8, ptr %b, i64 {8 * word}"
    for number, word in product(range(len(stages)), parts):
        yield f"  call void @{phase}.stage{number}(ptr %part{word})"
    yield from ("  ret void", "}")


def _stages(
    phase: str, program: Program, chunks: Sequence[_Chunk], lanes: Lanes
) -> Iterator[list[str]]:
    """Yield the lines of each stage of a phase: calls of chunks, of some blocks again and again."""
    body: list[str] = []
    size = 0
    for number, block in enumerate(program.blocks):
        own = [i for i, chunk in enumerate(chunks) if chunk.block == number]
        if block.phase != phase:
            continue
        for pieces in [own] if block.latches else [[i] for i in own]:
            nodes = sum(len(chunks[i].nodes) for i in pieces)
            if body and size + nodes > STAGE:
                yield body
                body, size = [], 0
            size += nodes
            calls = [f"  call void @chunk{i}(ptr %b)" for i in pieces]
            body += run_block(number, block, calls, lanes)
    yield body


def _cut(program: Program) -> list[_Chunk]:
    """Cut the live nodes into chunks, and give every output the chunk that stores it."""
    chunks: list[_Chunk] = []
    home: dict[int, int] = {}
    bounds: list[tuple[int, int]] = []
    for number, nodes in enumerate(program.order()):
        start = len(chunks)
        chunks.append(_Chunk(number))
        pieces = 1 if len(nodes) <= WHOLE else -(-len(nodes) // CHUNK)
        for i, node in enumerate(nodes):
            if i * pieces // len(nodes) > len(chunks) - start - 1:
                chunks.append(_Chunk(number))
            chunks[-1].nodes.append(node)
            home[node] = len(chunks) - 1
        bounds.append((start, len(chunks) - 1))
    # an output may be stored once its row has been read for the last time in its phase
    phases = [block.phase for block in program.blocks]
    read: dict[tuple[str, int], int] = {}
    for number, chunk in enumerate(chunks):
        for node in chunk.nodes:
            for row in _rows_of(program, program.operands[node]):
                read[phases[chunk.block], row] = number
    for _, literal, block_number in program.outputs:
        for row in _rows_of(program, [literal]):
            key = phases[block_number], row
            read[key] = max(read.get(key, 0), bounds[block_number][1])
    for row, literal, block_number in program.outputs:
        first, last = bounds[block_number]
        last_read = read.get((phases[block_number], row), 0)
        if program.kinds[literal >> 1] is Kind.ROW or last_read > last:
            place = last
        else:
            place = max(first, last_read, home.get(literal >> 1, 0))
        chunks[place].outputs.append((row, literal))
    return chunks


def _rows_of(program: Program, literals: Iterable[int]) -> Iterator[int]:
    """Yield the rows that literals read."""
    for literal in literals:
        if program.kinds[literal >> 1] is Kind.ROW:
            yield program.operands[literal >> 1][0]


def _slots(program: Program, chunks: list[_Chunk]) -> tuple[dict[int, int], int]:
    """Give a scratch row to every node that another chunk needs; rows are used again."""
    home = {node: i for i, chunk in enumerate(chunks) for node in chunk.nodes}
    last_of_block = {chunk.block: i for i, chunk in enumerate(chunks)}
    last: dict[int, int] = {}

    def use(literal: int, number: int) -> None:
        node = literal >> 1
        if node not in home or home[node] == number:
            return
        block = chunks[number].block
        if program.blocks[block].latches:
            number = last_of_block[block]  # a loop needs its operands in every round
        last[node] = max(last.get(node, -1), number)

    for number, chunk in enumerate(chunks):
        for node in chunk.nodes:
            for operand in program.operands[node]:
                use(operand, number)
        for _, literal in chunk.outputs:
            use(literal, number)
    for number, block in enumerate(program.blocks):
        for _, driver in block.latches:
            if driver >> 1 in home:
                node = driver >> 1
                last[node] = max(last.get(node, -1), last_of_block[number])

    slots: dict[int, int] = {}
    rows = program.rows
    free: list[int] = []
    ends: dict[int, list[int]] = {}
    for number, chunk in enumerate(chunks):
        for node in chunk.nodes:
            if node in last:
                if not free:
                    free.append(rows)
                    rows += 1
                slots[node] = free.pop()
                ends.setdefault(last[node], []).append(slots[node])
        free += ends.pop(number, ())
    return slots, rows


class _ChunkWriter:
    """Writes one function. A value may be kept inverted, which saves the instruction to negate."""

    def __init__(
        self, program: Program, lanes: Lanes, slots: dict[int, int], inverted: dict[int, bool]
    ) -> None:
        self.program, self.lanes, self.slots, self.inverted = program, lanes, slots, inverted
        self.lines: list[str] = []
        self.here: set[int] = set()
        self.serial = 0

    def write(self, chunk: _Chunk) -> list[str]:
        """Return the lines of the function's body."""
        due = self._due(chunk)
        for place, node in enumerate(chunk.nodes):
            self._compute(node)
            self.here.add(node)
            # what is stored at once need not be kept in a register until the end
            if node in self.slots:
                self._store(f"%n{node}", self.slots[node])
            for row, literal in due.get(place, ()):
                self._store(self.positive(literal), row)
        last = [(self.positive(literal), row) for row, literal in due.get(len(chunk.nodes), ())]
        for value, row in last:
            self._store(value, row)
        return self.lines

    def _due(self, chunk: _Chunk) -> dict[int, list[tuple[int, int]]]:
        """Return the outputs by the place of the node after which their rows are read no more."""
        program, end = self.program, len(chunk.nodes)
        made = {node: place for place, node in enumerate(chunk.nodes)}
        read: dict[int, int] = {}
        for node, place in made.items():
            read |= dict.fromkeys(_rows_of(program, program.operands[node]), place)
        read |= dict.fromkeys(_rows_of(program, (literal for _, literal in chunk.outputs)), end)
        due: dict[int, list[tuple[int, int]]] = {}
        for row, literal in chunk.outputs:
            place = max(made.get(literal >> 1, end), read.get(row, 0))
            due.setdefault(place, []).append((row, literal))
        return due

    def _store(self, value: str, row: int) -> None:
        self.serial += 1
        self.lines += self.lanes.store(value, row, f"%s{self.serial}")

    def read(self, literal: int) -> tuple[str, bool]:
        """Return a value, loaded if it must be, and whether it is the literal's negation."""
        node = literal >> 1
        if node == 0:
            return self.lanes.splat(0), bool(literal & 1)
        if node not in self.here:
            self.here.add(node)
            row = self.slots.get(node)
            if row is None:
                (row,) = self.program.operands[node]
            self.lines += self.lanes.load(f"%n{node}", row)
        return f"%n{node}", bool(literal & 1) ^ self.inverted.get(node, False)

    def positive(self, literal: int) -> str:
        """Return the value of a literal itself."""
        value, negated = self.read(literal)
        return self._not(value) if negated else value

    def _not(self, value: str) -> str:
        return self._line(f"xor {self.lanes.type} {value}, {self.lanes.ones}")

    def _line(self, text: str) -> str:
        self.serial += 1
        self.lines.append(f"  %t{self.serial} = {text}")
        return f"%t{self.serial}"

    def _compute(self, node: int) -> None:
        kind = self.program.kinds[node]
        values, signs = zip(*map(self.read, self.program.operands[node]), strict=True)
        if kind is Kind.AND:
            text, inverted = self._and(values, signs)
        elif kind is Kind.XOR:
            text, inverted = self._binary("xor", *values), sum(signs) % 2 == 1
        elif self.lanes.ternary:
            text, inverted = self._ternary(kind, values, signs), False
        else:
            text, inverted = self._expanded(kind, values, signs)
        self.lines.append(f"  %n{node} = {text}")
        if inverted:
            self.inverted[node] = True

    def _binary(self, operation: str, x: str, y: str) -> str:
        return f"{operation} {self.lanes.type} {x}, {y}"

    def _and(self, values: tuple[str, ...], signs: tuple[bool, ...]) -> tuple[str, bool]:
        x, y = values
        if all(signs):
            return self._binary("or", x, y), True
        if any(signs):
            x, y = (y, x) if signs[0] else (x, y)
            y = self._not(y)
        return self._binary("and", x, y), False

    def _ternary(self, kind: Kind, values: tuple[str, ...], signs: tuple[bool, ...]) -> str:
        function = 0
        for i in range(8):
            x, y, z = (bool(i >> (2 - k) & 1) ^ sign for k, sign in enumerate(signs))
            if kind is Kind.XOR3:
                result = x ^ y ^ z
            else:
                result = x + y + z > 1 if kind is Kind.MAJ else (y if x else z)
            function |= result << i
        arguments = ", ".join(f"{self.lanes.type} {value}" for value in values)
        return f"call {self.lanes.type} {self.lanes.ternary_name}({arguments}, i32 {function})"

    def _expanded(
        self, kind: Kind, values: tuple[str, ...], signs: tuple[bool, ...]
    ) -> tuple[str, bool]:
        if kind is Kind.XOR3:
            first = self._line(self._binary("xor", values[0], values[1]))
            return self._binary("xor", first, values[2]), sum(signs) % 2 == 1
        x, y, z = (
            self._not(value) if sign else value for value, sign in zip(values, signs, strict=True)
        )
        if kind is Kind.MAJ:
            both = self._line(self._binary("and", x, y))
            either = self._line(self._binary("xor", x, y))
            return self._binary("or", both, self._line(self._binary("and", either, z))), False
        chosen = self._line(self._binary("and", x, y))
        other = self._line(self._binary("and", self._not(x), z))
        return self._binary("or", chosen, other), False


def update(
    number: int,
    block: Block,
    program: Program,
    lanes: Lanes,
    slots: dict[int, int],
    inverted: dict[int, bool],
) -> Iterator[str]:
    """Write the function that gives latches their new values and returns whether any changed."""
    yield f"define internal i1 @update{number}(ptr %b) {lanes.attributes} {{"
    writer = _ChunkWriter(program, lanes, slots, inverted)
    values = [(row, writer.positive(driver)) for row, driver in block.latches]
    lines = writer.lines
    change = lanes.splat(0)
    for i, (row, value) in enumerate(values):
        lines += lanes.load(f"%old{i}", row)
        lines.append(f"  %x{i} = xor {lanes.type} %old{i}, {value}")
        lines.append(f"  %c{i} = or {lanes.type} {change}, %x{i}")
        change = f"%c{i}"
    for i, (row, value) in enumerate(values):
        lines += lanes.store(value, row, f"%u{i}")
    yield from lines
    yield from lanes.some("%changed", change)
    yield from ("  ret i1 %changed", "}")


def run_block(number: int, block: Block, calls: list[str], lanes: Lanes) -> Iterator[str]:
    """Write how the chunks of a block are called: once, or until nothing changes."""
    if not block.latches:
        yield from calls
        return
    for row, _ in block.latches:
        yield from lanes.store(lanes.splat(0), row, f"%latch{row}")
    yield f"  br label %run{number}"
    yield f"run{number}:"
    yield from calls
    yield f"  %more{number} = call i1 @update{number}(ptr %b)"
    yield f"  br i1 %more{number}, label %run{number}, label %after{number}"
    yield f"after{number}:"
