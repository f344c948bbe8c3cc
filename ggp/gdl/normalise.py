"""Turns the expressions of a rulesheet into rules in normal form.

Keywords are written in lower case, ``(p)`` and ``p`` become one proposition, negations are
driven inwards and disjunctions are split into several rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from ggp.errors import GdlError
from ggp.gdl.rules import Literal, Rule
from ggp.kif import Compound, Source, Symbol, Term, variables

__all__ = ["KEYWORD_RELATIONS", "canonical", "normalise"]

#: The relations that GDL itself gives a meaning, with their arity.
KEYWORD_RELATIONS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
    "sees": 2,
    "distinct": 2,
}

# Any of these symbols means the keyword wherever it stands and in whatever case, as in ggp-base.
_KEYWORD_SYMBOLS = frozenset(KEYWORD_RELATIONS) - {"sees", "distinct"}
# These are keywords only at the head of an atom or a condition.
_HEAD_KEYWORDS = frozenset({"sees", "distinct", "not", "or"})

#: A rule whose disjunctions would split into more rules than this keeps them in relations of
#: their own instead: the number of combinations is exponential in the number of disjunctions.
_MAX_SPLIT = 64

# A body in negation normal form: each condition is the list of its alternatives, and each
# alternative is a conjunction.
_Conjunction: TypeAlias = list["Literal | _Disjunction"]


class _Disjunction:
    """Alternatives, each a conjunction of literals and further disjunctions."""

    def __init__(self, alternatives: list[_Conjunction]) -> None:
        self.alternatives = alternatives

    def split(self) -> list[tuple[Literal, ...]]:
        return [branch for alternative in self.alternatives for branch in _split(alternative)]

    def size(self) -> int:
        return sum(_size(alternative) for alternative in self.alternatives)


def _size(conjunction: _Conjunction) -> int:
    return prod(part.size() for part in conjunction if isinstance(part, _Disjunction))


def _split(conjunction: _Conjunction) -> Iterator[tuple[Literal, ...]]:
    choices = [[(part,)] if isinstance(part, Literal) else part.split() for part in conjunction]
    for choice in product(*choices):
        yield tuple(literal for branch in choice for literal in branch)


def normalise(terms: Iterable[Term], *, source: Source) -> tuple[Rule, ...]:
    """Return the rules that the expressions state, in their order.

    Raises:
        GdlError: an expression is neither a fact nor a rule, such as ``()`` or ``(<=)``.
    """
    rules: list[Rule] = []
    for term in terms:
        rules.extend(_Normaliser(source, term, start=len(rules)).rules())
    return tuple(rules)


class _Normaliser:
    """Normalises one expression of the rulesheet."""

    def __init__(self, source: Source, term: Term, *, start: int) -> None:
        self._source = source
        self._term = term
        self._start = start
        self._auxiliary: list[Rule] = []

    def rules(self) -> Iterator[Rule]:
        term = self._term
        if not (isinstance(term, Compound) and term.name == "<="):
            yield Rule(self._atom(term), (), term)
            return
        if len(term.items) < 2:
            raise self._error(term, "a rule without a head", "write (<= head condition ...)")
        head = self._atom(term.items[1])
        body = [self._condition(condition, positive=True) for condition in term.items[2:]]
        if _size(body) > _MAX_SPLIT:
            body = self._name_disjunctions(head, body)
        for literals in _split(body):
            yield Rule(head, literals, term)
        yield from self._auxiliary

    def _condition(self, term: Term, *, positive: bool) -> Literal | _Disjunction:
        keyword = term.name.lower() if isinstance(term, Compound) else ""
        if keyword == "not":
            assert isinstance(term, Compound)
            if len(term.items) != 2:
                message = f"`not` takes one condition, here it has {len(term.items) - 1}"
                raise self._error(term, message, "write (not (relation term ...))")
            return self._condition(term.items[1], positive=not positive)
        if keyword == "or":
            assert isinstance(term, Compound)
            parts = [self._condition(part, positive=positive) for part in term.items[1:]]
            if positive:
                return _Disjunction([[part] for part in parts])
            return _Disjunction([list(parts)])  # De Morgan: none of the alternatives holds
        return Literal(self._atom(term), positive)

    def _name_disjunctions(self, head: Term, body: _Conjunction) -> _Conjunction:
        """Replace each disjunction by an atom over the variables that it shares with the rule.

        The relation's name holds a blank, which no symbol of a rulesheet can.
        """
        named: _Conjunction = []
        outside = set(variables(head))
        for part in body:
            outside.update(_variables(part) if isinstance(part, Literal) else ())
        for index, part in enumerate(body):
            if isinstance(part, Literal):
                named.append(part)
                continue
            others = [p for i, p in enumerate(body) if i != index and isinstance(p, _Disjunction)]
            shared = outside.union(*(_variables(other) for other in others))
            arguments = sorted(set(_variables(part)) & shared, key=str)
            name = Symbol(f"or {self._start}.{index}", self._term.position)
            atom: Term = Compound((name, *arguments), self._term.position) if arguments else name
            named.append(Literal(atom))
            self._auxiliary.extend(Rule(atom, branch, self._term) for branch in part.split())
        return named

    def _atom(self, term: Term) -> Term:
        if isinstance(term, Compound) and len(term.items) == 1:
            return self._atom(term.items[0])
        if isinstance(term, Symbol):
            if term.is_variable or term.text == "<=":
                raise self._error(term, f"`{term}` is not a relation", "a relation has a name")
            return _lower(term, _KEYWORD_SYMBOLS | _HEAD_KEYWORDS)
        if not term.items:
            raise self._error(term, "`()` is not a relation", "remove it, or name the relation")
        name, *arguments = term.items
        if not isinstance(name, Symbol) or name.is_variable:
            hint = "a relation begins with its name"
            raise self._error(term, f"`{name}` cannot name a relation", hint)
        if name.text == "<=":
            raise self._error(term, "a rule inside a rule", "close the parentheses of the outer")
        for argument in arguments:
            self._check_argument(argument)
        head = _lower(name, _KEYWORD_SYMBOLS | _HEAD_KEYWORDS)
        return Compound((head, *map(canonical, arguments)), term.position)

    def _check_argument(self, term: Term) -> None:
        if isinstance(term, Symbol):
            return
        if not term.items or not isinstance(term.items[0], Symbol) or term.items[0].is_variable:
            hint = "a function term begins with its name, as in (cell 1 2)"
            raise self._error(term, f"`{term}` is not a term", hint)
        for item in term.items[1:]:
            self._check_argument(item)

    def _error(self, term: Term, message: str, hint: str) -> GdlError:
        position = term.position or self._term.position
        return GdlError(message, span=self._source.span(position), hint=hint)


def canonical(term: Term) -> Term:
    """Return the term with GDL's keywords in lower case, as a description holds its terms."""
    if isinstance(term, Symbol):
        return _lower(term, _KEYWORD_SYMBOLS)
    items = tuple(map(canonical, term.items))
    return term if items == term.items else Compound(items, term.position)


def _lower(symbol: Symbol, keywords: frozenset[str]) -> Symbol:
    lowered = symbol.text.lower()
    if lowered in keywords and lowered != symbol.text:
        return Symbol(lowered, symbol.position)
    return symbol


def _variables(part: Literal | _Disjunction) -> Sequence[Symbol]:
    if isinstance(part, Literal):
        return tuple(variables(part.atom))
    return tuple(v for branch in part.split() for lit in branch for v in variables(lit.atom))
