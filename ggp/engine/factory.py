"""The choice of a search: the engine's, where there is machine code, or the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ggp.deadline import Deadline
from ggp.engine.kernels import KERNELS, load
from ggp.gdl import HIGHEST_GOAL
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner
from ggp.reasoner.auto import AutoReasoner
from ggp.search import (
    ALGORITHMS,
    BestFirst,
    Estimator,
    Evaluation,
    MaxN,
    Planner,
    Search,
    SearchAlgorithm,
    Searcher,
    SearchResult,
    TreeSearch,
    TreeSettings,
)

if TYPE_CHECKING:  # loading them takes longer than many a search by the reference
    from ggp.compiler.symmetry import Symmetry
    from ggp.engine.bestfirst.search import BestFirstEngine
    from ggp.engine.mcts.search import TreeEngine
    from ggp.engine.puzzle.search import PlannerEngine
    from ggp.engine.search import EngineSearch
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["DEFAULT_TABLE_BYTES", "KNOWN", "engine_search", "machine_code", "new_search"]

#: The algorithms that the engine knows.
KNOWN = tuple(search.algorithm for search in KERNELS)

#: Bytes of the transposition table.
DEFAULT_TABLE_BYTES = 256 << 20


def engine_search(
    graph: GameGraph,
    algorithm: str | SearchAlgorithm,
    *,
    table_bytes: int = DEFAULT_TABLE_BYTES,
    whole_table: bool = False,
    ordered: bool = True,
    words: int | None = None,
    symmetric: bool = False,
    threads: int | None = 1,
    progress: Callable[[SearchResult], None] | None = None,
    deadline: Deadline | None = None,
    **options: Any,
) -> Searcher | None:
    """Return the engine's search of a graph, or None where only the reference can search.

    That is the case if the graph's reasoner has no machine code (or not yet), if a goal is outside
    0 to 100, for classes other than those of `ggp.search` (a subclass may search in another way),
    for evaluations other than `ggp.search.Evaluation`, with an observer, and if the deadline is
    over before the functions that all games share are compiled.

    Args:
        graph: the game.
        algorithm: the class of the reference search, or its name in `ggp.search.ALGORITHMS`.
        table_bytes: the memory that the transposition table takes at most; 0 for no table.
        whole_table: whether the table takes all of it at once. A table that grows as it fills is
            faster in small searches; in large ones it depends on time which nodes are expanded
            twice.
        ordered: whether to try promising moves first, see `RoleEngine`; max-n never does.
        words: a pass makes 64 * words children; 1, 4 or 8, None for what suits the game.
        symmetric: whether a search for one role that is `ordered` and has a table looks for
            symmetries of the game first, for up to two seconds (`find_symmetries`), and takes what
            it knows of a state for its images, too.
        threads: how many threads of alpha-beta, or of tree search, search together; None for one on
            each core that is free when a search begins. The other searches have one.
        progress: called now and then while a search runs, with the best so far.
        deadline: how long to wait until the functions that all games share are compiled, which
            happens once after an installation, in the background; None for as long as that takes.
        **options: as for the algorithm's class in `ggp.search`.

    Raises:
        ValueError: as the algorithm's class in `ggp.search`.
    """
    kind = ALGORITHMS[algorithm] if isinstance(algorithm, str) else algorithm
    kernels = KERNELS.get(kind)
    if kernels is None or options.pop("observer", None) is not None:
        return None
    if isinstance(graph.reasoner, AutoReasoner):
        kernels.request()  # while the game is being compiled
    compiled = machine_code(graph.reasoner)
    evaluation = options.get("evaluation")
    if compiled is None or not (evaluation is None or _is_ready(evaluation, graph)):
        return None
    if kind is TreeSearch and not _has_playouts(graph):
        return None
    # The compiled loops index tables by goals.
    if any(not 0 <= goal <= HIGHEST_GOAL for goals in compiled.circuit.goals for goal, _ in goals):
        return None
    # Without a deadline, functions that could not be compiled ahead are compiled here.
    is_compiled = kernels.wait(deadline or Deadline())
    if deadline is not None and not (is_compiled and load(kernels, deadline)):
        return None
    return new_search(
        graph,
        compiled,
        kind,
        table_bytes=table_bytes,
        whole_table=whole_table,
        ordered=ordered,
        words=words,
        symmetric=symmetric,
        threads=threads,
        progress=progress,
        **options,
    )


def new_search(
    graph: GameGraph,
    compiled: CompiledReasoner,
    algorithm: SearchAlgorithm,
    *,
    table_bytes: int,
    whole_table: bool = False,
    ordered: bool = True,
    words: int | None = None,
    symmetric: bool = False,
    threads: int | None = 1,
    progress: Callable[[SearchResult], None] | None = None,
    **options: Any,
) -> EngineSearch | TreeEngine | BestFirstEngine | PlannerEngine:
    """Return the engine's search of a graph with this machine code, as `engine_search` does."""
    if algorithm is Planner:
        from ggp.engine.puzzle.search import PlannerEngine

        puzzle = Planner.settings_for(graph, **options)
        return PlannerEngine(graph, puzzle, compiled, table_bytes=table_bytes, progress=progress)
    if algorithm is TreeSearch:
        return _new_tree_search(
            graph,
            compiled,
            table_bytes=table_bytes,
            words=words,
            threads=threads,
            progress=progress,
            **options,
        )
    if algorithm is BestFirst:
        from ggp.engine.bestfirst.search import BestFirstEngine

        return BestFirstEngine(
            graph,
            BestFirst.settings_for(graph, **options),
            compiled,
            table_bytes=table_bytes or DEFAULT_TABLE_BYTES,
            words=words,
            progress=progress,
        )
    # the other keys of `KERNELS` are all of that type
    kind = cast("type[Search[Any]]", algorithm)
    settings = kind.settings_for(graph, **options)
    of_all: dict[str, Any] = {
        "table_bytes": table_bytes,
        "whole_table": whole_table,
        "words": words,
        "progress": progress,
    }
    if issubclass(kind, MaxN):
        from ggp.engine.maxn.search import MaxNEngine

        return MaxNEngine(graph, settings, compiled, **of_all)
    from ggp.compiler.symmetry import find_symmetries
    from ggp.engine.alphabeta.search import RoleEngine

    symmetries: Sequence[Symmetry] = ()
    if symmetric and ordered and table_bytes:
        symmetries = find_symmetries(compiled.description, compiled.circuit)
    return RoleEngine(
        graph,
        settings,
        compiled,
        ordered=ordered,
        threads=threads,
        symmetries=symmetries,
        **of_all,
    )


