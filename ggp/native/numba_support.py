"""How functions are compiled by numba, and when they are compiled again.

Numba keeps machine code on disk and compiles a function again when its file changes, but not when a
file changes from which it calls a function or takes a constant. Here, it is compiled again when any
of these files changes.

With `NUMBA_DISABLE_JIT=1` in the environment, all of them run as plain Python, in which a debugger
goes step by step, and indices are checked. What numba cannot write is made by `intrinsic` functions
of LLVM's instructions; each has a twin in Python for that.
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from math import prod
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, inline_closurecall, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np import linalg
from numpy.typing import NDArray

__all__ = [
    "Words",
    "aligned_words",
    "aligned_zeros",
    "allocating",
    "bit_length",
    "compiled_files",
    "gather",
    "inlined",
    "load_numba",
    "lowest_bit",
    "nopython",
    "popcount",
    "prefetch",
    "run",
    "signed",
    "transpose_lanes",
    "twins",
    "words_of",
]

Words: TypeAlias = NDArray[np.uint64]

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")

_njit: Any = numba.njit
#: All functions that are kept on disk, of the modules loaded so far.
_functions: list[Any] = []

#: A division by zero does not raise, which saves code.
_PLAIN = {"error_model": "numpy"}
#: Counting references takes time, and a function that makes no arrays does not need it.
_NO_COUNTS = {"_nrt": False}

#: An import: the module and the names that are taken from it, or modules. It is not indented:
#: compiled code takes nothing from an import inside a function or a condition, and whether that has
#: run depends on what else the process has done.
_IMPORT = re.compile(r"^(?:from ([\w.]+) import (\([^)]*\)|.*)|import (.*))", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")

#: A word as an integer with a sign, inside compiled code.
signed = cast(Callable[[Any], int], np.int64)

#: Whether functions are not compiled.
_IS_PLAIN: bool = cast(Any, numba.config).DISABLE_JIT != 0
if _IS_PLAIN:
    # words wrap around
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


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
    """Make a function part of those that call it, because passing many arrays takes time.

    LLVM could do that too, but then all functions together take no less time to compile.
    """
    compiled = _njit(inline="always", **_PLAIN, **_NO_COUNTS)(function)
    return cast(Callable[_Args, _Result], compiled)


def _look_for_blas() -> None:
    """Have numba only look whether SciPy is there, because to load it takes 0.2 s of CPU time.

    Numba asks for that once, with the first function. It loads SciPy anyway where a function has a
    product of matrices, which none has here.
    """
    load = linalg.ensure_blas

    def look() -> None:
        if find_spec("scipy") is None:
            raise ImportError("no SciPy")

    linalg.ensure_blas = look
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = load


_look_for_blas()


def _share_variables() -> None:
    """Have numba copy an inlined function without copying all its variables with each block.

    It copies the blocks one by one, and each refers to all variables, which made three quarters of
    the time that a search took to compile. Nothing else uses these variables: numba reads an
    inlined function anew for each call.
    """

    def copied(block: Any) -> Any:
        return copy.deepcopy(block, {id(block.scope): block.scope})

    inlining: Any = inline_closurecall
    inlining.copy = SimpleNamespace(deepcopy=copied)


_share_variables()


def load_numba() -> None:
    """Load now what numba would load with the first function, which takes some time."""
    with global_compiler_lock:
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def compiled_files() -> tuple[set[Path], set[Path]]:
    """Return the sources of all functions compiled so far, and numba's indexes of what it keeps."""
    used = [function for function in _functions if function.signatures]
    sources = {path for function in used for path in _sources(function.__module__)}
    folders = {Path(function.stats.cache_path) for function in used}
    return sources, {index for folder in folders for index in folder.glob("*.nbi")}


def twins(
    native: Any,
    plain: Callable[_Args, _Result],
) -> Callable[_Args, _Result]:
    """Return what compiled code calls, or its twin in Python where nothing is compiled."""
    return plain if _IS_PLAIN else cast(Callable[_Args, _Result], native)


def _kept(compiled: Any) -> Any:
    """Tie what is kept on disk of a compiled function to all sources that it is made of."""
    if _IS_PLAIN:
        return compiled
    _functions.append(compiled)
    kept = compiled._cache._cache_file
    kept._source_stamp = _stamp(compiled.__module__)
    load = kept._load_index

    def load_index() -> Any:
        # an index that names classes of an earlier version cannot be read
        with suppress(ImportError, AttributeError):
            return load()
        return {}

    kept._load_index = load_index
    return compiled


@cache
def _stamp(name: str) -> str:
    total = hashlib.sha256()
    for path in _sources(name):
        total.update(path.read_bytes())
    return total.hexdigest()


@cache
def _sources(name: str) -> tuple[Path, ...]:
    """Return the files of a module and of all that it imports of its package."""
    found, left = set[str](), [name]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += _imported(sys.modules[one])
    return tuple(_path(sys.modules[one]) for one in sorted(found))


def _imported(module: ModuleType) -> Iterator[str]:
    """Name the loaded modules of the same package that the statements of a module import."""
    package, _, _ = module.__name__.partition(".")
    for source, names in _imports(_path(module)):
        named = [source, *(f"{source}.{name}" for name in names)]
        yield from (one for one in named if one.split(".")[0] == package and one in sys.modules)


