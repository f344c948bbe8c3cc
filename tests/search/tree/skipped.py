"""What a search left out, and what it found, by the line of moves that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ggp.search.tree.recorder import Visit

#: The moves of those who have a choice, from the root down.
Line: TypeAlias = tuple[str, ...]


def lines(visit: Visit | None, line: Line = ()) -> Iterator[tuple[Line, Visit]]:
    """Yield every node that was visited, with the line that leads to it."""
    if visit is None:
        return
    yield line, visit
    for branch in visit.branches:
        yield from lines(branch.child, (*line, *branch.moves))


def skipped(root: Visit | None) -> dict[Line, str]:
    """Return what was skipped, each with the rule that skipped it."""
    return {
        (*line, move): branch.rule
        for line, visit in lines(root)
        for branch in visit.branches
        if branch.rule is not None
        for move in branch.moves
    }
