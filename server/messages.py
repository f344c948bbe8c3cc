"""Parses the messages of managers, such as `(START ...)` and `(PLAY ...)`, in all known dialects.

Only the outer form of a message is parsed. The rules in it stay text, which the player's process
parses, so that one match cannot keep the server busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ggp.errors import KifError
from ggp.kif import MAX_DEPTH, Symbol, Term, parse_term
from ggp.kif.tokens import BRACKET, COMMENT, TOKEN

__all__ = [
    "Abort",
    "Info",
    "Message",
    "MessageEnd",
    "Moves",
    "Play",
    "Preview",
    "Rules",
    "Start",
    "Stop",
    "Unreadable",
    "parse_message",
]

_BYTE_BRACKET = re.compile(BRACKET.pattern.encode())
_ROLE = re.compile(r"\(\s*role\s+([^\s()?]\S*?)\s*\)", re.I)
_SEES = re.compile(r"\((?:\s*<=\s*\()?\s*sees\s", re.I)
_NIL = ("nil", "()")
#: Characters of the moves or percepts in a message; no known game has a hundredth of it. Only the
#: rules of a START may be longer, since they are not parsed here.
_MAX_MOVES = 100_000
#: A clock longer than a day is a mistake, and would overflow the timeouts of the system.
_LONGEST_CLOCK = 86_400.0


@dataclass(frozen=True)
class Rules:
    """The text of the rules of a match, and what can be found in it without parsing it."""

    text: str

    @cached_property
    def _found(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        roles, sees = dict[str, None](), list[str]()
        text = COMMENT.sub(" ", self.text)
        for start, end in _spans(text):
            if fact := _ROLE.fullmatch(text, start, end):
                roles[fact[1]] = None
            elif _SEES.match(text, start, end):
                sees.append(text[start:end])
        return tuple(roles), tuple(sees)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the moves in a joint move."""
        return self._found[0]

    @property
    def sees(self) -> tuple[str, ...]:
        """The rules for `sees`. A game with any of them is of GDL-II: players get percepts."""
        return self._found[1]


@dataclass(frozen=True, slots=True)
class Info:
    """Asks whether the player is there and available."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Announces rules that may be played later."""


@dataclass(frozen=True, slots=True)
class Start:
    """Begins a match."""

    match: str
    role: str
    rules: Rules
    #: Seconds to prepare.
    start_clock: float
    #: Seconds for each move.
    play_clock: float


