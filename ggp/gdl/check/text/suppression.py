"""Comments that switch findings off: ``; ggp: ignore[code]`` and ``; ggp: ignore-file[code]``.

An `ignore` at the end of a line is for the findings of that line; alone on its line, it is for the
next line that is not only a comment. Errors cannot be switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Edit, Finding, Findings
from ggp.gdl.check.text.spelling import did_you_mean
from ggp.kif import Lines, Position, Source
from ggp.kif.tokens import COMMENT

__all__ = ["suppressed"]

_MARK = re.compile(r";\s*ggp:\s*(ignore-file|ignore)\s*\[([^\]]*)\]")
#: With one of these, not everything was checked, so that nothing is known to be unused.
_UNREAD = frozenset({"syntax", "foreign-syntax"})
#: Only proofs tell whether there is something to switch off.
_BY_PROOF = frozenset(
    f"refuted-{name}" for name in ("ends", "one-content", "keeps-content", "winnable")
)
_CODE = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class _Suppression:
    """One code in one comment."""

    code: str
    start: Position
    end: Position
    #: The line whose findings it switches off, None for all lines.
    line: int | None


def suppressed(found: Sequence[Finding], source: Source, *, are_all: bool = True) -> list[Finding]:
    """Return the findings without those that a comment switches off, in the order of the text.

    Args:
        found: the findings, in the order of the text.
        source: the rulesheet.
        are_all: whether these are all findings but those of proofs; then what is wrong with the
            comments themselves is added.
    """
    if "ggp:" not in source.text:
        return list(found)
    comments = Findings(source)
    used: set[_Suppression] = set()
    suppressions = list(_suppressions(comments.lines))
    kept: list[Finding] = []
    for finding in found:
        fitting = [
            s
            for s in suppressions
            if s.code == finding.code and s.line in (None, finding.span.line)
        ]
        if fitting and finding.severity == "warning":
            used.update(fitting)
        else:
            kept.append(finding)
    if not are_all:
        return kept
    is_unread = any(finding.code in _UNREAD for finding in found)
    for suppression in suppressions:
        is_open = suppression.code in CODES and (is_unread or suppression.code in _BY_PROOF)
        if suppression not in used and not is_open:
            _report(suppression, comments)
    kept += comments.sorted()
    return sorted(kept, key=lambda f: (f.span.line, f.span.column, f.code))


def _report(suppression: _Suppression, findings: Findings) -> None:
    code, start, end = suppression.code, suppression.start, suppression.end
    if code not in CODES:
        hint, close = did_you_mean(code, CODES, CODES["unknown-suppression"].fix)
        fix = Edit(start, end, close) if close else None
        message = f"there is no finding `{code}`"
        findings.add_at("unknown-suppression", start, end, message, hint=hint, fix=fix)
        return
    message = f"there is no `{code}` here"
    if CODES[code].severity == "error":
        message = f"`{code}` is an error, and errors cannot be switched off"
    findings.add_at("unused-suppression", start, end, message)


def _suppressions(lines: Lines) -> Iterator[_Suppression]:
    for comment in COMMENT.finditer(lines.text):
        for mark in _MARK.finditer(comment[0]):
            place = lines.position(comment.start())
            line: int | None = place.line
            if mark[1] == "ignore-file":
                line = None
            elif not lines[place.line][: place.column - 1].strip():
                line = _next_line_of_rules(lines, place.line)
            offset = comment.start() + mark.start(2)
            for code in _CODE.finditer(mark[2]):
                start = lines.position(offset + code.start())
                end = lines.position(offset + code.end())
                yield _Suppression(code[0], start, end, line)


def _next_line_of_rules(lines: Lines, number: int) -> int:
    """Return the number of the next line that holds more than a comment."""
    number += 1
    while number <= len(lines) and lines[number].lstrip()[:1] in ("", ";"):
        number += 1
    return number
