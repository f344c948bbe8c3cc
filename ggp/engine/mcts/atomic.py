"""Atomic operations for compiled code: threads share arrays without a lock for all of them.

What a thread has written before it publishes an element (`publish`, `add`, `replace`) is seen by a
thread that has read the element (`read`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ggp.reasoner.compiled import inlined, nopython

__all__ = ["acquire", "add", "publish", "read", "release", "replace", "reserve"]

# How often a thread looks at a lock before it lets another thread have the core.
_LOOKS = 100


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, Any]:
    """Return the pointer to an element of an array of one dimension, and the element's size."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    pointer = cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
        context, builder, kind, array, [arguments[1]]
    )
    return pointer, context.get_abi_sizeof(context.get_data_type(kind.dtype))


@intrinsic
def _add(_context: Any, array: Any, _place: Any, _step: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, _ = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, arguments[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), generate


@intrinsic
def _swap(_context: Any, array: Any, _place: Any, _value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, _ = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("xchg", pointer, arguments[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), generate


@intrinsic
def _replace(_context: Any, array: Any, _place: Any, _old: Any, _new: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, _ = _pointer(context, builder, signature, arguments)
        result = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(result, 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), generate


@intrinsic
def _read(_context: Any, array: Any, _place: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, size = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "acquire", size)

    return array.dtype(array, types.intp), generate


@intrinsic
def _publish(_context: Any, array: Any, _place: Any, _value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, size = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, "release", size)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


@intrinsic
def _yield(_context: Any) -> Any:

    def generate(_: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(number, []), "sched_yield"
        )
        return builder.call(function, [])

    return types.int32(), generate


#: Add to an element of an array, and return what it was.
add = cast(Callable[[NDArray[Any], int, int], int], _add)
#: Put a value in the place of another one; return whether that was there.
replace = cast(Callable[[NDArray[Any], int, int, int], bool], _replace)
#: Return an element, and see what was written before it was published.
read = cast(Callable[[NDArray[Any], int], int], _read)
#: Change an element, and let those who read it see what was written before.
publish = cast(Callable[[NDArray[Any], int, int], None], _publish)
_exchange = cast(Callable[[NDArray[Any], int, int], int], _swap)
# Let another thread run, on this core, too: the one that holds a lock may wait for it.
_wait = cast(Callable[[], int], _yield)


@nopython
def reserve(used: NDArray[Any], place: int, count: int, most: int) -> int:
    """Take `count` more of a supply of `most`; return the first, -1 if that is too many."""
    while True:
        begin = read(used, place)
        if begin + count > most:
            return -1
        if replace(used, place, begin, begin + count):
            return begin


@inlined
def acquire(locks: NDArray[Any], place: int) -> None:
    """Wait until no other thread holds a lock, and hold it."""
    while _exchange(locks, place, 1):
        _await_release(locks, place)


@inlined
def release(locks: NDArray[Any], place: int) -> None:
    """Let other threads have a lock."""
    publish(locks, place, 0)


@nopython
def _await_release(locks: NDArray[Any], place: int) -> None:
    """Wait until a lock seems to be free."""
    for _ in range(_LOOKS):
        if not read(locks, place):
            return
    _wait()
