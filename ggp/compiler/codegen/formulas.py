"""Functions of three inputs: their numbers, and the shortest formulas for them.

A function is the number whose bit ``4 * x + 2 * y + z`` is its value for the inputs x, y and z, as
the instruction vpternlog takes it. So an input is itself a function, and the bits of functions are
combined as their values are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.codegen.vector import Lanes

__all__ = ["INPUTS", "NEVER", "canonical", "formula"]

#: The inputs as functions.
INPUTS = X, Y, Z = 0xF0, 0xCC, 0xAA
#: The function that is never true.
NEVER = 0x00

_EVERYTHING = 0xFF

#: An operation, and the functions that it combines.
_Step: TypeAlias = tuple[str, int, int]


@lru_cache(maxsize=1)
def canonical() -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Return for each function one that differs in the order of inputs alone, and that order.

    Returns:
        uint8[256], and int8[256, 3]: input i of the new function is input order[i] of the old one.
    """
    least = np.zeros(256, np.uint8)
    order = np.zeros((256, 3), np.int8)
    for function in range(256):
        found = [(_reordered(function, each), each) for each in permutations(range(3))]
        least[function], order[function] = min(found)
    return least, order


def _reordered(function: int, order: tuple[int, ...]) -> int:
    result = 0
    for row in range(8):
        old = 0
        for new, place in enumerate(order):
            old |= (row >> (2 - new) & 1) << (2 - place)
        result |= (function >> old & 1) << row
    return result


def formula(function: int, names: tuple[str, str, str], lanes: Lanes, tag: str) -> Iterator[str]:
    """Write the instructions that compute a function of three values, as `%{tag}`."""
    if lanes.ternary:
        values = ", ".join(f"{lanes.type} {name}" for name in names)
        yield f"  %{tag} = call {lanes.type} {lanes.ternary_name}({values}, i32 {function})"
        return
    known = dict(zip(INPUTS, names, strict=True))
    steps = _steps()

    def value(wanted: int) -> Iterator[str]:
        if wanted in known:
            return
        operation, left, right = steps[wanted]
        yield from value(left)
        yield from value(right)
        name = known[wanted] = f"%{tag}" if wanted == function else f"%{tag}.f{wanted}"
        other = lanes.ones if right == _EVERYTHING else known[right]
        yield f"  {name} = {operation} {lanes.type} {known[left]}, {other}"

    known[_EVERYTHING] = lanes.ones
    if function in known:  # an input as it is
        yield f"  %{tag} = or {lanes.type} {known[function]}, {lanes.splat(0)}"
    elif function == NEVER:
        yield f"  %{tag} = xor {lanes.type} {names[0]}, {names[0]}"
    else:
        yield from value(function)


@lru_cache(maxsize=1)
def _steps() -> dict[int, _Step]:
    """Return the last step of a shortest formula of each function but the inputs and constants.

    A formula negates by an XOR with the function that always holds; that comes free with an AND.
    """
    costs = dict.fromkeys(INPUTS, 0)
    steps: dict[int, _Step] = {}
    cost = 0
    while len(costs) < 254:
        cost += 1
        found: dict[int, _Step] = {}
        for left, of_left in costs.items():
            if of_left == cost - 1:
                found.setdefault(left ^ _EVERYTHING, ("xor", left, _EVERYTHING))
            for right, of_right in costs.items():
                if of_left + of_right == cost - 1:
                    found.setdefault(left & right, ("and", left, right))
                    found.setdefault(left | right, ("or", left, right))
                    found.setdefault(left ^ right, ("xor", left, right))
        for function, step in found.items():
            if function not in costs and function not in (NEVER, _EVERYTHING):
                costs[function], steps[function] = cost, step
    return steps
