"""Runs every check over a rulesheet."""

from __future__ import annotations

from ggp.errors import KifError
from ggp.gdl.check.analysis.dependence import check_dependence
from ggp.gdl.check.declarations import check_declarations
from ggp.gdl.check.finding import Finding, Findings
from ggp.gdl.check.keywords import check_keywords
from ggp.gdl.check.names import check_names
from ggp.gdl.check.reading import read
from ggp.gdl.check.roles import check_roles
from ggp.gdl.check.safety import check_safety
from ggp.gdl.check.stratification import check_stratification
from ggp.kif import Source, parse

__all__ = ["check"]

_CHECKS = (
    check_keywords,
    check_names,
    check_roles,
    check_safety,
    check_dependence,
    check_stratification,
    check_declarations,
)


def check(source: Source | str) -> list[Finding]:
    """Return what is wrong with a rulesheet, in the order of the text; it never fails.

    A text without errors builds a `Description`. Termination, playability and other
    properties that only play shows are not checked.

    >>> [finding.code for finding in check("(role x) (init (p ?y))")][-1]
    'variable-in-fact'
    """
    if isinstance(source, str):
        source = Source(source)
    findings = Findings(source)
    try:
        terms = parse(source)
    except KifError as error:
        findings.add_at("syntax", error.span, error.message, hint=error.hint)
        return findings.sorted()
    game = read(terms, source, findings)
    for examine in _CHECKS:
        examine(game, findings)
    return findings.sorted()
