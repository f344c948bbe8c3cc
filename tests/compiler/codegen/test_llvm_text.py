"""Programs as machine code: what is stored early, and what only when its row has been read."""

from __future__ import annotations

import ctypes
import random
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from ggp.compiler.codegen import llvm_text
from ggp.compiler.codegen.assemble import Form, assemble
from ggp.compiler.codegen.rows import POINTER_ROW
from ggp.compiler.codegen.straightline import Builder, Kind, Program

ROWS = range(POINTER_ROW + 1, POINTER_ROW + 13)


def random_program(generator: random.Random) -> Program:
    """Return a program that writes half of the rows that it reads, in one phase."""
    builder = Builder(rows=ROWS.stop)
    literals = [0, *map(builder.row, ROWS)]
    for _ in range(40):
        x, y, z = (generator.choice(literals) ^ generator.getrandbits(1) for _ in range(3))
        make = generator.choice([builder.and_, builder.xor])
        three = generator.choice([builder.xor3, builder.majority, builder.mux])
        literals.append(make(x, y) if generator.random() < 0.7 else three(x, y, z))
    for row in generator.sample(ROWS, len(ROWS) // 2):
        builder.write(row, generator.choice(literals) ^ generator.getrandbits(1))
    return builder.program()


def after(program: Program, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the rows after a run, by the definition of each kind of node."""
    values: list[NDArray[np.uint64]] = []

    def value(literal: int) -> NDArray[np.uint64]:
        return ~values[literal >> 1] if literal & 1 else values[literal >> 1]

    for kind, operands in zip(program.kinds, program.operands, strict=True):
        if kind in (Kind.FALSE, Kind.ROW):
            values.append(rows[operands[0]] if operands else np.zeros_like(rows[0]))
            continue
        x, y, *z = map(value, operands)
        match kind:
            case Kind.AND:
                values.append(x & y)
            case Kind.XOR:
                values.append(x ^ y)
            case Kind.XOR3:
                values.append(x ^ y ^ z[0])
            case Kind.MAJ:
                values.append((x & y) | (x & z[0]) | (y & z[0]))
            case _:
                values.append((x & y) | (~x & z[0]))
    result = rows.copy()
    for row, literal, _ in program.outputs:
        result[row] = value(literal)
    return result


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("words", "form"), [(8, "code"), (1, "code"), (8, "table")])
@pytest.mark.parametrize("size", [3, 400])
def test_all_reads_of_a_phase_see_the_old_values(
    seed: int, words: int, form: Form, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llvm_text, "CHUNK", size)
    monkeypatch.setattr(llvm_text, "WHOLE", size)
    monkeypatch.setattr(llvm_text, "STAGE", 2 * size)
    program = replace(random_program(random.Random(seed)), late=seed % 2 == 1)
    code = assemble(lambda: [program], ["main"], key="", words=words, form=form, cache=None)
    rows = code.buffer.reshape(-1, words)
    rows[ROWS.start : ROWS.stop] = np.random.default_rng(seed).integers(
        2**64, size=(len(ROWS), words), dtype=np.uint64
    )
    expected = after(program, rows[: ROWS.stop])
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.addresses["main"])(code.buffer.ctypes.data)
    assert np.array_equal(rows[ROWS.start : ROWS.stop], expected[ROWS.start :])


@pytest.mark.parametrize("late", [False, True])
def test_a_gate_comes_with_the_first_that_needs_it_if_it_is_late(late: bool) -> None:
    builder = Builder(rows=8)
    a, b, c, d = map(builder.row, range(4))
    early, other = builder.and_(a, b), builder.and_(c, d)
    first, second = builder.xor(other, a), builder.xor(early, c)
    builder.write(4, first)
    builder.end_block()
    builder.write(5, builder.xor(second, early))
    builder.write(6, other)
    program = replace(builder.program(), late=late)
    numbers = {literal >> 1: name for literal, name in zip(
        (early, other, first, second), ("early", "other", "first", "second"), strict=True
    )}  # fmt: skip
    order = [numbers[node] for node in program.order()[0]]
    expected = ["other", "first", "early", "second"]
    assert order == (expected if late else ["early", "other", "first", "second"])


def test_a_sum_comes_before_what_reads_it_later() -> None:
    builder = Builder(rows=6)
    a, b, c, d = map(builder.row, range(4))
    digit, carry = builder.xor3(a, b, c), builder.majority(a, b, c)
    top = builder.majority(carry, d, a)
    builder.write(4, builder.and_(top, digit))
    program = replace(builder.program(), late=True)
    assert program.order()[0][:3] == [digit >> 1, carry >> 1, top >> 1]
