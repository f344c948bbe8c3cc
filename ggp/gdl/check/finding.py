"""What the checker reports: findings, gathered at their places."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.errors import Span
from ggp.gdl.check.codes import CODES, Severity
from ggp.kif import Position, Source, Term

__all__ = ["Finding", "Findings", "shown"]

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a rulesheet, at one place."""

    span: Span
    severity: Severity
    #: The stable name of this kind of finding, a key of `CODES`.
    code: str
    message: str
    #: One sentence that says how to fix it.
    hint: str

    def to_json(self) -> dict[str, str | int]:
        """Return the finding as JSON values, without the file."""
        return {
            "line": self.span.line,
            "column": self.span.column,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        lines = [f"{self.span}: {self.severity}[{self.code}]: {self.message}"]
        if self.span.text:
            lines.append(self.span.caret())
        lines.append(f"    {self.hint}")
        return "\n".join(lines)


class Findings:
    """Gathers findings about one source: each code at most once at each place."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = [line.rstrip("\r") for line in source.text.split("\n")]
        self._found: dict[tuple[Position, str], Finding] = {}

    def add(self, code: str, where: Term | None, message: str, *, hint: str = "") -> None:
        """Report a fault of a term, or of the whole rulesheet. The code has a hint by default."""
        position = where.position if where else None
        if position is None:
            span = self._source.span(None)
        else:
            span = Span(self._source.name, *position, self._lines[position.line - 1])
        self.add_at(code, span, message, hint=hint)

    def add_at(self, code: str, span: Span, message: str, *, hint: str = "") -> None:
        """Report a fault at a place that is known already."""
        known = CODES[code]
        place = Position(span.line, span.column)
        finding = Finding(span, known.severity, code, message, hint or known.fix)
        self._found.setdefault((place, code), finding)

    def sorted(self) -> list[Finding]:
        """Return the findings in the order of their places."""
        return sorted(self._found.values(), key=lambda f: (f.span.line, f.span.column, f.code))


def shown(term: Term) -> str:
    """Return a term as messages show it: in backquotes, shortened if it is long."""
    text = str(term)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
