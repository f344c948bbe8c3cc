"""Which rules are probably at fault where a play refutes a claim.

In the last state of the play something holds that should not, or fails to hold that should. The
suspects are the rules by which it holds, or those by which it would hold but for one condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ggp.gdl import Description, Literal, Relation, Rule, arguments_of
from ggp.kif import Compound, Symbol, Term, compound, variables
from ggp.prove.question import Question
from ggp.reasoner import JointMove, open_reasoner

__all__ = ["Evidence", "suspects"]

# The most rules that are named.
_MOST = 3
# The function of moves and facts that stand for rules.
_PROBE = "ggp.prove.probe"
_LEGAL, _NEXT, _GOAL = Relation("legal", 2), Relation("next", 1), Relation("goal", 2)
_TERMINAL = Relation("terminal", 0)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The end of a play: the facts of its last two states, and the joint move between them."""

    before: tuple[Term, ...]
    joint_move: JointMove | None
    after: tuple[Term, ...]


def suspects(description: Description, question: Question, evidence: Evidence) -> list[Term]:
    """Return the statements that are probably at fault, the likeliest first; three at most.

    Args:
        description: the rules.
        question: a claim that was refuted.
        evidence: the end of the play.

    Raises:
        ReasonerError: Prolog failed.
    """
    role = question.role
    last = (evidence.after, None)
    match question.name:
        case "playable":
            rules = _defining(description, _LEGAL, compound("legal", *_known(role), Symbol("?")))
            found = _missing(description, rules, *last)
        case "goals":
            rules = _defining(description, _GOAL, compound("goal", *_known(role), Symbol("?")))
            found = _holding(description, rules, *last)
            if len(found) < 2:
                found = _missing(description, rules, *last)
        case "one-content":
            step = (evidence.before, evidence.joint_move)
            twice = _doubled(question.subject or "", evidence.after)
            found = list(
                chain.from_iterable(
                    _holding(description, _defining(description, _NEXT, _next(fact)), *step)
                    for fact in twice
                )
            )
        case "constant-sum":
            rules = _defining(description, _GOAL, None)
            found = _holding(description, rules, *last)
        case "ends":
            rules = _defining(description, _TERMINAL, None)
            found = _missing(description, rules, *last)
        case _:
            return []
    return list(dict.fromkeys(found))[:_MOST]


def _known(role: Symbol | None) -> tuple[Term, ...]:
    return () if role is None else (role,)


def _next(fact: Term) -> Compound:
    return compound("next", fact)


def _defining(description: Description, relation: Relation, pattern: Compound | None) -> list[Rule]:
    """Return the rules that define a relation, as far as their heads match a pattern."""
    rules = description.by_relation.get(relation, ())
    if pattern is None:
        return list(rules)
    found = []
    for rule in rules:
        bound: dict[Symbol, Term] = {}
        if _matches(rule.head, pattern, bound):
            body = tuple(Literal(_replaced(lit.atom, bound), lit.positive) for lit in rule.body)
            found.append(Rule(_replaced(rule.head, bound), body, rule.source))
    return found


def _holding(
    description: Description,
    rules: Sequence[Rule],
    facts: Iterable[Term],
    joint_move: JointMove | None,
) -> list[Term]:
    """Return the statements of those rules that hold in a state."""
    probes = [(rule.body, rule) for rule in rules]
    return [_statement(rule) for rule in _true(description, probes, facts, joint_move)]


def _missing(
    description: Description,
    rules: Sequence[Rule],
    facts: Iterable[Term],
    joint_move: JointMove | None,
) -> list[Term]:
    """Return the statements of those rules that would hold but for one condition.

    All rules are returned if there is none.
    """
    probes = [
        ((*rule.body[:place], *rule.body[place + 1 :]), rule)
        for rule in rules
        for place in range(len(rule.body))
    ]
    found = _true(description, probes, facts, joint_move)
    return [_statement(rule) for rule in found or rules]


def _true(
    description: Description,
    probes: Sequence[tuple[Sequence[Literal], Rule]],
    facts: Iterable[Term],
    joint_move: JointMove | None,
) -> list[Rule]:
    """Return the rules of those bodies that hold in a state, or after a joint move in it."""
    relation = _LEGAL if joint_move is None else _NEXT
    role = description.roles[0]
    asked = []
    for number, (body, rule) in enumerate(probes):
        probe = compound(_PROBE, Symbol(str(number)))
        head = compound("legal", role, probe) if joint_move is None else _next(probe)
        asked.append(Rule(head, tuple(_bound(body)), rule.source))
    kept = (rule for rule in description.rules if rule.relation != relation)
    with open_reasoner(replace(description, rules=(*kept, *asked)), kind="prolog") as reasoner:
        state = reasoner.state_of(facts)
        if joint_move is None:
            found = reasoner.legal_moves(state, role)
        else:
            found = reasoner.facts(reasoner.next_state(state, joint_move))
    numbers = (
        int(str(term.arguments[0]))
        for term in found
        if isinstance(term, Compound) and term.name == _PROBE
    )
    return [probes[number][1] for number in sorted(numbers)]


def _bound(body: Iterable[Literal]) -> Iterator[Literal]:
    """Yield the literals, without those that rest on variables which no other literal binds."""
    body = list(body)
    positive = [lit for lit in body if lit.positive and lit.relation.name != "distinct"]
    bound = {variable for literal in positive for variable in variables(literal.atom)}
    for literal in body:
        if literal in positive or bound.issuperset(variables(literal.atom)):
            yield literal


def _statement(rule: Rule) -> Term:
    return rule.source or rule.head


def _doubled(pattern: str, facts: Sequence[Term]) -> list[Term]:
    """Return facts that differ only in the place that a pattern marks by `*`."""
    name, *places = pattern.strip("()").split(" ")
    content = places.index("*")
    by_place: dict[tuple[Term, ...], list[Term]] = {}
    for fact in facts:
        if isinstance(fact, Compound) and fact.name == name:
            arguments = arguments_of(fact)
            if len(arguments) == len(places):
                rest = (*arguments[:content], *arguments[content + 1 :])
                by_place.setdefault(rest, []).append(fact)
    return next((group for group in by_place.values() if len(group) > 1), [])


def _matches(head: Term, pattern: Term, bound: dict[Symbol, Term]) -> bool:
    """Bind the variables of a head so that it is an instance of a pattern; ``?`` stands for all."""
    if isinstance(pattern, Symbol) and pattern.is_variable:
        return True
    if isinstance(head, Symbol):
        if head.is_variable:
            return bound.setdefault(head, pattern) == pattern
        return head == pattern
    return (
        isinstance(pattern, Compound)
        and len(head.items) == len(pattern.items)
        and all(
            _matches(one, other, bound)
            for one, other in zip(head.items, pattern.items, strict=True)
        )
    )


def _replaced(term: Term, bound: dict[Symbol, Term]) -> Term:
    if isinstance(term, Symbol):
        return bound.get(term, term)
    return Compound(tuple(_replaced(item, bound) for item in term.items), term.position)
