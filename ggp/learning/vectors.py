"""Operations on rows of units, which compiled code does in vector instructions.

A row is a stretch of a flat array of int16, int32 or float32, as many units as `UNITS`. In loops of
its own, numba would check each time whether two arrays share memory, which takes longer than the
sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ggp.native.numba_support import aligned_zeros, twins

__all__ = [
    "UNITS",
    "add",
    "add_rows",
    "add_scaled",
    "add_to_rows",
    "aligned",
    "copy",
    "cut",
    "dot",
    "dot_cut",
    "leak",
    "subtract",
]

#: The units of a row.
UNITS = 32

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Shorts: TypeAlias = NDArray[np.int16]
_Floats: TypeAlias = NDArray[np.float32]
_Places: TypeAlias = NDArray[np.int64]

_NUMBER = types.int64
_INDEX = ir.IntType(32)
_SHORTS = ir.VectorType(ir.IntType(16), UNITS)
_INTS = ir.VectorType(ir.IntType(32), UNITS)
_FLOATS = ir.VectorType(ir.FloatType(), UNITS)

#: The vector of a row, and the bytes of a unit, by the units' type.
_VECTORS = {types.int16: (_SHORTS, 2), types.int32: (_INTS, 4), types.float32: (_FLOATS, 4)}


def aligned(values: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return a copy that begins with a cache line, and so has rows that share none.

    A row that lies in two more lines than it needs takes twice as long.
    """
    found: NDArray[_Scalar] = aligned_zeros(values.dtype, *values.shape)
    found[...] = values
    return found


#: Makes a vector of those of some rows, and of a number if there is one.
_Maker: TypeAlias = Callable[..., Any]


class _Code:
    """What an intrinsic writes."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder, self._context = builder, context
        self._kinds, self._arguments = signature.args, arguments

    def _data(self, number: int) -> Any:
        array = self._context.make_array(self._kinds[number])
        return array(self._context, self.builder, self._arguments[number]).data

    def _pointer(self, number: int, begin: Any) -> tuple[Any, int]:
        """Return the address of a row, and the bytes of a unit.

        It is that of an array and a place, the next argument, after the place `begin` if any.
        """
        place = self._arguments[number + 1]
        if begin is not None:
            place = self.builder.add(begin, place)
        kind, size = _VECTORS[self._kinds[number].dtype]
        pointer = self.builder.gep(self._data(number), [place])
        return self.builder.bitcast(pointer, kind.as_pointer()), size

    def load(self, number: int, begin: Any = None) -> Any:
        pointer, size = self._pointer(number, begin)
        return self.builder.load(pointer, align=size)

    def store(self, value: Any, number: int, begin: Any = None) -> Any:
        pointer, size = self._pointer(number, begin)
        self.builder.store(value, pointer, align=size)
        return self._context.get_dummy_value()

    @contextmanager
    def each(self, number: int) -> Iterator[Any]:
        """Go through the first places of an array; the next argument says how many."""
        with cgutils.for_range(self.builder, self._arguments[number + 1]) as loop:
            yield self.builder.load(self.builder.gep(self._data(number), [loop.index]))

    def widened(self, vector: Any, kind: Any) -> Any:
        """Return whole numbers as those of another vector's type."""
        return vector if vector.type == kind else self.builder.sext(vector, kind)

    def repeated(self, value: Any) -> Any:
        vector = ir.VectorType(value.type, UNITS)
        one = self.builder.insert_element(ir.Constant(vector, ir.Undefined), value, _INDEX(0))
        mask = ir.Constant(ir.VectorType(_INDEX, UNITS), [0] * UNITS)
        return self.builder.shuffle_vector(one, one, mask)

    def saturated(self, name: str, first: Any, second: Any) -> Any:
        """Return a sum (sadd) or difference (ssub) of int16 that stops at the limits."""
        kind = ir.FunctionType(_SHORTS, [_SHORTS, _SHORTS])
        name = f"llvm.{name}.sat.v{UNITS}i16"
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)  # type: ignore[no-untyped-call]
        return self.builder.call(function, [first, second])

    def total(self, vector: Any) -> Any:
        """Return the sum of floats, halves by halves."""
        size = UNITS
        while size > 1:
            size //= 2
            kind = ir.VectorType(_INDEX, size)
            low = ir.Constant(kind, [*range(size)])
            high = ir.Constant(kind, [*range(size, 2 * size)])
            vector = self.builder.fadd(
                self.builder.shuffle_vector(vector, vector, low),
                self.builder.shuffle_vector(vector, vector, high),
            )
        return self.builder.extract_element(vector, _INDEX(0))


