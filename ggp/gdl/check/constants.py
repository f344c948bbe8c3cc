"""Constants that can never stand where a condition asks for them, and variables without values.

The domains of `ggp.gdl.domains` say what can stand where; they are surely large enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.check.text.spelling import did_you_mean
from ggp.gdl.domains import Domains, Slot, variable_places
from ggp.gdl.rules import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term

__all__ = ["check_constants"]

_DISTINCT, _TRUE = Relation("distinct", 2), Relation("true", 1)
#: Their first argument is a role, their last a move or a goal: other checks look at these.
_ROLE_FIRST = frozenset(Relation(name, 2) for name in ("does", "legal", "goal", "sees"))


def check_constants(game: Rulesheet, findings: Findings) -> None:
    """Report constants of conditions that nothing gives, and rules that therefore never apply."""
    domains = game.domains
    if domains is None:
        return
    for statement in game.statements:
        names = frozenset(v.text for v in statement.variables) if statement.body else None
        for literal in statement.literals:
            for constant, slot in _misplaced(literal, domains, game):
                _report(constant, slot, literal, names or frozenset(), findings)
    for rule in game.rules:
        _check_joins(rule, domains, findings)


def _misplaced(
    literal: Literal, domains: Domains, game: Rulesheet
) -> Iterator[tuple[Symbol, Slot]]:
    """Yield the constants of a literal that no rule gives at their places, with these places.

    Where nothing at all is given the cause lies elsewhere, and is reported there.
    """
    relation = literal.relation
    if relation == _DISTINCT:
        return
    pending = list(zip(arguments_of(literal.atom), domains.slots(relation), strict=True))
    if relation in _ROLE_FIRST and arguments_of(literal.atom)[0] not in game.roles:
        pending = pending[1:]
    while pending:
        term, slot = pending.pop()
        if slot.anything or not (slot.constants or slot.functions):
            continue
        if isinstance(term, Compound):
            inside = slot.functions.get(relation_of(term))
            if inside is not None:
                pending.extend(zip(term.arguments, inside, strict=True))
            elif term not in _named_terms(literal):
                name = term.items[0]
                assert isinstance(name, Symbol)  # unsound statements are no part of the domains
                yield name, slot
        elif not term.is_variable and term.text not in slot and term not in _named_terms(literal):
            yield term, slot


def _named_terms(literal: Literal) -> tuple[Term, ...]:
    """Return the terms whose names `undefined-fact` and `undefined-move` look at."""
    is_state = literal.relation == _TRUE or literal.relation.name == "does"
    return arguments_of(literal.atom)[-1:] if is_state else ()


def _report(
    constant: Symbol, slot: Slot, literal: Literal, names: frozenset[str], findings: Findings
) -> None:
    variable = f"?{constant}"
    if variable in names:
        message = f"nothing gives `{constant}` here, but this rule has a variable `{variable}`"
        hint = f"did you mean `{variable}`?"
        fix = findings.replacing(constant, variable)
        findings.add("forgotten-question-mark", constant, message, hint=hint, fix=fix)
        return
    given = slot.constants | {function.name for function in slot.functions}
    hint, close = did_you_mean(constant.text, given, CODES["impossible-constant"].fix)
    edit = findings.replacing(constant, close) if close else None
    message = f"no fact and no rule gives `{constant}` at this place of {shown(literal.atom)}"
    findings.add("impossible-constant", constant, message, hint=hint, fix=edit)


def _check_joins(rule: Rule, domains: Domains, findings: Findings) -> None:
    """Report a variable whose places in the conditions have no value in common."""
    places: dict[Symbol, list[tuple[Slot, Literal]]] = {}
    for literal in rule.body:
        if literal.positive and literal.relation != _DISTINCT:
            for variable, slot in variable_places(literal, domains):
                places.setdefault(variable, []).append((slot, literal))
    for variable, found in places.items():
        telling = [(slot, literal) for slot, literal in found if not slot.anything]
        if len(telling) < 2 or not all(slot.constants or slot.functions for slot, _ in telling):
            continue
        first, *others = telling
        constants, functions = set(first[0].constants), set(first[0].functions)
        for slot, literal in others:
            constants &= slot.constants
            functions &= slot.functions.keys()
            if not constants and not functions:
                message = (
                    f"no value of `{variable}` fits both {shown(first[1].atom)} "
                    f"and {shown(literal.atom)}"
                )
                findings.add("never-fires", literal.atom, message)
                break
