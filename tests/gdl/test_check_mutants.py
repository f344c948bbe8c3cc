"""Games with one planted fault each: the checker finds it in the line where it is.

Every fault is one that an author makes: a letter changed, a `?` forgotten, a rule copied.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import pytest

from ggp.gdl.bundled import find_game
from ggp.gdl.check import check
from ggp.kif import Compound, Lines, Source, Symbol, Term, parse, symbols

GAMES = (
    "breakthrough", "chomp", "connectfour", "dotsandboxes", "eightpuzzle", "foxandhounds",
    "hexapawn", "lightsout", "nim", "othello6x6", "tictactoe", "tron",
)  # fmt: skip
KEYWORDS = frozenset(
    [
        "role",
        "init",
        "true",
        "next",
        "legal",
        "does",
        "goal",
        "terminal",
        "base",
        "input",
        "distinct",
        "not",
        "or",
        "<=",
    ]
)
NAME = re.compile(r"[a-z]\w{2,}")
REQUIRED = 0.9


@dataclass(frozen=True)
class Sheet:
    """A rulesheet, and what a fault is planted in."""

    text: str
    lines: Lines
    terms: tuple[Term, ...]

    @classmethod
    def load(cls, name: str) -> Sheet:
        source = Source.read(find_game(name))
        return cls(source.text, Lines(source.text), parse(source))

    def rules(self) -> list[Compound]:
        return [t for t in self.terms if isinstance(t, Compound) and t.name == "<="]

    def put(self, term: Term, new: str) -> tuple[str, range]:
        """Return the text with another in the place of a term, and the lines of the place."""
        assert term.position is not None
        start, end = self.lines.offset(term.position), self.lines.offset(self.lines.end(term))
        first = term.position.line
        return self.text[:start] + new + self.text[end:], range(first, first + new.count("\n") + 1)

    def written(self, term: Term) -> str:
        assert term.position is not None
        return self.lines.slice(term.position, self.lines.end(term))

    def span_of(self, term: Term) -> range:
        assert term.position is not None
        return range(term.position.line, self.lines.end(term).line + 1)


#: A mutated text, and the lines one of which a finding must name.
Mutant: TypeAlias = tuple[str, range]
#: A kind of fault: plants it in all places of a rulesheet, one at a time.
Kind: TypeAlias = Callable[[Sheet, random.Random], Iterator[Mutant]]


def _compounds(term: Term) -> Iterator[Compound]:
    if isinstance(term, Compound):
        yield term
        for item in term.items:
            yield from _compounds(item)


def _misspelt(name: str, chance: random.Random) -> str:
    """Return a name with two letters that changed places, one twice, or one too few."""
    mark = name.startswith("?")
    at = chance.randrange(mark, len(name) - 1)
    slips = [name[:at] + name[at + 1] + name[at] + name[at + 2 :], name[: at + 1] + name[at:]]
    if len(name) - mark > 3:
        slips.append(name[:at] + name[at + 1 :])
    return chance.choice([slip for slip in slips if slip != name] or [name + name[-1]])


def _fresh(sheet: Sheet, name: str, chance: random.Random) -> str:
    known = {symbol.text.lower() for term in sheet.terms for symbol in symbols(term)}
    for _ in range(20):
        slip = _misspelt(name, chance)
        if slip.lower() not in known | KEYWORDS:
            return slip
    return f"{name}x"


def misspelt_relation(sheet: Sheet, chance: random.Random) -> Iterator[Mutant]:
    """A condition asks for a relation by a wrong name."""
    for rule in sheet.rules():
        for condition in rule.items[2:]:
            for atom in _compounds(condition):
                if atom.name not in KEYWORDS and len(atom.name) > 2:
                    yield sheet.put(atom.items[0], _fresh(sheet, atom.name, chance))


def misspelt_constant(sheet: Sheet, chance: random.Random) -> Iterator[Mutant]:
    """A condition has a wrong constant."""
    for rule in sheet.rules():
        for condition in rule.items[2:]:
            for atom in _compounds(condition):
                for item in atom.arguments if atom.name != "distinct" else ():
                    is_name = isinstance(item, Symbol) and NAME.fullmatch(item.text)
                    if is_name and str(item) not in KEYWORDS:
                        yield sheet.put(item, _fresh(sheet, str(item), chance))


def misspelt_keyword(sheet: Sheet, chance: random.Random) -> Iterator[Mutant]:
    """A rule defines a keyword by a wrong name."""
    for rule in sheet.rules():
        head = rule.items[1]
        name = head.items[0] if isinstance(head, Compound) else head
        if isinstance(name, Symbol) and name.text in KEYWORDS:
            yield sheet.put(name, _fresh(sheet, name.text, chance))


def forgotten_mark(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A variable has lost its `?`."""
    for rule in sheet.rules():
        for symbol in symbols(rule):
            if symbol.is_variable and len(symbol.text) > 1:
                yield sheet.put(symbol, symbol.text[1:])


def misspelt_variable(sheet: Sheet, chance: random.Random) -> Iterator[Mutant]:
    """A variable of a long name is written in another way once."""
    for rule in sheet.rules():
        for symbol in symbols(rule):
            if symbol.is_variable and len(symbol.text) > 5:
                yield sheet.put(symbol, _fresh(sheet, symbol.text, chance))


