"""Replaces literals by the definitions of their relations where the rule then splits better.

``(different ?x1 ?y1 ?x2 ?y2)`` ties four variables together, though it is no more than
``?x1`` and ``?x2`` being distinct, or ``?y1`` and ``?y2``: two rules with one of these each have
smaller joins than one rule with both. And where ``(direction ?x1 ?y1 ?x2 ?y2 ?way)`` holds between
any two places of a large board, though few are asked for, the relation need not be ground once it
is unfolded wherever it stands. (The unfolding of Tamaki and Sato, 1984, "Unfold/fold transformation
of logic programs".)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ggp.compiler.rewriting.clauses import QUESTIONS, binds, with_values
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.split import joins
from ggp.gdl import Literal, Relation, Rule, arguments_of
from ggp.kif import Symbol, Term, variables

__all__ = ["unfold"]

#: Only relations that may have more atoms than this are worth it.
_LARGE = 500
#: A relation with more rules than this stays a relation,
_MAX_RULES = 3
#: and so does one whose literals would make more rules of one.
_MAX_COPIES = 16
#: How much smaller the joins must become.
_GAIN = 0.5


def unfold(game: Rules) -> Rules:
    """Unfold static conditions where that makes the joins of their rules smaller."""
    rules, sizes = game.rules, game.sizes
    definitions = {
        relation: defining
        for relation, defining in game.defining.items()
        if relation not in game.dynamic
        and relation not in game.graph.recursive
        and relation not in QUESTIONS
        and len(defining) <= _MAX_RULES
        and all(rule.body and _is_plain(rule) for rule in defining)
        and sizes.of_relation(relation) > _LARGE
    }

    def size(rule: Rule) -> float:
        return joins(rule, game)

    users: dict[Relation, list[int]] = {}
    options: dict[int, _Option] = {}
    for index, rule in enumerate(rules):
        for relation in {literal.relation for literal in rule.body}:
            users.setdefault(relation, []).append(index)
        copies = _copies(rule, definitions) if rule.relation in game.dynamic else [rule]
        if copies != [rule]:
            options[index] = _Option(copies, size(rule), sum(map(size, copies)))
    chosen = {index for index, option in options.items() if option.after < _GAIN * option.before}
    for relation, defining in definitions.items():
        own = users.get(relation, [])
        if all(index in options and options[index].drops(relation) for index in own):
            left = [options[index] for index in own if index not in chosen]
            before = sum(map(size, defining)) + sum(option.before for option in left)
            if sum(option.after for option in left) < _GAIN * before:
                chosen.update(own)
    unfolded: list[Rule] = []
    for index, rule in enumerate(rules):
        unfolded += options[index].copies if index in chosen else [rule]
    return game.changed(unfolded).needed()


@dataclass(frozen=True, slots=True)
class _Option:
    """What becomes of a rule in which literals are unfolded."""

    copies: list[Rule]
    #: The instances of the joins of the rule, and of those of its copies.
    before: float
    after: float

    def drops(self, relation: Relation) -> bool:
        """Return whether no copy uses a relation."""
        return all(literal.relation != relation for rule in self.copies for literal in rule.body)


def _copies(rule: Rule, definitions: Mapping[Relation, Sequence[Rule]]) -> list[Rule]:
    """Return the rule once for each choice of the definitions of what its body uses."""
    best = [rule]
    for literal in rule.body:
        if literal.positive and literal.relation in definitions:
            defining = definitions[literal.relation]
            copies = [copy for one in best for copy in _unfolded(one, literal, defining)]
            if len(copies) <= _MAX_COPIES:
                best = copies
    return best


def _is_plain(rule: Rule) -> bool:
    """Return whether the head has a variable of its own in each place, bound by the body."""
    arguments = arguments_of(rule.head)
    bound = {v for literal in rule.body if binds(literal) for v in variables(literal.atom)}
    return len(set(arguments)) == len(arguments) and bound.issuperset(
        [*arguments, *rule.variables()]
    )


def _unfolded(rule: Rule, literal: Literal, defining: Iterable[Rule]) -> list[Rule]:
    """Return the rule once for each definition of a literal of its body."""
    place = rule.body.index(literal)
    made: list[Rule] = []
    for definition in defining:
        # A blank keeps the definition's own variables apart from the rule's.
        values: dict[Symbol, Term] = {
            variable: Symbol(f"{variable} {place}") for variable in definition.variables()
        }
        own = (term for term in arguments_of(definition.head) if isinstance(term, Symbol))
        values.update(zip(own, arguments_of(literal.atom), strict=True))
        inside = with_values(definition.body, values)
        body = (*rule.body[:place], *inside, *rule.body[place + 1 :])
        made.append(Rule(rule.head, tuple(dict.fromkeys(body))))
    return made
