"""The child process that finds the legal moves of the initial state."""

from __future__ import annotations

from contextlib import suppress

from ggp.authoring.lsp.knowledge import Legal
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.reasoner.prolog import is_installed
from ggp.workers.child import Owner

__all__ = ["legal_moves", "main"]

# Moves of a role that are shown.
_MOVES = 12


def main(owner: Owner) -> None:
    """Answer a text with the legal moves of each role, then with None."""
    with suppress(GgpError):  # the checker tells what is wrong with the rules
        owner.send(legal_moves(Description.from_text(owner.receive())))
    owner.send(None)


def legal_moves(description: Description) -> dict[str, Legal]:
    """Return the moves that each role has in the initial state. Raises `GgpError`."""
    kind = "prolog" if is_installed() else "compiled"
    with open_reasoner(description, kind=kind) as reasoner:
        view = reasoner.view(reasoner.initial_state())
    return {
        role.text: Legal(len(moves), tuple(map(str, moves[:_MOVES])))
        for role, moves in zip(description.roles, view.legal, strict=True)
    }
