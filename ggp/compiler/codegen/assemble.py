"""Turns a program into functions that can be called, with a cache of compiled code."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias, TypeVar

import llvmlite  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.llvm_text import emit
from ggp.compiler.codegen.machine import Library, compile_text, host
from ggp.compiler.codegen.program_table import emit_table
from ggp.compiler.codegen.rows import POINTER_ROW
from ggp.compiler.codegen.straightline import Program
from ggp.compiler.codegen.vector import Lanes
from ggp.deadline import Deadline
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, aligned_words
from ggp.native.sources import sources_digest

__all__ = [
    "LARGEST_CODE",
    "Assembly",
    "Form",
    "Frame",
    "assemble",
    "code_name",
    "digest",
]

#: How a program runs: as code of its own, or as a table that a loop runs through.
Form: TypeAlias = Literal["code", "table"]

_Made = TypeVar("_Made", bound=Program)

#: Makes the text of a module of its own, which calls the phases of programs, and what this module
#: finds where `POINTER_ROW` points to.
Frame: TypeAlias = Callable[[Sequence[_Made], Lanes], tuple[str, bytes]]

#: Nodes beyond which a program becomes a table. The code of a larger one is read from memory in
#: each pass, and a table is shorter.
LARGEST_CODE = 150_000

#: Seconds to wait for another process that compiles the same program.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Assembly:
    """Code, and the buffer that it works in, for one thread at a time."""

    library: Library
    #: Of each function, its address; it takes the address of the buffer.
    addresses: dict[str, int]
    buffer: Words
    words: int
    #: What the code reads: it must live as long as the code.
    table: NDArray[np.int32]


def _version() -> str:
    """Return a string that is different for each version of the code generator."""
    return f"{llvmlite.__version__} {sources_digest('native', 'compiler').hex()}"


def digest(circuit: Circuit) -> str:
    """Return a hash of a circuit; its terms do not matter."""
    total = hashlib.sha256()
    shape = (len(circuit.facts), [len(moves) for moves in circuit.moves])
    total.update(repr((shape, circuit.terminal, circuit.goals)).encode())
    arrays = [circuit.gates, circuit.legal, circuit.bad_goals, circuit.next]
    for loop in circuit.loops:
        arrays += [np.array([loop.first, loop.last]), loop.latches, loop.drivers]
    for array in arrays:
        total.update(str(array.shape).encode())
        total.update(np.ascontiguousarray(array, np.int32).tobytes())
    return total.hexdigest()


def code_name(functions: Sequence[str], *, key: str, words: int, form: Form | None) -> str:
    """Return the name of a program's code in a cache; the arguments are those of `assemble`."""
    lanes = Lanes.on(host(), words)
    parts = (key, *functions, lanes, form, LARGEST_CODE, host(), _version())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def assemble(
    build: Callable[[], Sequence[_Made]],
    functions: Sequence[str],
    *,
    key: str,
    words: int,
    form: Form | None,
    cache: Cache | None,
    frame: Frame[_Made] | None = None,
) -> Assembly:
    """Return the code of programs, from the cache if it is there.

    Args:
        build: makes the programs, whose phases have different names and which work in the same
            rows; not called if the cache has their code.
        functions: those that will be called: its phases, and the functions of the frame.
        key: identifies these programs and the frame.
        words: words of 64 lanes in a row: 1, 2, 4 or 8.
        form: code or table; by the size of the programs if None.
        cache: where code is kept; None compiles anew.
        frame: makes what calls the phases.
    """
    lanes = Lanes.on(host(), words)
    name = code_name(functions, key=key, words=words, form=form)
    kept = cache.get(name) if cache else None
    if kept is None:
        # Of many processes that need it at once, one makes it.
        with cache.lock(name, deadline=Deadline.after(_PATIENCE)) if cache else nullcontext():
            kept = cache.get(name) if cache else None
            if kept is None:
                kept = _compile(build(), lanes, form, frame)
                if cache:
                    cache.put(name, kept)
    head, _, rest = kept.partition(b"\n")
    rows, *sizes = json.loads(head)
    ends = [0, *accumulate(sizes)]
    entries, *images = (rest[begin:end] for begin, end in pairwise(ends))
    buffer = aligned_words(rows * words)
    table = np.frombuffer(entries, np.int32)
    buffer[POINTER_ROW * words] = table.ctypes.data
    library = Library(images, functions)
    addresses = {function: library.address(function) for function in functions}
    return Assembly(library, addresses, buffer, words, table)


def _compile(
    programs: Sequence[_Made], lanes: Lanes, form: Form | None, frame: Frame[_Made] | None
) -> bytes:
    """Return the rows of the buffer, the length of the table and of each image, and these."""
    if form is None:
        nodes = max(len(program.kinds) for program in programs)
        form = "code" if nodes <= LARGEST_CODE else "table"
    rows = 0
    framing, table = ("", b"") if frame is None else frame(programs, lanes)
    texts = [framing] if framing else []
    for program in programs:
        if form == "code":
            text, needed = emit(program, lanes)
        else:
            text, needed, entries = emit_table(program, lanes, POINTER_ROW, begin=len(table))
            table += entries.tobytes()
        texts.append(text)
        rows = max(rows, needed)
    # LLVM leaves the other cores to other threads
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        images = [*threads.map(compile_text, texts)]
    head = json.dumps([rows, len(table), *map(len, images)])
    return b"".join([head.encode(), b"\n", table, *images])
