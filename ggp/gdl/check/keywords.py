"""Whether each keyword stands where it may, with as many arguments as it takes."""

from __future__ import annotations

from collections.abc import Iterable

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Findings
from ggp.gdl.check.rulesheet import SEEING, Rulesheet
from ggp.gdl.check.text.spelling import closest
from ggp.gdl.rules import Relation, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term
from ggp.kif.keywords import CONNECTIVES, KEYWORD_RELATIONS, KEYWORDS

__all__ = ["check_keywords"]

_REQUIRED = ("role", "init", "legal", "terminal", "goal")
_NEVER_IN_BODY = frozenset({"init", "next", "base", "input"})
_NEXT = Relation("next", 1)


def check_keywords(game: Rulesheet, findings: Findings) -> None:
    """Report keywords that are missing, misplaced, or have the wrong number of arguments."""
    defined = {relation_of(head).name for head in game.heads()}
    for keyword in _REQUIRED:
        if keyword in defined:
            continue
        hint = _misspelt(keyword, game, CODES[f"missing-{keyword}"].fix)
        findings.add(f"missing-{keyword}", None, f"the game has no `{keyword}`", hint=hint)
    perceiving = _perceiving(game)
    for statement in game.statements:
        head = Relation("", 0) if statement.head is None else relation_of(statement.head)
        for literal in statement.literals:
            name = literal.relation.name
            if literal.relation == _NEXT and head in perceiving:
                message = f"`next` is a condition of what `{head.name}` gives"
                findings.add("next-in-sees", literal.atom, message)
            elif name in _NEVER_IN_BODY:
                findings.add("keyword-in-body", literal.atom, f"`{name}` cannot be a condition")
        for atom in statement.atoms:
            _check_arity(atom, findings)
            arguments = arguments_of(atom)
            # A percept may be any term.
            _check_arguments(arguments[:1] if relation_of(atom) in SEEING else arguments, findings)


def _misspelt(keyword: str, game: Rulesheet, fix: str) -> str:
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


def _perceiving(game: Rulesheet) -> frozenset[Relation]:
    """Return the relations that nothing depends on but what the roles see."""
    for_others = game.graph.reachable(
        relation
        for relation in game.graph.edges
        if relation.name in KEYWORDS and relation not in SEEING
    )
    return game.graph.reachable(SEEING) - for_others


def _check_arity(atom: Term, findings: Findings) -> None:
    name, arity = relation_of(atom)
    takes = KEYWORD_RELATIONS.get(name, arity)
    if takes != arity:
        arguments = ("no argument", "one argument", "two arguments")[takes]
        message = f"`{name}` takes {arguments}, here it has {arity}"
        findings.add("keyword-arity", atom, message)


def _check_arguments(arguments: Iterable[Term], findings: Findings) -> None:
    pending: list[Term] = list(arguments)
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
