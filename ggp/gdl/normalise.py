"""Turns the expressions of a rulesheet into rules in normal form.

Keywords are written in lower case, ``(p)`` and ``p`` become one proposition, negations are
driven inwards and disjunctions are split into several rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import TypeAlias

from ggp.errors import GdlError
from ggp.gdl.rules import Literal, Rule, arguments_of
from ggp.kif import Compound, Source, Symbol, Term, variables
from ggp.kif.keywords import CONNECTIVES, KEYWORD_RELATIONS

__all__ = [
    "UNDEFINABLE_HINT",
    "canonical",
    "normalise",
    "undefinable",
]

#: How to do without a rule or a fact that `undefinable` speaks of.
UNDEFINABLE_HINT = (
    "define another relation; roles are given by facts, `true` follows from `init` and `next`, "
    "`does` from the moves of the players"
)

# Any of these symbols means the keyword wherever it stands and in whatever case, as in ggp-base.
_KEYWORD_SYMBOLS = frozenset(KEYWORD_RELATIONS) - {"sees", "distinct"}
# These are keywords only at the head of an atom or a condition.
_HEAD_KEYWORDS = frozenset({"sees", "distinct", "not", "or"})

#: A rule whose disjunctions would split into more rules than this keeps them in relations of
#: their own instead: the number of combinations is exponential in the number of disjunctions.
_MAX_SPLIT = 64

# A conjunction in negation normal form.
_Conjunction: TypeAlias = list["Literal | _Disjunction"]


@dataclass(frozen=True, slots=True)
class _Disjunction:
    """Alternatives, each a conjunction of literals and further disjunctions."""

    alternatives: list[_Conjunction]


def _size(conjunction: _Conjunction) -> int:
    """Return into how many conjunctions of literals it splits."""
    return prod(
        sum(map(_size, part.alternatives)) for part in conjunction if isinstance(part, _Disjunction)
    )


def _split(conjunction: _Conjunction) -> Iterator[tuple[Literal, ...]]:
    if not _size(conjunction):
        return
    choices = [
        [(part,)]
        if isinstance(part, Literal)
        else [branch for alternative in part.alternatives for branch in _split(alternative)]
        for part in conjunction
    ]
    for choice in product(*choices):
        yield tuple(literal for branch in choice for literal in branch)


def _variables(conjunction: _Conjunction) -> Iterator[Symbol]:
    for part in conjunction:
        if isinstance(part, Literal):
            yield from variables(part.atom)
        else:
            for alternative in part.alternatives:
                yield from _variables(alternative)


def _bound(conjunction: _Conjunction) -> set[Symbol]:
    """Return the variables that have a value wherever the conjunction holds."""
    bound: set[Symbol] = set()
    for part in conjunction:
        if isinstance(part, _Disjunction):
            bound |= set[Symbol].intersection(*map(_bound, part.alternatives or [[]]))
        elif part.positive and part.relation.name != "distinct":
            bound.update(variables(part.atom))
    return bound


def undefinable(name: str, *, has_body: bool) -> str | None:
    """Return why no reasoner may take a rule or a fact with such a head; None where it may.

    Args:
        name: the name of the head's relation, a keyword in lower case.
        has_body: whether the head has conditions.
    """
    if name in ("not", "or", "distinct"):
        return f"`{name}` cannot be defined"
    if name in ("true", "does") or (name == "role" and has_body):
        return f"a {'rule' if has_body else 'fact'} cannot define `{name}`"
    return None


def normalise(terms: Iterable[Term], *, source: Source) -> tuple[Rule, ...]:
    """Return the rules that the expressions state, in their order.

    Raises:
        GdlError: an expression is neither a fact nor a rule, such as ``()`` or ``(<=)``, or it
            defines what cannot be defined, such as `true`, or a role that is no name.
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
        self._named = 0

    def rules(self) -> Iterator[Rule]:
        term = self._term
        if not (isinstance(term, Compound) and term.name == "<="):
            yield Rule(self._head(term, has_body=False), (), term)
            return
        if len(term.items) < 2:
            raise self._error(term, "a rule without a head", "write (<= head condition ...)")
        head = self._head(term.items[1], has_body=len(term.items) > 2)
        conditions = (self._condition(item, positive=True) for item in term.items[2:])
        yield from self._rules(head, list(chain.from_iterable(conditions)))

    def _rules(self, head: Term, body: _Conjunction) -> Iterator[Rule]:
        auxiliary: list[tuple[Term, _Conjunction]] = []
        if _size(body) > _MAX_SPLIT:
            body, auxiliary = self._name_disjunctions(head, body)
        for literals in _split(body):
            yield Rule(head, literals, self._term)
        for atom, alternative in auxiliary:
            yield from self._rules(atom, alternative)

    def _condition(self, term: Term, *, positive: bool) -> _Conjunction:
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
            if not positive:  # De Morgan: none of the alternatives holds
                return list(chain.from_iterable(parts))
            alternatives = list(chain.from_iterable(map(_alternatives, parts)))
            return alternatives[0] if len(alternatives) == 1 else [_Disjunction(alternatives)]
        return [Literal(self._atom(term), positive)]

    def _name_disjunctions(
        self, head: Term, body: _Conjunction
    ) -> tuple[_Conjunction, list[tuple[Term, _Conjunction]]]:
        """Replace each disjunction by an atom over the variables that it shares with the rule.

        Where an alternative does not bind such a variable itself, as ``(distinct ?x ?y)`` does
        not, it takes along those literals of the rule that do: the new rules are then safe when
        the rule is. The relation's name holds a blank, which no symbol of a rulesheet can.

        Returns:
            The body without disjunctions, and the heads and bodies of the new relations' rules.
        """
        binders = [(part, _bound([part])) for part in body if isinstance(part, Literal)]
        named: _Conjunction = []
        auxiliary: list[tuple[Term, _Conjunction]] = []
        mentioned = [set(_variables([part])) for part in body]
        users = Counter(chain(set(variables(head)), *mentioned))
        for part, mentions in zip(body, mentioned, strict=True):
            if isinstance(part, Literal):
                named.append(part)
                continue
            arguments = sorted((v for v in mentions if users[v] > 1), key=str)
            name = Symbol(f"or {self._start}.{self._named}", self._term.position)
            self._named += 1
            atom: Term = Compound((name, *arguments), self._term.position) if arguments else name
            for alternative in part.alternatives:
                context: _Conjunction = []
                free = set(arguments) - _bound(alternative)
                for literal, binds in binders:
                    if not free.isdisjoint(binds):
                        context.append(literal)
                        free -= binds
                auxiliary.append((atom, [*context, *alternative]))
            named.append(Literal(atom))
            binders.append((Literal(atom), set(arguments)))
        return named, auxiliary

    def _head(self, term: Term, *, has_body: bool) -> Term:
        while isinstance(term, Compound) and len(term.items) == 1:
            term = term.items[0]
        name = (term.name if isinstance(term, Compound) else term.text).lower()
        reason = undefinable(name, has_body=has_body)
        if reason is not None:
            raise self._error(term, reason, UNDEFINABLE_HINT)
        head = self._atom(term)
        if name == "role":
            arguments = arguments_of(head)
            if len(arguments) != 1:
                message = f"`role` takes one argument, here it has {len(arguments)}"
                raise self._error(term, message, "add a fact (role name) for each player")
            if not isinstance(arguments[0], Symbol) or arguments[0].is_variable:
                message = f"the role `{arguments[0]}` is no name"
                raise self._error(arguments[0], message, "write (role name), with a single name")
        return head

    def _atom(self, term: Term) -> Term:
        if isinstance(term, Compound) and len(term.items) == 1:
            return self._atom(term.items[0])
        if isinstance(term, Symbol):
            if term.is_variable or term.text.lower() in CONNECTIVES:
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
        if name.text.lower() in ("not", "or"):
            hint = "it joins conditions of a rule, without a further pair of parentheses around it"
            raise self._error(term, f"`{name}` is not a relation", hint)
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


def _alternatives(conjunction: _Conjunction) -> list[_Conjunction]:
    """Return the alternatives of what is no more than a disjunction, else the conjunction."""
    match conjunction:
        case [_Disjunction(alternatives)]:
            return alternatives
    return [conjunction]
