"""What can be proven of a game at all, by the bounds of all its states together."""

from __future__ import annotations

from ggp.search import LeafValueTable
from ggp.search.mcts.bounds import Limits
from ggp.search.mcts.node import Node
from tests.search.tree_game import TreeGame

__all__ = ["provable"]


def provable(game: TreeGame, table: LeafValueTable) -> list[float | None]:
    """Return what each role gets as far as it can be proven, in a game without chance.

    The bounds of all states are renewed until none of them changes.
    """
    limits, roles = Limits.of(table, chance=None), range(len(game.roles))
    nodes = []
    for spot in game.spots:
        lower = [float(table.lowest(role)) for role in roles]
        upper = [float(table.highest(role)) for role in roles]
        if not spot.children:
            lower = upper = [float(goal or 0) for goal in spot.goals]
        nodes.append(Node(b"", [*lower], [*upper]))
    for spot, node in zip(game.spots, nodes, strict=True):
        choosers = [role for role, count in enumerate(spot.choices) if count > 1]
        node.children, node.sizes = [nodes[child] for child in spot.children], spot.choices
        node.mover = None if len(choosers) > 1 else [*choosers, 0][0]
    before = None
    while before != (before := [([*node.lower], [*node.upper]) for node in nodes]):
        for node in nodes:
            if node.children:
                limits.settle(node)
    bounds = zip(nodes[0].lower, nodes[0].upper, strict=True)
    return [low if low == high else None for low, high in bounds]
