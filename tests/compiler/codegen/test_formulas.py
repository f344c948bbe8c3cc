"""Functions of three inputs: their orders and formulas, against their truth tables."""

from __future__ import annotations

from itertools import product

import pytest

from ggp.compiler.codegen.formulas import canonical, formula
from ggp.compiler.codegen.vector import Lanes

ROWS = [*product((0, 1), repeat=3)]


def value(function: int, x: int, y: int, z: int) -> int:
    return function >> (4 * x + 2 * y + z) & 1


@pytest.mark.parametrize("function", range(256))
def test_a_canonical_function_takes_the_inputs_in_another_order(function: int) -> None:
    least, orders = canonical()
    order = orders[function].tolist()
    assert sorted(order) == [0, 1, 2]
    for row in ROWS:
        assert value(int(least[function]), *(row[k] for k in order)) == value(function, *row)


def test_functions_that_differ_in_the_order_of_inputs_alone_are_one() -> None:
    least, _ = canonical()
    assert len(set(least.tolist())) == 80  # Harrison 1964: the classes under permutation
    for x_and_y in (0xF0 & 0xCC, 0xF0 & 0xAA, 0xCC & 0xAA):
        assert least[x_and_y] == least[0xF0 & 0xCC]


@pytest.mark.parametrize("function", range(256))
@pytest.mark.parametrize("words", [1, 4])
def test_a_formula_computes_its_function(function: int, words: int) -> None:
    lanes = Lanes(words, words, ternary=False)
    lines = [*formula(function, ("%x", "%y", "%z"), lanes, "r")]
    assert len(lines) <= 6
    for row in ROWS:
        values = dict(zip(("%x", "%y", "%z"), row, strict=True))
        values[lanes.ones], values[lanes.splat(0)] = 1, 0
        for line in lines:
            name, right = line.strip().split(" = ")
            operation, rest = right.split(" ", 1)
            left, other = rest.removeprefix(lanes.type).strip().split(", ")
            a, b = values[left], values[other]
            values[name] = {"and": a & b, "or": a | b, "xor": a ^ b}[operation]
        assert values["%r"] == value(function, *row)


def test_a_cpu_with_ternary_logic_takes_one_instruction() -> None:
    (line,) = formula(0x96, ("%x", "%y", "%z"), Lanes(8, 8, ternary=True), "r")
    assert line.startswith("  %r = call <8 x i64>")
    assert line.endswith("i32 150)")
