"""Rules in normal form: a head, and a body of literals without disjunction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["Literal", "Relation", "Rule", "arguments_of", "head_name", "relation_of"]


class Relation(NamedTuple):
    """What a rule defines: a name with its number of arguments."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


def relation_of(atom: Term) -> Relation:
    """Return the relation of an atom; ``terminal`` and ``(terminal)`` have the same.

    >>> from ggp.kif import parse_term
    >>> str(relation_of(parse_term("(cell 1 ?y b)")))
    'cell/3'
    """
    if isinstance(atom, Symbol):
        return _relation(atom.text, 0)
    return _relation(atom.name, len(atom.items) - 1)


_relation = lru_cache(maxsize=4096)(Relation)


def arguments_of(atom: Term) -> tuple[Term, ...]:
    """Return the atom's arguments, none for a proposition."""
    return () if isinstance(atom, Symbol) else atom.arguments


def head_name(term: Term) -> str:
    """Return the name of what a fact or rule of a rulesheet defines, as it is written there.

    >>> from ggp.kif import parse_term
    >>> head_name(parse_term("(<= (legal ?r noop) (role ?r))"))
    'legal'
    """
    if isinstance(term, Compound) and term.name == "<=" and len(term.items) > 1:
        term = term.items[1]
    return term.name if isinstance(term, Compound) else term.text


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its negation. `distinct` is an atom like any other, with relation ``distinct/2``.

    A variable that stands in a negated atom and nowhere before is existential *inside* the
    negation: ``(not (cell ?x b))`` holds when no cell is b.
    """

    atom: Term
    positive: bool = True
    #: The relation of the atom.
    relation: Relation = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", relation_of(self.atom))

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Rule:
    """The head holds when every literal of the body does; a fact has an empty body."""

    head: Term
    body: tuple[Literal, ...] = ()
    #: The expression of the rulesheet that this rule was made from.
    source: Term | None = field(default=None, compare=False, repr=False)
    #: The relation that the rule defines.
    relation: Relation = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", relation_of(self.head))

    def variables(self) -> Iterator[Symbol]:
        """Yield the rule's variables, each once, in order of appearance."""
        atoms = (self.head, *(literal.atom for literal in self.body))
        return iter(dict.fromkeys(v for atom in atoms for v in variables(atom)))

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"(<= {self.head} {' '.join(map(str, self.body))})"
