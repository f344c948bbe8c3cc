"""Facts about one version of a rulesheet beyond its text, found in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Change", "Knowledge", "Legal", "Place", "Problem", "Proof", "Values"]

Severity: TypeAlias = Literal["error", "warning", "information"]


class Change(NamedTuple):
    """A text that takes the place of the characters between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to show at a place of the text, between two offsets."""

    start: int
    end: int
    severity: Severity
    code: str
    message: str
    hint: str = ""
    fix: Change | None = None


class Place(NamedTuple):
    """An argument of a relation or a function."""

    kind: Literal["relation", "function"]
    name: str
    arity: int
    #: From 1.
    argument: int


@dataclass(frozen=True, slots=True)
class Values:
    """What can stand at a place."""

    constants: tuple[str, ...] = ()
    #: Functions with their number of arguments.
    functions: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Legal:
    """The moves of a role in the initial state: how many, and the first of them."""

    count: int
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer to a question about all states of the game."""

    name: str
    role: str
    #: What it is about besides: a goal, facts; or empty.
    subject: str
    verdict: Literal["proved", "refuted", "open"]
    summary: str
    #: What to show in the text, where the answer says that the rules are at fault.
    problem: Problem | None = None


@dataclass
class Knowledge:
    """What the background has found so far."""

    #: Of the text's version `checked`.
    problems: tuple[Problem, ...] = ()
    checked: int | None = None
    #: Of the last version that could be read; they change little while someone types.
    places: Mapping[Place, Values] = field(default_factory=dict)
    #: Of the present version, or empty.
    legal: Mapping[str, Legal] = field(default_factory=dict)
    proofs: tuple[Proof, ...] = ()

    def take(self, proof: Proof) -> None:
        """Take an answer, in place of an earlier one to the same question."""
        key = (proof.name, proof.role, proof.subject)
        others = (p for p in self.proofs if (p.name, p.role, p.subject) != key)
        self.proofs = (*others, proof)

    def forget_play(self) -> None:
        """Forget what reasoning has found, because the text has changed."""
        self.legal, self.proofs = {}, ()
