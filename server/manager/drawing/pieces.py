"""The looks of the contents of cells: letters, colours, and which contents mean an empty cell."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle

from ggp.server.manager.drawing.forms import name_of, take_apart
from ggp.server.manager.drawing.layout import Layout, Placing
from ggp.server.manager.drawing.play import Line

__all__ = ["Look", "Looks", "find_looks", "role_tones"]

#: The tones of English words for colours. A game with other words gets numbered tones.
_TONES = {
    **{tone: tone for tone in ("white", "black", "red", "green", "blue", "yellow", "orange")},
    **{tone: tone for tone in ("purple", "teal", "brown", "pink", "grey")},
    **{"magenta": "purple", "cyan": "teal", "gray": "grey", "gold": "yellow", "light": "white"},
    **{"dark": "black", "violet": "purple", "silver": "grey"},
}
_GLYPHS = {
    **{"king": "\u265a", "queen": "\u265b", "rook": "\u265c", "bishop": "\u265d"},
    **{"knight": "\u265e", "pawn": "\u265f"},
}
#: The label of the only kind of piece.
_DISC = "\u25cf"
_NUMBERED = 8
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
#: The share, and the number, of new facts that make a role their owner.
_MOSTLY = 0.95
_OFTEN = 3
_MAX_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Look:
    """How the pages show something in a cell."""

    #: A few letters, or a glyph.
    label: str
    #: The name of its colour: a word, or a number if the game names no colour.
    tone: str


@dataclass(frozen=True)
class Looks:
    """How the contents of a game's cells look."""

    roles: tuple[str, ...]
    contents: Mapping[tuple[str, tuple[str, ...]], Look] = field(default_factory=dict)
    #: Contents that mean an empty cell.
    blank: frozenset[tuple[str, tuple[str, ...]]] = frozenset()

    def of(self, form: str, contents: tuple[str, ...]) -> Look:
        """Return the look of contents, which need not have been observed."""
        known = self.contents.get((form, contents))
        return known or Look((" ".join(contents) or name_of(form))[:_MAX_LETTERS], "plain")


def role_tones(roles: Sequence[str]) -> tuple[str, ...]:
    """Return a tone for each role: the colour in its name, or a number.

    >>> role_tones(["white", "xPlayer", "blackKnight"])
    ('white', '1', 'black')
    """
    numbers = iter(range(1, 1000))
    tones: list[str] = []
    for role in roles:
        named = next((tone for word in _words(role) if (tone := _TONES.get(word))), "")
        tones.append(named if named and named not in tones else str((next(numbers) - 1) % 8 + 1))
    return tuple(tones)


def find_looks(layout: Layout, lines: Sequence[Line]) -> Looks:
    """Find the looks of contents by their names, their owners and how often they occur."""
    seen: defaultdict[Placing, Counter[tuple[str, ...]]] = defaultdict(Counter)
    placings = {placing.form: placing for placing in layout.placings}
    for line in lines:
        for form, values in (take_apart(fact) for facts in line.states for fact in facts):
            if placing := placings.get(form):
                seen[placing][_contents(placing, values)] += 1
    first = Counter(
        (form, _contents(placings[form], values))
        for line in lines[:1]
        for form, values in map(take_apart, line.states[0])
        if form in placings
    )
    in_all = Counter(form for form, _ in first.elements())
    blank = {
        (placing.form, contents)
        for placing, counts in seen.items()
        if placing.kind == "piece" and placing.contents
        for contents in counts
        if _is_blank(
            contents, counts, first[placing.form, contents], in_all[placing.form], layout, placing
        )
    }
    blank |= {
        (placing.form, ())
        for placing in layout.placings
        if not placing.contents and _is_the_rest(placing, layout, lines)
    }
    owners = _owners(placings, lines) if len(layout.roles) > 1 else {}
    tones = dict(zip(layout.roles, role_tones(layout.roles), strict=True))
    shown = [
        (placing, contents)
        for placing in layout.placings
        for contents in sorted(seen[placing])
        if (placing.form, contents) not in blank
    ]
    return Looks(layout.roles, dict(_looks(shown, layout, tones, owners)), frozenset(blank))


