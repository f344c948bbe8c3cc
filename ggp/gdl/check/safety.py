"""Whether the conditions of each rule give every variable its values."""

from __future__ import annotations

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Findings
from ggp.gdl.check.rulesheet import Rulesheet, Statement, binds
from ggp.gdl.check.text.spelling import did_you_mean
from ggp.kif import Symbol, Term, variables

__all__ = ["check_safety"]


def check_safety(game: Rulesheet, findings: Findings) -> None:
    """Report variables outside rules, and variables of a rule that no positive condition binds.

    A rule is safe when each variable of its head, of a negated atom and of a `distinct` also
    stands in a positive literal (Love et al., GDL specification, 2008).
    """
    for statement in game.statements:
        if not statement.is_sound or statement.head is None:
            continue
        if statement.is_rule:
            _check_rule(statement, statement.head, findings)
        else:
            for variable in variables(statement.head):
                findings.add("variable-in-fact", variable, f"the variable `{variable}` in a fact")


def _check_rule(rule: Statement, head: Term, findings: Findings) -> None:
    bound = frozenset[Symbol]().union(*map(binds, rule.body))
    needed = [("the head", head)]
    for literal in rule.literals:
        if not literal.positive:
            needed.append(("a `not`", literal.atom))
        elif literal.relation.name == "distinct":
            needed.append(("a `distinct`", literal.atom))
    unsafe: set[Symbol] = set()  # each variable is reported once, where it first appears
    for place, atom in needed:
        for variable in variables(atom):
            if variable not in bound and variable not in unsafe:
                unsafe.add(variable)
                message = f"`{variable}` stands in {place}, but in no positive condition"
                names = {other.text for other in bound}
                hint, close = did_you_mean(variable.text, names, CODES["unsafe-variable"].fix)
                fix = findings.replacing(variable, close) if close else None
                findings.add("unsafe-variable", variable, message, hint=hint, fix=fix)
