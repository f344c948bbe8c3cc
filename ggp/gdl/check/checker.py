"""Runs every check over a rulesheet."""

from __future__ import annotations

from ggp.errors import KifError
from ggp.gdl.check.analysis.dependence import check_dependence
from ggp.gdl.check.conditions import check_conditions
from ggp.gdl.check.constants import check_constants
from ggp.gdl.check.declarations import check_declarations
from ggp.gdl.check.finding import Finding, Findings
from ggp.gdl.check.frames import check_frames
from ggp.gdl.check.keywords import check_keywords
from ggp.gdl.check.loose import check_loose
from ggp.gdl.check.names import check_names
from ggp.gdl.check.reading import read
from ggp.gdl.check.roles import check_roles
from ggp.gdl.check.safety import check_safety
from ggp.gdl.check.slips import check_slips
from ggp.gdl.check.stratification import check_stratification
from ggp.gdl.check.text.foreign import repaired
from ggp.gdl.check.text.statements import statements_of
from ggp.gdl.check.text.suppression import suppressed
from ggp.gdl.outer import without_outer_parentheses
from ggp.kif import Position, Source, Term, parse

__all__ = ["check"]

_CHECKS = (
    check_keywords,
    check_names,
    check_roles,
    check_safety,
    check_dependence,
    check_stratification,
    check_declarations,
    check_conditions,
    check_constants,
    check_slips,
    check_frames,
    check_loose,
)


def check(source: Source | str) -> list[Finding]:
    """Return what is wrong with a rulesheet, in the order of the text; it never fails.

    A text without errors builds a `Description`. Termination, playability and other
    properties that only play shows are not checked.

    Examples:
        >>> [finding.code for finding in check("(role x) (init (p ?y))")][-1]
        'variable-in-fact'
    """
    if isinstance(source, str):
        source = Source(source)
    findings = Findings(source)
    _examine(source, findings)
    return suppressed(findings.sorted(), source)


def _examine(source: Source, findings: Findings) -> None:
    readable = repaired(source, findings)
    if readable is None:
        return
    try:
        terms = parse(readable)
    except KifError as error:
        start = Position(error.span.line, error.span.column)
        end = Position(start.line, start.column + 1)
        findings.add_at("syntax", start, end, error.message, hint=error.hint)
        return
    if (inner := without_outer_parentheses(terms)) != terms:
        _report_outer_parentheses(terms[0], findings)
    statements = statements_of(inner, findings)
    if statements is None:
        return
    game = read(statements, readable, findings)
    for examine in _CHECKS:
        examine(game, findings)


def _report_outer_parentheses(whole: Term, findings: Findings) -> None:
    message = "one pair of parentheses stands around the whole rulesheet"
    fix = findings.replacing(whole, findings.written(whole)[1:-1])
    findings.add("outer-parentheses", whole, message, fix=fix)
