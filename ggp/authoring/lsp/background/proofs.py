"""The child process that asks what holds in all states of a game."""

from __future__ import annotations

from contextlib import suppress

from ggp.authoring.lsp.knowledge import Problem, Proof
from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.kif import Lines, Position
from ggp.prove import Verdict, faults, prove
from ggp.workers.child import Owner

__all__ = ["main", "proof"]

# Seconds for each question, and for all of them.
_SECONDS, _IN_ALL = 5.0, 120.0


def main(owner: Owner) -> None:
    """Answer a text with each proof as it is found, then with None.

    A fault comes at once, and again with what heals it.
    """
    with suppress(GgpError):  # the checker tells what is wrong with the rules
        description = Description.from_text(owner.receive())
        deadline = Deadline.after(_IN_ALL)
        for verdict in prove(description, seconds=_SECONDS, deadline=deadline, early=True):
            owner.send(proof(description, verdict))
    owner.send(None)


def proof(description: Description, verdict: Verdict) -> Proof:
    """Return an answer as the editor shows it, with a problem where the rules are at fault."""
    question = verdict.question
    role = str(question.role or "")
    problem = None
    for finding in faults(description, [verdict]):
        lines = Lines(description.source.text)
        start = lines.offset(Position(finding.span.line, finding.span.column))
        end = lines.offset(finding.end)
        # The rules are still being written: no proof is an error yet.
        problem = Problem(start, end, "warning", finding.code, finding.message, finding.hint)
    subject = question.subject or ""
    return Proof(question.name, role, subject, verdict.verdict, verdict.summary, problem)
