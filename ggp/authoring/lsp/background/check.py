"""The child process that checks rulesheets and works out what can stand where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from ggp.authoring.lsp.background.repair import Repaired, repair
from ggp.authoring.lsp.knowledge import Change, Place, Problem, Values
from ggp.errors import SourceError
from ggp.gdl.check import Finding, check
from ggp.gdl.domains import Domains, Slot
from ggp.gdl.normalise import normalise
from ggp.gdl.outer import without_outer_parentheses
from ggp.gdl.rules import Relation, Rule
from ggp.kif import Lines, Position, Source, Term, parse
from ggp.workers.child import Owner

__all__ = ["find_places", "find_problems", "main"]

_Kind: TypeAlias = Literal["relation", "function"]
_Offset: TypeAlias = Callable[[Position], int]

# Problems, and values of one place, that are kept: an editor does not show more.
_MOST_PROBLEMS, _MOST_VALUES = 500, 500


def main(owner: Owner) -> None:
    """Answer each text with its problems, then with the values of its places, then with None."""
    while True:
        repaired = repair(owner.receive())
        owner.send(find_problems(repaired))
        owner.send(find_places(repaired.text))
        owner.send(None)


def find_problems(repaired: Repaired) -> tuple[Problem, ...]:
    """Return what is wrong with a text, with offsets in the original, in their order.

    Of a statement that is unbalanced, only that is said: it is still being written.
    """
    lines = Lines(repaired.text)

    def offset(position: Position) -> int:
        return repaired.original(lines.offset(position))

    found = list(repaired.problems)
    for finding in check(repaired.text):
        start = offset(Position(finding.span.line, finding.span.column))
        if not repaired.is_broken(start):
            found.append(_problem(finding, start, offset(finding.end), offset))
    return tuple(sorted(found, key=lambda problem: problem.start)[:_MOST_PROBLEMS])


def find_places(text: str) -> dict[Place, Values]:
    """Return what the rules can put at each place; statements without meaning do not count."""
    try:
        rules = _rules(without_outer_parentheses(parse(text)), Source(text))
        domains = Domains(rules)
    except SourceError:
        return {}
    slots: defaultdict[Place, list[Slot]] = defaultdict(list)
    relations = {rule.relation for rule in rules}
    relations |= {literal.relation for rule in rules for literal in rule.body}
    for relation in relations:
        _collect("relation", relation, domains.slots(relation), slots)
    return {place: _values(of_place) for place, of_place in slots.items()}


def _problem(finding: Finding, start: int, end: int, offset: _Offset) -> Problem:
    fix = finding.fix
    return Problem(
        start,
        max(start, end),
        finding.severity,
        finding.code,
        finding.message,
        finding.hint,
        None if fix is None else Change(offset(fix.start), offset(fix.end), fix.text),
    )


def _rules(terms: Iterable[Term], source: Source) -> tuple[Rule, ...]:
    return normalise([term for term in terms if _has_meaning(term, source)], source=source)


def _has_meaning(term: Term, source: Source) -> bool:
    try:
        normalise([term], source=source)
    except SourceError:
        return False
    return True


def _collect(
    kind: _Kind, relation: Relation, slots: Iterable[Slot], into: dict[Place, list[Slot]]
) -> None:
    pending: list[tuple[_Kind, Relation, Iterable[Slot]]] = [(kind, relation, slots)]
    while pending:
        kind, relation, slots = pending.pop()
        for argument, slot in enumerate(slots, start=1):
            into[Place(kind, relation.name, relation.arity, argument)].append(slot)
            pending += [("function", name, inner) for name, inner in slot.functions.items()]


def _values(slots: Iterable[Slot]) -> Values:
    constants = {constant for slot in slots for constant in slot.constants}
    functions = {(function.name, function.arity) for slot in slots for function in slot.functions}
    return Values(tuple(sorted(constants, key=_natural)[:_MOST_VALUES]), tuple(sorted(functions)))


def _natural(text: str) -> tuple[int, int, str]:
    """Order numbers by their value, before names."""
    return (0, int(text), text) if text.isdecimal() and len(text) < 20 else (1, 0, text)
