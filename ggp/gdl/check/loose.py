"""Conditions that decide nothing because a variable in them stands nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Either, Rulesheet, Statement
from ggp.gdl.domains import Domains, Slot, variable_places
from ggp.gdl.rules import Literal, Relation, arguments_of
from ggp.kif import Symbol

__all__ = ["check_loose"]

_DISTINCT = Relation("distinct", 2)


def check_loose(game: Rulesheet, findings: Findings) -> None:
    """Report a condition that always holds, where one variable in place of two would change that.

    A variable that stands once says that there is some value. It is reported only where a static
    condition has such a value for all that its other variable can stand for, and where another
    condition has a variable that stands once, too, and takes the same values.
    """
    domains = game.domains
    if domains is None:
        return
    for statement in game.statements:
        counts = Counter(statement.variables)
        once = {variable for variable, count in counts.items() if count == 1}
        is_plain = not any(isinstance(condition, Either) for condition in statement.body)
        if len(once) > 1 and is_plain:
            for literal, variable, other in _loose(statement, once, game, domains):
                message = (
                    f"{shown(literal.atom)} holds for each value that its other variable can have, "
                    f"as `{variable}` stands only here; `{other}`, too, stands once in this rule"
                )
                findings.add("loose-condition", literal.atom, message)


def _loose(
    statement: Statement, once: set[Symbol], game: Rulesheet, domains: Domains
) -> Iterator[tuple[Literal, Symbol, Symbol]]:
    """Yield conditions that always hold, each with its variable and one that may be meant."""
    positive = [each for each in statement.literals if each.positive and each.relation != _DISTINCT]
    places = [
        (literal, variable, slot)
        for literal in positive
        for variable, slot in variable_places(literal, domains)
    ]
    for literal in positive:
        arguments = arguments_of(literal.atom)
        kept = [at for at, term in enumerate(arguments) if term not in once]
        table = game.statics.table(literal.relation)
        if table is None or len(kept) != 1 or len(set(arguments)) != len(arguments):
            continue
        shared = arguments[kept[0]]
        elsewhere = [slot for by, name, slot in places if by is not literal and name == shared]
        possible = _possible(elsewhere)
        if not possible or not possible <= {str(row[kept[0]]) for row in table.rows}:
            continue
        for at, variable in enumerate(arguments):
            values = {str(row[at]) for row in table.rows}
            others = (
                name
                for by, name, slot in places
                if by is not literal and name in once and _possible([slot]) == values
            )
            if at != kept[0] and isinstance(variable, Symbol) and (other := next(others, None)):
                yield literal, variable, other
                break


def _possible(slots: list[Slot]) -> set[str]:
    """Return the constants that stand in all these places; none where there may be others."""
    telling = [slot for slot in slots if not slot.anything]
    if not telling or any(slot.functions for slot in telling):
        return set()
    return set.intersection(*(slot.constants for slot in telling))