def _new_tree_search(
    graph: GameGraph,
    compiled: CompiledReasoner,
    *,
    table_bytes: int,
    words: int | None,
    threads: int | None,
    progress: Callable[[SearchResult], None] | None,
    **options: Any,
) -> TreeEngine:
    from ggp.engine.mcts.search import TreeEngine

    own = {name: options.pop(name) for name in TreeSearch.options & options.keys()}
    return TreeEngine(
        graph,
        TreeSearch.settings_for(graph, **options),
        compiled,
        options=TreeSettings(threads=threads, **own),
        table_bytes=table_bytes or DEFAULT_TABLE_BYTES,
        words=words,
        progress=progress,
    )


def machine_code(reasoner: Reasoner) -> CompiledReasoner | None:
    """Return the machine code of a reasoner's game; None if there is none, or not yet."""
    if isinstance(reasoner, AutoReasoner):
        return reasoner.compiled
    return cast("CompiledReasoner", reasoner) if reasoner.name == "compiled" else None


def _is_ready(evaluation: Estimator, graph: GameGraph) -> bool:
    """Return whether the engine knows the evaluation, and its playouts, if any, are compiled."""
    if not isinstance(evaluation, Evaluation):
        return False
    return not evaluation.playouts or _has_playouts(graph)


def _has_playouts(graph: GameGraph) -> bool:
    """Return whether random playouts of a game are compiled."""
    return not isinstance(graph.reasoner, AutoReasoner) or graph.reasoner.is_settled
