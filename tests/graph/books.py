"""The books of a graph: which states it holds, and what needs each of them."""

from __future__ import annotations

from ggp.graph import GameGraph


def check_books(graph: GameGraph) -> None:
    """Raise `AssertionError` unless the books of the graph agree. It looks at each state."""
    assert len(graph._numbers) == len(graph._states) == len(graph._references)
    assert all(graph._numbers[state] == node for node, state in graph._states.items())
    assert graph._expansions.keys() <= graph._states.keys()
    needed = dict.fromkeys(graph._states, 0)
    for expansion in graph._expansions.values():
        for child in expansion.children:
            needed[child] += 1
    needed[graph.root] += 1
    assert all(graph._references[node] >= count for node, count in needed.items())
