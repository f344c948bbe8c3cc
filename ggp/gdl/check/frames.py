"""Whether rules for `next` keep the facts that a move does not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ggp.gdl.check.finding import Findings
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.rules import Relation, Rule, arguments_of, relation_of
from ggp.kif import Symbol, Term, variables

__all__ = ["check_frames"]

_NEXT, _INIT, _TRUE, _DOES, _DISTINCT = (
    Relation("next", 1),
    Relation("init", 1),
    Relation("true", 1),
    Relation("does", 2),
    Relation("distinct", 2),
)


@dataclass(frozen=True, slots=True)
class _Named:
    """What the moves of a step name: in these arguments, at most that many combinations."""

    arguments: frozenset[int]
    count: int


def check_frames(game: Rulesheet, findings: Findings) -> None:
    """Report facts that every move loses, whatever it is, but for the few that it names.

    All roles together do one move each. Where each rule for `next` of a name takes arguments from
    the moves alone, no more facts than that differ in these arguments in any later state. If more
    do initially, the others are lost with the first move.
    """
    rules: defaultdict[Relation, list[Rule]] = defaultdict(list)
    for rule in game.rules_by_relation.get(_NEXT, ()):
        (fact,) = arguments_of(rule.head)
        rules[relation_of(fact)].append(rule)
    asked = {
        relation_of(arguments_of(literal.atom)[0])
        for rule in game.rules
        for literal in rule.body
        if literal.relation == _TRUE
    }
    if not asked or any(name.name.startswith("?") for name in rules):
        return
    for own in rules.values():
        _check_kept(own, findings)
    named = _MovesNamed(game)
    for relation, own in rules.items():
        if not relation.arity or relation not in asked:
            continue
        found = named.by([(arguments_of(rule.head)[0], rule) for rule in own])
        if found is not None and found.count < _count(game, relation, found.arguments):
            message = (
                f"no rule for `next` keeps `{relation.name}` where no move touches it: each gives "
                "only what a move names"
            )
            findings.add("no-frame-rule", arguments_of(own[0].head)[0], message)


def _check_kept(rules: Sequence[Rule], findings: Findings) -> None:
    """Report the only rule that keeps facts, if it keeps none in the row or column of a move.

    Several `distinct` in a rule ask that all coordinates differ, where one that differs is another
    cell already.
    """
    keeping = [rule for rule in rules if _kept(rule)]
    if len(keeping) != 1:
        return
    (rule,) = keeping
    (fact,) = arguments_of(rule.head)
    moved = {
        variable
        for literal in rule.body
        if literal.positive and literal.relation == _DOES
        for variable in variables(literal.atom)
    }
    places = [each for each in arguments_of(fact) if each not in moved]
    compared = [
        (literal, frozenset(arguments_of(literal.atom)))
        for literal in rule.body
        if literal.positive and literal.relation == _DISTINCT
    ]
    own = [
        (literal, place, other)
        for literal, pair in compared
        for place in places
        for other in pair - {place}
        if place in pair and other in moved
    ]
    if len({place for _, place, _ in own}) > 1 and len({other for _, _, other in own}) > 1:
        message = (
            "the only rule that keeps this fact asks that several of its arguments differ from "
            "those of a move: where one is the same, the fact is lost"
        )
        findings.add("narrow-frame-rule", own[1][0].atom, message)


def _kept(rule: Rule) -> bool:
    """Return whether a rule for `next` may keep a fact with variables as it is."""
    (fact,) = arguments_of(rule.head)
    return any(
        literal.positive and literal.relation == _TRUE and arguments_of(literal.atom)[0] == fact
        for literal in rule.body
    )


def _count(game: Rulesheet, relation: Relation, arguments: frozenset[int]) -> int:
    """Return how many combinations of some arguments the initial facts of a name have."""
    table = game.statics.table(_INIT)
    if table is None:
        return 0
    facts = (fact for (fact,) in table.rows if relation_of(fact) == relation)
    return len({tuple(arguments_of(fact)[n] for n in sorted(arguments)) for fact in facts})


class _MovesNamed:
    """Works out what the moves of a step name in the arguments of relations."""

    def __init__(self, game: Rulesheet) -> None:
        self._game = game
        self._known: dict[Relation, _Named | None] = {}

    def by(self, rules: list[tuple[Term, Rule]]) -> _Named | None:
        """Return the arguments of heads that only moves give; None if there are none."""
        common: frozenset[int] | None = None
        count = 0
        for head, rule in rules:
            bound, times = self._bound(rule)
            own = frozenset(
                place
                for place, argument in enumerate(arguments_of(head))
                if bound.issuperset(variables(argument))
            )
            common = own if common is None else common & own
            count += times
        return _Named(common, count) if common else None

    def _bound(self, rule: Rule) -> tuple[set[Symbol], int]:
        """Return the variables of a rule that moves bind, and in how many ways at most."""
        bound, times = set[Symbol](), 1
        for literal in rule.body:
            if literal.positive and (named := self._named(literal.relation, literal.atom)):
                arguments = arguments_of(literal.atom)
                bound.update(*(variables(arguments[place]) for place in named.arguments))
                times *= named.count
        return bound, times

    def _named(self, relation: Relation, atom: Term) -> _Named | None:
        if relation == _DOES:
            role = arguments_of(atom)[0]
            is_one = isinstance(role, Symbol) and not role.is_variable
            return _Named(frozenset((0, 1)), 1 if is_one else len(self._game.roles))
        if relation not in self._known:
            self._known[relation] = None  # of a relation that depends on itself, nothing is known
            own = self._game.rules_by_relation.get(relation, ())
            self._known[relation] = self.by([(rule.head, rule) for rule in own])
        return self._known[relation]
