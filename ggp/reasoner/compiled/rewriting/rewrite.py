"""Rewrites the rules of a description so that a grounder can take them, and they ground small.

In this order: what no question needs is left out; negation over variables of its own becomes the
negation of an auxiliary relation; lists of what a search has visited are dropped (`lists`);
literals that a unique fact ties together are asked one by one (`unique`); what a move leaves alone
is said in terms of what moves touch (`frames`); conditions on many variables become walks through
diagrams (`diagrams`); relations are divided by what their rules look at (`ignored`); alternatives
are gathered (`alternatives`) and conditions unfolded (`unfold`); rules that only make sense when
called get their callers' terms (`calls`); arguments that no rule uses are dropped (`arguments`);
long bodies are split (`split`) and their literals bundled (`bundle`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from ggp.gdl import Description, Literal, Relation, Rule, arguments_of
from ggp.gdl.dependency import DependencyGraph
from ggp.kif import Symbol, variables
from ggp.reasoner.compiled.rewriting.alternatives import gather_alternatives, without_denied
from ggp.reasoner.compiled.rewriting.arguments import without_unused_arguments
from ggp.reasoner.compiled.rewriting.bundle import bundle
from ggp.reasoner.compiled.rewriting.calls import restrict_to_calls
from ggp.reasoner.compiled.rewriting.clauses import (
    DISTINCT,
    DOES,
    QUESTIONS,
    ROLES,
    TRUE,
    Auxiliaries,
    Clauses,
    atom_of,
    binds,
    variables_of,
)
from ggp.reasoner.compiled.rewriting.diagrams import with_diagrams
from ggp.reasoner.compiled.rewriting.frames import with_frames
from ggp.reasoner.compiled.rewriting.ignored import without_ignored_arguments
from ggp.reasoner.compiled.rewriting.lists.visited import without_visited
from ggp.reasoner.compiled.rewriting.sizes import Sizes
from ggp.reasoner.compiled.rewriting.split import joins, split_rule
from ggp.reasoner.compiled.rewriting.unfold import unfold
from ggp.reasoner.compiled.rewriting.unique.joins import with_separate_joins
from ggp.reasoner.compiled.rewriting.unique.patterns import Pattern

__all__ = ["rewrite", "safe_rules"]

#: What takes a game from state to state.
_STEPS = (Relation("init", 1), Relation("next", 1), Relation("legal", 2))
#: A relation that may have more atoms than this is not made for the sake of its negation alone.
_MANY = 100_000
_BY_ROLE = frozenset({Relation("legal", 2), Relation("goal", 2)})
_GIVEN_STATE = (TRUE, DOES)
_GIVEN = frozenset({*_GIVEN_STATE, DISTINCT})


def rewrite(description: Description, *, relaxed: bool = False) -> Clauses:
    """Return rules for the grounder that say the same as the description.

    Args:
        description: the rules.
        relaxed: keep only what tells which facts may come true and which moves may be legal, and
            leave out what must not hold for that: the delete relaxation.

    Raises:
        ReasonerError: a variable of some rule has no values to range over.
    """
    auxiliaries = Auxiliaries()
    players = [Rule(atom_of(ROLES, [role]), ()) for role in description.roles]
    rules, dynamic, sizes, unique = _prepared(description, players, auxiliaries)
    if relaxed:
        rules = _relaxed(rules, dynamic)
    rules = without_ignored_arguments(
        rules, static={r.relation for r in rules} - dynamic, sizes=sizes
    )
    rules = gather_alternatives(rules, auxiliaries=auxiliaries, dynamic=dynamic)
    rules += auxiliaries.take()[0]
    sizes = Sizes([*players, *rules])
    dynamic = DependencyGraph(tuple(rules)).dependents(_GIVEN_STATE)
    rules = unfold(rules, dynamic=dynamic, sizes=sizes)
    rules = restrict_to_calls(rules, sizes=sizes, dynamic=dynamic, auxiliaries=auxiliaries)
    _, guards = auxiliaries.take()
    rules = without_unused_arguments(rules, guards)
    given = {TRUE, DOES, *(guard.relation for guard in guards)}
    dynamic = DependencyGraph(tuple(rules)).dependents(given)
    static = {rule.relation for rule in rules} - dynamic | {ROLES}
    sizes = Sizes([*players, *rules, *guards])

    def split(rule: Rule) -> Rule:
        return split_rule(rule, auxiliaries=auxiliaries, static=static, sizes=sizes)

    stepping = {rule.relation for rule in _relaxed([*rules, *guards], dynamic)}
    instances = relaxed_instances = 0.0
    for rule in [*rules, *guards]:
        size = joins(rule, sizes=sizes)
        instances += size
        relaxed_instances += size * (rule.relation in stepping)
    large = {rule.relation for rule in rules if sizes.of_relation(rule.relation) > _MANY}
    rules = [split(rule) for rule in rules]
    guards = [split(guard) for guard in guards]
    parts, more = auxiliaries.take()
    guards += more
    rules = without_denied([*rules, *parts], guards=guards, large=large)
    sizes = Sizes([*players, *rules, *guards])
    rules = [bundle(rule, auxiliaries=auxiliaries, static=static, sizes=sizes) for rule in rules]
    parts, more = auxiliaries.take()
    rules += parts
    guards += more
    nesting = sizes.may_nest()
    return Clauses(
        tuple(rules),
        tuple(guards),
        description.roles,
        instances,
        relaxed_instances,
        nesting,
        unique,
    )


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
    return rules + auxiliaries.take()[0]


def _prepared(
    description: Description, players: Sequence[Rule], auxiliaries: Auxiliaries
) -> tuple[list[Rule], frozenset[Relation], Sizes, frozenset[Pattern]]:
    """Return the rules without what makes the rest hard, which are dynamic, and their sizes.

    Last come the patterns that the rules rest on, as `with_separate_joins` has them.
    """
    rules = safe_rules(description, QUESTIONS, auxiliaries)
    sizes = Sizes([*players, *rules])
    shorter = without_visited(rules, sizes=sizes)
    if shorter != rules:
        rules = shorter
        sizes = Sizes([*players, *rules])
    dynamic = DependencyGraph(tuple(rules)).dependents(_GIVEN_STATE)
    separate, unique = with_separate_joins(rules, dynamic=dynamic, sizes=sizes)
    if separate != rules:
        rules = separate
        sizes = Sizes([*players, *rules])
    framed = with_frames(rules, auxiliaries=auxiliaries)
    if framed != rules:
        rules = [*framed, *auxiliaries.take()[0]]
        sizes = Sizes([*players, *rules])
    dynamic = DependencyGraph(tuple(rules)).dependents(_GIVEN_STATE)
    with_steps = with_diagrams(rules, dynamic=dynamic, sizes=sizes)
    still_needed = DependencyGraph(tuple(with_steps)).reachable(QUESTIONS)
    left = [rule for rule in with_steps if rule.relation in still_needed]
    if left != rules:
        sizes = Sizes([*players, *left])
    return left, dynamic, sizes, unique


def _relaxed(rules: Iterable[Rule], dynamic: Container[Relation]) -> list[Rule]:
    relaxed = [
        Rule(
            rule.head,
            tuple(lit for lit in rule.body if lit.positive or lit.relation not in dynamic),
        )
        for rule in rules
    ]
    needed = DependencyGraph(tuple(relaxed)).reachable(_STEPS)
    return [rule for rule in relaxed if rule.relation in needed]


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
