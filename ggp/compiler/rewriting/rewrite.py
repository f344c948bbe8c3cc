"""Rewrites the rules of a game so that a grounder can take them, and they ground small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from ggp.compiler.rewriting.alternatives import gather_alternatives
from ggp.compiler.rewriting.arguments import without_unused_arguments
from ggp.compiler.rewriting.bundle import bundle
from ggp.compiler.rewriting.calls import restrict_to_calls
from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    DOES,
    QUESTIONS,
    ROLES,
    TRUE,
    Auxiliaries,
    atom_of,
    binds,
    variables_of,
)
from ggp.compiler.rewriting.diagrams import with_diagrams
from ggp.compiler.rewriting.frames import with_frames
from ggp.compiler.rewriting.ignored import without_ignored_arguments
from ggp.compiler.rewriting.lists.visited import without_visited
from ggp.compiler.rewriting.relaxation import relax
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.split import split
from ggp.compiler.rewriting.unfold import unfold
from ggp.compiler.rewriting.unique.separation import with_separate_joins
from ggp.gdl import Description, Literal, Relation, Rule, arguments_of
from ggp.kif import Symbol, variables

__all__ = ["PASSES", "Observer", "Pass", "initial_rules", "rewrite", "safe_rules"]

#: Takes rules and returns rules that say the same.
Pass: TypeAlias = Callable[[Rules], Rules]

#: Passes that take away what would be hard to ground.
_SIMPLIFYING: tuple[Pass, ...] = (
    without_visited,
    with_separate_joins,
    with_frames,
    with_diagrams,
)
#: Passes that make joins small.
_SHRINKING: tuple[Pass, ...] = (
    without_ignored_arguments,
    gather_alternatives,
    unfold,
    restrict_to_calls,
    without_unused_arguments,
    split,
    bundle,
)
#: Is told the name of each pass, and what it has made.
Observer: TypeAlias = Callable[[str, Rules], None]

#: What the rules of a game go through, in this order.
PASSES: tuple[Pass, ...] = (*_SIMPLIFYING, *_SHRINKING)

_BY_ROLE = frozenset({Relation("legal", 2), Relation("goal", 2)})
_GIVEN = frozenset({TRUE, DOES, DISTINCT})


def rewrite(
    description: Description, *, relaxed: bool = False, observe: Observer | None = None
) -> Rules:
    """Return rules for the grounder that say the same as the description.

    Args:
        description: the rules.
        relaxed: keep only what tells which facts may come true and which moves may be legal.
        observe: what is told each pass.

    Raises:
        ReasonerError: a variable of some rule has no values to range over.
    """
    made = initial_rules(description)
    for each in (*_SIMPLIFYING, relax, *_SHRINKING) if relaxed else PASSES:
        made = each(made)
        if observe is not None:
            observe(each.__name__, made)
    return made


def initial_rules(description: Description) -> Rules:
    """Return the rules that some question needs, in a form that passes can take (`safe_rules`)."""
    auxiliaries = Auxiliaries()
    rules = safe_rules(description, QUESTIONS, auxiliaries)
    return Rules(roles=description.roles, rules=tuple(rules), named=auxiliaries.named)


def safe_rules(
    description: Description, questions: Iterable[Relation], auxiliaries: Auxiliaries
) -> list[Rule]:
    """Return the rules that some questions need, in a form in which a grounder can take them.

    A role that a body does not bind ranges over the roles, and negation over variables of its own
    becomes the negation of an auxiliary relation.
    """
    needed = description.dependencies.reachable(questions) - _GIVEN
    rules = [
        closed
        for rule in description.rules
        if rule.relation in needed
        for closed in _with_closed_negations(_with_roles(rule), auxiliaries)
    ]
    return rules + auxiliaries.rules


def _with_roles(rule: Rule) -> Rule:
    """Let a role that the body does not bind range over the roles."""
    if rule.relation not in _BY_ROLE:
        return rule
    role = arguments_of(rule.head)[0]
    if isinstance(role, Symbol) and role.is_variable and role not in _bound(rule.body):
        return Rule(rule.head, (Literal(atom_of(ROLES, [role])), *rule.body))
    return rule


def _with_closed_negations(rule: Rule, auxiliaries: Auxiliaries) -> Iterator[Rule]:
    """Name what is negated together with its own variables; yield nothing if it never holds."""
    outside = {*_bound(rule.body), *variables(rule.head)}
    body: list[Literal] = []
    for literal in rule.body:
        inside = set(variables(literal.atom)) - outside
        if not inside:
            body.append(literal)
        elif literal.relation == DISTINCT:
            # A variable without a value differs from everything but itself.
            left, right = arguments_of(literal.atom)
            if (left != right) != literal.positive:
                return
        else:
            kept = outside.intersection(variables(literal.atom))
            part = auxiliaries.define([Literal(literal.atom)], kept)
            body.append(Literal(part.atom, positive=False))
    yield Rule(rule.head, tuple(body))


def _bound(body: Iterable[Literal]) -> set[Symbol]:
    return set(variables_of(filter(binds, body)))
