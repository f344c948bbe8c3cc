"""The process in which a game is compiled.

It sends the circuit, which can answer questions from a table, or the error that says why there is
none. It sends None when the code that answers them fastest is compiled. After that it compiles the
code of searches and the random playouts, and ends. The machine code itself goes by way of the
cache.
"""

from __future__ import annotations

from ggp.deadline import Deadline
from ggp.errors import ReasonerError, ReasonerMemory
from ggp.gdl import Description
from ggp.reasoner.compiled import CompiledReasoner
from ggp.reasoner.kernels import REASONER_KERNELS
from ggp.workers.child import Owner

__all__ = ["main"]


def main(owner: Owner, rules: str, time_limit: float, memory_limit: int) -> None:
    """Compile one game. The limits are in seconds and bytes."""
    description = Description.from_text(rules)
    REASONER_KERNELS.wait(Deadline())  # else this process would compile what builds circuits
    try:
        made = CompiledReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
    except ReasonerError as error:
        owner.send(error)
    except MemoryError:
        owner.send(ReasonerMemory(f"compiling needs more than {memory_limit >> 20:,} MB"))
    else:
        owner.send(made.circuit)
        made.kernel.compile()
        owner.send(None)
        halves = made.search_halves
        _ = halves.view, halves.step
        made.random_playouts.compile()
