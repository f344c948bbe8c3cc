"""The table of the searches: each algorithm by its name, with all that others ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from ggp import plugins
from ggp.errors import GgpError
from ggp.graph import GameGraph
from ggp.search.alphabeta import AlphaBeta
from ggp.search.best_first import BestFirst, BestFirstOptions
from ggp.search.bounded import Bounded, BoundedOptions
from ggp.search.maxn import MaxN, MaxNOptions
from ggp.search.mcts import TreeOptions, TreeSearch
from ggp.search.minimax import Minimax
from ggp.search.options import SearchOptions
from ggp.search.prunings import BranchAndBound, LastBranch, Shallow, Speculative
from ggp.search.puzzle import Planner, PlannerOptions
from ggp.search.role_search import RoleOptions
from ggp.search.search import DEFAULT_TABLE_SIZE
from ggp.search.searcher import Searcher, WithoutHorizon
from ggp.search.settings import SearchSettings

__all__ = ["ALGORITHMS", "Algorithm", "SearchClass", "algorithm_names", "find_algorithm"]

#: The group of entry points in which searches are found by name. Any package can add searches.
ENTRY_POINTS = "ggp.searches"


class SearchClass(Protocol):
    """The class of a search in Python."""

    #: The name of the algorithm.
    algorithm: str

    def __call__(self, *args: Any, **kwargs: Any) -> Searcher:
        """Return a search of a graph.

        Args:
            *args: the graph, and the options of the algorithm.
            **kwargs: `table_size`, how many states it may remember; and an `observer`, where the
                entry in the table says that it takes one.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """A search: its class in Python, that of the engine, and what can be asked of it."""

    name: str
    #: What it is asked for; a field is an option.
    options: type[SearchOptions] = SearchOptions
    reference: SearchClass
    #: The engine's class, as `module:Class`, which is loaded when it is needed; None without one.
    engine: str | None = None
    #: The name of the set of compiled functions that the engine's class needs.
    kernels: str = ""
    #: Whether it can be limited to a depth; others look as far ahead as they find it worth.
    takes_depth: bool = False
    #: Whether it looks ahead to a depth, and then deeper.
    deepens: bool = False
    #: Whether its pruning gains by a leaf-value table of level 2, which takes time to enumerate.
    enumerates: bool = False
    #: Whether several threads of the engine may share a search.
    is_shared: bool = False
    #: Whether its values are vectors, one goal for each role.
    of_all: bool = False
    #: Whether the engine's class always plays at random, for which playouts must be compiled.
    plays_out: bool = False
    #: Whether it takes an observer, so that its tree can be drawn and stepped through.
    is_observed: bool = False
    #: Whether it cannot do without memory for the states that it has met.
    needs_table: bool = False

    def search(
        self,
        graph: GameGraph,
        options: SearchOptions | None = None,
        *,
        table_size: int = DEFAULT_TABLE_SIZE,
        observer: Any = None,
    ) -> Searcher:
        """Return the search of a graph in Python.

        Args:
            graph: the game.
            options: what it is asked for; None for the defaults.
            table_size: how many states it may remember.
            observer: what is told each step, if `is_observed`.

        Raises:
            ValueError: the options are of another algorithm, or as `SearchOptions.resolve`.
        """
        observed = {} if observer is None else {"observer": observer}
        asked = self.options.of(options)
        return self.reference(graph, asked, table_size=table_size, **observed)

    def resolve(self, graph: GameGraph, options: SearchOptions | None) -> SearchSettings:
        """Return the settings of a search of a graph. Raises as `SearchOptions.resolve`."""
        return self.options.of(options).resolve(graph, self.name)

    def options_of(self, given: Mapping[str, Any]) -> SearchOptions:
        """Return the options with these values by name.

        Raises:
            GgpError: the algorithm has no such option, or a value is out of its range.
        """
        known = [each.name for each in fields(self.options)]
        for name in given.keys() - known:
            raise GgpError(f"{self.name} has no option {name!r}; it has {', '.join(known)}")
        try:
            return self.options(**given)
        except ValueError as error:
            raise GgpError(f"{self.name}: {error}") from None

    def takes(self, option: str) -> bool:
        """Return whether it has an option of a name."""
        return any(each.name == option for each in fields(self.options))


