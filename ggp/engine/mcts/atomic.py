"""Atomic operations for compiled code: threads share arrays without a lock for all of them.

What a thread has written before it publishes an element (`publish`, `add`, `replace`) is seen by a
thread that has read the element (`read`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ggp.native.numba_support import inlined, nopython, twins

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


# Their twins are not atomic: in plain Python, only one thread may search.


def _plain_add(array: NDArray[Any], place: int, step: int) -> int:
    before: int = array[place]
    array[place] += step
    return before


def _plain_swap(array: NDArray[Any], place: int, value: int) -> int:
    before: int = array[place]
    array[place] = value
    return before


def _plain_replace(array: NDArray[Any], place: int, old: int, new: int) -> bool:
    is_old: bool = array[place] == old
    if is_old:
        array[place] = new
    return is_old


def _plain_read(array: NDArray[Any], place: int) -> int:
    value: int = array[place]
    return value


def _plain_publish(array: NDArray[Any], place: int, value: int) -> None:
    array[place] = value


def _plain_yield() -> int:
    return 0


#: Add to an element of an array, and return what it was.
add = twins(_add, _plain_add)
#: Put a value in the place of another one; return whether that was there.
replace = twins(_replace, _plain_replace)
#: Return an element, and see what was written before it was published.
read = twins(_read, _plain_read)
#: Change an element, and let those who read it see what was written before.
publish = twins(_publish, _plain_publish)
_exchange = twins(_swap, _plain_swap)
# Let another thread run, on this core, too: the one that holds a lock may wait for it.
_wait = twins(_yield, _plain_yield)


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
