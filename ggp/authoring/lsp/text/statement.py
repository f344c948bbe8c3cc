"""One statement as an editor sees it: its tokens, each with what it is and where it stands.

It is read from tokens, not from terms: the parser refuses what an author has not finished writing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ggp.authoring.lsp.text.words import is_keyword, is_variable, place_after
from ggp.kif.tokens import TOKEN

__all__ = ["Kind", "Name", "Statement", "Token", "Use", "Where", "read_statement"]

#: What a token is. Relations, functions and constants are name spaces of their own, as in logic: a
#: function has arguments, a constant has none.
Kind: TypeAlias = Literal[
    "(", ")", "comment", "keyword", "relation", "function", "constant", "variable"
]

#: What stands at a place: a statement, the head of a rule, a condition, or a term; of terms, those
#: that are roles, facts of a state and moves are told apart.
Where: TypeAlias = Literal["top", "head", "condition", "term", "role", "fact", "move"]

_DEFINING = {"fact": ("init", "next", "base"), "move": ("legal", "input"), "role": ("role",)}


class Name(NamedTuple):
    """What two places share if they mean the same: the kind of a symbol, and its text."""

    kind: Kind
    text: str


class Use(NamedTuple):
    """One way in which a statement uses a name."""

    name: Name
    #: Its number of arguments.
    arity: int
    where: Where
    #: Whether it defines the name: a relation in a head, a fact inside `init`, a move in `legal`.
    defines: bool


class Token(NamedTuple):
    """A token of a statement; offsets count from the statement's start."""

    kind: Kind
    start: int
    end: int
    text: str
    #: The number of the token that opens the group around it; -1 outside all groups.
    parent: int
    #: Its place in that group, from 0; comments have the place of what follows.
    place: int
    #: What stands at its place. A name stands where its group does.
    where: Where
    #: For a symbol: how many arguments it has here.
    arity: int
    #: Whether the statement defines the name here.
    defines: bool

    @property
    def name(self) -> Name:
        """The name that it shares with other tokens."""
        return Name(self.kind, self.text)

    @property
    def is_symbol(self) -> bool:
        """Whether it is neither a parenthesis nor a comment."""
        return self.kind not in ("(", ")", "comment")


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement, a comment between statements, or a stray parenthesis."""

    text: str
    tokens: tuple[Token, ...]
    #: For the number of each token that opens a group, the number of the one that closes it.
    closing: Mapping[int, int]
    #: The deepest nesting of groups.
    depth: int
    #: For each name, the numbers of its tokens.
    names: Mapping[Name, tuple[int, ...]]
    uses: tuple[Use, ...]
    #: Whether it closes a parenthesis that was never opened.
    is_stray: bool
    #: The number of the token that begins the head; None where there is none.
    head: int | None

    @property
    def unclosed(self) -> tuple[int, ...]:
        """The numbers of the tokens that open a group which is never closed."""
        return tuple(
            number
            for number, token in enumerate(self.tokens)
            if token.kind == "(" and number not in self.closing
        )

    @property
    def is_rule(self) -> bool:
        """Whether it begins as a rule does."""
        return [token.text for token in self.tokens[:2]] == ["(", "<="]

    def end_of(self, number: int) -> int:
        """Return the offset of the end of a group or symbol."""
        closing = self.closing.get(number, number if self.tokens[number].is_symbol else -1)
        return self.tokens[closing].end

    def name_of(self, number: int) -> Token | None:
        """Return the symbol that names a group, or is one itself."""
        token = self.tokens[number]
        if token.is_symbol:
            return token
        for inner in self.tokens[number + 1 :]:
            if inner.kind != "comment":
                return inner if inner.is_symbol else None
        return None


class _Group:
    """A group that is being read."""

    def __init__(self, number: int, where: Where, is_term: bool) -> None:
        self.number = number
        self.where = where
        self.is_term = is_term
        self.count = 0
        self.name = ""

    def place(self) -> Where:
        """Return what stands at the next place."""
        name = self.name.lower()
        if self.count == 0:
            return self.where
        if self.is_term:
            return "term"
        if self.where == "top" and name == "<=":
            return "head" if self.count == 1 else "condition"
        if name in ("not", "or"):
            return "condition"
        found = place_after(name, self.count)
        assert found in ("term", "role", "fact", "move")
        return found  # type: ignore[return-value]

    def defines(self, where: Where) -> bool:
        """Return whether a term inside an atom of this name is defined, if the atom is a head."""
        at_head = not self.is_term and self.where in ("top", "head")
        return at_head and self.name.lower() in _DEFINING.get(where, ())


@lru_cache(maxsize=50_000)
def read_statement(text: str) -> Statement:
    """Read a piece of a text, which may be unbalanced. The same text gives the same object."""
    return _Reader(text).statement()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[Token] = []
        self._groups: list[_Group] = []
        self._closing: dict[int, int] = {}
        #: Tokens that name a group, whose arity is known when it ends.
        self._naming: dict[int, int] = {}
        self._defining: set[int] = set()
        self._depth = 0

    def statement(self) -> Statement:
        for found in TOKEN.finditer(self._text):
            self._read(found[0], found.start(), found.end())
        while self._groups:
            self._end()
        names: defaultdict[Name, list[int]] = defaultdict(list)
        uses: dict[Use, None] = {}
        for number, token in enumerate(self._tokens):
            if token.is_symbol:
                names[token.name].append(number)
                uses[Use(token.name, token.arity, token.where, token.defines)] = None
        return Statement(
            text=self._text,
            tokens=tuple(self._tokens),
            closing=self._closing,
            depth=self._depth,
            names={name: tuple(numbers) for name, numbers in names.items()},
            uses=tuple(uses),
            is_stray=any(token.kind == ")" and token.parent < 0 for token in self._tokens),
            head=self._head(),
        )

    def _head(self) -> int | None:
        """Return the number of the token that begins the head."""
        for number, token in enumerate(self._tokens):
            if token.kind in ("comment", ")"):
                continue
            if token.where == "head" and token.parent == 0:
                return number
            if token.parent < 0 and [t.text for t in self._tokens[number : number + 2]] != [
                "(",
                "<=",
            ]:
                return number
        return None

    def _read(self, text: str, start: int, end: int) -> None:
        group = self._groups[-1] if self._groups else None
        parent = group.number if group else -1
        place = group.count if group else 0
        where = group.place() if group else "top"
        number = len(self._tokens)
        if text[0] == ";":
            kind: Kind = "comment"
        elif text == "(":
            kind = "("
            is_term = where not in ("top", "head", "condition")
            self._defining |= {number} if group and group.defines(where) else set()
            self._count(group)
            self._groups.append(_Group(number, where, is_term))
            self._depth = max(self._depth, len(self._groups))
        elif text == ")":
            kind = ")"
            if group:
                self._closing[group.number] = number
                self._end()
        else:
            kind = self._symbol(text, group, where)
            if group and group.count == 0:
                group.name = text
                self._naming[group.number] = number
            self._count(group)
        defines = self._is_definition(kind, group, place, where)
        self._tokens.append(Token(kind, start, end, text, parent, place, where, 0, defines))

    def _symbol(self, text: str, group: _Group | None, where: Where) -> Kind:
        if is_variable(text):
            return "variable"
        names_a_term = group is not None and group.is_term and group.count == 0
        if names_a_term:
            return "function"
        if where in ("top", "head", "condition"):
            return "keyword" if is_keyword(text) else "relation"
        return "constant"

    def _is_definition(self, kind: Kind, group: _Group | None, place: int, where: Where) -> bool:
        if kind == "relation":
            return where in ("top", "head")
        if kind == "function":
            assert group is not None
            return group.number in self._defining
        return kind == "constant" and group is not None and place > 0 and group.defines(where)

    @staticmethod
    def _count(group: _Group | None) -> None:
        if group:
            group.count += 1

    def _end(self) -> None:
        """Leave the innermost group; its name's number of arguments is known now."""
        group = self._groups.pop()
        number = self._naming.get(group.number)
        if number is not None:
            self._tokens[number] = self._tokens[number]._replace(arity=group.count - 1)
