"""Whether `base` and `input` declare what a state and a role may have."""

from __future__ import annotations

from collections.abc import Collection

from ggp.gdl.check.analysis.callgraph import HeadIndex
from ggp.gdl.check.analysis.matching import Exhausted, Steps, instance, unify
from ggp.gdl.check.finding import Findings, shown
from ggp.gdl.check.game import Game
from ggp.gdl.rules import Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["check_declarations"]

_BASE, _INPUT = Relation("base", 1), Relation("input", 2)
_MAX_STEPS = 500_000


def check_declarations(game: Game, findings: Findings) -> None:
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
    game: Game, declaration: Relation, names: Collection[str], code: str, findings: Findings
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
    """The values of a declaration where they can be worked out, else the heads of its rules."""

    def __init__(self, game: Game, declaration: Relation) -> None:
        self._declaration = declaration
        table = game.statics.table(declaration)
        self._rows = table.rows if table is not None else None
        if table is not None:
            self._atoms = [self._atom(row) for row in table.rows]
        else:
            heads = (head for head in game.heads() if relation_of(head) == declaration)
            self._atoms = [instance(Rule(head), {}, prefix="? ").head for head in heads]
        self._index = HeadIndex(self._atoms)

    def fits(self, arguments: tuple[Term, ...], steps: Steps) -> bool:
        """Return whether anything declared unifies with the arguments. Raises `Exhausted`."""
        if self._rows is not None and not any(next(variables(a), None) for a in arguments):
            return arguments in self._rows
        wanted = self._atom(arguments)
        candidates = self._index.candidates(wanted)
        return any(unify(wanted, self._atoms[c], steps) is not None for c in candidates)

    def _atom(self, arguments: tuple[Term, ...]) -> Term:
        return Compound((Symbol(self._declaration.name), *arguments))
