"""Covers the gates of a program by functions of three inputs.

A gate of two inputs takes in one of the gates that it reads if that is read nowhere else. There are
fewer values to store and to load then.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.codegen.formulas import INPUTS, canonical
from ggp.compiler.codegen.straightline import Kind, Program
from ggp.native.numba_support import nopython, signed

__all__ = ["Cover", "cover"]

_Numbers = NDArray[np.int32]

# Numba takes these as constants.
_ROW, _AND, _XOR, _XOR3, _MAJ = (
    int(kind) for kind in (Kind.ROW, Kind.AND, Kind.XOR, Kind.XOR3, Kind.MAJ)
)
_X, _Y, _Z = INPUTS
_ALL = 0xFF


class Cover(NamedTuple):
    """What is computed instead of the gates of a program."""

    #: Of each block, the nodes that it computes, in their order.
    blocks: list[_Numbers]
    #: int32[nodes, 3]: the nodes that each reads; -1 for no input.
    inputs: _Numbers
    #: uint8[nodes]: the function of each, as in `formulas`.
    functions: NDArray[np.uint8]


def cover(program: Program) -> Cover:
    """Return functions that compute what the gates of a program do."""
    count = len(program.kinds)
    kinds = np.fromiter(program.kinds, np.int8, count)
    lengths = np.fromiter(map(len, program.operands), np.int32, count)
    operands = np.zeros((count, 3), np.int32)
    filled = np.arange(3) < lengths[:, None]
    operands[filled] = np.fromiter(chain.from_iterable(program.operands), np.int32)
    order = program.order()
    home = np.zeros(count, np.int32)
    for number, block in enumerate(program.blocks):
        home[block.first : block.last] = number
    kept = np.zeros(count, np.bool_)
    kept[[literal >> 1 for _, literal, _ in program.outputs]] = True
    kept[[driver >> 1 for block in program.blocks for _, driver in block.latches]] = True
    inputs = np.full((count, 3), -1, np.int32)
    functions = np.zeros(count, np.uint8)
    taken = np.zeros(count, np.bool_)
    nodes = np.fromiter(chain.from_iterable(order), np.int32)
    least, orders = canonical()
    _cover(
        nodes, kinds, operands, home, kept, np.zeros(count, np.int32), least, orders,
        inputs, functions, taken,
    )  # fmt: skip
    blocks = [np.array(block, np.int32) for block in order]
    return Cover([block[~taken[block]] for block in blocks], inputs, functions)


@nopython
def _cover(
    nodes: _Numbers,
    kinds: NDArray[np.int8],
    operands: _Numbers,
    home: _Numbers,
    kept: NDArray[np.bool_],
    readers: _Numbers,
    least: NDArray[np.uint8],
    orders: NDArray[np.int8],
    inputs: _Numbers,
    functions: NDArray[np.uint8],
    taken: NDArray[np.bool_],
) -> None:
    """Fill in the inputs and functions of all nodes that no other takes in, and which do.

    Args:
        nodes: all gates, each after those that it reads.
        kinds: of each node its `Kind`.
        operands: the literals that it reads.
        home: the number of its block.
        kept: the nodes that are read elsewhere.
        readers: zeros.
        least: see `canonical`.
        orders: see `canonical`.
        inputs: -1, to be filled in.
        functions: to be filled in.
        taken: False, to be filled in.
    """
    for node in nodes:
        for k in range(3 if kinds[node] >= _XOR3 else 2):
            below = operands[node, k] >> 1
            readers[below] += 1
            kept[below] |= home[below] != home[node]
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        if taken[node]:
            continue
        if kinds[node] >= _XOR3:
            function = _of_three(kinds[node], operands[node])
            for k in range(3):
                inputs[node, k] = operands[node, k] >> 1
        else:
            inner = -1
            for k in range(2):
                below = operands[node, k] >> 1
                is_small = kinds[below] == _AND or kinds[below] == _XOR
                if is_small and readers[below] == 1 and not kept[below]:
                    inner = k
            taken[operands[node, inner] >> 1] |= inner >= 0
            function = _of_two(kinds, operands, node, inner, inputs)
        _reorder(inputs, node, orders[function])
        functions[node] = least[function]


@nopython
def _of_two(
    kinds: NDArray[np.int8], operands: _Numbers, node: int, inner: int, inputs: _Numbers
) -> int:
    """Fill in the inputs of a gate of two inputs; return its function.

    It takes in the gate that its operand `inner` reads, if that is not negative.
    """
    if inner < 0:
        x, y = operands[node, 0], operands[node, 1]
        inputs[node, 0], inputs[node, 1] = x >> 1, y >> 1
        return _combined(kinds[node], _negated(_X, x), _negated(_Y, y))
    below, other = operands[node, inner] >> 1, operands[node, 1 - inner]
    y, z = operands[below, 0], operands[below, 1]
    inputs[node, 0], inputs[node, 1], inputs[node, 2] = other >> 1, y >> 1, z >> 1
    within = _combined(kinds[below], _negated(_Y, y), _negated(_Z, z))
    return _combined(kinds[node], _negated(_X, other), _negated(within, operands[node, inner]))


@nopython
def _of_three(kind: int, operands: _Numbers) -> int:
    """Return the function of a gate of three inputs."""
    x, y, z = _negated(_X, operands[0]), _negated(_Y, operands[1]), _negated(_Z, operands[2])
    if kind == _XOR3:
        return x ^ y ^ z
    if kind == _MAJ:
        return (x & y) | (x & z) | (y & z)
    return (x & y) | ((_ALL ^ x) & z)


@nopython
def _combined(kind: int, x: int, y: int) -> int:
    return x ^ y if kind == _XOR else x & y


@nopython
def _negated(function: int, literal: int) -> int:
    """Return a function, negated if the literal is."""
    return function ^ (_ALL * (signed(literal) & 1))


@nopython
def _reorder(inputs: _Numbers, node: int, order: NDArray[np.int8]) -> None:
    first, second, third = inputs[node, 0], inputs[node, 1], inputs[node, 2]
    for k in range(3):
        inputs[node, k] = first if order[k] == 0 else second if order[k] == 1 else third
