"""The problems of a rulesheet as editors show them, and the changes that fix them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Diagnostic,
    DiagnosticSeverity,
    DiagnosticTag,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from ggp.authoring.lsp.features.ranges import offsets_of, range_between
from ggp.authoring.lsp.knowledge import Change, Knowledge, Problem
from ggp.authoring.lsp.text.document import Document

__all__ = ["code_actions", "diagnostics"]

_SOURCE = "ggp"
# Fixes that are offered at one place.
_MOST = 30
_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "information": DiagnosticSeverity.Information,
}
#: Codes of what could be removed; editors show it paler.
_UNNECESSARY = frozenset({"unused-relation", "duplicate-statement", "needless-parentheses"})
_FIX_ALL = CodeActionKind.SourceFixAll


def diagnostics(document: Document, knowledge: Knowledge) -> list[Diagnostic]:
    """Return the problems that are known, those that reasoning has found at the end."""
    proved = [proof.problem for proof in knowledge.proofs if proof.problem is not None]
    problems = [*knowledge.problems, *proved]
    return [_diagnostic(document, problem) for problem in problems]


def code_actions(
    document: Document, knowledge: Knowledge, where: Range, only: Sequence[str] | None
) -> list[CodeAction]:
    """Return the fixes of the problems in a range, and one that fixes all of the text.

    Args:
        document: the rulesheet.
        knowledge: its problems; those of another version than the present one have no fix.
        where: the range.
        only: the kinds of actions that are wanted; None for all.
    """
    if knowledge.checked != document.version:
        return []
    start, end = offsets_of(document, where)
    found = []
    if _is_wanted(CodeActionKind.QuickFix, only):
        here = (p for p in knowledge.problems if p.start <= end and p.end >= start)
        fixes = ((p, p.fix) for p in here if p.fix is not None)
        found = [_quick_fix(document, problem, fix) for problem, fix in islice(fixes, _MOST)]
    changes = list(_compatible(p.fix for p in knowledge.problems if p.fix is not None))
    if changes and (only is not None or len(changes) > 1) and _is_wanted(_FIX_ALL, only):
        title = f"Fix all problems that have a fix ({len(changes)})"
        found.append(CodeAction(title=title, kind=_FIX_ALL, edit=_edit(document, changes)))
    return found


def _quick_fix(document: Document, problem: Problem, fix: Change) -> CodeAction:
    return CodeAction(
        title=_title(document, fix, problem),
        kind=CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(document, problem)],
        edit=_edit(document, [fix]),
        is_preferred=True,
    )


def _diagnostic(document: Document, problem: Problem) -> Diagnostic:
    lines = document.lines
    line = lines.point(problem.start).line
    # Of a rule of many lines, the first one is enough.
    line_end = lines.start(line) + len(lines.line(line))
    end = max(problem.start, min(problem.end, line_end))
    hint = f"\n{problem.hint}" if problem.hint else ""
    return Diagnostic(
        range=range_between(document, problem.start, end),
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source=_SOURCE,
        message=problem.message + hint,
        tags=[DiagnosticTag.Unnecessary] if problem.code in _UNNECESSARY else None,
    )


def _title(document: Document, fix: Change, problem: Problem) -> str:
    old = " ".join(document.text[fix.start : fix.end].split())
    new = " ".join(fix.text.split())
    if len(old) + len(new) > 60:
        return f"Fix: {problem.hint or problem.message}"
    if old and new:
        return f"Replace `{old}` by `{new}`"
    return f"Add `{new}`" if new else f"Remove `{old}`"


def _edit(document: Document, changes: Iterable[Change]) -> WorkspaceEdit:
    edits = [
        TextEdit(range_between(document, change.start, change.end), change.text)
        for change in changes
    ]
    return WorkspaceEdit(changes={document.uri: edits})


def _compatible(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield the changes that do not touch one before them."""
    done = -1
    for change in sorted(changes):
        if change.start > done:
            yield change
            done = change.end


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)
