"""Makes an unbalanced text readable, so that one broken statement hides nothing of the others."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from math import inf

from ggp.authoring.lsp.knowledge import Change, Problem
from ggp.authoring.lsp.text.document import Document, Placed
from ggp.gdl.outer import blank_outer_parentheses
from ggp.kif import MAX_DEPTH, Source

__all__ = ["Repaired", "repair"]

# As the grammar of `ggp.kif` has it.
_NO_SYMBOL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Repaired:
    """A text that can be parsed."""

    text: str
    #: What was wrong, with offsets in the original.
    problems: tuple[Problem, ...]
    #: The stretches of the original that were changed.
    broken: tuple[tuple[int, int], ...]
    #: The offsets in the text before which something was added, and how much in all up to there.
    added: tuple[tuple[int, int], ...]

    def original(self, offset: int) -> int:
        """Return the offset in the original of an offset in the text."""
        index = bisect_right(self.added, offset, key=lambda entry: entry[0])
        found = offset - (self.added[index - 1][1] if index else 0)
        if index == len(self.added):
            return found
        moved, more = self.added[index]
        return min(found, moved - more)  # what was added counts as the end of its statement

    def is_broken(self, offset: int) -> bool:
        """Whether an offset of the original lies where something was changed."""
        index = bisect_right(self.broken, (offset, inf)) - 1
        return index >= 0 and offset <= self.broken[index][1]


def repair(text: str) -> Repaired:
    """Close what is open, and take out what closes nothing or cannot be read.

    A rulesheet in one outer pair of parentheses can be read as it is, though the document takes
    that pair for unbalanced.
    """
    if blank_outer_parentheses(Source(text)) is not None:
        return Repaired(text, (), (), ())
    problems: list[Problem] = []
    broken: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    parts: list[str] = []
    done = total = 0
    for placed in Document("", text).statements():
        fault = _fault(placed)
        if fault is None:
            continue
        problem, written = fault
        problems.append(problem)
        broken.append((placed.start, placed.end))
        parts += [text[done : placed.start], written]
        done = placed.end
        more = len(written) - len(placed.statement.text)
        if more:
            total += more
            # What follows the end of the statement has moved.
            added.append((placed.end + total, total))
    parts.append(text[done:])
    return Repaired("".join(parts), tuple(problems), tuple(broken), tuple(added))


def _fault(placed: Placed) -> tuple[Problem, str] | None:
    """Return what is wrong with a statement, and how it is written for the checker."""
    statement = placed.statement
    text = statement.text
    if statement.depth > MAX_DEPTH:
        message = f"parentheses nest deeper than {MAX_DEPTH}"
        hint = "name the inner parts by relations of their own"
        return _syntax(placed, 0, len(text), message, hint), _VISIBLE.sub(" ", text)
    for token in statement.tokens:
        found = _NO_SYMBOL.search(token.text) if token.is_symbol else None
        if found is not None:
            at = token.start + found.start()
            message = "no symbol may hold this character"
            hint = "remove it, or save the file as UTF-8"
            return _syntax(placed, at, at + 1, message, hint), _VISIBLE.sub(" ", text)
    if statement.is_stray:
        at = next(t.start for t in statement.tokens if t.kind == ")" and t.parent < 0)
        start = placed.start + at
        problem = _syntax(
            placed,
            at,
            at + 1,
            "this parenthesis closes nothing",
            "remove it, or add the opening one that it belongs to",
            Change(start, start + 1, ""),
        )
        return problem, _VISIBLE.sub(" ", text)
    unclosed = statement.unclosed
    if not unclosed:
        return None
    at = statement.tokens[unclosed[-1]].start
    end = max(token.end for token in statement.tokens if token.kind != "comment")
    closing = ")" * len(unclosed)
    problem = _syntax(
        placed,
        at,
        at + 1,
        "this parenthesis is never closed",
        f"add {len(unclosed)} closing parenthes{'is' if len(unclosed) == 1 else 'es'}",
        Change(placed.start + end, placed.start + end, closing),
    )
    return problem, text[:end] + closing + text[end:]


def _syntax(
    placed: Placed, start: int, end: int, message: str, hint: str, fix: Change | None = None
) -> Problem:
    start, end = placed.start + start, placed.start + end
    return Problem(start, end, "error", "syntax", message, hint, fix)