def _of_two(make: Callable[[_Code, Any, Any], Any]) -> Any:
    """Return an intrinsic that stores what is made of two rows, the first of them the target."""

    @intrinsic
    def of_two(_context: Any, target: Any, _to: Any, source: Any, _at: Any) -> Any:
        def generate(*about: Any) -> Any:
            code = _Code(*about)
            return code.store(make(code, code.load(0), code.load(2)), 0)

        return types.void(target, _NUMBER, source, _NUMBER), generate

    return of_two


@intrinsic
def _add_rows(
    _context: Any, target: Any, _to: Any, source: Any, _at: Any, rows: Any, _count: Any
) -> Any:
    def generate(*about: Any) -> Any:
        code = _Code(*about)
        total = cgutils.alloca_once_value(code.builder, code.load(0))  # type: ignore[no-untyped-call]
        with code.each(4) as begin:
            code.builder.store(_sum(code, code.builder.load(total), code.load(2, begin)), total)
        return code.store(code.builder.load(total), 0)

    return types.void(target, _NUMBER, source, _NUMBER, rows, _NUMBER), generate


@intrinsic
def _add_to_rows(
    _context: Any, target: Any, _to: Any, source: Any, _at: Any, rows: Any, _count: Any
) -> Any:
    def generate(*about: Any) -> Any:
        code = _Code(*about)
        added = code.load(2)
        with code.each(4) as begin:
            code.store(_sum(code, code.load(0, begin), added), 0, begin)
        return about[0].get_dummy_value()

    return types.void(target, _NUMBER, source, _NUMBER, rows, _NUMBER), generate


def _with_factor(make: Callable[[_Code, Any, Any, Any], Any]) -> Any:
    """Return an intrinsic that makes something of two rows and a float that is repeated."""

    @intrinsic
    def with_factor(
        _context: Any, target: Any, _to: Any, source: Any, _at: Any, _factor: Any
    ) -> Any:
        def generate(*about: Any) -> Any:
            code = _Code(*about)
            factor = code.repeated(about[3][4])
            return code.store(make(code, code.load(0), code.load(2), factor), 0)

        return types.void(target, _NUMBER, source, _NUMBER, types.float32), generate

    return with_factor


def _sum(code: _Code, first: Any, second: Any) -> Any:
    if first.type == _FLOATS:
        return code.builder.fadd(first, second)
    if first.type == _SHORTS:
        return code.saturated("sadd", first, second)
    return code.builder.add(first, code.widened(second, first.type))


def _difference(code: _Code, first: Any, second: Any) -> Any:
    if first.type == _FLOATS:
        return code.builder.fsub(first, second)
    if first.type == _SHORTS:
        return code.saturated("ssub", first, second)
    return code.builder.sub(first, code.widened(second, first.type))


def _bounded(code: _Code, row: Any) -> Any:
    """Return floats, cut to the range from 0 to 1."""
    zero, one = (ir.Constant(_FLOATS, [value] * UNITS) for value in (0.0, 1.0))
    builder = code.builder
    held = builder.select(builder.fcmp_ordered(">", row, zero), row, zero)
    return builder.select(builder.fcmp_ordered("<", held, one), held, one)


def _leaked(code: _Code, slopes: Any, row: Any, factor: Any) -> Any:
    builder, zero = code.builder, ir.Constant(_FLOATS, [0.0] * UNITS)
    beyond = builder.fsub(row, _bounded(code, row))
    leads_back = builder.fcmp_ordered(">", builder.fmul(slopes, beyond), zero)
    outside = builder.select(leads_back, builder.fmul(slopes, factor), zero)
    return builder.select(builder.fcmp_ordered("==", beyond, zero), slopes, outside)


def _grown(code: _Code, target: Any, source: Any, factor: Any) -> Any:
    return code.builder.fadd(target, code.builder.fmul(source, factor))


@intrinsic
def _dot(_context: Any, first: Any, _to: Any, second: Any, _at: Any) -> Any:
    def generate(*about: Any) -> Any:
        code = _Code(*about)
        return code.total(code.builder.fmul(code.load(0), code.load(2)))

    return types.float32(first, _NUMBER, second, _NUMBER), generate


