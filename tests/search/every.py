"""Searches for tests: the names of those that play any game to its end, and how to make one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ggp.engine import Resources, engine_search
from ggp.graph import GameGraph
from ggp.search import ALGORITHMS, Algorithm, SearchClass, Searcher, find_algorithm

__all__ = ["TREE_SEARCHES", "by_engine", "in_python"]

#: A planner, for one, takes games of one role only.
TREE_SEARCHES = [name for name, each in ALGORITHMS.items() if each.deepens]


def in_python(graph: GameGraph, algorithm: str | Algorithm | SearchClass, **options: Any) -> Any:
    """Return the search in Python, an object of its class; the table and the observer are named."""
    found = find_algorithm(algorithm)
    own = {name: options.pop(name) for name in ("table_size", "observer") if name in options}
    return found.search(graph, found.options_of(options), **own)


def by_engine(
    graph: GameGraph, algorithm: str | Algorithm | SearchClass, **options: Any
) -> Searcher | None:
    """Return the engine's search; the resources are named."""
    found = find_algorithm(algorithm)
    names = {each.name for each in fields(Resources)}
    resources = Resources(**{name: options.pop(name) for name in names & options.keys()})
    return engine_search(graph, found, found.options_of(options), resources)
