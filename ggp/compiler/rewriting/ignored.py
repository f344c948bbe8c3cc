"""Tells the rules of a relation that look at an argument from those that do not.

The rule ``(<= (p ?x ?y) (digit ?x) (q ?y))`` looks at nothing of ``?x`` but its type. A relation is
divided into variants, one for each set of arguments that some of its rules ignore, and the variant
lacks these arguments; a rule that uses the relation uses all its variants, and checks the types. So
``(safe ?from ?to ?but_for)``, where squares between two must be empty but for one that may be
anything, becomes the few triples where the third is between the other two, and pairs.
(Polyvariant specialisation: Jones, Gomard and Sestoft, 1993, "Partial evaluation".)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from ggp.compiler.rewriting.clauses import QUESTIONS, atom_of
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Term, variables

__all__ = ["without_ignored_arguments"]

#: A relation that may not have more atoms than this is not divided,
_LARGE = 10_000
#: nor is one that would have more variants than this,
_MAX_VARIANTS = 4
#: or make more copies of some rule than this.
_MAX_COPIES = 9

#: The arguments that a variant ignores, by their places, each with the types that it must have.
_Ignored: TypeAlias = frozenset[tuple[int, frozenset[Relation]]]

_NOTHING: _Ignored = frozenset()


def without_ignored_arguments(game: Rules) -> Rules:
    """Divide the relations into variants without ignored arguments."""
    whole = set(QUESTIONS)
    while True:
        try:
            return game.changed(_Division(game, whole).rules())
        except _StaysWhole as found:
            whole.add(found.relation)


class _StaysWhole(Exception):
    """A relation cannot be divided."""

    def __init__(self, relation: Relation) -> None:
        super().__init__(relation)
        self.relation = relation


class _Division:
    """The variants of all relations but some that stay whole."""

    def __init__(
        self,
        game: Rules,
        whole: Container[Relation],
    ) -> None:
        """Find the variants. Raises `_StaysWhole`."""
        rules = self._rules = game.rules
        self._static = game.static
        self._sizes = game.sizes
        self._whole = whole
        #: The variants of each relation, by what they ignore.
        self._variants: dict[Relation, dict[_Ignored, Relation]] = {r.relation: {} for r in rules}
        users: dict[Relation, list[Rule]] = {}
        for rule in rules:
            for literal in rule.body:
                users.setdefault(literal.relation, []).append(rule)
        pending = dict.fromkeys(rules)
        while pending:
            rule = next(iter(pending))
            del pending[rule]
            found = self._variants[rule.relation]
            for choice in self._choices(rule):
                ignored = self._ignored(rule, choice)
                if ignored not in found:
                    self._add(rule.relation, ignored)
                    pending |= dict.fromkeys(users.get(rule.relation, ()))

    def rules(self) -> list[Rule]:
        """Return the rules, each once for each choice of variants. Raises `_StaysWhole`."""
        return [self._copy(rule, choice) for rule in self._rules for choice in self._choices(rule)]

    def _add(self, relation: Relation, ignored: _Ignored) -> None:
        found = self._variants[relation]
        if found and (len(found) == _MAX_VARIANTS or self._sizes.of_relation(relation) <= _LARGE):
            raise _StaysWhole(relation)
        name = f"{relation} variant {len(found)}"
        found[ignored] = Relation(name, relation.arity - len(ignored)) if ignored else relation

    def _choices(self, rule: Rule) -> Iterable[tuple[_Ignored, ...]]:
        """Return the choices of one variant for each literal of the body."""
        options = [
            list(self._variants.get(literal.relation, (_NOTHING,)))
            if literal.positive
            else [_NOTHING]
            for literal in rule.body
        ]
        if prod(map(len, options)) > _MAX_COPIES:
            most = max(range(len(options)), key=lambda index: len(options[index]))
            raise _StaysWhole(rule.body[most].relation)
        return product(*options)

    def _ignored(self, rule: Rule, choice: Sequence[_Ignored]) -> _Ignored:
        """Return the arguments that a rule does not look at, given the variants of its body."""
        if rule.relation in self._whole:
            return _NOTHING
        arguments = arguments_of(rule.head)
        times = Counter(variable for term in arguments for variable in variables(term))
        types: dict[Term, set[Relation]] = {
            variable: set() for variable, count in times.items() if count == 1
        }
        for literal, ignored in zip(rule.body, choice, strict=True):
            wanted = dict(ignored)
            for place, term in enumerate(arguments_of(literal.atom)):
                if term in types and place in wanted:
                    types[term] |= wanted[place]
                elif term in types and self._is_type(literal):
                    types[term].add(literal.relation)
                else:
                    for variable in variables(term):
                        types.pop(variable, None)
        return frozenset(
            (place, frozenset(types[term])) for place, term in enumerate(arguments) if term in types
        )

    def _copy(self, rule: Rule, choice: Sequence[_Ignored]) -> Rule:
        """Return a rule with a variant for each literal of the body."""
        ignored = self._ignored(rule, choice)
        head = self._variant(rule.head, ignored)
        dropped = {arguments_of(rule.head)[place] for place, _ in ignored}
        body: dict[Literal, None] = {}
        for literal, variant in zip(rule.body, choice, strict=True):
            if not literal.positive:
                body |= dict.fromkeys(self._denied(literal, rule))
                continue
            if self._is_type(literal) and arguments_of(literal.atom)[0] in dropped:
                continue
            body[Literal(self._variant(literal.atom, variant))] = None
            for place, types in sorted(variant):
                term = arguments_of(literal.atom)[place]
                if term not in dropped:
                    body |= {Literal(atom_of(kind, [term])): None for kind in sorted(types)}
        return Rule(head, tuple(body))

    def _denied(self, literal: Literal, rule: Rule) -> Iterator[Literal]:
        """Yield the denials of all variants of what a literal denies. Raises `_StaysWhole`."""
        for variant in self._variants.get(literal.relation, [_NOTHING]):
            for place, types in variant:
                term = arguments_of(literal.atom)[place]
                if len(self._sizes.types_of(term, rule, types)) < len(types):
                    raise _StaysWhole(literal.relation)
            yield Literal(self._variant(literal.atom, variant), positive=False)

    def _variant(self, atom: Term, ignored: _Ignored) -> Term:
        if not ignored:
            return atom
        places = {place for place, _ in ignored}
        kept = [term for place, term in enumerate(arguments_of(atom)) if place not in places]
        return atom_of(self._variants[relation_of(atom)][ignored], kept)

    def _is_type(self, literal: Literal) -> bool:
        return literal.positive and literal.relation.arity == 1 and literal.relation in self._static