_OF_ONE = Algorithm(
    name="", options=RoleOptions, reference=AlphaBeta,
    engine="ggp.engine.alphabeta.search:RoleEngine", kernels="alphabeta",
    takes_depth=True, deepens=True, is_observed=True,
)  # fmt: skip
_OF_ALL = Algorithm(
    name="", options=MaxNOptions, reference=MaxN,
    engine="ggp.engine.maxn.search:MaxNEngine", kernels="maxn",
    takes_depth=True, deepens=True, enumerates=True, of_all=True, is_observed=True,
)  # fmt: skip

_TABLE = (
    replace(_OF_ONE, name="minimax", reference=Minimax),
    replace(_OF_ONE, name="bounded", reference=Bounded, options=BoundedOptions),
    replace(_OF_ONE, name="alphabeta", reference=AlphaBeta, is_shared=True),
    Algorithm(
        name="bestfirst", options=BestFirstOptions, reference=BestFirst,
        engine="ggp.engine.bestfirst.search:BestFirstEngine", kernels="bestfirst",
    ),
    replace(_OF_ALL, name="maxn", reference=MaxN),
    replace(_OF_ALL, name="shallow", reference=Shallow),
    replace(_OF_ALL, name="branch-and-bound", reference=BranchAndBound),
    replace(_OF_ALL, name="last-branch", reference=LastBranch),
    replace(_OF_ALL, name="speculative", reference=Speculative),
    Algorithm(
        name="mcts", options=TreeOptions, reference=TreeSearch,
        engine="ggp.engine.mcts.search:TreeEngine", kernels="mcts",
        enumerates=True, is_shared=True, plays_out=True, is_observed=True,
    ),
    Algorithm(
        name="planner", options=PlannerOptions, reference=Planner,
        engine="ggp.engine.puzzle.search:PlannerEngine", kernels="planner",
        takes_depth=True, needs_table=True,
    ),
)  # fmt: skip

#: The searches that come with the framework, by name.
ALGORITHMS: dict[str, Algorithm] = {each.name: each for each in _TABLE}


def algorithm_names() -> list[str]:
    """Return the names of the searches that are installed: first those of the framework."""
    return [*ALGORITHMS, *plugins.entry_point_names(ENTRY_POINTS)]


def find_algorithm(search: str | Algorithm | SearchClass) -> Algorithm:
    """Return the description of a search.

    Args:
        search: a name of `algorithm_names`; the place of a class, such as ``module:Class``, where
            the current folder is searched first; or a class. In the place of a class, there may be
            an `Algorithm`. A class that derives from one of the framework's takes the same options,
            and searches in Python, as the engine cannot know what it does differently.

    Raises:
        GgpError: there is no such search.
    """
    if isinstance(search, str):
        return ALGORITHMS.get(search) or _loaded(search)
    return search if isinstance(search, Algorithm) else _of_class(search)


def _loaded(name: str) -> Algorithm:
    try:
        found = plugins.find(ENTRY_POINTS, name)
    except Exception as error:
        raise GgpError(f"search {name!r}: {type(error).__name__}: {error}") from error
    if found is None:
        there = ", ".join(algorithm_names())
        raise GgpError(f"no search {name!r}; there are {there}, and any class by module:Class")
    if isinstance(found, Algorithm):
        return found
    missing = {"algorithm", "run", "deepen", "takes"} - {*dir(found)}
    if not isinstance(found, type) or missing:
        lacks = f"it lacks {', '.join(sorted(missing))}" if missing else "it is no class"
        raise GgpError(f"search {name!r} is not a class as ggp.search.Searcher describes: {lacks}")
    return _of_class(found)


def _of_class(kind: Any) -> Algorithm:
    for base in kind.__mro__:
        for known in _TABLE:
            if known.reference is kind:
                return known
            if known.reference is base:
                return replace(
                    known, name=kind.algorithm, reference=kind, engine=None, is_shared=False
                )
    by_depth = not issubclass(kind, WithoutHorizon)
    return Algorithm(
        name=kind.algorithm,
        options=getattr(kind, "options", SearchOptions),
        reference=kind,
        takes_depth=by_depth,
        deepens=by_depth,
    )
