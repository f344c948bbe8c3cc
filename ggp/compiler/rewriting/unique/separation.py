"""Asks of one square, where a piece stands, instead of all squares where it may stand.

``(true (cell ?kx ?ky wk))`` ties everything together that mentions ``?kx`` and ``?ky``, and a rule
is ground for each square. If at most one such fact holds (`patterns`), then a body holds for some
square just if each literal holds for some: each is asked alone, as a relation in which the square
is no argument. Its rules are those of the literal's relation with the fact put into their bodies,
and there the same goes for their literals. So a relation between two squares becomes one on one
square, and a recursive relation too: the fold and unfold of Tamaki and Sato (1984) "Unfold/fold
transformation of logic programs".
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    TRUE,
    atom_of,
    binds,
    given_by_facts,
    replaced,
    variables_of,
    with_values,
)
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.sizes import Sizes
from ggp.compiler.rewriting.unique.patterns import Pattern, proven
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.gdl.check.analysis.matching import Bindings, Exhausted, Steps, match, resolved, unify
from ggp.kif import Symbol, Term, symbols, variables

__all__ = ["with_separate_joins"]

#: Only relations that may have more atoms than this are worth it,
_LARGE = 5_000
#: and only facts that may be in more places than this.
_FEW = 8
#: No more relations are made than this,
_MOST = 250
#: none with more symbols in what it asks,
_MAX_SIZE = 100
#: and no more steps of unifications are taken.
_MAX_STEPS = 1_000_000


def with_separate_joins(game: Rules) -> Rules:
    """Ask the literals that unique facts tie together one by one.

    The patterns that this rests on are noted (`Rules.unique`). In a state in which more than one
    fact of such a pattern holds, which no match reaches, the rules that are returned may say
    something else. A legal move never leads there from a state in which at most one fact of each
    holds.
    """
    search = _Search(given_by_facts(game.defining), game.dynamic, game.sizes)
    cores = {rule: found for rule in game.rules if (found := [*search.cores(rule)])}
    tried = [pattern for found in cores.values() for core in found for pattern in core.patterns]
    unique = proven(dict.fromkeys(tried), game.rules) if tried else frozenset()
    chosen = {
        rule: core
        for rule, found in cores.items()
        if (core := next((core for core in found if unique >= core.patterns), None))
    }
    if not chosen:
        return game
    separation = _Separation({r: own for r, own in game.defining.items() if r in game.dynamic})
    try:
        made = [
            separation.rewritten(rule, chosen[rule].literals) if rule in chosen else rule
            for rule in game.rules
        ]
        separation.complete()
    except (_Unfit, Exhausted):
        return game
    return replace(game.changed([*made, *separation.rules]), unique=unique)


@dataclass(frozen=True, slots=True)
class _Core:
    """A fact of a rule's body, with the literal that tells which pattern it is of, if any does."""

    literals: tuple[Literal, ...]
    patterns: frozenset[Pattern]


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds facts that tie literals together."""

    facts: Mapping[Relation, Sequence[Term]]
    dynamic: Container[Relation]
    sizes: Sizes

    def cores(self, rule: Rule) -> Iterator[_Core]:
        """Yield the facts of a rule's body that tie a large relation to the rest of it."""
        outside = set(variables(rule.head))
        for literal in rule.body:
            own = set(variables(literal.atom))
            if not literal.positive or literal.relation != TRUE or not own.isdisjoint(outside):
                continue
            others = [other for other in rule.body if other is not literal]
            tied = {v for o in others if o.relation in self.dynamic for v in _common(o, own)}
            values = prod(self.sizes.of_variable(name, rule) for name in tied)
            if values > _FEW and any(self._is_large(other, tied) for other in others):
                core = self._with_binder(literal, own - tied, others)
                if core is not None:
                    yield core

    def _is_large(self, literal: Literal, tied: set[Symbol]) -> bool:
        return (
            literal.relation in self.dynamic
            and literal.relation != TRUE
            and bool(_common(literal, tied))
            and self.sizes.of_relation(literal.relation) > _LARGE
        )

    def _with_binder(
        self, literal: Literal, loose: set[Symbol], others: Sequence[Literal]
    ) -> _Core | None:
        """Return the core of a fact, some variables of which may be told by a static literal."""
        (fact,) = arguments_of(literal.atom)
        if not _is_plain(fact):
            return None
        binders = [
            other
            for other in others
            if other.positive and other.relation in self.facts and _common(other, loose)
        ]
        if not binders:
            return _Core((literal,), frozenset([_pattern(fact)]))
        binder, *more = binders
        told = _common(binder, set(variables(literal.atom)))
        kept = set(variables(binder.atom)) - told
        elsewhere = variables_of(other for other in others if other is not binder)
        if more or not told <= loose or not kept.issubset(elsewhere):
            return None
        patterns: dict[tuple[Term, ...], Pattern] = {}
        for given in self.facts[binder.relation]:
            bindings = match(binder.atom, given, {})
            if bindings is not None:
                key = tuple(bindings[name] for name in sorted(kept, key=str))
                pattern = _pattern(replaced(fact, bindings))
                if patterns.setdefault(key, pattern) != pattern:
                    return None
        return _Core((literal, binder), frozenset(patterns.values()))


