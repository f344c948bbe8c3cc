"""Draws a state as text if its facts look like a board."""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, product
from math import prod

from ggp.gdl.domains import Slot
from ggp.kif import Compound, Symbol, Term

__all__ = ["board_and_rest", "draw"]

_NUMBER, _LETTER = re.compile("0|[1-9][0-9]?"), re.compile("[A-Za-z]")
_EMPTY = frozenset({"blank", "empty"})
#: Contents longer than this are shortened.
_WIDTH = 6
#: The most contents that a cell may have which get the same short texts in every state.
_MAX_CONTENTS = 500
#: The width of what stands below the board, in which a blank in a term breaks no line.
_LINE, _BLANK = 100, "\N{NO-BREAK SPACE}"
_WORD = re.compile(r"[^() ]+")
#: A longer list of constants is not the axis of a board, but comes from a counter.
_MAX_AXIS = 26


def draw(facts: Iterable[Term], possible: Slot | None = None) -> str | None:
    """Return the state as lines of text, or None if it does not look like a board.

    A board is a relation with three arguments, such as ``(cell 1 2 x)``, two of which are
    coordinates: small numbers or single letters, each pair of them in one fact only. The first
    coordinate goes to the right, the second upwards.

    A fact with two arguments that are always coordinates, such as ``(water 1 2)``, marks its cell.

    Args:
        facts: the state.
        possible: the facts that the rules allow, as in `Description.domains`. With
            them the whole board is drawn, rather than its occupied part only.
    """
    return board_and_rest(facts, possible)[0]


def board_and_rest(
    facts: Iterable[Term], possible: Slot | None = None
) -> tuple[str | None, list[Term]]:
    """Return the board, as `draw` does, and the facts that it does not show."""
    facts = list(facts)
    relations: defaultdict[str, list[tuple[Term, ...]]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact, Compound) and len(fact.arguments) == 3:
            relations[fact.name].append(fact.arguments)
    slots: dict[str, list[Slot]] = {}
    if possible is not None:
        slots = {f.name: inside for f, inside in possible.functions.items() if f.arity == 3}
    names = sorted(slots.keys() | relations.keys(), key=lambda name: (-len(relations[name]), name))
    for name in names:
        rows = relations[name]
        columns = [[str(row[index]) for row in rows] for index in range(3)]
        axes = [
            _known(set(columns[index]), slots[name][index] if name in slots else None)
            for index in range(3)
        ]
        coordinates = [index for index in range(3) if _is_axis(axes[index])][:2]
        if len(coordinates) == 2:
            x, y = coordinates
            grid = dict(
                zip(zip(columns[x], columns[y], strict=True), columns[3 - x - y], strict=True)
            )
            if len(grid) == len(rows):
                marks = _marks(facts, axes[x], axes[y], possible)
                rest = [fact for fact in facts if not _has(fact, name, 3) and fact not in marks]
                content = 3 - x - y
                possible_here = _contents(slots[name][content]) if name in slots else []
                texts = [*dict.fromkeys([*grid.values(), *map(str, possible_here)])]
                return _draw(grid, marks.values(), axes[x], axes[y], _short(texts)), rest
    return None, facts


def _has(fact: Term, name: str, arity: int) -> bool:
    return isinstance(fact, Compound) and fact.name == name and len(fact.arguments) == arity


def _marks(
    facts: Iterable[Term], across: set[str], upwards: set[str], possible: Slot | None
) -> dict[Term, tuple[tuple[str, str], str]]:
    """Return the facts that mark a cell: where, and by which name."""
    functions = {} if possible is None else possible.functions
    pairs = {f.name: inside for f, inside in functions.items() if f.arity == 2}
    found: dict[Term, tuple[tuple[str, str], str]] = {}
    for fact in facts:
        if isinstance(fact, Compound) and len(fact.arguments) == 2 and fact.name in pairs:
            axes = zip(pairs[fact.name], (across, upwards), strict=True)
            if all(not s.anything and not s.functions and s.constants <= axis for s, axis in axes):
                x, y = map(str, fact.arguments)
                found[fact] = (x, y), fact.name
    return found


