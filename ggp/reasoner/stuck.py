"""The error of a state in which play cannot go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ggp.errors import NoLegalMove
from ggp.kif import Symbol, Term

__all__ = ["no_legal_move"]


def no_legal_move(
    roles: Sequence[Symbol], legal: Iterable[Sequence[Term]], facts: Iterable[Term]
) -> NoLegalMove:
    """Return the error of a state that is not terminal and in which a role has no legal move.

    Args:
        roles: the roles of the game.
        legal: the legal moves of each role.
        facts: the facts of the state.
    """
    pairs = zip(roles, legal, strict=True)
    stuck = ", ".join(str(role) for role, moves in pairs if not moves)
    state = " ".join(map(str, facts))
    return NoLegalMove(f"{stuck}: no legal move in a state that is not terminal: ( {state} )")