@cache  # the modules at the bottom are imported by nearly all
def _imports(path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the modules that a file imports, each with the names that it takes from there.

    Words that are no names may be among these. To parse the files would take as much time as all
    else when this module is imported.
    """
    found = list[tuple[str, tuple[str, ...]]]()
    for source, names, modules in _IMPORT.findall(path.read_text("utf-8")):
        if source:
            found.append((source, tuple(_NAME.findall(names))))
        found += [(module, ()) for module in _NAME.findall(modules)]
    return tuple(found)


def _path(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def aligned_words(count: int) -> Words:
    """Return zeroed words that begin at a multiple of 64 bytes."""
    raw = np.zeros(count + 8, np.uint64)
    start = -(raw.ctypes.data // 8) % 8
    return raw[start : start + count]


def aligned_zeros(dtype: np.dtype[Any], *shape: int) -> Any:
    """Return an array of zeros that begins with a line of the CPU's caches."""
    size = prod(shape) * dtype.itemsize
    octets = aligned_words(-(-size // 8)).view(np.uint8)
    return octets[:size].view(dtype).reshape(shape)


def words_of(*packed: bytes) -> Words:
    """Return the words of packed bits.

    They are writable: for read-only arrays, numba would compile each function once more.
    """
    return np.frombuffer(bytearray().join(packed), np.uint64)


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


@intrinsic
def _prefetch(_context: Any, array: Any, _place: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        function = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        name = "llvm.prefetch.p0" if address.type.is_opaque else "llvm.prefetch.p0i8"
        prefetched = cgutils.get_or_insert_function(builder.module, function, name)  # type: ignore[no-untyped-call]
        # a read of data that is to stay in the cache
        builder.call(prefetched, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def _transpose_lanes(
    _context: Any, array: Any, _row: Any, _lane: Any, _target: Any, _step: Any
) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        row, lane, target, step = arguments[1:]
        word, octets = ir.IntType(64), ir.VectorType(ir.IntType(8), 64)
        rows = builder.lshr(_rows(builder, data, row), _repeated(builder, lane))
        lanes = builder.trunc(rows, octets)
        for number in range(8):
            mask = ir.Constant(octets, [1 << number] * 64)
            held = builder.icmp_unsigned("==", builder.and_(lanes, mask), mask)
            at = builder.add(target, builder.mul(step, word(number)))
            builder.store(builder.bitcast(held, word), builder.gep(data, [at]))
        return context.get_dummy_value()

    numbers = (types.int64,) * 4
    return types.void(array, *numbers), generate


@intrinsic
def _bit_length(_context: Any, _word: Any) -> Any:

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word, is_zero_known = ir.IntType(64), ir.Constant(ir.IntType(1), 0)
        return builder.sub(word(64), builder.ctlz(arguments[0], is_zero_known))

    return types.int64(types.int64), generate


@intrinsic
def _lowest_bit(_context: Any, _word: Any) -> Any:

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _gather(_context: Any, array: Any, _row: Any, _lane: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        word, mask = ir.IntType(64), builder.shl(ir.IntType(64)(1), arguments[2])
        rows, masks = _rows(builder, data, arguments[1]), _repeated(builder, mask)
        held = builder.icmp_unsigned("==", builder.and_(rows, masks), masks)
        return builder.bitcast(held, word)

    return types.uint64(array, types.int64, types.uint64), generate


def _rows(builder: Any, data: Any, row: Any) -> Any:
    words = ir.VectorType(ir.IntType(64), 64)
    place = builder.bitcast(builder.gep(data, [row]), words.as_pointer())
    return builder.load(place, align=8)


def _repeated(builder: Any, value: Any) -> Any:
    index, nothing = ir.IntType(32), ir.Constant(ir.VectorType(value.type, 64), ir.Undefined)
    one = builder.insert_element(nothing, value, index(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(index, 64), [0] * 64))


def _plain_run(address: int, buffer: Words) -> int:
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64)(int(address))
    return int(function(buffer.ctypes.data))


def _plain_popcount(word: np.uint64) -> int:
    return int(word).bit_count()


def _plain_bit_length(word: int) -> int:
    return int(word).bit_length()


def _plain_lowest_bit(word: np.uint64) -> int:
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def _plain_gather(array: Words, row: int, lane: np.uint64) -> np.uint64:
    held = array[row : row + 64] >> np.uint64(lane) & np.uint64(1)
    word: np.uint64 = np.packbits(held.astype(np.uint8), bitorder="little").view(np.uint64)[0]
    return word


def _plain_transpose_lanes(array: Words, row: int, lane: int, target: int, step: int) -> None:
    for number in range(8):
        array[target + step * number] = _plain_gather(array, row, np.uint64(lane + number))


def _plain_prefetch(_array: NDArray[Any], _place: int) -> None:
    pass


#: Call the function at an address with a buffer, inside compiled code; it returns an integer.
run = twins(_run, _plain_run)
#: Count the bits of a word, inside compiled code.
popcount = twins(_popcount, _plain_popcount)
#: Return how many bits an integer takes that is not negative, inside compiled code.
bit_length = twins(_bit_length, _plain_bit_length)
#: Return the place of the lowest bit of a word, 64 if it has none, inside compiled code.
lowest_bit = twins(_lowest_bit, _plain_lowest_bit)
#: In a flat array, return the bits of a lane in the 64 rows that begin at a place, each one word,
#: inside compiled code.
gather = twins(_gather, _plain_gather)
#: In a flat array, take 8 lanes from `lane` on of the 64 rows that begin at `row`, a word each, and
#: put them, as one word each, to `target` and then every `step` words, inside compiled code.
transpose_lanes = twins(_transpose_lanes, _plain_transpose_lanes)
#: Prefetch the memory of a place in a flat array, inside compiled code.
prefetch = twins(_prefetch, _plain_prefetch)
