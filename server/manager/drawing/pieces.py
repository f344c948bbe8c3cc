"""The looks of the contents of cells: letters, colours, and which contents mean an empty cell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Literal

from ggp.server.manager.drawing.forms import name_of, take_apart
from ggp.server.manager.drawing.layout import Layout, Placing, What
from ggp.server.manager.drawing.looks.blanks import Observed, blanks, fixed
from ggp.server.manager.drawing.looks.labels import codes, glyphs, labels
from ggp.server.manager.drawing.looks.owners import by_letter, movers, role_tones, toned
from ggp.server.manager.drawing.looks.traces import pellets, trails
from ggp.server.manager.drawing.looks.words import ARROWS, COLOUR_LETTERS, EMPTY, SOLID, split
from ggp.server.manager.drawing.parts.joins import joined_lines
from ggp.server.manager.drawing.play import Line

__all__ = ["Look", "Looks", "find_looks", "role_tones"]

#: The label of the only kind of piece, and of what pieces pick up.
_DISC, _DOT = "\u25cf", "\u2022"
_NUMBERED = 8
#: The numbered tones for contents without an owner, and those that a tone looks like.
_FREE = ("8", "5", "4", "7", "3", "6", "2", "1")
_ALIKE = {
    **{"red": "2", "orange": "2", "green": "3", "teal": "3", "blue": "16", "purple": "7"},
    **{"pink": "4", "yellow": "5", "grey": "8", "brown": "2"},
}


@dataclass(frozen=True, slots=True)
class Look:
    """How the pages show something in a cell."""

    #: A few letters, or a glyph.
    label: str
    #: The name of its colour: a word, or a number if the game names no colour.
    tone: str
    #: A disc on the cell, or a tile that fills it.
    shape: Literal["disc", "tile"] = "disc"
    #: Two to four binary digits, each of which the pages show as a property; else empty.
    code: str = ""


@dataclass(frozen=True)
class Looks:
    """How the contents of a game's cells look."""

    roles: tuple[str, ...]
    contents: Mapping[What, Look] = field(default_factory=dict)
    #: Contents that mean an empty cell.
    blank: frozenset[What] = frozenset()
    #: Contents that tell only whose piece lies in the cell.
    owning: Mapping[What, str] = field(default_factory=dict)
    #: The binary digits of cards whose names are such codes.
    codes: Mapping[str, str] = field(default_factory=dict)

    def of(self, form: str, contents: tuple[str, ...]) -> Look:
        """Return the look of contents, which need not have been observed."""
        known = self.contents.get((form, contents))
        return known or Look((" ".join(contents) or name_of(form))[:4], "plain")


def find_looks(layout: Layout, lines: Sequence[Line]) -> Looks:
    """Find the looks of contents by their names, their owners and how often they occur."""
    lines = joined_lines(lines, layout.joins)
    observed = Observed(layout, lines)
    blank = blanks(observed)
    walls = (fixed(observed) | trails(observed, blank)) - blank
    dots = pellets(observed, blank) - walls
    tones = dict(zip(layout.roles, role_tones(layout.roles), strict=True))
    moved = movers(lines, observed.placings) if len(layout.roles) > 1 else {}
    looks: dict[What, Look] = {}
    for number in range(len(layout.boards)):
        shown = [
            (placing, what)
            for placing in observed.placings.values()
            if placing.board == number
            for what in _all(placing, observed)
            if what not in blank
        ]
        kinds = _kinds(shown, layout, tones, moved, walls, observed.first)
        looks |= dict(_labelled(kinds, walls))
        looks |= {what: Look(_DOT, "plain") for _, what in shown if what in dots}
    for stack in layout.stacks:
        looks |= {
            (stack.form, (thing,)): Look(label, str(n % _NUMBERED + 1))
            for n, (thing, label) in enumerate(sorted(labels(stack.things).items()))
        }
    owning: dict[What, str] = {
        (form, contents): tones[contents[0]]
        for form, contents in list(observed.counts)
        if len(contents) == 1 and contents[0] in tones and _accompanies(form, observed, blank)
    }
    cards = {hand.form: hand.card for hand in layout.hands}
    seen = {
        values[cards[form]]
        for line in lines
        for facts in line.states
        for form, values in map(take_apart, facts)
        if form in cards
    }
    return Looks(layout.roles, looks, blank, owning, codes(seen))


def _all(placing: Placing, observed: Observed) -> list[What]:
    """Return the contents of a form that were observed, and those that the rules allow."""
    return sorted({*observed.of(placing), *((placing.form, (v,)) for v in placing.possible)})