@dataclass(frozen=True, slots=True)
class Moves:
    """What a PLAY or STOP tells about the previous turn.

    In GDL-I `seen` is the joint move. In GDL-II it holds percepts; the later of the two generations
    of GDL-II messages adds the number of the turn and the role's last move.
    """

    #: None stands for NIL.
    seen: tuple[Term, ...] | None
    turn: int | None = None
    last_move: Term | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """Asks for a move."""

    match: str
    moves: Moves


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends a match."""

    match: str
    moves: Moves


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends a match without a result."""

    match: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A text that is no message of the protocol."""

    reason: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort | Unreadable


class _Malformed(Exception):
    """The message cannot be parsed; the text says why."""


def parse_message(text: str) -> Message:
    """Parse one message and ignore what follows it. Never raises.

    >>> parse_message("(PLAY match.1 NIL)")
    Play(match='match.1', moves=Moves(seen=None, turn=None, last_move=None))
    >>> parse_message("(DANCE)")
    Unreadable(reason='unknown verb dance')
    """
    try:
        return _parse(text)
    except _Malformed as error:
        return Unreadable(str(error))
    except KifError as error:
        return Unreadable(error.message)


def _parse(text: str) -> Message:
    message = next(_items(text), "")
    items = list(_items(message[1:-1])) if message.startswith("(") else [message]
    if not any(items):
        raise _Malformed("no message")
    return _message(items[0].lower(), items[1:])


def _message(verb: str, arguments: list[str]) -> Message:
    match verb, arguments:
        case (("info" | "ping"), _):
            return Info()
        case "preview", [_, *_]:
            return Preview()
        case "start", [match, role, rules, start_clock, play_clock, *_]:
            if not rules.startswith("("):
                raise _Malformed("the rules are no list")
            clocks = _clock(start_clock), _clock(play_clock)
            return Start(_name(match), _name(role), Rules(rules[1:-1]), *clocks)
        case "play", [match, *moves]:
            return Play(_name(match), _moves(moves))
        case "stop", [match, *moves]:
            return Stop(_name(match), _last_moves(moves))
        case "abort", [match, *_]:
            return Abort(_name(match))
        case (("preview" | "start" | "play" | "stop" | "abort"), _):
            raise _Malformed(f"{verb} with {len(arguments)} arguments")
        case _:
            raise _Malformed(f"unknown verb {verb[:40]}")


def _last_moves(arguments: list[str]) -> Moves:
    """Parse what a STOP tells about the last turn; a STOP ends the match in any form."""
    try:
        return _moves(arguments)
    except (_Malformed, KifError):
        return Moves(None)


def _moves(arguments: list[str]) -> Moves:
    if sum(map(len, arguments)) > _MAX_MOVES:
        raise _Malformed(f"the moves have more than {_MAX_MOVES} characters")
    match arguments:
        case [seen]:
            return Moves(_terms(seen))
        case [turn, last_move, seen, *_]:
            if not (turn.isascii() and turn.isdecimal() and len(turn) < 10):
                raise _Malformed("the turn is no number")
            move = None if last_move.lower() in _NIL else parse_term(last_move)
            return Moves(_terms(seen), int(turn), move)
        case _:
            raise _Malformed(f"moves in {len(arguments)} arguments")


def _terms(text: str) -> tuple[Term, ...] | None:
    """Parse a list of terms; NIL, in upper or lower case, gives None."""
    if text.lower() == "nil":
        return None
    term = parse_term(text)
    if isinstance(term, Symbol):
        raise _Malformed("the moves are no list")
    return term.items


def _name(text: str) -> str:
    if text.startswith("("):
        raise _Malformed("a list where a name should stand")
    return text


def _clock(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_CLOCK:
        raise _Malformed("a clock is no number of seconds")
    return seconds


def _items(text: str) -> Iterator[str]:
    """Yield the text of each top-level term. Raises `_Malformed`."""
    return (text[start:end] for start, end in _spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each top-level term begins and ends. Raises `_Malformed`."""
    end = 0
    while token := TOKEN.search(text, end):
        start, end = token.span()
        if text[start] == "(":
            end = _closing(text, start)
        elif text[start] == ")":
            raise _Malformed("a parenthesis closes nothing")
        if text[start] != ";":
            yield start, end


def _closing(text: str, start: int) -> int:
    """Return where the term ends whose parenthesis opens at `start`. Raises `_Malformed`.

    It refuses what nests too deep, as `ggp.kif.tokens.closing` does not: not all is parsed later.
    """
    depth = 0
    for mark in BRACKET.finditer(text, start):
        if mark[0] == "(":
            depth += 1
            if depth > MAX_DEPTH:
                raise _Malformed("parentheses nest too deep")
        elif mark[0] == ")":
            depth -= 1
            if depth == 0:
                return mark.end()
    raise _Malformed("a parenthesis is never closed")


class MessageEnd:
    """Finds the end of a message while it arrives, by its parentheses.

    Content-Length cannot be trusted: some managers count characters instead of bytes.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._in_comment = False

    def feed(self, data: bytes) -> bool:
        """Accept the next bytes, and return whether the message is complete."""
        if self._in_comment:
            data = b";" + data
        for token in _BYTE_BRACKET.finditer(data):
            mark = token[0][:1]
            if mark == b";":
                self._in_comment = token.end() == len(data)
                continue
            self._depth += 1 if mark == b"(" else -1
            if self._depth <= 0:
                return True
        return False