def _looks(
    shown: Sequence[tuple[Placing, tuple[str, ...]]],
    layout: Layout,
    tones: Mapping[str, str],
    owners: Mapping[tuple[str, tuple[str, ...]], int],
) -> Iterator[tuple[tuple[str, tuple[str, ...]], Look]]:
    free = [str(n) for n in range(1, _NUMBERED + 1) if str(n) not in tones.values()] or ["plain"]
    others = cycle(free)
    kinds: dict[tuple[Placing, tuple[str, ...]], tuple[str, str]] = {}
    for placing, contents in shown:
        words = contents or (name_of(placing.form),)
        tone, rest = _toned(words, tones)
        owner = owners.get((placing.form, contents))
        if not tone and owner is not None and placing.kind == "piece":
            tone = tones[layout.roles[owner]]
        if not tone and (placing.is_amount or all(part.isdecimal() for part in contents)):
            tone = "plain"
        if not tone and placing.kind == "piece":
            tone = next(others)
        kinds[placing, contents] = (tone or "plain", rest or " ".join(contents) or words[0])
    letters = _abbreviated({text for _, text in kinds.values()})
    if len(letters) == 1 and not any(contents for _, contents in kinds):
        letters = dict.fromkeys(letters, _DISC)
    for (placing, contents), (tone, text) in kinds.items():
        glyph = next((_GLYPHS[word] for word in _words(text) if word in _GLYPHS), None)
        yield (placing.form, contents), Look(glyph or letters[text], tone)


def _toned(words: Sequence[str], tones: Mapping[str, str]) -> tuple[str, str]:
    """Return the tone that words name, by a role or else a colour, and the remaining words."""
    role = next((word for word in words if word in tones), None)
    if role is not None:
        return tones[role], " ".join(word for word in words if word != role)
    parts = [part for word in words for part in _words(word)]
    colour = next((part for part in parts if part in _TONES), None)
    if colour is None:
        return "", " ".join(words)
    return _TONES[colour], " ".join(part for part in parts if part != colour)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _abbreviated(texts: Iterable[str]) -> dict[str, str]:
    """Return a few letters for each text, which tell it apart if possible.

    >>> sorted(_abbreviated({"rook", "runner", "x", "12"}).values())
    ['12', 'ro', 'ru', 'x']
    >>> sorted(_abbreviated({"piece0001", "piece0010", "piece0011"}).values())
    ['01', '10', '11']
    """
    texts = set(texts)
    words = [text for text in texts if not text.isdecimal()]
    shared = len(os.path.commonprefix(words))  # noqa: RUF071 - of letters, not of paths
    for length in range(1, _MAX_LETTERS + 1):
        for start in (0, shared):
            letters = {
                text: text if text.isdecimal() else text[start : start + length] or text[:length]
                for text in texts
            }
            if len(set(letters.values())) == len(texts):
                return letters
    return {text: text[:_MAX_LETTERS] for text in texts}


def _contents(placing: Placing, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(values[column] for column in placing.contents)


def _is_blank(
    contents: tuple[str, ...],
    counts: Counter[tuple[str, ...]],
    at_first: int,
    at_first_in_all: int,
    layout: Layout,
    placing: Placing,
) -> bool:
    """Return whether contents mean an empty cell.

    They do if they fill half of the board initially, or are the only word among numbers.
    """
    if set(contents) & set(layout.roles):
        return False
    if placing.is_amount:
        return False
    numbers = [each for each in counts if all(part.isdecimal() for part in each)]
    is_odd = len(numbers) == len(counts) - 1 > 1 and contents not in numbers
    is_full = at_first_in_all >= 0.9 * len(layout.boards[placing.board].spots)
    return is_odd or (len(counts) > 1 and is_full and 2 * at_first >= at_first_in_all)


def _is_the_rest(placing: Placing, layout: Layout, lines: Sequence[Line]) -> bool:
    """Return whether facts without contents always stand exactly where no others do."""
    others = {p.form: p for p in layout.placings if p.board == placing.board and p != placing}
    spots = len(layout.boards[placing.board].spots)
    for facts in (facts for line in lines for facts in line.states):
        cells = Counter(
            tuple(values[column] for column in (others.get(form) or placing).key)
            for form, values in map(take_apart, facts)
            if form == placing.form or form in others
        )
        if len(cells) != spots or cells.total() != spots:
            return False
    return bool(others)


def _owners(
    placings: Mapping[str, Placing], lines: Sequence[Line]
) -> dict[tuple[str, tuple[str, ...]], int]:
    """Return the owner of contents: the only role with a choice when they appeared."""
    counts: defaultdict[tuple[str, tuple[str, ...]], Counter[int]] = defaultdict(Counter)
    for line in lines:
        for n, (before, after) in enumerate(zip(line.states, line.states[1:], strict=False)):
            mover = _mover(line, n)
            if mover is None:
                continue
            for fact in set(after) - set(before):
                form, values = take_apart(fact)
                if placing := placings.get(form):
                    counts[form, _contents(placing, values)][mover] += 1
    found = {
        what: role
        for what, by_role in counts.items()
        for role, count in by_role.most_common(1)
        if count >= _MOSTLY * by_role.total() and count >= _OFTEN
    }
    # If most contents have several owners, that a few have one may be chance.
    return found if 2 * len(found) > len(counts) else {}


def _mover(line: Line, number: int) -> int | None:
    if not line.legal:
        return None
    choosing = [role for role, moves in enumerate(line.legal[number]) if len(moves) > 1]
    return choosing[0] if len(choosing) == 1 else None
