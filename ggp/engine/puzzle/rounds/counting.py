"""Groups of moves of which every plan has exactly one, because it must use up what is there.

In a puzzle in which numbers are put into fields, each field is filled once, and each number is put
somewhere once at most. If there are as many numbers as fields, each number is put somewhere. A
search for models does not see that by itself, for it would have to count.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ggp.compiler.circuit.circuit import FALSE
from ggp.engine.puzzle.effects import Effects
from ggp.engine.puzzle.symbolic import TRUE

__all__ = ["moves_made_once"]

# The moves of which groups are made at most: to compare each with each takes a while.
_MOST = 3000


def moves_made_once(
    effects: Effects, begin: Collection[int], endings: Sequence[int]
) -> list[list[int]]:
    """Return groups of moves of which every plan has exactly one; none if nothing is known.

    Args:
        effects: what moves do.
        begin: the facts that are true at the beginning.
        endings: the literals of the effects' graph of which one holds at the end.
    """
    needs = [_conjuncts(effects, legal) for legal in effects.legal]
    possible = [move for move, legal in enumerate(effects.legal) if legal != FALSE]
    changers: dict[int, list[tuple[int, int]]] = {}
    for move in possible:
        for fact, literal in effects.changes[move]:
            changers.setdefault(fact, []).append((move, literal))
    # The facts that are used up: each by one move, which cannot be done without it.
    ends = [_conjuncts(effects, ending)[1] for ending in endings]
    used_up = {
        fact
        for fact in set.intersection(set(begin), *ends)
        if all(
            literal == FALSE and fact in needs[move][0] for move, literal in changers.get(fact, ())
        )
    }
    uses: dict[int, int] = {}
    for move in possible:
        used = [fact for fact, _ in effects.changes[move] if fact in used_up]
        if len(used) > 1:
            return []
        if used:
            uses[move] = used[0]
    if len(uses) > _MOST:
        return []
    # What a move adds for good: other moves that change it need what this one has used up.
    adds: dict[int, set[int]] = {move: set() for move in uses}
    for fact, those in changers.items():
        adders = [move for move, literal in those if literal == TRUE and move in uses]
        sources = {uses[move] for move in adders}
        if len(sources) == 1 and all(sources <= needs[move][0] for move, _ in those):
            for move in adders:
                adds[move].add(fact)
    groups = _cliques(adds, {move: needs[move][1] for move in uses})
    return groups if len(groups) == len(used_up) else []


def _cliques(adds: dict[int, set[int]], blockers: dict[int, set[int]]) -> list[list[int]]:
    """Divide moves into groups in which each move adds what blocks each other one."""
    groups: list[list[int]] = []
    left = dict.fromkeys(adds)
    while left:
        first = next(iter(left))
        group = [first]
        for move in left:
            if move != first and all(
                adds[move] & blockers[other] and adds[other] & blockers[move] for other in group
            ):
                group.append(move)
        groups.append(group)
        for move in group:
            del left[move]
    return groups


def _conjuncts(effects: Effects, literal: int) -> tuple[set[int], set[int]]:
    """Return facts that must be true for a literal to hold, and facts that must be false."""
    true, false, pending, seen = set[int](), set[int](), [literal], set[int]()
    while pending:
        one = pending.pop()
        node = one >> 1
        if node in effects.nodes:
            (false if one & 1 else true).add(effects.nodes.index(node))
        elif node and not one & 1 and node not in seen:
            seen.add(node)
            pending += effects.graph.left[node], effects.graph.right[node]
    return true, false
