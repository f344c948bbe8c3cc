"""The child process that plays with the rules: legal moves at the start, and proofs."""

from __future__ import annotations

from ggp.authoring.lsp.knowledge import Legal
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.workers.child import Owner

__all__ = ["legal_moves", "main"]

_SHOWN = 12


def main(owner: Owner) -> None:
    """Answer a text with the legal moves of each role, then with each proof, then with None."""
    try:
        description = Description.from_text(owner.receive())
        owner.send(legal_moves(description))
    except GgpError:
        pass  # the checker tells what is wrong with the rules
    owner.send(None)


def legal_moves(description: Description) -> dict[str, Legal]:
    """Return the moves that each role has in the initial state. Raises `GgpError`."""
    from ggp.reasoner.prolog import is_installed

    kind = "prolog" if is_installed() else "compiled"
    with open_reasoner(description, kind=kind) as reasoner:
        view = reasoner.view(reasoner.initial_state())
    return {
        role.text: Legal(len(moves), tuple(map(str, moves[:_SHOWN])))
        for role, moves in zip(description.roles, view.legal, strict=True)
    }
