"""What can be asked of a game, and what came of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from ggp.gdl import Description
from ggp.kif import Position, Symbol, Term
from ggp.reasoner import JointMove

__all__ = ["MEANINGS", "Answer", "Phases", "Question", "Repair", "Spent", "Verdict"]

#: A claim is proved, refuted by a play, or left open.
Answer: TypeAlias = Literal["proved", "refuted", "open"]

#: The kinds of questions: what is claimed, and what a play shows that refutes it (or proves it, of
#: `winnable`).
MEANINGS = {
    "begins": (
        "the game is not over in the initial state",
        "the game is over",
    ),
    "playable": (
        "{role} has a legal move in every state that is not terminal",
        "{role} has no legal move, and the game is not over",
    ),
    "goals": (
        "{role} has exactly one goal, from 0 to 100, in every terminal state",
        "the game is over, and {role} has no goal, several, or one that is not from 0 to 100",
    ),
    "ends": (
        "every play comes to an end",
        "a state of the play comes again: the play may go on for ever",
    ),
    "never": ("{subject} holds in no state", "{subject} holds"),
    "winnable": ("{role} has the goal {subject} at the end of some play", "{role} has {subject}"),
    "turn-taking": ("in no state have two roles a choice", "two roles have a choice"),
    "constant-sum": (
        "the goals come to {subject} in every terminal state",
        "the game is over, and the goals do not come to {subject}",
    ),
    "one-content": (
        "at most one fact holds of those that differ in the * of {subject}, until the game is over",
        "the game is not over, and two facts hold that differ only in the * of {subject}",
    ),
    "keeps-content": (
        "some fact holds of those that differ in the * of {subject}, {until}",
        "{unless}a fact of those that differ in the * of {subject} is missing",
    ),
    "monotone": ("the goal of {role} never falls", "the goal of {role} falls"),
}

# Plays of no more joint moves than this are suspiciously short.
_SHORT = 2

# Where one of these is refuted, the rules are at fault.
_EXPECTED = frozenset({"begins", "playable", "goals", "ends", "never"})


@dataclass(frozen=True, slots=True)
class Question:
    """A claim about all plays of a game."""

    #: A key of `MEANINGS`.
    name: str
    role: Symbol | None = None
    #: What the claim is about, where that is no role: facts, a sum, a condition.
    subject: str | None = None
    #: Whether a game is faulty where the claim does not hold.
    expected: bool = False

    @classmethod
    def about(
        cls,
        name: str,
        role: Symbol | None = None,
        subject: str | None = None,
        *,
        expected: bool = False,
    ) -> Question:
        """Return a question, which is expected to hold if all of its kind are, or by itself."""
        return cls(name, role, subject, expected or name in _EXPECTED)

    @property
    def meaning(self) -> str:
        """What is claimed."""
        return self._worded(MEANINGS[self.name][0])

    @property
    def opposite(self) -> str:
        """What the play shows that refutes the claim."""
        return self._worded(MEANINGS[self.name][1])

    def _worded(self, text: str) -> str:
        # A cell of a board has a content in the last state, too; other facts may go at the end.
        until = "in every state" if self.expected else "until the game is over"
        unless = "" if self.expected else "the game is not over, and "
        return text.format(role=self.role, subject=self.subject, until=until, unless=unless)

    def __str__(self) -> str:
        return " ".join(
            part for part in (self.name, str(self.role or ""), self.subject or "") if part
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of random plays, and of the search for changes that heal, so far."""

    plays: float
    repairs: float


@dataclass(frozen=True, slots=True)
class Phases:
    """Seconds that the answers took, in all and by what was done."""

    total: float
    #: To start the process and compile the game.
    compiling: float
    plays: float
    proofs: float
    repairs: float

    def to_json(self) -> dict[str, float]:
        """Return the seconds by name."""
        return {name: round(seconds, 2) for name, seconds in asdict(self).items()}

    def __str__(self) -> str:
        parts = self.to_json()
        total = parts.pop("total")
        told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items())
        return f"{total:.1f} s ({told})"


