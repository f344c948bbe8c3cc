"""Replaces conditions that tie many variables together by walks through decision diagrams.

That nine marks are all different ties nine variables together: no join of them is small. Whether it
holds can be told mark by mark, if what the marks so far leave to be asked is remembered: here,
which marks there were. Each such remainder is a state, and a condition is a walk from the first
state to the last one, a step for each variable. The steps are facts of three arguments, which
ground small: splitting (`split`) then joins mark by mark.

The diagrams are those of Srinivasan, Kam, Malik and Brayton (1990) "Algorithms for discrete
function manipulation"; a constraint as a walk is that of Pesant (2004) "A regular language
membership constraint for finite sequences of variables".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ggp.compiler.rewriting.clauses import (
    atom_of,
    binds,
    variables_of,
    with_values,
)
from ggp.compiler.rewriting.conditions import FALSE, Conditions, NotACondition
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.split import joins
from ggp.gdl import Literal, Relation, Rule
from ggp.kif import Symbol, Term, variables

__all__ = ["with_diagrams"]

#: Only rules with more instances than this are worth it,
_LARGE = 1e9
#: and only conditions on at least this many variables at once.
_MANY = 5
#: Diagrams with more steps than this are given up.
_MOST_STEPS = 20_000


def with_diagrams(game: Rules) -> Rules:
    """Replace static conditions on many variables by walks, whose steps are facts.

    A condition is replaced if its variables have few values, which other literals bind, and if its
    relation is defined without recursion and without variables of its own.
    """
    diagrams = _Diagrams(game)
    made = [diagrams.rewritten(rule) if joins(rule, game) > _LARGE else rule for rule in game.rules]
    return game.changed([*made, *diagrams.steps]).needed()


class _Diagrams:
    """The diagrams of all rules; equal conditions share one."""

    def __init__(self, game: Rules) -> None:
        self._game = game
        self._conditions = Conditions(game.rules)
        #: The facts that are the steps of all diagrams.
        self.steps: list[Rule] = []
        self._relations: dict[object, list[Relation] | None] = {}

    def rewritten(self, rule: Rule) -> Rule:
        """Return a rule with a walk instead of its conditions on many variables."""
        dynamic, sizes = self._game.dynamic, self._game.sizes
        conditions = [
            literal
            for literal in rule.body
            if literal.relation not in dynamic and len(frozenset(variables(literal.atom))) >= _MANY
        ]
        others = [literal for literal in rule.body if literal not in conditions]
        bound = variables_of(filter(binds, others))
        tied = [variable for variable in bound if variable in variables_of(conditions)]
        domains = [sizes.values(variable, Rule(rule.head, tuple(others))) for variable in tied]
        if not conditions or not bound.keys() >= variables_of(conditions).keys():
            return rule
        steps = self._of(conditions, tied, domains)
        if steps is None:
            return rule
        # a blank keeps the states apart from the variables of rules
        states = [Symbol(f"?state {number}") for number in range(1, len(tied))]
        walk = [
            Literal(atom_of(step, [*before, variable, *after]))
            for step, before, variable, after in zip(
                steps, [[], *([s] for s in states)], tied, [*([s] for s in states), []], strict=True
            )
        ]
        return Rule(rule.head, (*others, *walk))

    def _of(
        self,
        conditions: Sequence[Literal],
        tied: Sequence[Symbol],
        domains: Sequence[frozenset[str] | None],
    ) -> list[Relation] | None:
        """Return the steps of a diagram, one for each variable; None if there is none."""
        names: Mapping[Symbol, Term] = {v: Symbol(f"?{i}") for i, v in enumerate(tied)}
        renamed = frozenset(with_values(conditions, names))
        key = renamed, tuple(domains)
        if key not in self._relations:
            self._relations[key] = None
            if None not in domains:
                ordered = sorted(renamed, key=str)
                found = self._walk(ordered, [sorted(domain or ()) for domain in domains])
                if found is not None:
                    self._relations[key] = [*self._named(found)]
        return self._relations[key]

    def _walk(
        self, conditions: Sequence[Literal], domains: Sequence[Sequence[str]]
    ) -> list[list[tuple[int, Symbol, int]]] | None:
        """Return the steps of each variable: what is asked before, the value, and what after.

        What is asked is the number of a formula. None if there is no diagram, or a large one.
        """
        levels: list[list[tuple[int, Symbol, int]]] = []
        try:
            states, made = [self._conditions.all_of(conditions)], 0
            for place, domain in enumerate(domains):
                variable = Symbol(f"?{place}")
                levels.append([])
                for state in states:
                    for value in map(Symbol, domain):
                        after = self._conditions.given(state, variable, value)
                        if after != FALSE:
                            levels[-1].append((state, value, after))
                    made += len(domain)
                    if made > _MOST_STEPS:
                        return None
                states = [*dict.fromkeys(after for _, _, after in levels[-1])]
        except NotACondition:
            return None
        # steps that lead nowhere are left out
        for level, following in zip(levels[-2::-1], levels[:0:-1], strict=True):
            left = {before for before, _, _ in following}
            level[:] = [step for step in level if step[2] in left]
        return levels

    def _named(self, levels: Sequence[Sequence[tuple[int, Symbol, int]]]) -> Iterator[Relation]:
        """Yield the relation of each level, whose steps become facts."""
        number = len(self._relations)
        for place, level in enumerate(levels):
            is_first, is_last = place == 0, place == len(levels) - 1
            relation = Relation(f"step {number} {place}", 3 - is_first - is_last)
            for before, value, after in level:
                ends = [Symbol(f"state {before}"), value, Symbol(f"state {after}")]
                arguments = ends[is_first : len(ends) - is_last]
                self.steps.append(Rule(atom_of(relation, arguments), ()))
            yield relation
