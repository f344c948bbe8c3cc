"""Whether roles and goals are what they must be, and every role has moves and goals."""

from __future__ import annotations

import re

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.check.text.spelling import did_you_mean
from ggp.gdl.description import RANDOM
from ggp.gdl.rules import Relation, arguments_of, relation_of
from ggp.kif import Symbol, Term

__all__ = ["check_roles"]

_NAMING_A_ROLE = frozenset(Relation(name, 2) for name in ("legal", "does", "goal", "input", "sees"))
_GOAL, _LEGAL = Relation("goal", 2), Relation("legal", 2)
_GOAL_VALUE = re.compile(r"0*([0-9]{1,2}|100)")


def check_roles(game: Rulesheet, findings: Findings) -> None:
    """Report what is no role where a role belongs, roles without move or goal, and odd goals."""
    _check_every_role(game, findings)
    for statement in game.statements:
        for atom in statement.atoms:
            relation = relation_of(atom)
            if relation in _NAMING_A_ROLE and game.roles:
                role = arguments_of(atom)[0]
                if not _is_variable(role) and role not in game.roles:
                    message = f"{shown(role)} is no role of the game"
                    names = {str(role) for role in game.roles}
                    hint, close = did_you_mean(str(role), names, CODES["unknown-role"].fix)
                    fix = findings.replacing(role, close) if close else None
                    findings.add("unknown-role", role, message, hint=hint, fix=fix)
            if relation == _GOAL:
                goal = arguments_of(atom)[1]
                if not _is_variable(goal) and not _GOAL_VALUE.fullmatch(str(goal)):
                    message = f"the goal {shown(goal)} is no integer from 0 to 100"
                    findings.add("goal-value", goal, message)


def _check_every_role(game: Rulesheet, findings: Findings) -> None:
    """Report roles that no rule can give a move, or a goal.

    The domains say which roles can stand in the heads of the rules; they are surely large enough.
    """
    if game.domains is None:
        return
    for relation, code, what in (
        (_LEGAL, "role-without-move", "a move"),
        (_GOAL, "role-without-goal", "a goal"),
    ):
        able = game.domains.slots(relation)[0]
        if not able.constants:
            continue  # no role has any: the cause is reported elsewhere
        for role in game.roles:
            is_chance = str(role).lower() == RANDOM
            if str(role) not in able and not (relation == _GOAL and is_chance):
                message = f"no rule ever gives the role {shown(role)} {what}"
                findings.add(code, role, message)


def _is_variable(term: Term) -> bool:
    return isinstance(term, Symbol) and term.is_variable
