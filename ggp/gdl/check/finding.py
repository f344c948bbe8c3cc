"""What the checker reports: findings, gathered at their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ggp.errors import Span
from ggp.gdl.check.codes import CODES, Severity
from ggp.kif import Lines, Position, Source, Symbol, Term

__all__ = ["Edit", "Finding", "Findings", "shown"]

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a text: what stands from `start` up to `end` gives way to `text`."""

    start: Position
    end: Position
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the edit as JSON values."""
        return {
            "line": self.start.line,
            "column": self.start.column,
            "end_line": self.end.line,
            "end_column": self.end.column,
            "text": self.text,
        }

    def apply(self, text: str) -> str:
        """Return the text with the change."""
        lines = Lines(text)
        return text[: lines.offset(self.start)] + self.text + text[lines.offset(self.end) :]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a rulesheet, at one place."""

    span: Span
    #: Where the term at fault ends: the position after its last character.
    end: Position
    severity: Severity
    #: The stable name of this kind of finding, a key of `CODES`.
    code: str
    message: str
    #: One sentence that says how to fix it.
    hint: str
    #: The change that fixes it, where one change is the obvious one.
    fix: Edit | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON values, without the file; ``fix`` only where there is one."""
        values: dict[str, Any] = {
            "line": self.span.line,
            "column": self.span.column,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }
        return values | ({"fix": self.fix.to_json()} if self.fix else {})

    def __str__(self) -> str:
        lines = [f"{self.span}: {self.severity}[{self.code}]: {self.message}"]
        if self.span.text:
            lines.append(self.span.caret())
        lines.append(f"    {self.hint}")
        return "\n".join(lines)


class Findings:
    """Gathers findings about one source: each code at most once at each place."""

    def __init__(self, source: Source) -> None:
        self.lines = Lines(source.text)
        self._name = source.name
        self._found: dict[tuple[Position, str], Finding] = {}

    def add(
        self,
        code: str,
        where: Term | None,
        message: str,
        *,
        hint: str = "",
        fix: Edit | None = None,
    ) -> None:
        """Report a fault of a term, or of the whole rulesheet. The code has a hint by default."""
        start = where.position if where else None
        if where is None or start is None:
            start = end = Position(1, 1)
        elif (start, code) in self._found:
            return
        else:
            end = self.lines.end(where)
        self.add_at(code, start, end, message, hint=hint, fix=fix)

    def add_at(
        self,
        code: str,
        start: Position,
        end: Position,
        message: str,
        *,
        hint: str = "",
        fix: Edit | None = None,
    ) -> None:
        """Report a fault at a place that is known already."""
        known = CODES[code]
        span = Span(self._name, *start, self.lines[start.line])
        finding = Finding(span, end, known.severity, code, message, hint or known.fix, fix)
        self._found.setdefault((start, code), finding)

    def has(self, code: str, symbol: Symbol) -> bool:
        """Return whether a fault has been reported at the place of a symbol."""
        place = symbol.position
        return place is not None and (place, code) in self._found

    def replacing(self, term: Term, text: str) -> Edit:
        """Return the edit that puts a text in the place of a term."""
        assert term.position is not None  # it was read from this source
        return Edit(term.position, self.lines.end(term), text)

    def removing(self, term: Term) -> Edit:
        """Return the edit that removes a term, with its line where nothing else stands there."""
        edit = self.replacing(term, "")
        before = self.lines[edit.start.line][: edit.start.column - 1]
        after = self.lines[edit.end.line][edit.end.column - 1 :]
        if before.strip() or after.strip():
            gap = len(before) - len(before.rstrip()) if before.strip() else 0
            return Edit(Position(edit.start.line, edit.start.column - gap), edit.end, "")
        return Edit(Position(edit.start.line, 1), Position(edit.end.line + 1, 1), "")

    def written(self, term: Term) -> str:
        """Return a term as the source has it."""
        assert term.position is not None  # it was read from this source
        return self.lines.slice(term.position, self.lines.end(term))

    def sorted(self) -> list[Finding]:
        """Return the findings in the order of their places."""
        return sorted(self._found.values(), key=lambda f: (f.span.line, f.span.column, f.code))


def shown(term: Term) -> str:
    """Return a term as messages show it: in backquotes, shortened if it is long."""
    text = str(term)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
