"""What holds of distinct keys, whatever they are.

Conditions on a list of keys are tried on one list of each length, whose elements stand for any keys
that differ from each other: what is derived of them without asking which they are holds of all such
lists. Rules are followed from goals to bodies, and answers are kept, up to the names of keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    DOES,
    TRUE,
    atom_of,
    binds,
    by_relation,
    replaced,
)
from ggp.gdl import Literal, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, is_ground, symbols, variables

__all__ = ["Generic", "Undecided", "any_key"]

#: The search for answers is given up after this many tries of a rule or an answer.
_MOST = 50_000
#: The blank keeps it apart from the constants of a rulesheet.
_KEY = "key "

_Values: TypeAlias = Mapping[Symbol, Term]


class Undecided(Exception):
    """What may hold of some keys depends on the state, or the search for it does not end."""


def any_key(number: int) -> Symbol:
    """Return a constant that stands for any key, another one for each number."""
    return Symbol(f"{_KEY}{number}")


class Generic:
    """Answers what certainly holds of any distinct keys.

    What is denied must not hold of any keys whatever, so that there are two questions: what
    certainly holds, and what may hold. The first may miss answers, the second must not.
    """

    def __init__(self, rules: Iterable[Rule], *, keys: Iterable[Term]) -> None:
        """Take all the rules, and all that may be a key."""
        self._rules = by_relation(rules)
        self._facts = {
            rule.head
            for defining in self._rules.values()
            for rule in defining
            if not rule.body and is_ground(rule.head)
        }
        self._keys = dict.fromkeys(keys)
        #: The answers to each goal; None while they are sought.
        self._known: dict[tuple[Term, bool], list[Term] | None] = {}
        self._tries = 0

    def instances(self, term: Term, body: Sequence[Literal]) -> list[Term]:
        """Return what a term may become such that the body certainly holds.

        Args:
            term: without variables that are not in the body.
            body: literals with keys in the place of what is given.

        Raises:
            Undecided: it could not be found out.
        """
        found = [_resolved(term, values) for values in self._solutions(tuple(body), True)]
        return [instance for instance in found if is_ground(instance)]

    def _solutions(self, body: Sequence[Literal], certain: bool) -> Iterator[_Values]:
        """Yield values of the body's variables with which it holds. Raises `Undecided`."""
        open_ones: list[Literal] = []
        for literal in body:
            if not is_ground(literal.atom):
                open_ones.append(literal)
            elif not self._holds(literal, certain):
                return
        if not open_ones:
            yield {}
            return
        asked = min(
            filter(binds, open_ones),
            key=lambda literal: len(set(variables(literal.atom))),
            default=None,
        )
        if asked is None:
            raise Undecided
        others = [literal for literal in open_ones if literal is not asked]
        for answer in self._answers(asked.atom, certain):
            self._count()
            values = self._unified(asked.atom, answer, certain)
            if values is None:
                continue
            rest = [Literal(_resolved(lit.atom, values), lit.positive) for lit in others]
            for more in self._solutions(rest, certain):
                yield {**values, **more}

    def _holds(self, literal: Literal, certain: bool) -> bool:
        """Return whether a literal without variables certainly holds, or may hold."""
        sure = certain == literal.positive
        if literal.relation == DISTINCT:
            left, right = arguments_of(literal.atom)
            holds = self._unified(left, right, False) is None if sure else left != right
        else:
            holds = bool(self._answers(literal.atom, sure))
        return holds == literal.positive

    def _answers(self, goal: Term, certain: bool) -> list[Term]:
        """Return the instances of a goal that certainly hold, or all that may hold."""
        names = {
            symbol: Symbol(f"?wanted {number}") if symbol.is_variable else any_key(number)
            for number, symbol in enumerate(
                dict.fromkeys(s for s in symbols(goal) if s.is_variable or _is_key(s))
            )
        }
        asked = replaced(goal, names)
        known = (asked, certain)
        if known not in self._known:
            self._known[known] = None
            found = dict.fromkeys(self._derived(asked, certain))
            self._known[known] = [*found]
        answers = self._known[known]
        if answers is None:
            if not certain:
                raise Undecided
            return []
        own = {name: symbol for symbol, name in names.items()}
        return [replaced(answer, own) for answer in answers]

    def _derived(self, goal: Term, certain: bool) -> Iterator[Term]:
        if goal in self._facts:
            yield goal
            return
        relation = relation_of(goal)
        if relation in (TRUE, DOES):
            if not certain:
                raise Undecided
            return
        arguments = arguments_of(goal)
        of_key = certain and len(arguments) == 1 and _is_key(arguments[0])
        if of_key and all(self._answers(atom_of(relation, [k]), certain) for k in self._keys):
            yield goal
            return
        for rule in self._rules.get(relation, ()):
            self._count()
            values = self._unified(rule.head, goal, certain)
            if values is None:
                continue
            body = [Literal(_resolved(lit.atom, values), lit.positive) for lit in rule.body]
            for more in self._solutions(body, certain):
                answer = _resolved(_resolved(goal, values), more)
                if is_ground(answer):
                    yield answer
                elif not certain:
                    raise Undecided

    def _count(self) -> None:
        self._tries += 1
        if self._tries > _MOST:
            raise Undecided

    def _unified(self, left: Term, right: Term, certain: bool) -> _Values | None:
        """Return values with which two terms certainly are, or may be, equal; None if none are."""
        values: dict[Symbol, Term] = {}
        pending = [(left, right)]
        while pending:
            one, other = (_walked(term, values) for term in pending.pop())
            if one is other or (isinstance(one, Symbol) and one == other):
                continue
            if not (isinstance(one, Symbol) and one.is_variable):
                one, other = other, one
            if isinstance(one, Symbol) and one.is_variable:
                if isinstance(other, Compound) and one in variables(_resolved(other, values)):
                    return None
                values[one] = other
            elif isinstance(one, Compound) and isinstance(other, Compound):
                if len(one.items) != len(other.items):
                    return None
                pending += zip(one.items, other.items, strict=True)
            elif certain or not self._may_be_equal(one, other):
                return None
        return values

    def _may_be_equal(self, one: Term, other: Term) -> bool:
        """Return whether one of two different terms is a key that may be the other."""
        if _is_key(one) == _is_key(other):
            return False
        term = other if _is_key(one) else one
        if isinstance(term, Symbol):
            return term in self._keys
        return any(
            self._unified(value, term, False) is not None
            for value in self._keys
            if isinstance(value, Compound)
        )


def _is_key(term: Term) -> bool:
    return isinstance(term, Symbol) and term.text.startswith(_KEY)


def _walked(term: Term, values: _Values) -> Term:
    while isinstance(term, Symbol) and term in values:
        term = values[term]
    return term


def _resolved(term: Term, values: _Values) -> Term:
    """Return a term with the values of its variables, and with theirs."""
    term = _walked(term, values)
    if isinstance(term, Symbol) or is_ground(term):
        return term
    return Compound(tuple(_resolved(item, values) for item in term.items))
