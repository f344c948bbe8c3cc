"""The process in which a game is compiled: ``compiler.py TIME_LIMIT MEMORY_LIMIT``.

On standard input come the pickled text of the rules, and then nothing: when it ends, the owner is
gone. On standard output goes, pickled, the circuit, once all that answers questions is compiled, or
the error that says why there is none. After that the random playouts are compiled; then the process
ends. The machine code itself goes by way of the cache.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys

from ggp.errors import ReasonerError, ReasonerMemory
from ggp.gdl import Description
from ggp.reasoner.compiled.circuit.circuit import Circuit
from ggp.reasoner.compiled.reasoner import CompiledReasoner
from ggp.workers.exit_with_parent import exit_with_parent


def main() -> None:
    """Compile one game. Arguments: the limits in seconds and bytes."""
    time_limit, memory_limit = float(sys.argv[1]), int(sys.argv[2])
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    description = Description.from_text(pickle.load(sys.stdin.buffer))
    exit_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    made: CompiledReasoner | None = None
    reply: Circuit | ReasonerError
    try:
        made = CompiledReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
        made.kernel.compile()
        reply = made.circuit
    except ReasonerError as error:
        reply = error
    except MemoryError:
        reply = ReasonerMemory(f"compiling needs more than {memory_limit >> 20:,} MB")
    pickle.dump(reply, replies)
    replies.flush()
    if made is not None:
        made.random_playouts.compile()


if __name__ == "__main__":
    main()
