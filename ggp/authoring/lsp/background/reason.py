"""The child process that plays with the rules: legal moves at the start, and proofs."""

from __future__ import annotations

from ggp.authoring.lsp.knowledge import Legal, Problem, Proof
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.kif import Lines
from ggp.prove import Verdict, prove
from ggp.reasoner import open_reasoner
from ggp.reasoner.prolog import is_installed
from ggp.workers.child import Owner

__all__ = ["legal_moves", "main", "proof"]

# Seconds for each question.
_SECONDS = 5.0
# Moves of a role, and joint moves of a play, that are shown.
_MOVES, _STEPS = 12, 12


def main(owner: Owner) -> None:
    """Answer a text with the legal moves of each role, then with each proof, then with None."""
    try:
        description = Description.from_text(owner.receive())
        owner.send(legal_moves(description))
        for verdict in prove(description, seconds=_SECONDS):
            owner.send(proof(description, verdict))
    except GgpError:
        pass  # the checker tells what is wrong with the rules
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


def proof(description: Description, verdict: Verdict) -> Proof:
    """Return an answer as the editor shows it, with a problem where the rules are at fault."""
    question = verdict.question
    role = str(question.role or "")
    if not verdict.is_fault:
        return Proof(question.name, role, verdict.verdict, verdict.summary)
    start, end = _place(description, verdict)
    message = verdict.summary[0].upper() + verdict.summary[1:]
    problem = Problem(start, end, "warning", f"prove/{question.name}", message, _play(verdict))
    return Proof(question.name, role, verdict.verdict, verdict.summary, problem)


def _place(description: Description, verdict: Verdict) -> tuple[int, int]:
    """Return the offsets of the statement to blame; of the fact of the role if none is known."""
    lines = Lines(description.source.text)
    suspects = [description.terms[number] for number in verdict.suspects]
    naming = f"(role {verdict.question.role})"
    for term in (*suspects, *(term for term in description.terms if str(term) == naming)):
        if term.position is not None:
            return lines.offset(term.position), lines.offset(lines.end(term))
    return 0, 0


def _play(verdict: Verdict) -> str:
    """Return the play that shows the fault."""
    if not verdict.witness:
        return ""
    steps = [", ".join(map(str, joint)) for joint in verdict.witness[:_STEPS]]
    more = " ..." if len(verdict.witness) > _STEPS else ""
    return f"Play: {'; '.join(steps)}{more}"
