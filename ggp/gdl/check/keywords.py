"""Whether each keyword stands where it may, with as many arguments as it takes."""

from __future__ import annotations

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Findings
from ggp.gdl.check.game import CONNECTIVES, KEYWORDS, Game, Statement
from ggp.gdl.check.text.spelling import closest
from ggp.gdl.normalise import KEYWORD_RELATIONS
from ggp.gdl.rules import relation_of
from ggp.kif import Compound, Symbol, Term

__all__ = ["check_keywords"]

_REQUIRED = ("init", "legal", "terminal", "goal")
_NEVER_IN_BODY = frozenset({"init", "next", "base", "input"})


def check_keywords(game: Game, findings: Findings) -> None:
    """Report keywords that are missing, misplaced, or have the wrong number of arguments."""
    defined = {relation_of(head).name for head in game.heads()}
    missing = [keyword for keyword in _REQUIRED if keyword not in defined]
    for keyword in missing if game.roles else ("role", *missing):
        hint = _misspelt(keyword, game, CODES[f"missing-{keyword}"].fix)
        findings.add(f"missing-{keyword}", None, f"the game has no `{keyword}`", hint=hint)
    for statement in game.statements:
        _check_head(statement, findings)
        for literal in statement.literals:
            name = literal.relation.name
            if name in _NEVER_IN_BODY:
                findings.add("keyword-in-body", literal.atom, f"`{name}` cannot be a condition")
        for atom in statement.atoms:
            _check_arity(atom, findings)
            if isinstance(atom, Compound):
                _check_arguments(atom, findings)


def _misspelt(keyword: str, game: Game, fix: str) -> str:
    """Return a hint that names what was probably meant to be the keyword, if anything was."""
    heads = {relation_of(head).name: head for head in game.heads()}
    used = {
        literal.relation.name for statement in game.statements for literal in statement.literals
    }
    close = closest(keyword, heads.keys() - used - KEYWORDS)
    position = heads[close].position if close else None
    if position is None:
        return fix
    return f"is `{close}` in line {position.line} meant to be `{keyword}`? If not: {fix}"


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
