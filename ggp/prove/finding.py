"""Faults that proofs have found as findings of the checker, each at the rule to look at first."""

from __future__ import annotations

from collections.abc import Iterable

from ggp.gdl import Description
from ggp.gdl.check import CODES, Finding, suppressed
from ggp.gdl.check.finding import Findings
from ggp.kif import Term
from ggp.prove.question import Verdict

__all__ = ["faults"]

# Joint moves of a play that are shown.
_STEPS = 12


def faults(description: Description, verdicts: Iterable[Verdict]) -> list[Finding]:
    """Return what is refuted and has to hold in every game, in the order of the text.

    The code of a finding is ``refuted-`` and the name of the question. What a comment in the rules
    switches off is left out.
    """
    findings = Findings(description.source)
    for verdict in verdicts:
        code = f"refuted-{verdict.question.name}"
        if verdict.is_fault and code in CODES:
            message = verdict.summary[0].upper() + verdict.summary[1:]
            hint = CODES[code].fix + _change(description, verdict) + _play(verdict)
            findings.add(code, _place(description, verdict), message, hint=hint)
    return suppressed(findings.sorted(), description.source, are_all=False)


def _place(description: Description, verdict: Verdict) -> Term | None:
    """Return the statement to blame; the fact of the role if none is known."""
    naming = f"(role {verdict.question.role})"
    facts = (term for term in description.terms if str(term) == naming)
    places = (*verdict.statements(description), *facts)
    return next((term for term in places if term.position is not None), None)


def _change(description: Description, verdict: Verdict) -> str:
    """Return the change that heals the fault, if one was found."""
    if verdict.repair is None:
        return ""
    position = description.terms[verdict.repair.number].position
    where = "" if position is None else f" in line {position.line}"
    return f". A change that heals it{where}: {verdict.repair.what}"


def _play(verdict: Verdict) -> str:
    """Return the play that shows the fault."""
    if not verdict.witness:
        return ""
    steps = [", ".join(map(str, joint)) for joint in verdict.witness[:_STEPS]]
    more = " ..." if len(verdict.witness) > _STEPS else ""
    return f". Play: {'; '.join(steps)}{more}"
