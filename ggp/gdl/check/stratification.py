"""Whether an atom depends on its own negation.

A description is stratified when no cycle of relations runs through a negation. Live games break
that rule harmlessly, as with ``(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))``, so such cycles
are looked at more closely (cf. local stratification: Przymusinski, On the declarative semantics
of deductive databases and logic programs, 1988): first between the rules, then between their
instances in which the static conditions hold. Where that takes too long, the coarser graph decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ggp.gdl.check.analysis.callgraph import calls_of_instances, calls_of_rules, cycles
from ggp.gdl.check.analysis.matching import Exhausted, Steps, instance
from ggp.gdl.check.analysis.statics import Statics
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.rules import Literal, Relation, Rule

__all__ = ["check_stratification"]

_MAX_STEPS_OF_RULE = 5_000
_MAX_STEPS = 100_000
_SHOWN = 5  # relations of a cycle that a message names at most


def check_stratification(game: Rulesheet, findings: Findings) -> None:
    """Report each negated condition that stands in a cycle with the head of its rule."""
    for component in game.negative_cycles:
        names = sorted({relation.name for relation in component if " " not in relation.name})
        through = ", ".join(f"`{name}`" for name in names[:_SHOWN])
        if len(names) > _SHOWN:
            through += ", ..."
        rules = game.rules_of(component)
        for literal in _negations_in_cycles(rules, component, game.statics):
            negated = f"{shown(literal.atom)}, here negated,"
            message = f"{negated} is in a cycle with the head of its rule, through {through}"
            findings.add("unstratified", literal.atom, message)


def _negations_in_cycles(
    rules: Sequence[Rule], component: frozenset[Relation], statics: Statics
) -> Sequence[Literal]:
    """Return the negated literals in cycles of the most refined graph that can be built."""
    found = [
        literal
        for rule in rules
        for literal in rule.body
        if literal.relation in component and not literal.positive
    ]
    involved: dict[int, None] = {}
    try:
        calls_between_rules = calls_of_rules(rules, component)
        found = []
        for edges in cycles(calls_between_rules):
            if negated := [literal for _, literal in edges if not literal.positive]:
                found.extend(negated)
                involved.update(dict.fromkeys(caller for caller, _ in edges))
        if found:
            instances = _instances([rules[number] for number in involved], statics)
            calls_between_instances = calls_of_instances(instances, component)
            found = [
                literal
                for edges in cycles(calls_between_instances)
                for _, literal in edges
                if not literal.positive
            ]
    except Exhausted:
        pass
    return found


def _instances(rules: Iterable[Rule], statics: Statics) -> Sequence[Rule]:
    """Return each rule's instances that the static conditions allow, itself if they are many.

    Raises:
        Exhausted: it takes too many steps for all of them.
    """
    instances: list[Rule] = []
    total = Steps(_MAX_STEPS)
    for rule in rules:
        steps = Steps(_MAX_STEPS_OF_RULE)
        try:
            found = statics.solutions(rule.body, steps)
        except Exhausted:
            found = [{}]
        total.take(_MAX_STEPS_OF_RULE - steps.left)
        instances.extend(instance(rule, bindings, prefix="?") for bindings in found)
    return instances
