"""What compiled functions are made of: numba, told how to compile and when to compile again.

Numba keeps machine code on disk, and compiles a function again when its file changes, but not when
another does from which it calls a function or takes a constant. Here the code is valid for as long
as none of these files changes, either.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = [
    "Words",
    "aligned_words",
    "allocating",
    "inlined",
    "nopython",
    "popcount",
    "run",
    "signed",
]

Words: TypeAlias = NDArray[np.uint64]

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")

_njit: Any = numba.njit

#: Division is that of the CPU, which asks nothing.
_PLAIN = {"error_model": "numpy"}
#: Counting references takes time; who makes no arrays needs none of it.
_NO_COUNTS = {"_nrt": False}

#: A word as an integer with a sign, inside compiled code.
signed = cast(Callable[[Any], int], np.int64)


def nopython(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile a function for the CPU once, keep it on disk, and run it without the GIL.

    It may not make arrays: see `allocating`.
    """
    compiled = _kept(_njit(cache=True, nogil=True, **_PLAIN, **_NO_COUNTS)(function))
    return cast(Callable[_Args, _Result], compiled)


def allocating(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile a function as `nopython` does; it may make arrays."""
    compiled = _kept(_njit(cache=True, nogil=True, **_PLAIN)(function))
    return cast(Callable[_Args, _Result], compiled)


def inlined(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Make a function part of those that call it: to hand over many arrays takes time."""
    compiled = _njit(inline="always", **_PLAIN, **_NO_COUNTS)(function)
    return cast(Callable[_Args, _Result], compiled)


def _kept(compiled: Any) -> Any:
    """Tie what is kept on disk of a compiled function to all sources that it is made of."""
    with suppress(AttributeError):  # a numba with other insides asks for the function's file only
        compiled._cache._cache_file._source_stamp = _stamp(compiled.__module__)
    return compiled


@lru_cache
def _stamp(name: str) -> str:
    """Return a hash of the sources of a module and of all that it imports of its package."""
    total, found, left = hashlib.sha256(), set[str](), [name]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += _imported(sys.modules[one])
    for one in sorted(found):
        total.update(_source(sys.modules[one]))
    return total.hexdigest()


def _imported(module: ModuleType) -> Iterator[str]:
    """Name the loaded modules of the same package that the statements of a module import."""
    package, _, _ = module.__name__.partition(".")
    for statement in ast.walk(ast.parse(_source(module))):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            source = statement.module
            named = [source, *(f"{source}.{alias.name}" for alias in statement.names)]
        elif isinstance(statement, ast.Import):
            named = [alias.name for alias in statement.names]
        else:
            continue
        yield from (one for one in named if one.split(".")[0] == package and one in sys.modules)


def _source(module: ModuleType) -> bytes:
    return Path(str(module.__file__)).read_bytes()


def aligned_words(count: int) -> Words:
    """Return zeroed words that begin at a multiple of 64 bytes."""
    raw = np.zeros(count + 8, np.uint64)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + count]


@intrinsic
def _run(_context: Any, _address: Any, buffer: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word])
        target = builder.inttoptr(arguments[0], function.as_pointer())
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        return builder.call(target, [builder.ptrtoint(array.data, word)])

    return types.int64(types.int64, buffer), generate


@intrinsic
def _popcount(_context: Any, _word: Any) -> Any:

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


#: Call the function at an address with a buffer, inside compiled code; it returns an integer.
run = cast(Callable[[int, Words], int], _run)
#: Count the bits of a word, inside compiled code.
popcount = cast(Callable[[np.uint64], int], _popcount)
