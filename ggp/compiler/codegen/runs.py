"""Orders what a table computes into long runs of the same function.

A loop of its own goes through each run, so that no entry has to say what it computes. Only a window
of entries at a time is put into a new order, because values that are used soon are in the caches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import allocating

__all__ = ["in_runs"]

_Numbers = NDArray[np.int32]

#: Entries in a window. With 2,048, runs have 30 to 45 entries on average.
_WINDOW = 2048


def in_runs(nodes: _Numbers, inputs: _Numbers, functions: NDArray[np.uint8]) -> _Numbers:
    """Return nodes in an order in which many neighbours compute the same function.

    Args:
        nodes: int32[n]: each after those that it reads.
        inputs: int32[all nodes, 3]: what each reads; -1 for no input.
        functions: uint8[all nodes].
    """
    result = np.empty(len(nodes), np.int32)
    where = np.full(len(inputs), -1, np.int32)
    for begin in range(0, len(nodes), _WINDOW):
        window = slice(begin, begin + _WINDOW)
        _arrange(nodes[window], inputs, functions, where, result[window])
    return result


@allocating
def _arrange(
    nodes: _Numbers,
    inputs: _Numbers,
    functions: NDArray[np.uint8],
    where: _Numbers,
    result: _Numbers,
) -> None:
    """Arrange a window: go on with the function that most nodes are ready for.

    `where` is -1 for every node, before and after.
    """
    count = len(nodes)
    for i in range(count):
        where[nodes[i]] = i
    waiting = np.zeros(count, np.int32)
    first, readers = _find_readers(nodes, inputs, where, waiting)
    # the entries that are ready, a list for each function
    head = np.full(256, -1, np.int32)
    ready = np.zeros(256, np.int32)
    following = np.empty(count, np.int32)
    for i in range(count - 1, -1, -1):
        if waiting[i] == 0:
            function = functions[nodes[i]]
            following[i], head[function] = head[function], i
            ready[function] += 1
    made = 0
    while made < count:
        function = np.argmax(ready)
        while ready[function] > 0:
            i = head[function]
            head[function] = following[i]
            ready[function] -= 1
            result[made] = nodes[i]
            made += 1
            for place in range(first[i], first[i + 1]):
                reader = readers[place]
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    other = functions[nodes[reader]]
                    following[reader], head[other] = head[other], reader
                    ready[other] += 1
    for i in range(count):
        where[nodes[i]] = -1


@allocating
def _find_readers(
    nodes: _Numbers, inputs: _Numbers, where: _Numbers, waiting: _Numbers
) -> tuple[_Numbers, _Numbers]:
    """Return where the readers of each entry of a window begin in a list, and the list.

    Adds to `waiting` how many inputs of each entry are computed in the window.
    """
    count = len(nodes)
    first = np.zeros(count + 2, np.int32)
    for i in range(count):
        for k in range(3):
            below = inputs[nodes[i], k]
            if below >= 0 and where[below] >= 0:
                waiting[i] += 1
                first[where[below] + 2] += 1
    for i in range(count):
        first[i + 2] += first[i + 1]
    readers = np.empty(first[count + 1], np.int32)
    for i in range(count):
        for k in range(3):
            below = inputs[nodes[i], k]
            if below >= 0 and where[below] >= 0:
                place = where[below] + 1
                readers[first[place]] = i
                first[place] += 1
    return first, readers