@intrinsic
def _dot_cut(_context: Any, sums: Any, _to: Any, row: Any, _at: Any, _one: Any) -> Any:
    def generate(*about: Any) -> Any:
        code = _Code(*about)
        builder, held = code.builder, code.load(0)
        for sign, limit in (
            (">", ir.Constant(held.type, [0] * UNITS)),
            ("<", code.repeated(about[3][4])),
        ):
            held = builder.select(builder.icmp_signed(sign, held, limit), held, limit)
        product = builder.mul(code.widened(held, _INTS), code.widened(code.load(2), _INTS))
        kind = ir.FunctionType(ir.IntType(32), [_INTS])
        name = f"llvm.vector.reduce.add.v{UNITS}i32"
        sum_up = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        return builder.call(sum_up, [product])

    return types.int32(sums, _NUMBER, row, _NUMBER, sums.dtype), generate


# The same in plain Python.


def _row(array: NDArray[Any], place: int) -> NDArray[Any]:
    return array[place : place + UNITS]


def _wider(array: NDArray[Any]) -> type:
    """Return a type for sums of its units, which shorts might not hold."""
    return np.int32 if array.dtype == np.int16 else array.dtype.type


def _store(target: NDArray[Any], to: int, values: NDArray[Any]) -> None:
    if target.dtype == np.int16:
        values = np.clip(values, np.iinfo(np.int16).min, np.iinfo(np.int16).max)
    _row(target, to)[:] = values


def _plain_copy(target: NDArray[Any], to: int, source: NDArray[Any], at: int) -> None:
    _row(target, to)[:] = _row(source, at)


def _plain_add(target: NDArray[Any], to: int, source: NDArray[Any], at: int) -> None:
    _store(target, to, np.add(_row(target, to), _row(source, at), dtype=_wider(target)))


def _plain_subtract(target: NDArray[Any], to: int, source: NDArray[Any], at: int) -> None:
    _store(target, to, np.subtract(_row(target, to), _row(source, at), dtype=_wider(target)))


def _plain_add_rows(
    target: NDArray[Any], to: int, source: NDArray[Any], at: int, rows: _Places, count: int
) -> None:
    for begin in rows[:count]:
        _plain_add(target, to, source, begin + at)


def _plain_add_to_rows(
    target: NDArray[Any], to: int, source: NDArray[Any], at: int, rows: _Places, count: int
) -> None:
    for begin in rows[:count]:
        _plain_add(target, begin + to, source, at)


def _plain_cut(target: _Floats, to: int, source: _Floats, at: int) -> None:
    _row(target, to)[:] = np.clip(_row(source, at), 0, 1)


def _plain_add_scaled(
    target: _Floats, to: int, source: _Floats, at: int, factor: np.float32
) -> None:
    _row(target, to)[:] += _row(source, at) * factor


def _plain_leak(target: _Floats, to: int, source: _Floats, at: int, factor: np.float32) -> None:
    slopes, row = _row(target, to), _row(source, at)
    beyond = row - np.clip(row, 0, 1)
    slopes[(beyond != 0) & (slopes * beyond <= 0)] = 0
    slopes[beyond != 0] *= factor


def _plain_dot(first: _Floats, to: int, second: _Floats, at: int) -> np.float32:
    return np.float32(_row(first, to) @ _row(second, at))


def _plain_dot_cut(sums: NDArray[Any], to: int, row: _Shorts, at: int, one: Any) -> int:
    return int(np.clip(_row(sums, to), 0, one).astype(np.int32) @ _row(row, at).astype(np.int32))


#: Inside compiled code, with two arrays and the places where their rows begin. Units of int16 may
#: be added to units of int32. Sums of int16 stop at the limits of their type.
copy = twins(_of_two(lambda _c, _t, source: source), _plain_copy)
add = twins(_of_two(_sum), _plain_add)
subtract = twins(_of_two(_difference), _plain_subtract)
#: Add rows of the second array, as many as are given, by the places where they begin. The sum stays
#: in registers meanwhile.
add_rows = twins(_add_rows, _plain_add_rows)
#: Add the second to rows of the first, given in the same way.
add_to_rows = twins(_add_to_rows, _plain_add_to_rows)
#: Store the units of the second, cut to the range from 0 to 1.
cut = twins(_of_two(lambda code, _t, source: _bounded(code, source)), _plain_cut)
#: Add the second times a number.
add_scaled = twins(_with_factor(_grown), _plain_add_scaled)
#: Where the second is not within 0 to 1, multiply slopes by a number if a descent along them leads
#: back there, and by 0 if not.
leak = twins(_with_factor(_leaked), _plain_leak)
#: Return the sum of the products.
dot = twins(_dot, _plain_dot)
#: Return the same of whole numbers, the first cut to the range from 0 to `one`, a number like them.
dot_cut = twins(_dot_cut, _plain_dot_cut)
