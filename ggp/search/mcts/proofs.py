"""Proof numbers: how many leaves, at least, must be proven so that a role is sure of its aim.

Kowalski, Soemers, Kosakowski and Winands (2025, "Generalized proof-number Monte-Carlo tree search",
arXiv 2506.13249) keep one number for each role, for any number of roles. A role that moves needs
one of its moves for its aim, and the others need all. The aim of a role is the best goal that it
may still get at the root.
"""

from __future__ import annotations

from math import inf

from ggp.search.mcts.node import Node, Values

__all__ = ["count_proofs", "ease_of"]


def count_proofs(node: Node, aims: Values) -> Values:
    """Return the proof number of a node for each role's aim, by those of its children.

    It is 0 where the role is sure of its aim, and inf where it cannot reach it. Where several roles
    choose at once, or chance does, a node counts as a leaf.
    """
    numbers = []
    for role, aim in enumerate(aims):
        if node.lower[role] >= aim:
            number = 0.0
        elif node.upper[role] < aim:
            number = inf
        elif node.mover is None:
            number = 1.0
        else:
            proofs = [child.proofs[role] for child in node.children]
            number = min(proofs) if role == node.mover else sum(proofs)
        numbers.append(number)
    return numbers


def ease_of(number: float, hardest: float) -> float:
    """Return how easy a move is to prove, from 0 to 1, where the hardest one has this number."""
    return max(0.0, 1 - number / hardest) if hardest > 1 else 0.0
