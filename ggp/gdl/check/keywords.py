"""Whether each keyword stands where it may, with as many arguments as it takes."""

from __future__ import annotations

from ggp.gdl.check.finding import Findings
from ggp.gdl.check.game import CONNECTIVES, KEYWORDS, Game, Statement
from ggp.gdl.normalise import KEYWORD_RELATIONS
from ggp.gdl.rules import relation_of
from ggp.kif import Compound, Symbol, Term

__all__ = ["check_keywords"]

_REQUIRED = ("init", "legal", "terminal", "goal")
_NEVER_IN_BODY = frozenset({"init", "next", "base", "input"})


def check_keywords(game: Game, findings: Findings) -> None:
    """Report keywords that are missing, misplaced, or have the wrong number of arguments."""
    defined = {relation_of(head).name for head in game.heads()}
    if not game.roles:
        findings.add("missing-role", None, "the game has no role")
    for keyword in _REQUIRED:
        if keyword not in defined:
            findings.add(f"missing-{keyword}", None, f"the game has no `{keyword}`")
    for statement in game.statements:
        _check_head(statement, findings)
        for literal in statement.literals():
            name = literal.relation.name
            if name in _NEVER_IN_BODY:
                findings.add("keyword-in-body", literal.atom, f"`{name}` cannot be a condition")
        for atom in statement.atoms():
            _check_arity(atom, findings)
            if isinstance(atom, Compound):
                _check_arguments(atom, findings)


def _check_head(statement: Statement, findings: Findings) -> None:
    if statement.head is None:
        return
    name = relation_of(statement.head).name
    if name in ("true", "does") or (name == "role" and statement.body):
        form = "rule" if statement.body else "fact"
        findings.add("keyword-in-head", statement.head, f"a {form} cannot define `{name}`")


def _check_arity(atom: Term, findings: Findings) -> None:
    name, arity = relation_of(atom)
    takes = KEYWORD_RELATIONS.get(name, arity)
    if takes != arity:
        arguments = ("no argument", "one argument", "two arguments")[takes]
        message = f"`{name}` takes {arguments}, here it has {arity}"
        findings.add("keyword-arity", atom, message)


def _check_arguments(atom: Compound, findings: Findings) -> None:
    pending: list[Term] = list(atom.arguments)
    while pending:
        match pending.pop():
            case Compound(items=(Symbol() as name, *arguments)):
                if name.text.lower() in KEYWORDS:
                    message = f"the keyword `{name}` names a function here"
                    findings.add("keyword-as-function", name, message)
                pending.extend(arguments)
            case Compound(items=items):
                pending.extend(items)
            case Symbol() as symbol if symbol.text.lower() in CONNECTIVES:
                findings.add("keyword-as-constant", symbol, f"`{symbol}` cannot be a constant")
            case Symbol() as symbol if symbol.text.lower() in KEYWORDS:
                findings.add("keyword-as-object", symbol, f"the keyword `{symbol}` as an object")
