"""Whether roles and goals are what they must be."""

from __future__ import annotations

import re

from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.game import Game
from ggp.gdl.rules import Relation, arguments_of, relation_of
from ggp.kif import Symbol, Term

__all__ = ["check_roles"]

_NAMING_A_ROLE = frozenset(Relation(name, 2) for name in ("legal", "does", "goal", "input", "sees"))
_GOAL = Relation("goal", 2)
_GOAL_VALUE = re.compile(r"0*([0-9]{1,2}|100)")


def check_roles(game: Game, findings: Findings) -> None:
    """Report constants that are no role where a role belongs, and goals outside 0 to 100."""
    for statement in game.statements:
        for atom in statement.atoms():
            relation = relation_of(atom)
            if relation in _NAMING_A_ROLE and game.roles:
                role = arguments_of(atom)[0]
                if not _is_variable(role) and role not in game.roles:
                    message = f"{shown(role)} is no role of the game"
                    findings.add("unknown-role", role, message)
            if relation == _GOAL:
                goal = arguments_of(atom)[1]
                if not _is_variable(goal) and not _GOAL_VALUE.fullmatch(str(goal)):
                    message = f"the goal {shown(goal)} is no integer from 0 to 100"
                    findings.add("goal-value", goal, message)


def _is_variable(term: Term) -> bool:
    return isinstance(term, Symbol) and term.is_variable
