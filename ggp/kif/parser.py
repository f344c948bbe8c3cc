"""Reads KIF: text in, terms with positions out, errors that point."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from ggp.errors import KifError, Span
from ggp.files import read_file
from ggp.kif.terms import Compound, Position, Symbol, Term
from ggp.kif.tokens import BRACKET

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_LENGTH", "Source", "parse", "parse_term"]

#: Terms nested deeper than this are refused. Real games stay below 30; a bound keeps every later
#: step free to recurse over a term without fear of the interpreter's stack.
MAX_DEPTH = 200

#: Characters of the longest text that is read, which takes some ten seconds. Real games stay below
#: a twentieth of that.
MAX_LENGTH = 5_000_000

#: Bytes of the longest file that is read: enough for as many characters of any kind.
MAX_BYTES = 4 * MAX_LENGTH

_NAME = re.compile(r"[^ \t()]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name under which errors mention it."""

    text: str
    name: str = "<text>"
    #: The name of the encoding that turns the text back into the bytes that were read.
    encoding: str = "utf-8"

    @classmethod
    def read(cls, path: Path | str) -> Source:
        """Read a file as UTF-8 (with or without a mark), else as Latin-1, which never fails.

        Raises:
            OSError: the file cannot be read, or has more than `MAX_BYTES`.
        """
        data = read_file(path, most=MAX_BYTES)
        return cls.decode(data, name=str(path))

    @classmethod
    def decode(cls, data: bytes, *, name: str = "<text>") -> Source:
        """Decode bytes as UTF-8 (with or without a mark), else as Latin-1, which never fails."""
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        try:
            return cls(data.decode(encoding), name, encoding)
        except UnicodeDecodeError:
            return cls(data.decode("latin-1"), name, "latin-1")

    def span(self, position: Position | None) -> Span:
        """Return the place of a term read from this source, for an error to point at."""
        if position is None:
            return Span(self.name, 1, 1)
        lines = self.text.split("\n", position.line)
        line = lines[position.line - 1].rstrip("\r") if position.line <= len(lines) else ""
        return Span(self.name, position.line, position.column, line)

    def position(self, offset: int) -> Position:
        """Return the line and column of a character of the text."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return Position(self.text.count("\n", 0, offset) + 1, offset - line_start + 1)


class _Builder(Transformer[Token, tuple[Term, ...]]):
    """Makes terms bottom-up while lark parses, so that no tree is built and nothing recurses."""

    @v_args(inline=True)
    def symbol(self, token: Token) -> Symbol:
        return Symbol(str(token), Position(token.line or 1, token.column or 1))

    @v_args(inline=True)
    def flat(self, token: Token) -> Compound:
        line, column = token.line or 1, token.column or 1
        items = (
            Symbol(name[0], Position(line, column + name.start())) for name in _NAME.finditer(token)
        )
        return Compound(tuple(items), Position(line, column))

    def compound(self, children: list[Token | Term]) -> Compound:
        opening, *items, _ = children
        assert isinstance(opening, Token)
        position = Position(opening.line or 1, opening.column or 1)
        return Compound(tuple(t for t in items if not isinstance(t, Token)), position)

    def rulesheet(self, children: list[Term]) -> tuple[Term, ...]:
        return tuple(children)


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="rulesheet", parser="lalr", lexer="basic", transformer=_Builder())


def parse(source: Source | str) -> tuple[Term, ...]:
    r"""Read every term of a text.

    Raises:
        KifError: a parenthesis is unbalanced, terms nest deeper than `MAX_DEPTH`, or a character
            is none of a text (a control character, a lone surrogate), or the text is longer than
            `MAX_LENGTH`.

    Examples:
        >>> [str(term) for term in parse("(role x) ; a comment\n(<= terminal (true done))")]
        ['(role x)', '(<= terminal (true done))']
    """
    if isinstance(source, str):
        source = Source(source)
    if len(source.text) > MAX_LENGTH:
        raise KifError(
            f"the text is longer than {MAX_LENGTH:,} characters",
            span=Span(source.name, 1, 1),
            hint="derive the facts by rules instead of listing them",
        )
    _check_brackets(source)
    try:
        # With its transformer built in, lark returns what the start rule's callback returned.
        return _parser().parse(source.text)  # type: ignore[return-value]
    except UnexpectedInput as error:
        raise KifError(
            "no symbol may hold this character",
            span=source.span(Position(error.line, error.column)),
            hint="remove it, or save the file as UTF-8",
        ) from None


def parse_term(source: Source | str) -> Term:
    """Read a text that holds exactly one term.

    Raises:
        KifError: as `parse`, or there is no term, or more than one.
    """
    if isinstance(source, str):
        source = Source(source)
    terms = parse(source)
    if len(terms) == 1:
        return terms[0]
    place = terms[1].position if terms else None
    message = "expected the end of the text after one term" if terms else "expected a term"
    raise KifError(message, span=source.span(place))


def _check_brackets(source: Source) -> None:
    """Point at the parenthesis that is one too many, never closed, or nested too deep."""
    open_at: list[int] = []
    for bracket in BRACKET.finditer(source.text):
        if bracket[0] == "(":
            open_at.append(bracket.start())
            if len(open_at) > MAX_DEPTH:
                raise KifError(
                    f"parentheses nest deeper than {MAX_DEPTH}",
                    span=source.span(source.position(bracket.start())),
                    hint="name the inner parts by relations of their own",
                )
        elif bracket[0] == ")":
            if not open_at:
                raise KifError(
                    "this parenthesis closes nothing",
                    span=source.span(source.position(bracket.start())),
                    hint="remove it, or add the opening one that it belongs to",
                )
            open_at.pop()
    if open_at:
        raise KifError(
            "this parenthesis is never closed",
            span=source.span(source.position(_likely_unclosed(source.text, open_at))),
            hint=f"add {len(open_at)} closing parenthes{'is' if len(open_at) == 1 else 'es'}",
        )


def _likely_unclosed(text: str, open_at: list[int]) -> int:
    """Choose which of the open parentheses to blame.

    A rulesheet's rules begin at the margin. If one swallowed the next, the last rule that begins
    at the margin *outside* another open one is innocent: the fault lies in the one before.
    """
    at_margin = [o for o in open_at if o == 0 or text[o - 1] == "\n"]
    if len(at_margin) > 1:
        inside = [o for o in open_at if at_margin[0] <= o < at_margin[1]]
        return inside[-1]
    return open_at[-1]