def dropped_condition(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """The only condition that gives a variable of the head its values is missing."""
    for rule in sheet.rules():
        head = {s for s in symbols(rule.items[1]) if s.is_variable}
        conditions = rule.items[2:]
        for dropped in conditions if len(conditions) > 1 else ():
            others = [c for c in conditions if c is not dropped]
            tests = ("not", "distinct")
            binding = (c for c in others if not isinstance(c, Compound) or c.name not in tests)
            bound = {s for c in binding for s in symbols(c)}
            if head - bound and _binds(dropped):
                text, _lines = sheet.put(dropped, "")
                yield text, sheet.span_of(rule)


def _binds(condition: Term) -> bool:
    return isinstance(condition, Compound) and condition.name not in ("not", "or", "distinct")


def wrong_arity(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """An argument too many."""
    for rule in sheet.rules():
        for atom in _compounds(rule):
            if atom.name not in ("<=", "or") and len(atom.items) > 1:
                yield sheet.put(
                    atom, f"{sheet.written(atom)[:-1]} {sheet.written(atom.items[-1])})"
                )


def renamed_role(sheet: Sheet, chance: random.Random) -> Iterator[Mutant]:
    """A role has another name in one place."""
    roles = {t.items[1] for t in sheet.terms if isinstance(t, Compound) and t.name == "role"}
    for rule in sheet.rules():
        for atom in _compounds(rule):
            if atom.name in ("does", "legal", "goal", "control"):
                role = atom.items[1]
                if role in roles and isinstance(role, Symbol):
                    yield sheet.put(role, _fresh(sheet, role.text, chance))


def duplicate_rule(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A rule stands there twice."""
    for term in sheet.terms:
        text, lines = sheet.put(term, f"{sheet.written(term)}\n{sheet.written(term)}")
        yield text, range(lines.start, sheet.span_of(term).stop + len(sheet.span_of(term)))


def no_goal_for_a_role(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """One role has no goal: the rules that name it, or name a variable, are for another."""
    roles = [t for t in sheet.terms if isinstance(t, Compound) and t.name == "role"]
    if len(roles) < 2:
        return
    for role in roles:
        other = next(str(r.items[1]) for r in roles if r is not role)
        text = sheet.text
        for term in reversed(sheet.terms):
            head = term.items[1] if isinstance(term, Compound) and term.name == "<=" else term
            if isinstance(head, Compound) and head.name == "goal":
                assert head.items[1].position is not None
                at = sheet.lines.offset(head.items[1].position)
                text = text[:at] + other + text[at + len(str(head.items[1])) :]
        yield text, sheet.span_of(role)


def lost_parenthesis(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A rule is not closed, and swallows the next statement."""
    for term in sheet.rules():
        yield sheet.put(term, sheet.written(term)[:-1])[0], sheet.span_of(term)


def extra_parenthesis(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A rule is closed after its head, or after one of its conditions."""
    for rule in sheet.rules():
        for item in rule.items[1:-1]:
            yield sheet.put(item, f"{sheet.written(item)})")[0], sheet.span_of(rule)


def second_goal(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A rule for a goal is copied, and its value changed."""
    for rule in sheet.rules():
        head = rule.items[1]
        if isinstance(head, Compound) and head.name == "goal":
            conditions = " ".join(map(sheet.written, rule.items[2:]))
            copy = f"(<= (goal {head.items[1]} 37) {conditions})"
            lines = sheet.span_of(rule)
            text = sheet.put(rule, f"{sheet.written(rule)}\n{copy}")[0]
            yield text, range(lines.stop, lines.stop + 1 + copy.count("\n"))


def contradiction(sheet: Sheet, _: random.Random) -> Iterator[Mutant]:
    """A condition is repeated, and negated."""
    for rule in sheet.rules():
        for condition in rule.items[2:]:
            if _binds(condition):
                written = sheet.written(condition)
                lines = sheet.span_of(condition)
                yield sheet.put(condition, f"{written} (not {written})")[0], lines


KINDS: tuple[Kind, ...] = (
    misspelt_relation,
    misspelt_constant,
    misspelt_keyword,
    forgotten_mark,
    misspelt_variable,
    dropped_condition,
    wrong_arity,
    renamed_role,
    duplicate_rule,
    no_goal_for_a_role,
    lost_parenthesis,
    extra_parenthesis,
    second_goal,
    contradiction,
)


@cache
def sheet_of(game: str) -> Sheet:
    return Sheet.load(game)


def mutants(kind: Kind, games: Sequence[str], count: int) -> Iterator[Mutant]:
    """Yield `count` mutants of each game, the same in each run."""
    for game in games:
        chance = random.Random(f"{kind.__name__} {game}")
        found = list(kind(sheet_of(game), chance))
        yield from chance.sample(found, min(count, len(found)))


@pytest.mark.parametrize(
    ("games", "count"),
    [
        pytest.param(GAMES[::2], 1, id="few"),
        pytest.param(GAMES, 10, marks=pytest.mark.long, id="many"),
    ],
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_planted_faults_are_found_in_their_lines(
    kind: Kind, games: Sequence[str], count: int
) -> None:
    planted, missed = 0, []
    for text, lines in mutants(kind, games, count):
        planted += 1
        findings = check(Source(text, "mutant.kif"))
        if not any(finding.span.line in lines for finding in findings):
            line = text.split("\n")[lines.start - 1]
            missed.append(f"{line}: {[f.code for f in findings]}")
    assert planted
    assert planted - len(missed) >= REQUIRED * planted, "\n".join(missed)


@pytest.mark.parametrize("game", GAMES)
def test_the_games_themselves_have_no_finding(game: str) -> None:
    assert check(sheet_of(game).text) == []
