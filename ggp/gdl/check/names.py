"""Whether each name is used in one way: arity, capitalisation, characters, definition and use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from ggp.gdl.check.codes import CODES
from ggp.gdl.check.finding import Edit, Findings, shown
from ggp.gdl.check.rulesheet import SEEING, Rulesheet
from ggp.gdl.check.text.spelling import did_you_mean
from ggp.gdl.rules import Relation, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term
from ggp.kif.keywords import KEYWORD_RELATIONS, KEYWORDS

__all__ = ["FRAME_HINT", "check_names"]

_USUAL = re.compile(r"\??[A-Za-z0-9_.+-]*|<=")

_DEFINED_ONLY = frozenset({"init", "next", "base", "input", "sees"})
_MAY_BE_ASKED = KEYWORDS - _DEFINED_ONLY - {"<="}
_MAY_BE_DEFINED = frozenset(KEYWORD_RELATIONS) - {"true", "does", "distinct"}

_TRUE, _DOES = Relation("true", 1), Relation("does", 2)

#: What to do about an unused relation that depends on the moves: nearly always it is there to say
#: what a move changes.
FRAME_HINT = (
    "is a rule for `next` missing that keeps what a move did not change? Otherwise use it, or "
    "remove it"
)

#: For each name, for each way to use it, the places where it is used so.
_Uses: TypeAlias = defaultdict[str, dict[object, list[Term]]]


def check_names(game: Rulesheet, findings: Findings) -> None:
    """Report names that are used in two ways, oddly written, undefined or unused."""
    relations = _uses((relation_of(a).name, relation_of(a).arity, a) for a in _atoms(game))
    functions = _uses((f.name, len(f.items) - 1, f) for f in _functions(game))
    _check_arities("relation", relations, findings)
    _check_arities("function", functions, findings)
    for name in relations.keys() & functions.keys() - KEYWORDS:
        place = next(iter(functions[name].values()))[0]
        findings.add("relation-and-function", place, f"`{name}` is a relation, here a function")
    _check_capitalisation(game, findings)
    _check_characters(game, findings)
    _check_relations(game, findings)
    _check_terms(game, "true", 1, ("init", "next"), "undefined-fact", findings)
    _check_terms(game, "does", 2, ("legal",), "undefined-move", findings)
    _check_initial(game, findings)


def _uses(ways: Iterable[tuple[str, object, Term]]) -> _Uses:
    uses: _Uses = defaultdict(dict)
    for name, way, place in ways:
        uses[name].setdefault(way, []).append(place)
    return uses


def _atoms(game: Rulesheet) -> Iterator[Term]:
    return (atom for statement in game.statements for atom in statement.atoms)


def _functions(game: Rulesheet) -> Iterator[Compound]:
    for atom in _atoms(game):
        pending = list(reversed(atom.arguments)) if isinstance(atom, Compound) else []
        while pending:
            term = pending.pop()
            if isinstance(term, Compound):
                if term.name and not term.name.startswith("?"):
                    yield term
                pending.extend(reversed(term.items))


def _odd_ones(ways: dict[object, list[Term]]) -> Iterator[tuple[object, Term, object, Term]]:
    """Yield each use that is not the most frequent one, with its first place, and that one."""
    usual = max(ways, key=lambda way: len(ways[way]))
    for way, places in ways.items():
        if way != usual:
            yield way, places[0], usual, ways[usual][0]


def _check_arities(kind: str, uses: _Uses, findings: Findings) -> None:
    for name, ways in uses.items():
        if name in KEYWORDS:
            continue
        for arity, place, usual, elsewhere in _odd_ones(ways):
            message = (
                f"the {kind} `{name}` has {arity} arguments here, "
                f"but {usual} in line {_line(elsewhere)}"
            )
            findings.add("two-arities", place, message)


def _check_capitalisation(game: Rulesheet, findings: Findings) -> None:
    places: defaultdict[str, list[Symbol]] = defaultdict(list)
    for statement in game.statements:
        names = {variable.text for variable in statement.variables}
        if len({name.lower() for name in names}) < len(names):
            _report_capitalisations("variable", statement.variables, findings)
        for symbol in statement.symbols:
            if not symbol.is_variable:
                places[symbol.text].append(symbol)
    names_of: defaultdict[str, list[str]] = defaultdict(list)
    for name in places:
        names_of[name.lower()].append(name)
    for lowered, written in names_of.items():
        if len(written) > 1 and lowered not in KEYWORDS:
            constants = [symbol for name in written for symbol in places[name]]
            _report_capitalisations("constant", constants, findings)


def _report_capitalisations(kind: str, names: Iterable[Symbol], findings: Findings) -> None:
    for ways in _uses((s.text.lower(), s.text, s) for s in names).values():
        for text, place, usual, elsewhere in _odd_ones(ways):
            usual_text = str(usual)
            message = f"the {kind} `{text}` is written `{usual_text}` in line {_line(elsewhere)}"
            fix = findings.replacing(place, usual_text)
            findings.add("two-capitalisations", place, message, fix=fix)


def _check_characters(game: Rulesheet, findings: Findings) -> None:
    seen: set[str] = set()
    for statement in game.statements:
        for symbol in statement.symbols:
            if symbol.text not in seen:
                seen.add(symbol.text)
                if not _USUAL.fullmatch(symbol.text) and not findings.has("foreign-syntax", symbol):
                    findings.add("odd-characters", symbol, f"odd characters in `{symbol}`")


def _check_relations(game: Rulesheet, findings: Findings) -> None:
    defined: dict[str, Term] = {}
    for head in game.heads():
        defined.setdefault(relation_of(head).name, head)
    used: dict[str, Term] = {}
    for statement in game.statements:
        for literal in statement.literals:
            used.setdefault(literal.relation.name, literal.atom)
    undefined = used.keys() - defined.keys() - KEYWORDS
    unused = defined.keys() - used.keys() - KEYWORDS - {relation.name for relation in SEEING}
    for name in undefined:
        hint, fix = _suggestion(
            "undefined-relation", used[name], {*defined, *_MAY_BE_ASKED} - _DEFINED_ONLY, findings
        )
        message = f"`{name}` is defined nowhere"
        findings.add("undefined-relation", used[name], message, hint=hint, fix=fix)
    of_moves = {relation.name for relation in game.graph.dependents([_DOES])} if unused else set()
    for name in unused:
        hint, fix = _suggestion(
            "unused-relation", defined[name], undefined | _MAY_BE_DEFINED, findings
        )
        if name in of_moves and fix is None:
            hint = FRAME_HINT
        message = f"`{name}` is used nowhere"
        findings.add("unused-relation", defined[name], message, hint=hint, fix=fix)


def _suggestion(
    code: str, term: Term, names: Iterable[str], findings: Findings
) -> tuple[str, Edit | None]:
    """Return the hint that names the closest name, if one is close, and the edit to it."""
    hint, close = did_you_mean(relation_of(term).name, names, CODES[code].fix)
    name = term.items[0] if isinstance(term, Compound) else term
    return hint, findings.replacing(name, close) if close else None


def _check_terms(
    game: Rulesheet, asking: str, arity: int, giving: Collection[str], code: str, findings: Findings
) -> None:
    """Report terms that `true` or `does` asks for by a name that nothing gives."""
    ways = {(name, arity) for name in giving}
    given = {relation_of(arguments_of(h)[-1]) for h in game.heads() if relation_of(h) in ways}
    if not given or any(relation.name.startswith("?") for relation in given):
        return
    for statement in game.statements:
        for literal in statement.literals:
            if literal.relation == (asking, arity):
                term = arguments_of(literal.atom)[-1]
                wanted = relation_of(term)
                # A term without a name is no term, which is reported already.
                if wanted.name and wanted not in given and not wanted.name.startswith("?"):
                    names = {name for name, arity in given if arity == wanted.arity}
                    hint, fix = _suggestion(code, term, names, findings)
                    message = f"no {' or '.join(f'`{g}`' for g in giving)} gives {shown(term)}"
                    findings.add(code, term, message, hint=hint, fix=fix)


def _check_initial(game: Rulesheet, findings: Findings) -> None:
    """Report facts with arguments that are true in the first state only, by the names.

    A fact without arguments may be there to mark the first state, and many a game has such a one.
    """
    given: dict[str, dict[Relation, Term]] = {"init": {}, "next": {}}
    for head in game.heads():
        relation = relation_of(head)
        if relation.arity == 1 and relation.name in given:
            fact = arguments_of(head)[0]
            given[relation.name].setdefault(relation_of(fact), fact)
    later = given["next"]
    if not later or any(relation.name.startswith("?") for relation in later):
        return
    asked = {
        relation_of(arguments_of(literal.atom)[0])
        for statement in game.statements
        for literal in statement.literals
        if literal.relation == _TRUE
    }
    for relation, fact in given["init"].items():
        if relation.arity and relation in asked and relation not in later:
            message = f"`{relation.name}` is true in the first state only: no `next` gives it"
            findings.add("initial-only-fact", fact, message)


def _line(term: Term) -> int:
    assert term.position is not None  # every term here was read from a text
    return term.position.line
