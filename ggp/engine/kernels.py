"""The engine's compiled functions: which sets there are, and how to have them compiled ahead."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from ggp.batch import BATCH_KERNELS
from ggp.deadline import Deadline, TimeUp
from ggp.learning import LEARNING_KERNELS
from ggp.native.kernels import KernelSet
from ggp.reasoner.kernels import REASONER_KERNELS
from ggp.search import ALGORITHMS, Planner

__all__ = ["KERNELS", "compile_kernels", "load", "warm_up"]

#: A game of one role, for which the planner's functions can be called.
_SMALL_PUZZLE = """
(role a) (init start) (legal a left) (legal a right) (<= (next (done ?m)) (does a ?m))
(<= terminal (true (done ?m))) (<= (goal a 100) (true (done left))) (<= (goal a 0) (true start))
"""

#: The sets of functions that the searches of the engine need. Each has the name of an algorithm
#: that needs it; several algorithms may need the same set.
KERNELS = {
    name: KernelSet(name, __name__)
    for name in dict.fromkeys(each.kernels for each in ALGORITHMS.values() if each.engine)
}

#: What `ggp prove` plays at random with, in a layer above this one.
_PLAYS = KernelSet("plays", "ggp.prove.play.simulation")


def warm_up(deadline: Deadline, *, one_by_one: bool = False) -> bool:
    """Have all functions that games share compiled, unless they are on disk, and wait for that.

    Numba compiles them once after an installation, in four to six minutes of CPU time.

    Args:
        deadline: how long to wait.
        one_by_one: leave the processors to others but for one process at a time. Those who need a
            set request it themselves.

    Returns:
        Whether they are on disk; if not, the work goes on after the deadline.
    """
    kernel_sets = REASONER_KERNELS, *KERNELS.values(), BATCH_KERNELS, LEARNING_KERNELS, _PLAYS
    for kernel_set in () if one_by_one else kernel_sets:
        kernel_set.request()
    return all(kernel_set.wait(deadline) for kernel_set in kernel_sets)


#: The threads that load functions from disk, by the name of the set.
_loading: dict[str, Thread] = {}


def load(kernels: KernelSet, deadline: Deadline) -> bool:
    """Load compiled functions in the background; return whether that is done by the deadline.

    To load a search takes seconds on a busy machine, and cannot be interrupted: in the thread that
    has to answer by a deadline, it could make the answer late.
    """
    thread = _loading.get(kernels.name)
    if thread is None:
        thread = Thread(target=compile_kernels, args=(kernels.name,), daemon=True)
        _loading[kernels.name] = thread
        thread.start()

    def is_loaded(seconds: float) -> bool:
        thread.join(seconds)
        return not thread.is_alive()

    with suppress(TimeUp):
        return deadline.wait(is_loaded)
    return False


def compile_kernels(name: str) -> None:
    """Set up a search by an algorithm, and call every function that one may need."""
    from ggp.engine.new_search import new_search
    from ggp.engine.resources import Resources
    from ggp.gdl import Description
    from ggp.graph import GameGraph
    from ggp.reasoner.compiled import SMALL_GAME, CompiledReasoner

    REASONER_KERNELS.wait(Deadline())  # else they would be compiled here once more
    rules = _SMALL_PUZZLE if name == Planner.algorithm else SMALL_GAME
    with CompiledReasoner(Description.from_text(rules)) as reasoner:
        small = Resources(table_bytes=1 << 20)
        new_search(GameGraph(reasoner), reasoner, ALGORITHMS[name], None, small).load_all()
