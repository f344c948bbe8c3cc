"""What a language model is told of a match, and how its answer is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ggp.kif import Symbol, Term, to_kif

__all__ = ["Position", "Prompt", "chosen"]

_INTRODUCTION = """You play a game as the role {role}. The roles are {roles}. All roles move at the
same time; a role that has to wait has one legal move. At the end each role gets a goal from 0 to
100: get as much as you can.

{rules}In each turn, choose one of your legal moves. {form}"""

_RULES = """These are the rules, in the Game Description Language:

{rules}

"""

_FORMS = {
    "text": "Think if you like; then end with a line `MOVE: ` and the move, as it is listed.",
    "json": 'Answer with a JSON object and nothing else: {"move": "…"}, with the move as listed.',
}

# The longest part of an answer, in characters, that is looked at; its end counts first.
_READ = 20_000
_MOVE_LINE = re.compile(r"^[^\w\n]*move[^\w\n]*?:\s*(.+)", re.IGNORECASE | re.MULTILINE)
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a role knows when it is to move."""

    #: What is true; of several possible states, one each, where the role does not know the state.
    states: Sequence[Sequence[Term]]
    legal: Sequence[Term]
    #: The joint moves so far, as far as they are known; a role's own move alone, if not.
    history: Sequence[Sequence[Term]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """How positions are told: `form`, and in which words."""

    form: Literal["text", "json"]
    #: Renames a term, such as a scrambler does.
    spell: Callable[[Term], Term] = field(default=lambda term: term)

    def introduction(self, role: Symbol, roles: Sequence[Symbol], rules: Sequence[Term]) -> str:
        """Return what is told once; without rules, none are told."""
        told = _RULES.format(rules=to_kif([self.spell(rule) for rule in rules])) if rules else ""
        names = ", ".join(str(self.spell(each)) for each in roles)
        return _INTRODUCTION.format(
            role=self.spell(role), roles=names, rules=told, form=_FORMS[self.form]
        )

    def turn(self, position: Position) -> str:
        """Return what is told of a position."""
        states = [[str(self.spell(fact)) for fact in facts] for facts in position.states]
        history = [" ".join(str(self.spell(move)) for move in joint) for joint in position.history]
        legal = self.moves(position)
        if self.form == "json":
            told: dict[str, object] = {"turn": len(history) + 1, "history": history}
            told |= {"state": states[0]} if len(states) == 1 else {"possible_states": states}
            return json.dumps(told | {"legal": legal})
        parts = []
        if history:
            parts += ["Joint moves so far:", *history, ""]
        if len(states) == 1:
            parts += ["These facts are true now:", *states[0], ""]
        else:
            parts.append("You do not know the state. Some states that are possible:")
            parts += ["", *("\n".join([*facts, ""]) for facts in states)]
        return "\n".join([*parts, "Your legal moves:", *legal])

    def moves(self, position: Position) -> list[str]:
        """Return the legal moves as they are told."""
        return [str(self.spell(move)) for move in position.legal]


def chosen(answer: str, moves: Sequence[str]) -> int | None:
    """Return the place of the move that an answer chooses; None if it chooses none.

    The move of a JSON object counts first, then that of a line ``MOVE: …``, then the move that is
    named last. The number of blanks does not matter, nor do capitals, unless they alone tell two
    moves apart.

    >>> moves = ["(place 1 1)", "(place 1 2)", "noop"]
    >>> chosen("Not (place 1 1). (PLACE 1  2) is better.", moves), chosen('{"move": "noop"}', moves)
    (1, 2)
    >>> chosen("(place 3 3)", moves)
    """
    answer = answer[-_READ:]
    plainly = _folded if len({*map(_folded, moves)}) == len(moves) else _spaced
    known = {plainly(move): place for place, move in enumerate(moves)}
    for text in reversed(_OBJECT.findall(answer)):
        try:
            named = plainly(str(json.loads(text)["move"]))
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if named in known:
            return known[named]
    for text in reversed(_MOVE_LINE.findall(answer)):
        if (named := plainly(text).strip("`*'\". ")) in known:
            return known[named]
    plain, found = plainly(answer), list[tuple[int, str]]()
    for move in known:
        named_at = re.finditer(rf"(?<![\w(]){re.escape(move)}(?![\w)])", plain)
        found += [(match.end(), move) for match in named_at]
    return known[max(found)[1]] if found else None


def _spaced(text: str) -> str:
    """Return the text with the blanks of a printed term."""
    return re.sub(r"\s+", " ", text.replace("( ", "(").replace(" )", ")")).strip()


def _folded(text: str) -> str:
    return _spaced(text).lower()
