"""Whether `base` and `input` declare what a state and a role may have."""

from __future__ import annotations

from collections.abc import Collection

from ggp.gdl.check.analysis.callgraph import HeadIndex
from ggp.gdl.check.analysis.matching import Exhausted, Steps, instance, unify
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.rules import Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term

__all__ = ["check_declarations"]

_BASE, _INPUT = Relation("base", 1), Relation("input", 2)
_MAX_STEPS = 500_000


def check_declarations(game: Rulesheet, findings: Findings) -> None:
    """Report missing declarations, and facts and moves that the declarations do not cover.

    A rule that does not depend on the state is compared by the values that it gives, any other
    by whether its head fits some declaration: what play reaches is not known here.
    """
    defined = {relation_of(head) for head in game.heads()}
    if _BASE in defined:
        _check_covered(game, _BASE, ("init", "next"), "base-misses-fact", findings)
    else:
        findings.add("no-base", None, "the game declares no `base`")
    if _INPUT in defined:
        _check_covered(game, _INPUT, ("legal",), "input-misses-move", findings)
    else:
        findings.add("no-input", None, "the game declares no `input`")


def _check_covered(
    game: Rulesheet, declaration: Relation, names: Collection[str], code: str, findings: Findings
) -> None:
    rules = [
        r for r in game.rules if r.relation.name in names and r.relation.arity == declaration.arity
    ]
    declared = _Declared(game, declaration)
    steps = Steps(_MAX_STEPS)
    try:
        for rule in rules:
            values = game.statics.heads(rule, steps)
            for head in [rule.head] if values is None else values:
                arguments = arguments_of(head)
                if not declared.fits(arguments, steps):
                    what = " ".join(map(shown, arguments))
                    findings.add(code, rule.head, f"no `{declaration.name}` declares {what}")
                    break
    except Exhausted:
        pass  # a warning is not worth minutes of waiting


class _Declared:
    """What the rules of a declaration give, found top-down: the values of all are many."""

    def __init__(self, game: Rulesheet, declaration: Relation) -> None:
        self._declaration = declaration
        self._statics = game.statics
        rules = game.rules_by_relation.get(declaration, ())
        self._facts = {arguments_of(rule.head) for rule in rules if not rule.body}
        self._rules = [instance(rule, {}, prefix="? ") for rule in rules]
        self._index = HeadIndex([rule.head for rule in self._rules])

    def fits(self, arguments: tuple[Term, ...], steps: Steps) -> bool:
        """Return whether anything declared unifies with the arguments. Raises `Exhausted`."""
        if arguments in self._facts:
            return True
        wanted = Compound((Symbol(self._declaration.name), *arguments))
        return any(
            self._gives(self._rules[number], wanted, steps)
            for number in self._index.candidates(wanted)
        )

    def _gives(self, rule: Rule, wanted: Term, steps: Steps) -> bool:
        bindings = unify(wanted, rule.head, steps)
        if bindings is None:
            return False
        asked = instance(rule, bindings, prefix="?")
        return self._statics.is_satisfiable(asked.body, steps)
