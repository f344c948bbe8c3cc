"""Names that are probably slips: they stand once, and resemble others that stand often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from ggp.gdl.check.finding import Findings
from ggp.gdl.check.rulesheet import Rulesheet
from ggp.gdl.check.text.spelling import is_slip_of
from ggp.kif import Compound, Symbol, Term, variables
from ggp.kif.keywords import KEYWORDS

__all__ = ["check_slips"]

_OFTEN = 3  # uses that make a name one that was meant


def check_slips(game: Rulesheet, findings: Findings) -> None:
    """Report variables and constants that look misspelt, and variables without their `?`.

    A variable that stands once in its rule is common: it says that there is some value. It is
    reported only if no other rule has the name, and another variable of the rule nearly has it.
    """
    _check_variables(game, findings)
    _check_marks(game, findings)
    _check_constants(game, findings)


def _check_variables(game: Rulesheet, findings: Findings) -> None:
    counts = Counter(v.text for s in game.statements for v in s.variables)
    for statement in game.statements:
        before: dict[str, None] = {}  # of two that both stand once, the second is reported
        names = dict.fromkeys(v.text for v in statement.variables)
        for name in names:
            if counts[name] == 1:
                known = (other for other in names if counts[other] > 1 or other in before)
                meant = next((other for other in known if _is_variable_slip(name, other)), None)
                if meant is not None:
                    is_known = counts[meant] > 1
                    _report_variable(statement.term, name, meant, findings, is_known=is_known)
            before[name] = None


def _report_variable(
    rule: Term, name: str, meant: str, findings: Findings, *, is_known: bool
) -> None:
    """Report a variable for another, which other rules have, too, if it is known."""
    variable, other = (next(v for v in variables(rule) if v.text == n) for n in (name, meant))
    suspects = (variable,) if is_known else (variable, other)
    if any(findings.has("unsafe-variable", suspect) for suspect in suspects):
        return  # that finding names the other variable, too
    message = f"`{name}` stands only here; did you mean `{meant}`?"
    fix = findings.replacing(variable, meant)
    findings.add("misspelt-variable", variable, message, fix=fix)


def _is_variable_slip(name: str, other: str) -> bool:
    """Return whether a variable's name is like another, or has its last letter twice.

    Names such as ``?xAny`` and ``?yAny``, which differ in their first letter or their last, mean
    different things.
    """
    if len(name) == len(other) and (name[1] != other[1] or name[-1] != other[-1]):
        return is_slip_of(name, other) and sorted(name) == sorted(other)
    return is_slip_of(name, other) or (name == other + other[-1] and other[-1].isalpha())


def _check_marks(game: Rulesheet, findings: Findings) -> None:
    """Report a constant of one rule alone that has the name of a variable of this rule."""
    rules_of: defaultdict[str, list[int]] = defaultdict(list)
    for number, statement in enumerate(game.statements):
        for name in {symbol.text for symbol in statement.symbols}:
            rules_of[name].append(number)
    for name, rules in rules_of.items():
        if (
            len(rules) == 1
            and not name.startswith("?")
            and rules[0] in rules_of.get(f"?{name}", ())
        ):
            for constant in _arguments(game.statements[rules[0]].term):
                if constant.text == name:
                    message = f"`{name}` stands in no other rule, but this one has `?{name}`"
                    hint = f"did you mean `?{name}`?"
                    fix = findings.replacing(constant, f"?{name}")
                    findings.add("forgotten-question-mark", constant, message, hint=hint, fix=fix)


def _arguments(term: Term) -> Iterator[Symbol]:
    """Yield the symbols of a term that name nothing."""
    return (symbol for symbol, place in _places(term) if place[2] == 0)


#: A name and a position in what it names, and how many arguments follow: 0 after a constant.
_Place = tuple[str, int, int]


def _places(term: Term) -> Iterator[tuple[Symbol, _Place]]:
    """Yield the constants, variables and names of functions inside a term, with their places."""
    pending = [term]
    while pending:
        outer = pending.pop()
        if not isinstance(outer, Compound):
            continue
        for index, item in enumerate(outer.items[1:]):
            if isinstance(item, Symbol):
                yield item, (outer.name, index, 0)
            elif item.items:
                name = item.items[0]
                if isinstance(name, Symbol):
                    yield name, (outer.name, index, len(item.items) - 1)
                pending.append(item)


def _check_constants(game: Rulesheet, findings: Findings) -> None:
    """Report a name that a head gives and nothing else has, where a like one is given often.

    Where a condition has such a name, the domains tell: nothing gives it.
    """
    given: defaultdict[_Place, dict[str, Symbol]] = defaultdict(dict)
    counts: Counter[str] = Counter()
    for statement in game.statements:
        counts.update(symbol.text for symbol in statement.symbols)
        if statement.head is not None:
            for symbol, place in _places(statement.head):
                if not symbol.is_variable and symbol.text.lower() not in KEYWORDS:
                    given[place].setdefault(symbol.text, symbol)
    for names in given.values():
        often = [name for name in names if counts[name] >= _OFTEN]
        for name, symbol in names.items():
            if counts[name] == 1:
                meant = next((other for other in often if is_slip_of(name, other)), None)
                if meant is not None:
                    message = f"`{name}` stands only here; did you mean `{meant}`?"
                    fix = findings.replacing(symbol, meant)
                    findings.add("misspelt-constant", symbol, message, fix=fix)
