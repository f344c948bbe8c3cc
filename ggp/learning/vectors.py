"""Operations on rows of units, which compiled code does in vector instructions.

A row is a stretch of a flat array of int16 or float32, as many units as `UNITS`. In loops of its
own, numba would check each time whether two arrays share memory, which takes longer than the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = ["UNITS", "add", "add_scaled", "copy", "cut", "dot", "dot_cut", "leak", "subtract"]

#: The units of a row.
UNITS = 32

_NUMBER = types.int64
_INDEX = ir.IntType(32)
_SHORTS = ir.VectorType(ir.IntType(16), UNITS)
_INTS = ir.VectorType(ir.IntType(32), UNITS)
_FLOATS = ir.VectorType(ir.FloatType(), UNITS)

#: Makes a vector of those of some rows, and of a number if there is one.
_Maker: TypeAlias = Callable[..., Any]


class _Code:
    """What an intrinsic writes."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder, self._context = builder, context
        self._kinds, self._arguments = signature.args, arguments

    def is_short(self, number: int) -> bool:
        return bool(self._kinds[number].dtype == types.int16)

    def _pointer(self, number: int) -> Any:
        """Return the address of the row that argument `number` and the next one stand for."""
        array = self._context.make_array(self._kinds[number])
        data = array(self._context, self.builder, self._arguments[number]).data
        place = self.builder.gep(data, [self._arguments[number + 1]])
        kind = _SHORTS if self.is_short(number) else _FLOATS
        return self.builder.bitcast(place, kind.as_pointer())

    def load(self, number: int) -> Any:
        return self.builder.load(self._pointer(number), align=2 if self.is_short(number) else 4)

    def store(self, value: Any, number: int) -> Any:
        align = 2 if self.is_short(number) else 4
        self.builder.store(value, self._pointer(number), align=align)
        return self._context.get_dummy_value()

    def repeated(self, value: Any) -> Any:
        vector = ir.VectorType(value.type, UNITS)
        one = self.builder.insert_element(ir.Constant(vector, ir.Undefined), value, _INDEX(0))
        mask = ir.Constant(ir.VectorType(_INDEX, UNITS), [0] * UNITS)
        return self.builder.shuffle_vector(one, one, mask)

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
    add = code.builder.add if first.type == _SHORTS else code.builder.fadd
    return add(first, second)


def _difference(code: _Code, first: Any, second: Any) -> Any:
    subtract = code.builder.sub if first.type == _SHORTS else code.builder.fsub
    return subtract(first, second)


def _bounded(code: _Code, row: Any) -> Any:
    """Return floats, cut to the range from 0 to 1."""
    zero, one = (ir.Constant(_FLOATS, [value] * UNITS) for value in (0.0, 1.0))
    builder = code.builder
    held = builder.select(builder.fcmp_ordered(">", row, zero), row, zero)
    return builder.select(builder.fcmp_ordered("<", held, one), held, one)


def _leaked(code: _Code, slopes: Any, row: Any, factor: Any) -> Any:
    builder = code.builder
    is_within = builder.fcmp_ordered("==", _bounded(code, row), row)
    return builder.select(is_within, slopes, builder.fmul(slopes, factor))


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
            (">", ir.Constant(_SHORTS, [0] * UNITS)),
            ("<", code.repeated(about[3][4])),
        ):
            held = builder.select(builder.icmp_signed(sign, held, limit), held, limit)
        product = builder.mul(builder.sext(held, _INTS), builder.sext(code.load(2), _INTS))
        kind = ir.FunctionType(ir.IntType(32), [_INTS])
        name = f"llvm.vector.reduce.add.v{UNITS}i32"
        sum_up = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        return builder.call(sum_up, [product])

    return types.int32(sums, _NUMBER, row, _NUMBER, types.int16), generate


_Row = TypeVar("_Row", NDArray[np.int16], NDArray[np.float32])
_Shorts: TypeAlias = NDArray[np.int16]
_Floats: TypeAlias = NDArray[np.float32]

#: Inside compiled code, with two arrays and the places where their rows begin:
copy = cast(Callable[[Any, int, Any, int], None], _of_two(lambda _c, _t, source: source))
add = cast(Callable[[Any, int, Any, int], None], _of_two(_sum))
subtract = cast(Callable[[Any, int, Any, int], None], _of_two(_difference))
#: Store the units of the second, cut to the range from 0 to 1.
cut = cast(
    Callable[[_Floats, int, _Floats, int], None],
    _of_two(lambda code, _t, source: _bounded(code, source)),
)
#: Add the second times a number.
add_scaled = cast(Callable[[_Floats, int, _Floats, int, np.float32], None], _with_factor(_grown))
#: Multiply slopes by a number where the second is not within 0 to 1.
leak = cast(Callable[[_Floats, int, _Floats, int, np.float32], None], _with_factor(_leaked))
#: Return the sum of the products.
dot = cast(Callable[[_Floats, int, _Floats, int], np.float32], _dot)
#: Return the same of int16, the first cut to the range from 0 to `one`.
dot_cut = cast(Callable[[_Shorts, int, _Shorts, int, np.int16], int], _dot_cut)