def _is_plain(fact: Term) -> bool:
    """Return whether the arguments of a fact are constants and variables, each of these once."""
    arguments = arguments_of(fact)
    names = [term for term in arguments if isinstance(term, Symbol) and term.is_variable]
    return (
        not isinstance(fact, Symbol)
        and all(isinstance(term, Symbol) for term in arguments)
        and len(set(names)) == len(names)
    )


def _pattern(fact: Term) -> Pattern:
    """Return the pattern of the facts that have the constants of a fact."""
    arguments = enumerate(arguments_of(fact))
    constants = [
        (at, term) for at, term in arguments if isinstance(term, Symbol) and not term.is_variable
    ]
    return Pattern(relation_of(fact), frozenset(constants))


class _Unfit(Exception):
    """The literals of some rule cannot be asked one by one."""


@dataclass(slots=True)
class _Separation:
    """The relations that ask a literal together with a unique fact."""

    definitions: Mapping[Relation, Sequence[Rule]]
    rules: list[Rule] = field(default_factory=list)
    _known: dict[object, Relation] = field(default_factory=dict)
    _pending: list[tuple[Term, tuple[Literal, ...], Literal | None]] = field(default_factory=list)
    _steps: Steps = field(default_factory=lambda: Steps(_MAX_STEPS))

    def rewritten(self, rule: Rule, core: tuple[Literal, ...]) -> Rule:
        """Return a rule, which has the literals of the core, with the others asked one by one."""
        rest = [literal for literal in rule.body if literal not in core]
        return Rule(rule.head, self._apart(core, rest, set(variables(core[0].atom))))

    def complete(self) -> None:
        """Make the rules of all relations that are asked. Raises `_Unfit`."""
        while self._pending:
            head, core, asked = self._pending.pop()
            if asked is None or asked.relation not in self.definitions:
                self.rules.append(Rule(head, core if asked is None else (*core, asked)))
                continue
            for rule in self.definitions[asked.relation]:
                if not _binds_all(rule):
                    raise _Unfit
                names: dict[Symbol, Term] = {v: Symbol(f"{v} of") for v in rule.variables()}
                bindings = unify(replaced(rule.head, names), asked.atom, self._steps)
                if bindings is None:
                    continue
                body = with_values(rule.body, names)
                if resolved(asked.atom, bindings) != resolved(replaced(rule.head, names), bindings):
                    raise _Unfit  # unification was given up
                made = resolved(head, bindings)
                inside = tuple(_given(core, bindings))
                loose = set(variables_of(inside)).difference(variables(made))
                self.rules.append(Rule(made, self._apart(inside, [*_given(body, bindings)], loose)))

    def _apart(
        self, core: tuple[Literal, ...], rest: Sequence[Literal], loose: set[Symbol]
    ) -> tuple[Literal, ...]:
        """Return literals that hold just if the core and the rest hold for some loose variables."""
        if loose.isdisjoint(variables(core[0].atom)):
            return (*core, *rest)
        made: list[Literal] = []
        holds = False
        for literal in rest:
            if not _common(literal, loose):
                made.append(literal)
            elif literal.relation == DISTINCT:
                made.append(self._distinct(core, literal, loose))
            else:
                asked = self._ask(core, Literal(literal.atom), loose)
                made.append(Literal(asked.atom, literal.positive))
                holds |= literal.positive
        if not holds:
            made.append(self._ask(core, None, loose))
        return tuple(dict.fromkeys(made))

    def _distinct(self, core: tuple[Literal, ...], literal: Literal, loose: set[Symbol]) -> Literal:
        """Return a literal in place of a `distinct`, beside one that says that the core holds."""
        terms = arguments_of(literal.atom)
        if not literal.positive:
            raise _Unfit
        if loose.issuperset(variables(literal.atom)):
            return self._ask(core, literal, loose)
        name, value = terms if terms[0] in loose else reversed(terms)
        if not isinstance(name, Symbol) or not loose.isdisjoint(variables(value)):
            raise _Unfit
        same = tuple(_given(core, {name: value}))
        return Literal(self._ask(same, None, loose).atom, positive=False)

    def _ask(self, core: tuple[Literal, ...], asked: Literal | None, loose: set[Symbol]) -> Literal:
        """Return a literal that holds if core and question do for some loose variables."""
        literals = core if asked is None else (*core, asked)
        if sum(1 for literal in literals for _ in symbols(literal.atom)) > _MAX_SIZE:
            raise _Unfit
        names = {v: Symbol(f"?{number}") for number, v in enumerate(variables_of(literals))}
        arguments = [name for name in names if name not in loose]
        renamed = with_values(literals, names)
        inside = [names[name] for name in arguments]
        key = renamed, len(core), tuple(inside)
        relation = self._known.get(key)
        if relation is None:
            relation = Relation(f"where {len(self._known)}", len(inside))
            self._known[key] = relation
            if len(self._known) > _MOST:
                raise _Unfit
            head = atom_of(relation, inside)
            rest = None if asked is None else renamed[-1]
            self._pending.append((head, renamed[: len(core)], rest))
        return Literal(atom_of(relation, arguments))


def _common(literal: Literal, names: set[Symbol]) -> set[Symbol]:
    return names.intersection(variables(literal.atom))


def _binds_all(rule: Rule) -> bool:
    """Return whether the body binds all variables of a rule."""
    return set(rule.variables()) <= set(variables_of(filter(binds, rule.body)))


def _given(body: Iterable[Literal], bindings: Bindings) -> Iterator[Literal]:
    return (Literal(resolved(lit.atom, bindings), lit.positive) for lit in body)