def _known(names: set[str], slot: Slot | None) -> set[str]:
    """Return the names that occur and those that may occur, if they make an axis."""
    if slot is None or slot.anything or slot.functions or len(slot.constants) > _MAX_AXIS:
        return names
    wider = names | slot.constants
    return wider if _is_axis(wider) else names


def _is_axis(names: set[str]) -> bool:
    are_numbers = all(_NUMBER.fullmatch(name) for name in names)
    return len(names) > 1 and (are_numbers or all(_LETTER.fullmatch(name) for name in names))


def _draw(
    grid: dict[tuple[str, str], str],
    marks: Iterable[tuple[tuple[str, str], str]],
    across: set[str],
    upwards: set[str],
    short: Mapping[str, str],
) -> str:
    """Return the lines of a board, and below them what the short contents stand for."""
    columns, rows = _axis(across), _axis(upwards)
    shown = {at: "." if text in _EMPTY else short[text] for at, text in grid.items()}
    for at, name in marks:
        before = shown.get(at, ".")
        shown[at] = name[:_WIDTH] if before == "." else f"{before}+{name[:_WIDTH]}"
    width = max(map(len, [*shown.values(), *columns]))
    margin = max(map(len, rows))
    lines = [
        f"{y:>{margin}} " + " ".join(f"{shown.get((x, y), ''):>{width}}" for x in columns)
        for y in reversed(rows)
    ]
    lines.append(" " * (margin + 1) + " ".join(f"{x:>{width}}" for x in columns))
    used = sorted({text for text in grid.values() if not text.startswith(short[text])})
    if used:
        legend = ", ".join(f"{short[text]} = {text}".replace(" ", _BLANK) for text in used)
        wrapped = textwrap.wrap(legend, _LINE, break_long_words=False, break_on_hyphens=False)
        lines += [line.replace(_BLANK, " ") for line in wrapped]
    return "\n".join(line.rstrip() for line in lines)


def _short(texts: Sequence[str]) -> dict[str, str]:
    """Return short texts for the contents of cells, no two of them the same.

    A term is shortened to the first letters of its arguments, or to more of them and of its name
    where that is not enough. A longer word is cut.

    >>> _short(["(man north runner)", "(man north guard)", "(man south runner)"]).values()
    dict_values(['nr', 'ng', 'sr'])
    >>> _short(["(pawn white)", "(king white)", "whitequeen1", "whitequeen2"]).values()
    dict_values(['pw', 'kw', 'white1', 'white2'])
    """
    terms = [text for text in texts if text.startswith("(")]
    words = [text for text in texts if not text.startswith("(")]
    found = {word: word[:_WIDTH] for word in words}
    uses = Counter(found.values())
    numbers = count(1)
    for word in words:
        if uses[found[word]] > 1 and len(word) > _WIDTH:
            found[word] = f"{word[: _WIDTH - 1]}{next(numbers)}"
    taken = {*found.values(), "."}
    for letters, is_named in product(range(1, _WIDTH), (False, True)):
        parts = (_WORD.findall(term)[not is_named :] for term in terms)
        tried = ["".join(part[:letters] for part in each) for each in parts]
        if len({*tried}) == len(terms) and taken.isdisjoint(tried) and "" not in tried:
            return {text: found.get(text, "") for text in texts} | dict(
                zip(terms, tried, strict=True)
            )
    return {text: found.get(text, text) for text in texts}


def _contents(slot: Slot) -> list[Term]:
    """Return what a place may hold, as far as that is not too much to tell apart."""
    found: list[Term] = [Symbol(name) for name in sorted(slot.constants)]
    for function, inside in slot.functions.items():
        below = [_contents(inner) for inner in inside]
        if slot.anything or prod(map(len, below)) > _MAX_CONTENTS:
            return []
        name = Symbol(function.name)
        found += [Compound((name, *arguments)) for arguments in product(*below)]
    return found if len(found) <= _MAX_CONTENTS else []


def _axis(names: set[str]) -> list[str]:
    """Return the names in order; missing numbers between the first and the last are added."""
    if all(_NUMBER.fullmatch(name) for name in names):
        numbers = sorted(map(int, names))
        return [str(number) for number in range(numbers[0], numbers[-1] + 1)]
    return sorted(names)