def _kinds(
    shown: Sequence[tuple[Placing, What]],
    layout: Layout,
    tones: Mapping[str, str],
    moved: Mapping[What, int],
    walls: frozenset[What],
    first: Collection[What],
) -> dict[What, tuple[Placing, str, str]]:
    """Return the placing, the tone and the kind of the contents of a board."""
    found: dict[What, tuple[Placing, str, str]] = {}
    constant = _constant(shown, first)
    single: dict[str, list[What]] = defaultdict(list)
    owned = {what[0] for _, what in shown if what[1] and set(what[1]) <= tones.keys()}
    for placing, what in shown:
        if len(owned) > 1 and what[0] in owned and set(what[1]) <= tones.keys():
            # Several forms tell only an owner, such as a ship and a hit: their names tell the kind.
            found[what] = (placing, tones[what[1][0]], name_of(what[0]))
            continue
        words = [w for i, w in enumerate(what[1]) if (placing.form, i, w) not in constant]
        words = words or list(what[1]) or [name_of(placing.form)]
        tone, rest = toned(words, tones)
        if not tone and any(map(str.isdecimal, words)) and not all(map(str.isdecimal, words)):
            others = [word for word in words if not word.isdecimal()]
            tone = COLOUR_LETTERS.get(others[0], "")
            rest = " ".join(filter(str.isdecimal, words)) if tone else rest
        if not tone and len(words) == 1 and placing.kind == "piece" and what[1]:
            single[words[0]].append(what)
        found[what] = (placing, tone, rest)
    tones_of_movers = {
        symbol: tones[layout.roles[moved[what]]]
        for symbol, whats in single.items()
        for what in whats
        if what in moved
    }
    men = [symbol for symbol, whats in single.items() if not walls.intersection(whats)]
    for symbol, (tone, kind) in by_letter(men, tones, tones_of_movers).items():
        for what in single[symbol]:
            found[what] = (found[what][0], tone, kind)
    return {
        what: (placing, tone or _given(what, placing, layout, tones, moved), kind)
        for what, (placing, tone, kind) in found.items()
    }


def _constant(
    shown: Sequence[tuple[Placing, What]], first: Collection[What]
) -> set[tuple[str, int, str]]:
    """Return the parts of contents that say nothing, such as `(5 empty)`.

    They are the words for empty, and words that all facts have initially, when there are several.
    """
    initial: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for form, contents in first:
        for i, word in enumerate(contents):
            initial[form, i][word] += 1
    always = {
        (form, i, word)
        for (form, i), words in initial.items()
        for word, count in words.items()
        if len(words) == 1 and count > 1 and not word.isdecimal()
    }
    return {
        (placing.form, i, word)
        for placing, (_, contents) in shown
        if len(contents) > 1
        for i, word in enumerate(contents)
        if word.lower() in EMPTY or (placing.form, i, word) in always
    }


def _given(
    what: What,
    placing: Placing,
    layout: Layout,
    tones: Mapping[str, str],
    moved: Mapping[What, int],
) -> str:
    """Return the tone of contents that name none: that of its mover, or plain for numbers."""
    if placing.is_amount or (what[1] and all(part.isdecimal() for part in what[1])):
        return "plain"
    if placing.kind == "piece" and what in moved:
        return tones[layout.roles[moved[what]]]
    return ""


def _labelled(
    kinds: Mapping[What, tuple[Placing, str, str]], walls: frozenset[What]
) -> Iterator[tuple[What, Look]]:
    taken = {tone for _, tone, _ in kinds.values()}
    alike = "".join(_ALIKE.get(tone, tone) for tone in taken)
    others = cycle([tone for tone in _FREE if tone not in alike] or ["8"])
    names = {
        what: kind or " ".join(what[1]) or name_of(what[0]) for what, (_, _, kind) in kinds.items()
    }
    pieces = {
        what: names[what] for what, (placing, _, _) in kinds.items() if placing.kind == "piece"
    }
    forms = {what[0] for what in names}
    glyph: dict[str, str] = {}
    for form in forms:
        # Each form has words of its own: one may name by a letter what another names in full.
        glyph |= glyphs({name for what, name in pieces.items() if what[0] == form})
    for form in forms:
        ways = {what: _way(what) for what in names if what[0] == form and what[1]}
        words = {way for way in ways.values() if way}
        is_clear = all(ways.values()) or all(len(way) > 1 for way in words)
        if len(words) > 2 and is_clear:
            glyph |= {names[what]: ARROWS[way] for what, way in ways.items() if way}
    # A kind that is not a wall has the same label for every owner.
    label = labels({name for what, name in names.items() if name not in glyph})
    if len(label) == 1 and not any(contents for _, contents in kinds):
        label = dict.fromkeys(label, _DISC)
    coded = codes(pieces.values())
    given: dict[str, str] = {}
    alone = len(walls.intersection(kinds)) == 1
    for what, (placing, tone, _) in kinds.items():
        name = names[what]
        if what in walls:
            is_wall = alone or not what[1] or any(word.lower() in SOLID for word in what[1])
            yield what, Look("" if is_wall else label.get(name, name), tone or "8", "tile")
            continue
        # Numbers without an owner are digits.
        is_digit = name.isdecimal() and not tone
        if not tone and not is_digit and placing.kind == "piece" and name not in given:
            given[name] = next(others)
        shown = tone or given.get(name, "plain")
        yield what, Look(glyph.get(name) or label[name], shown, code=coded.get(name, ""))


def _way(what: What) -> str:
    """Return the word for a direction that contents end with; empty without one."""
    last = what[1][-1].lower()
    word = last if last in ARROWS else split(last)[-1:][0] if split(last) else ""
    return word if word in ARROWS else ""


def _accompanies(form: str, observed: Observed, blank: frozenset[What]) -> bool:
    """Return whether every cell of a form has another piece, whose owner the form tells."""
    placing = observed.placings[form]
    others = {
        p.form
        for p in observed.placings.values()
        if p.board == placing.board and p.form != form and p.contents and p.kind == "piece"
    }
    seen = False
    for state in observed.states:
        mine = {key for what, keys in state.items() if what[0] == form for key in keys}
        theirs = {
            key
            for what, keys in state.items()
            if what[0] in others and what not in blank
            for key in keys
        }
        seen = seen or bool(mine)
        if not mine <= theirs:
            return False
    return seen