@dataclass(frozen=True, slots=True)
class Repair:
    """A small change of the rules after which nothing is refuted that should hold."""

    #: The number of the statement in the description's terms.
    number: int
    #: What to do, such as "add (distinct ?player empty)".
    what: str
    #: The statement after the change.
    statement: str
    #: Whether everything that should hold is proved then; otherwise some of it is open.
    is_proved: bool

    @property
    def note(self) -> str:
        """How far the change can be relied on."""
        return "what should hold is proved then" if self.is_proved else "a suggestion, not proven"

    def to_json(self, description: Description) -> dict[str, Any]:
        """Return the change as JSON values, with the line of the statement."""
        position = description.terms[self.number].position
        return {
            "line": None if position is None else position.line,
            "change": self.what,
            "statement": self.statement,
            "proved": self.is_proved,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a question, and how it was found."""

    question: Question
    verdict: Answer
    #: What found it: a random `play`, `induction` or `pdr`; empty for an open question.
    engine: str
    seconds: float
    #: The play that shows the answer: of a claim that is refuted, or of a role that can win.
    witness: tuple[JointMove, ...] | None = None
    #: What checked it: `abc` an induction, `clingo` an invariant of ABC, `prolog` a play. Empty for
    #: an open question, and for an induction where ABC is not installed.
    checked: str = ""
    #: The facts of the last state of the witness, if Prolog has confirmed it.
    last_state: tuple[Term, ...] = ()
    #: The statements that are probably at fault, by their number in the description's terms.
    suspects: tuple[int, ...] = ()
    #: Where the rules are at fault, a change after which they are not, if one was found.
    repair: Repair | None = None
    #: What follows for the author where changes that heal the fault were looked for, and none was
    #: found.
    advice: str = ""
    #: Of a proof that every play ends: joint moves that none exceeds, where they are known.
    longest: int | None = None
    #: What the witness shows, where that is more than `Question.opposite` says.
    shown: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether the rules are at fault."""
        return self.verdict == "refuted" and self.question.expected

    @property
    def doubt(self) -> str:
        """What may be meant but seldom is, as a question to the author; else empty."""
        question = self.question
        if question.name == "winnable" and self.verdict == "refuted":
            return f"{question.role} can never have {question.subject} at the end: is that meant?"
        if self.longest is not None and self.longest <= _SHORT:
            moves = _moves(self.longest)
            return f"every play ends after {moves} at most: is that meant?"
        return ""

    @property
    def summary(self) -> str:
        """One sentence that says what was found."""
        question = self.question
        if self.verdict == "open":
            return f"it is not known whether {question.meaning}"
        if self.verdict == "proved":
            limit = "" if self.longest is None else f", after {_moves(self.longest)} at most"
            return question.meaning + limit
        if self.witness is None:
            return f"it is not so that {question.meaning}"
        after = f"after {_moves(len(self.witness))}" if self.witness else "in the initial state"
        return f"{after}, {self.shown or question.opposite}"

    def statements(self, description: Description) -> list[Term]:
        """Return the suspects, the likeliest first."""
        return [description.terms[number] for number in self.suspects]

    def places(self, description: Description) -> list[Position]:
        """Return where in the rulesheet the suspects stand, the likeliest first."""
        positions = (statement.position for statement in self.statements(description))
        return [position for position in positions if position is not None]

    def to_json(self, description: Description) -> dict[str, Any]:
        """Return the verdict on a game as JSON values, with the lines of the suspects."""
        question = self.question
        found: dict[str, Any] = {"name": question.name}
        if question.role is not None:
            found["role"] = str(question.role)
        if question.subject is not None:
            found["subject"] = question.subject
        found |= {
            "verdict": self.verdict,
            "engine": self.engine,
            "seconds": round(self.seconds, 3),
            "checked": self.checked,
            "expected": question.expected,
            "meaning": question.meaning,
            "lines": [position.line for position in self.places(description)],
        }
        if self.longest is not None:
            found["longest"] = self.longest
        if self.doubt:
            found["doubt"] = self.doubt
        if self.repair is not None:
            found["repair"] = self.repair.to_json(description)
        if self.advice:
            found["advice"] = self.advice
        if self.witness is not None:
            found["witness"] = [[str(move) for move in joint] for joint in self.witness]
            found["lastState"] = sorted(map(str, self.last_state))
        return found


def _moves(count: int) -> str:
    return f"{count} joint move{'s' * (count != 1)}"
