"""What a guide is told of its game, and what it can be asked. All of it is plain values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

__all__ = [
    "Asked",
    "Check",
    "Decisive",
    "Draft",
    "Draw",
    "Drawings",
    "Format",
    "Gif",
    "Layout",
    "Learned",
    "LineOfPlay",
    "Profile",
    "Question",
    "ReadRecord",
    "RecordPlace",
    "Scene",
    "Seen",
    "Style",
    "Subject",
    "Successors",
    "Summarise",
    "Summary",
    "Svg",
    "Values",
    "Verify",
    "WalkLine",
]

#: The facts of a state, or the moves of all roles, as texts in KIF.
Texts: TypeAlias = Sequence[str]


@dataclass(frozen=True, slots=True)
class LineOfPlay:
    """What a record tells of a match."""

    states: Sequence[Texts]
    moves: Sequence[Texts]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a guide is told first."""

    #: The rules; None if only a record is known, or nothing.
    text: str | None = None
    #: The drawing that the author declares, as JSON; empty without one.
    drawing: str = ""
    #: The line of play of the record, if there are no rules.
    line: LineOfPlay | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """Rules that an author edits, with the drawing; they replace those before."""

    text: str
    drawing: str = ""


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where a record is kept: in a file, or in a tournament's folder under the name of a match."""

    path: str
    #: Changes when the record does, so that no old answer about it is taken from a cache.
    version: str = ""
    match: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a guide; its class says which."""


@dataclass(frozen=True, slots=True)
class Check(Question):
    """What is wrong with the rules?"""


@dataclass(frozen=True, slots=True)
class Format(Question):
    """What are the rules in the one layout of rulesheets?"""


@dataclass(frozen=True, slots=True)
class Layout(Question):
    """Where is what on the board?"""


@dataclass(frozen=True, slots=True)
class Profile(Question):
    """What is the game like?"""


@dataclass(frozen=True, slots=True)
class Learned(Question):
    """What was learned of the game, if anything?"""


@dataclass(frozen=True, slots=True)
class Draw(Question):
    """How does a state look, or its successor by a joint move?"""

    #: None for the initial state.
    facts: Texts | None = None
    #: The joint move; None for the state itself.
    moves: Texts | None = None


@dataclass(frozen=True, slots=True)
class Scene(Draw):
    """How does a state look, with its goals and its legal moves?"""


@dataclass(frozen=True, slots=True)
class WalkLine(Question):
    """How far is a line of joint moves legal, and how does the state after some steps look?"""

    moves: Sequence[Texts]
    step: int


@dataclass(frozen=True, slots=True)
class Seen(Question):
    """What may a role know after a line of joint moves?"""

    role: int
    moves: Sequence[Texts]


@dataclass(frozen=True, slots=True)
class Successors(Question):
    """Which states follow a state? None for the initial one."""

    facts: Texts | None
    #: How many joint moves to leave out: those of the parts before.
    after: int


@dataclass(frozen=True, slots=True)
class Decisive(Question):
    """Which facts of a state decide the end of the game?"""

    facts: Texts


@dataclass(frozen=True, slots=True)
class Values(Question):
    """What does a trusted network expect in a state?"""

    facts: Texts


@dataclass(frozen=True, slots=True)
class Summary(Question):
    """Which goals, and how many legal moves, has each role in several states?"""

    states: Sequence[Texts]


@dataclass(frozen=True, slots=True)
class Drawings(Question):
    """How do several states look?"""

    states: Sequence[Texts]


@dataclass(frozen=True, slots=True)
class Svg(Question):
    """How does a state look, as SVG?"""

    facts: Texts
    title: str


@dataclass(frozen=True, slots=True)
class Gif(Question):
    """How do several states look, as GIF?"""

    states: Sequence[Texts]
    #: One for each state.
    titles: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReadRecord(Question):
    """What does a record tell?"""

    place: RecordPlace


@dataclass(frozen=True, slots=True)
class Summarise(Question):
    """What does a list of records show of one in a file?"""

    place: RecordPlace


@dataclass(frozen=True, slots=True)
class Verify(Question):
    """Which step of a record is the first that violates the rules?"""

    place: RecordPlace


@dataclass(frozen=True, slots=True)
class Style(Question):
    """Which part of a stylesheet is harmless?"""

    written: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is sent to a guide."""

    #: The answer has it, too.
    number: int
    question: Question
    #: The rules as they are now, if they are being edited.
    draft: Draft | None = None

    @staticmethod
    def key(question: Question, draft: Draft | None = None) -> str:
        """Return a text that only the same question, about the same draft, has."""
        parts = [type(question).__name__, asdict(question), draft and asdict(draft)]
        return json.dumps(parts, sort_keys=True)
