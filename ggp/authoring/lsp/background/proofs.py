"""The child process that asks what holds in all states of a game."""

from __future__ import annotations

from contextlib import suppress

from ggp.authoring.lsp.knowledge import Problem, Proof
from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.kif import Lines
from ggp.prove import Verdict, prove
from ggp.workers.child import Owner

__all__ = ["main", "proof"]

# Seconds for each question, and for all of them.
_SECONDS, _IN_ALL = 5.0, 120.0
# Joint moves of a play that are shown.
_STEPS = 12


def main(owner: Owner) -> None:
    """Answer a text with each proof as it is found, then with None."""
    with suppress(GgpError):  # the checker tells what is wrong with the rules
        description = Description.from_text(owner.receive())
        deadline = Deadline.after(_IN_ALL)
        for verdict in prove(description, seconds=_SECONDS, deadline=deadline):
            owner.send(proof(description, verdict))
    owner.send(None)


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
    naming = f"(role {verdict.question.role})"
    facts = (term for term in description.terms if str(term) == naming)
    for term in (*verdict.statements(description), *facts):
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
