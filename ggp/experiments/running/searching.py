"""Searches of the experiments, with costs that can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from ggp.engine import Resources, engine_search
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source, parse_term
from ggp.reasoner import open_reasoner
from ggp.search import LeafValueTable, Limit, Searcher, SearchOptions, SearchResult, find_algorithm

__all__ = ["Engine", "deepen", "engine_of", "leaf_values", "opened", "play", "search"]

#: The kind of search: compiled loops over machine code, or Python.
Engine: TypeAlias = Literal["compiled", "reference"]


@contextmanager
def opened(description: Description, *, max_states: int = 1_000_000) -> Iterator[GameGraph]:
    """Open the graph of a game, on the compiled reasoner.

    Raises:
        ReasonerError: the game cannot be compiled.
    """
    with open_reasoner(description, kind="compiled") as reasoner:
        yield GameGraph(reasoner, max_states=max_states)


def leaf_values(description: Description, *, time_limit: float = 120.0) -> LeafValueTable:
    """Return the leaf-value table of a game, enumerated from its rules.

    Raises:
        GgpError: the table was not found in time.
    """
    found = LeafValueTable.enumerate(description, time_limit=time_limit)
    if found.level < 2:
        raise GgpError(f"the leaf-value table was not found within {time_limit:g} s")
    return found


def play(graph: GameGraph, *moves: str) -> None:
    """Move the root of a graph to the state after some joint moves.

    A joint move is written as in KIF: `(take 1) noop`.

    Raises:
        IllegalMove: the rules do not allow a move.
    """
    for text in moves:
        joint_move = tuple(parse_term(Source(f"({text})", "a move")).items)  # type: ignore[union-attr]
        state = graph.reasoner.next_state(graph.state(graph.root), joint_move)
        graph.set_root(graph.node(state))


def search(
    graph: GameGraph,
    algorithm: str,
    options: SearchOptions | None = None,
    *,
    engine: Engine = "compiled",
    table_bytes: int = 0,
    ordered: bool = True,
    depth: int | None = None,
) -> SearchResult:
    """Search the root of a graph once, to the end of the game if no depth is given.

    Args:
        graph: the game.
        algorithm: the search, as for `ggp.search.find_algorithm`.
        options: what it is asked for; None for the defaults.
        engine: the kind of search.
        table_bytes: bytes of the engine's transposition table, 0 for none. The reference has none.
        ordered: whether the engine tries promising moves first.
        depth: how many joint moves to look ahead.

    Raises:
        GgpError: the engine cannot search this game.
    """
    made = (
        find_algorithm(algorithm).search(graph, options, table_size=0)
        if engine == "reference"
        else engine_of(graph, algorithm, options, table_bytes=table_bytes, ordered=ordered)
    )
    return made.run(limit=Limit(depth=depth))


def engine_of(
    graph: GameGraph,
    algorithm: str,
    options: SearchOptions | None = None,
    *,
    table_bytes: int = 0,
    ordered: bool = True,
) -> Searcher:
    """Return the engine's search of a graph, with a table of fixed size, so that counts repeat.

    Arguments and errors are those of `search`.
    """
    resources = Resources(table_bytes=table_bytes, ordered=ordered, whole_table=True)
    found = engine_search(graph, algorithm, options, resources)
    if found is None:
        raise GgpError(f"the engine cannot search this game by {algorithm}")
    return found


def deepen(
    graph: GameGraph,
    algorithm: str,
    options: SearchOptions | None = None,
    *,
    nodes: int,
    table_bytes: int = 0,
) -> Iterator[SearchResult]:
    """Search the root of a graph to increasing depths, with `nodes` expansions in all.

    Arguments and errors are those of `search`.
    """
    searcher = engine_of(graph, algorithm, options, table_bytes=table_bytes)
    return searcher.deepen(limit=Limit(nodes=nodes))
