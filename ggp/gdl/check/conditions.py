"""Conditions that decide nothing: those that can never hold, those that always do, repetitions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ggp.gdl.check.analysis.matching import Steps, unify
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Condition, Either, Rulesheet, Statement
from ggp.gdl.rules import Literal, Relation, arguments_of, relation_of
from ggp.kif import Symbol, Term

__all__ = ["check_conditions"]

_DISTINCT, _GOAL = Relation("distinct", 2), Relation("goal", 2)
_MAX_STEPS = 100_000


def check_conditions(game: Rulesheet, findings: Findings) -> None:
    """Report rules that contradict themselves, idle conditions, and what is said twice."""
    steps = Steps(_MAX_STEPS)
    for statement in game.statements:
        for literal in statement.literals:
            if literal.relation == _DISTINCT:
                _check_distinct(literal, findings, steps)
        for conditions in _groups(statement):
            _check_group(conditions, findings)
        _check_contradictions(statement, findings)
    _check_duplicates(game, findings)
    _check_goals(game, findings)


def _check_distinct(literal: Literal, findings: Findings, steps: Steps) -> None:
    left, right = arguments_of(literal.atom)
    if left == right:
        message = f"{shown(left)} is never distinct from itself"
        findings.add("contradiction", literal.atom, message)
    elif steps.left > 0 and unify(left, right, steps) is None:
        message = f"{shown(left)} and {shown(right)} are always distinct"
        fix = findings.removing(literal.atom)
        findings.add("idle-condition", literal.atom, message, fix=fix)


def _groups(statement: Statement) -> Iterable[Sequence[Condition]]:
    """Yield the conditions that stand side by side: those of the rule, and of each disjunction."""
    yield statement.body
    for condition in statement.conditions:
        if isinstance(condition, Either):
            yield condition.branches


def _check_group(conditions: Sequence[Condition], findings: Findings) -> None:
    """Report the first condition that stands there twice; more would be noise."""
    seen: set[tuple[Term, bool]] = set()
    repeated: list[Literal] = []
    for condition in conditions:
        if isinstance(condition, Literal):
            key = (condition.atom, condition.positive)
            if key in seen:
                repeated.append(condition)
            seen.add(key)
    if repeated:
        literal = repeated[0]
        more = f", and repeats {len(repeated) - 1} more" if len(repeated) > 1 else ""
        message = f"this rule has the condition {shown(literal.atom)} already{more}"
        fix = findings.removing(literal.atom) if literal.positive else None
        findings.add("duplicate-condition", literal.atom, message, fix=fix)


def _check_contradictions(statement: Statement, findings: Findings) -> None:
    """Report a condition that must hold and must not, outside all disjunctions."""
    holding = {c.atom for c in statement.body if isinstance(c, Literal) and c.positive}
    for condition in statement.body:
        if isinstance(condition, Literal) and not condition.positive and condition.atom in holding:
            message = f"{shown(condition.atom)} is negated here, and must hold by another condition"
            findings.add("contradiction", condition.atom, message)


def _check_duplicates(game: Rulesheet, findings: Findings) -> None:
    groups: defaultdict[object, list[Statement]] = defaultdict(list)
    for statement in game.statements:
        if statement.head is not None and statement.is_sound:
            groups[_outline(statement)].append(statement)
    for group in groups.values():
        seen: dict[object, Statement] = {}
        for statement in group if len(group) > 1 else ():
            for key in _meanings(statement):
                first = seen.setdefault(key, statement)
                if first is not statement:
                    _report_duplicate(statement, first, findings)
                    break


def _report_duplicate(statement: Statement, first: Statement, findings: Findings) -> None:
    assert first.term.position is not None  # it was read from a text
    what = "rule" if statement.is_rule else "fact"
    message = f"line {first.term.position.line} has this {what} already"
    fix = findings.removing(statement.term)
    findings.add("duplicate-statement", statement.term, message, fix=fix)


def _outline(statement: Statement) -> object:
    """Return what two statements share if they say the same: facts whole, rules by their names."""
    if not statement.body:
        return statement.head
    names = sorted(_name(condition) for condition in statement.body)
    return relation_of(statement.head or statement.term), tuple(names)


def _name(condition: Condition) -> str:
    return "or" if isinstance(condition, Either) else condition.relation.name


def _meanings(statement: Statement) -> Iterable[object]:
    """Yield keys, one of which two statements share if they say the same.

    One is for conditions in another order, one for variables of other names.
    """
    if statement.body:
        yield statement.head, frozenset(statement.body)
    yield _numbered(statement.term)


_NAME = re.compile(r"[^\s()]+")


def _numbered(term: Term) -> str:
    """Return a term as a text in which variables have numbers for names."""
    numbers: dict[str, str] = {}

    def number(name: re.Match[str]) -> str:
        if not name[0].startswith("?"):
            return name[0]
        return numbers.setdefault(name[0], f"?{len(numbers)}")

    return _NAME.sub(number, str(term))


def _check_goals(game: Rulesheet, findings: Findings) -> None:
    """Report a role that gets another goal wherever it gets one: whose conditions include these."""
    rules = [
        (s, arguments_of(s.head), frozenset(s.body))
        for s in game.statements
        if s.head is not None and s.is_sound and relation_of(s.head) == _GOAL
    ]
    for number, (statement, (role, goal), body) in enumerate(rules):
        for other, (other_role, other_goal), other_body in rules[:number]:
            is_other_goal = goal != other_goal and _is_constant(goal) and _is_constant(other_goal)
            if is_other_goal and role == other_role:
                wide, narrow = (other, statement) if other_body <= body else (statement, other)
                if other_body <= body or body <= other_body:
                    assert wide.term.position is not None  # it was read from a text
                    assert narrow.head is not None  # as above
                    message = (
                        f"where {shown(role)} has this goal, "
                        f"line {wide.term.position.line} gives it another"
                    )
                    findings.add("two-goals", narrow.head, message)
                    break


def _is_constant(term: Term) -> bool:
    return isinstance(term, Symbol) and not term.is_variable
