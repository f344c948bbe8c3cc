"""A lock for compiled code: threads that share a tree hold it while they change the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from ggp.reasoner.compiled import Words, nopython

__all__ = ["acquire", "release"]


@intrinsic
def _exchange(_context: Any, array: Any, _value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("xchg", data, arguments[1], "seq_cst")

    return types.uint64(array, types.uint64), generate


@intrinsic
def _yield(_context: Any) -> Any:

    def generate(_: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(number, []), "sched_yield"
        )
        return builder.call(function, [])

    return types.int32(), generate


# Put a value into the first word of an array, and return what was there, in one step.
_swap = cast(Callable[[Words, int], int], _exchange)
# Let another thread run, on this core, too: the one that holds the lock may wait for it.
_wait = cast(Callable[[], int], _yield)


@nopython
def acquire(lock: Words) -> None:
    """Wait until no other thread holds the lock, and hold it."""
    while _swap(lock, 1):
        _wait()


@nopython
def release(lock: Words) -> None:
    """Let other threads have the lock."""
    _swap(lock, 0)
