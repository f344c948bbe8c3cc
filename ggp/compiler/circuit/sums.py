"""Sums of products in compiled code: common factors are taken out, the most frequent one first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.gates import Gates, both, conjunction, sort
from ggp.native.numba_support import nopython

__all__ = ["Products", "products", "sum_of_products"]

_Numbers = NDArray[np.int64]

_HASH, _MIX = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
#: What a level of the recursion keeps: where its products end, how far it has come, where its terms
#: begin, and the factor of the group that it has gone down into.
_LAST, _NEXT, _TERMS, _FACTOR = range(4)


class Products(NamedTuple):
    """Memory to work in. Product p is the factors from start[p] up to end[p]."""

    factors: _Numbers
    start: _Numbers
    end: _Numbers
    #: The products in the order of their groups, packed with the factor of the group.
    order: _Numbers
    #: Finished terms of all levels, and room to combine them.
    terms: _Numbers
    #: The products by their hash.
    table: _Numbers
    levels: _Numbers


def products(most: int, factors: int) -> Products:
    """Return memory for sums of that many products, with that many factors in all."""
    return Products(
        np.empty(factors + 1, np.int64),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
        np.empty(most + 2, np.int64),
        np.zeros(1 << (2 * most + 2).bit_length(), np.int64),
        np.empty((factors + 2, 4), np.int64),
    )


@nopython
def sum_of_products(gates: Gates, given: Products, count: int, times: NDArray[np.int32]) -> int:
    """Return the literal of the OR of the first `count` products, common factors taken out.

    Args:
        gates: the graph, with room.
        given: the products, which are spent.
        count: how many there are.
        times: zero for each literal of the graph, before and after.
    """
    held = _simplify(given, count)
    if held < 0:
        return 1
    if held == 0:
        return 0
    if held == 1:
        return _product(gates, given, given.order[0])
    order, terms, levels, factors = given.order, given.terms, given.levels, given.factors
    depth, top = 0, 0
    _begin(given, 0, 0, held, 0, times)
    while True:
        last, at = levels[depth, _LAST], levels[depth, _NEXT]
        if at == last:  # all groups of this level are terms
            begin = levels[depth, _TERMS]
            for i in range(begin, top):
                terms[i] ^= 1
            result = conjunction(gates, terms, begin, top) ^ 1
            if depth == 0:
                return result
            depth -= 1
            terms[begin] = both(gates, levels[depth, _FACTOR], result)
            top = begin + 1
            continue
        factor, product = order[at] >> 32, order[at] & 0xFFFFFFFF
        end = at + 1
        if given.end[product] - given.start[product] == 1:
            terms[top] = factors[given.start[product]]
            top += 1
            levels[depth, _NEXT] = end
            continue
        while end < last and order[end] >> 32 == factor:
            end += 1
        levels[depth, _NEXT] = end
        if end == at + 1:
            terms[top] = _product(gates, given, product)
            top += 1
            continue
        levels[depth, _FACTOR] = factor
        for i in range(at, end):
            _take_out(given, order[i] & 0xFFFFFFFF, factor)
        depth += 1
        _begin(given, depth, at, end, top, times)


@nopython
def _simplify(given: Products, count: int) -> int:
    """Sort the factors of each product, and list the products that may hold, each once.

    Return how many are listed in `order`; -1 if one always holds.
    """
    factors, start, end, table = given.factors, given.start, given.end, given.table
    size = 1
    while size < 2 * count:
        size *= 2
    for i in range(size):
        table[i] = 0
    held = 0
    for product in range(count):
        first, last = start[product], end[product]
        sort(factors, first, last)
        kept = first
        possible = True
        for i in range(first, last):
            value = factors[i]
            if value == 0 or (kept > first and value & 1 and factors[kept - 1] == value - 1):
                possible = False
                break
            if value > 1 and (kept == first or factors[kept - 1] != value):
                factors[kept] = value
                kept += 1
        if not possible:
            continue
        if kept == first:
            return -1
        end[product] = kept
        key = _HASH
        for i in range(first, kept):
            key = (key ^ np.uint64(factors[i])) * _MIX
        place = np.int64(key ^ key >> np.uint64(32)) & (size - 1)
        while table[place] and not _equal(given, table[place] - 1, product):
            place = (place + 1) & (size - 1)
        if not table[place]:
            table[place] = product + 1
            given.order[held] = product
            held += 1
    return held


@nopython
def _equal(given: Products, one: int, other: int) -> bool:
    length = given.end[one] - given.start[one]
    if given.end[other] - given.start[other] != length:
        return False
    for i in range(length):
        if given.factors[given.start[one] + i] != given.factors[given.start[other] + i]:
            return False
    return True


@nopython
def _product(gates: Gates, given: Products, product: int) -> int:
    return conjunction(gates, given.factors, given.start[product], given.end[product])


@nopython
def _take_out(given: Products, product: int, factor: int) -> None:
    at = given.start[product]
    while given.factors[at] != factor:
        at += 1
    given.end[product] -= 1
    for i in range(at, given.end[product]):
        given.factors[i] = given.factors[i + 1]


@nopython
def _begin(
    given: Products, depth: int, first: int, last: int, top: int, times: NDArray[np.int32]
) -> None:
    """Begin a level: order its products by the factor that is taken out of each.

    That is the most frequent one; of equally frequent ones the first. Products of one factor come
    before all others.
    """
    factors, start, end, order = given.factors, given.start, given.end, given.order
    for i in range(first, last):
        product = order[i] & 0xFFFFFFFF
        for at in range(start[product], end[product]):
            times[factors[at]] += 1
    for i in range(first, last):
        product = order[i] & 0xFFFFFFFF
        best = factors[start[product]]
        if end[product] - start[product] == 1:
            best = 0
        for at in range(start[product] + 1, end[product]):
            if times[factors[at]] > times[best]:
                best = factors[at]
        order[i] = best << 32 | product
    for i in range(first, last):
        product = order[i] & 0xFFFFFFFF
        for at in range(start[product], end[product]):
            times[factors[at]] = 0
    sort(order, first, last)
    levels = given.levels
    levels[depth, _LAST], levels[depth, _NEXT], levels[depth, _TERMS] = last, first, top
