"""KIF terms: symbols and compounds, each knowing where it was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

__all__ = [
    "Compound",
    "Position",
    "Symbol",
    "Term",
    "compound",
    "is_ground",
    "symbols",
    "variables",
]


class Position(NamedTuple):
    """Line and column of a term's first character, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """An atom of KIF: a constant, a keyword, a number, or a variable such as ``?x``.

    Two symbols are equal when their texts are; where they were read does not matter.
    """

    text: str
    position: Position | None = field(default=None, compare=False, repr=False)

    @property
    def is_variable(self) -> bool:
        """Whether the symbol begins with a question mark."""
        return self.text[:1] == "?"

    # The checker and the reasoners keep symbols in sets and tables; what a dataclass generates
    # makes a tuple for each comparison.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Compound:
    """A parenthesised sequence of terms, possibly empty."""

    items: tuple[Term, ...]
    position: Position | None = field(default=None, compare=False, repr=False)
    #: What `variables` returns, once it was called: rules are asked for theirs again and again.
    _variables: tuple[Symbol, ...] | None = field(
        default=None, init=False, compare=False, repr=False
    )

    @property
    def name(self) -> str:
        """The text of the first item where that is a symbol, else the empty string."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Symbol) else ""

    @property
    def arguments(self) -> tuple[Term, ...]:
        """The items after the first."""
        return self.items[1:]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compound) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    def __str__(self) -> str:
        return "(" + " ".join(map(str, self.items)) + ")"


#: A symbol, or a compound of terms.
Term: TypeAlias = Symbol | Compound


def compound(name: str, *arguments: Term) -> Compound:
    """Return the compound ``(name argument...)``.

    Examples:
        >>> str(compound("cell", Symbol("1"), Symbol("b")))
        '(cell 1 b)'
    """
    return Compound((Symbol(name), *arguments))


def symbols(term: Term) -> Iterator[Symbol]:
    """Yield every symbol of the term from left to right, with repetitions."""
    pending = [term]
    while pending:
        item = pending.pop()
        if isinstance(item, Symbol):
            yield item
        else:
            pending.extend(reversed(item.items))


def is_ground(term: Term) -> bool:
    """Return whether the term has no variables."""
    return not variables(term)


def variables(term: Term) -> tuple[Symbol, ...]:
    """Return every variable of the term from left to right, with repetitions."""
    if isinstance(term, Symbol):
        return (term,) if term.is_variable else ()
    found = term._variables
    if found is None:
        found = tuple(symbol for symbol in symbols(term) if symbol.is_variable)
        object.__setattr__(term, "_variables", found)
    return found
