"""Faults that proofs have found as findings of the checker, each at the rule to look at first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ggp.gdl import Description, Relation, arguments_of
from ggp.gdl.check import CODES, Finding, check, suppressed
from ggp.gdl.check.finding import Findings
from ggp.gdl.check.names import FRAME_HINT
from ggp.kif import Position, Term
from ggp.prove.question import Question, Verdict

__all__ = ["doubted", "faults", "faults_told", "slips"]

# Joint moves of a play that are shown.
_STEPS = 12
# What the checker finds without playing, and what explains a fault if there is one.
_TELLING = frozenset(
    {
        *("initial-only-fact", "no-frame-rule"),
        *("undefined-fact", "undefined-move", "undefined-relation"),
        *("impossible-constant", "never-fires", "contradiction", "forgotten-question-mark"),
        *("misspelt-constant", "misspelt-variable", "narrow-frame-rule", "loose-condition"),
    }
)


def slips(description: Description) -> list[Finding]:
    """Return the warnings of the checker that may explain a fault, in the order of the text."""
    return [
        finding
        for finding in check(description.source)
        if finding.code in _TELLING or finding.hint == FRAME_HINT
    ]


def doubted(description: Description, findings: Iterable[Finding]) -> tuple[int, ...]:
    """Return the numbers of the statements that findings are about."""
    positions = [term.position for term in description.terms]
    numbers: dict[int, None] = {}
    for finding in findings:
        place = Position(finding.span.line, finding.span.column)
        before = [n for n, position in enumerate(positions) if position and position <= place]
        numbers |= dict.fromkeys(before[-1:])
    return tuple(numbers)


def faults_told(verdicts: Iterable[Verdict]) -> str:
    """Return which faults were found, and how many questions are open that may be faults."""
    found = list(verdicts)
    named = [str(verdict.question) for verdict in found if verdict.is_fault]
    unknown = sum(verdict.verdict == "open" and verdict.question.expected for verdict in found)
    if named:
        told = f"{len(named)} fault{'s' * (len(named) > 1)}: {', '.join(named)}"
    else:
        told = "no faults found" if unknown else "no faults"
    if unknown:
        are = (
            "question that would be a fault is"
            if unknown == 1
            else "questions that would be faults are"
        )
        told += f"; {unknown} {are} open"
    return told


def faults(description: Description, verdicts: Iterable[Verdict]) -> list[Finding]:
    """Return what is refuted and has to hold in every game, in the order of the text.

    The code of a finding is ``refuted-`` and the name of the question. A role that can never have
    its best goal is a finding, too, as a question to the author. What a comment in the rules
    switches off is left out.
    """
    findings = Findings(description.source)
    for verdict in verdicts:
        code = f"refuted-{verdict.question.name}"
        is_doubted = bool(verdict.doubt) and verdict.question.name == "winnable"
        if (verdict.is_fault or is_doubted) and code in CODES:
            message = verdict.doubt or verdict.summary
            message = message[0].upper() + message[1:]
            hint = CODES[code].fix + _change(description, verdict) + _play(verdict)
            findings.add(code, _place(description, verdict), message, hint=hint)
    return suppressed(findings.sorted(), description.source, are_all=False)


def _place(description: Description, verdict: Verdict) -> Term | None:
    """Return the statement to blame; the fact of the role if none is known."""
    question = verdict.question
    naming = f"(role {question.role})"
    facts = (term for term in description.terms if str(term) == naming)
    goals = _rules_of_goal(description, question) if question.name == "winnable" else ()
    places = (*verdict.statements(description), *goals, *facts)
    return next((term for term in places if term.position is not None), None)


def _rules_of_goal(description: Description, question: Question) -> Iterator[Term]:
    """Yield the statements that may give a role a goal."""
    for rule in description.by_relation.get(Relation("goal", 2), ()):
        role, goal = arguments_of(rule.head)
        if str(goal) == question.subject and (role == question.role or str(role).startswith("?")):
            yield rule.source or rule.head


def _change(description: Description, verdict: Verdict) -> str:
    """Return the change that heals the fault, or that there is none, if one was looked for."""
    if verdict.repair is None:
        return f". {verdict.advice[0].upper()}{verdict.advice[1:]}" if verdict.advice else ""
    position = description.terms[verdict.repair.number].position
    where = "" if position is None else f" in line {position.line}"
    return f". A change that heals it{where}: {verdict.repair.what} ({verdict.repair.note})"


def _play(verdict: Verdict) -> str:
    """Return the play that shows the fault."""
    if not verdict.witness:
        return ""
    steps = [", ".join(map(str, joint)) for joint in verdict.witness[:_STEPS]]
    more = " ..." if len(verdict.witness) > _STEPS else ""
    return f". Play: {'; '.join(steps)}{more}"
