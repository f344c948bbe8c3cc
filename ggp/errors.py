"""Every error that the framework raises, and the tree that they form.

GgpError
├── SourceError            the text is at fault: has location, caret and suggested fix
│   ├── KifError           it is no KIF
│   └── GdlError           it is KIF, but describes no game
├── GameError              the game misbehaves when played: no next state
│   └── NoLegalMove            a role has no legal move, and the game is not over
├── ReasonerError          the reasoner failed, not the game
│   ├── ReasonerUnavailable    a program that it needs is not installed
│   ├── ReasonerTimeout        it exceeded its time limit (and was killed)
│   ├── ReasonerMemory         it exceeded its memory limit
│   ├── ReasonerDied           its process ended unexpectedly
│   └── TooManyJointMoves      a state has more joint moves than may be enumerated
├── IllegalMove            a move that the rules do not allow here
├── PlayerError            a player was configured wrongly, or failed
├── RecordError            a match record cannot be read
├── ClusterError           there is no such cluster, or it is gone
└── TournamentError        a tournament cannot be played, or its folder cannot be read
"""

from __future__ import annotations

from dataclasses import dataclass

from ggp.printable import printable

__all__ = [
    "ClusterError",
    "GameError",
    "GdlError",
    "GgpError",
    "IllegalMove",
    "KifError",
    "NoLegalMove",
    "PlayerError",
    "ReasonerDied",
    "ReasonerError",
    "ReasonerMemory",
    "ReasonerTimeout",
    "ReasonerUnavailable",
    "RecordError",
    "SourceError",
    "Span",
    "TooManyJointMoves",
    "TournamentError",
]


class GgpError(Exception):
    """Base of every error that the framework raises on purpose."""

    def one_line(self) -> str:
        """Return what `str` does, without what needs more lines."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text: the file's name, line and column (both from 1), and the line itself."""

    file: str
    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{printable(self.file)}:{self.line}:{self.column}"

    def caret(self) -> str:
        """Return the line with a caret under the column, shortened to a terminal's width."""
        start = max(0, self.column - 1 - 60)
        shown = printable(self.text[start : start + 100].replace("\t", " "))
        return f"    {shown}\n    {' ' * (self.column - 1 - start)}^"


class SourceError(GgpError):
    """The text is at fault. `str()` gives place, message, caret and a suggested fix."""

    def __init__(self, message: str, *, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint

    def one_line(self) -> str:
        """Return place, message and suggested fix without the caret."""
        return f"{self.span}: {self.message}" + (f" ({self.hint})" if self.hint else "")

    def __str__(self) -> str:
        lines = [f"{self.span}: {self.message}"]
        if self.span.text:
            lines.append(self.span.caret())
        if self.hint:
            lines.append(f"    {self.hint}")
        return "\n".join(lines)


class KifError(SourceError):
    """The text is no KIF: unbalanced parentheses, nesting too deep."""


class GdlError(SourceError):
    """The text is KIF but describes no game: no role, a rule without a head."""


class GameError(GgpError):
    """The game misbehaves when it is played, such as a role without a legal move."""


class NoLegalMove(GameError):
    """A role has no legal move in a state that is not terminal."""

    def __init__(self, message: str = "") -> None:
        """Take a message that names both, if they are known."""
        super().__init__(message or "a role has no legal move in a state that is not terminal")
        #: Whether the message names the role and the state.
        self.is_located = bool(message)


class ReasonerError(GgpError):
    """The reasoner failed, rather than the game."""


class ReasonerUnavailable(ReasonerError):
    """A program that the reasoner needs is not installed; the message says how to get it."""


class ReasonerTimeout(ReasonerError):
    """The reasoner exceeded its time limit and was killed; it can be opened again."""


class ReasonerMemory(ReasonerError):
    """The reasoner exceeded its memory limit."""


class ReasonerDied(ReasonerError):
    """The reasoner's process ended unexpectedly; it can be opened again."""


class TooManyJointMoves(ReasonerError):
    """A state has more joint moves than the caller allowed to be enumerated."""


class IllegalMove(GgpError):
    """A move that the rules do not allow in this state."""


class PlayerError(GgpError):
    """A player was configured wrongly, or failed while playing."""


class RecordError(GgpError):
    """A match record cannot be read, or contradicts its game."""


class ClusterError(GgpError):
    """There is no cluster at an address, or the cluster is gone."""


class TournamentError(GgpError):
    """A tournament cannot be played as it was planned, or its folder cannot be read."""
