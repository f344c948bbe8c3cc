"""Short labels that tell texts apart, and the glyphs of chess men."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import count

from ggp.server.manager.drawing.looks.words import CHESS, CHESS_LETTERS, split

__all__ = ["codes", "glyphs", "labels"]

_COUNTED = re.compile(r"([A-Za-z_-]+)([0-9]+)")
_CODE = re.compile(r"[A-Za-z_]*([01]{2,4})")
_FILES = "abcdefgh"


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Return a label for each text, all of them different and as short as that allows.

    Numbers stay whole; what all words begin with is left out.

    >>> sorted(labels({"rook", "runner", "x", "12"}).values())
    ['12', 'r', 'ru', 'x']
    >>> sorted(labels({"piece0001", "piece0010", "piece0011"}).values())
    ['0001', '0010', '0011']
    >>> sorted(labels({"white", "whole", "black"}).values())
    ['b', 'w', 'wh']
    """
    texts = set(texts)
    found = {text: text for text in texts if text.isdecimal()}
    counted = {text: _COUNTED.fullmatch(text) for text in texts - found.keys()}
    stems = {match[1] for match in counted.values() if match}
    if sum(map(bool, counted.values())) > 1 and len(stems) == 1:
        found |= {t: m[2] for t, m in counted.items() if m and m[2] not in found.values()}
    taken = set(found.values())
    left = texts - found.keys()
    shared = os.path.commonprefix(sorted(left)) if len(left) > 1 else ""  # noqa: RUF071 - letters
    for text in sorted(left, key=lambda text: (len(text), text)):
        found[text] = next(label for label in _labels(text, len(shared)) if label not in taken)
        taken.add(found[text])
    return found


def _labels(text: str, shared: int) -> Iterator[str]:
    """Yield labels for a text, the best first, without end."""
    if len(text) <= 2:
        yield text
    rest = text[shared:].strip("-_") if shared > 2 else text
    rest = rest or text
    yield rest[:1]
    words = split(text)
    if len(words) > 1:
        yield "".join(word[:1] for word in words)[:3]
    yield rest[:2]
    yield from (rest[0] + letter for letter in rest[2:] if letter.isalnum())
    yield from (rest[:length] for length in range(3, len(rest)))
    yield text
    yield from (f"{rest[:1]}{number}" for number in count(2))


def glyphs(kinds: Iterable[str]) -> dict[str, str]:
    """Return the glyph of each kind of piece that is a chess man, by its word or its letter.

    Letters are men only if all kinds are men, among them a king or a queen and another man besides
    pawns; a letter may be followed by the file on which the man begins.

    >>> sorted(glyphs({"k", "r", "p"})), sorted(glyphs({"k", "r", "p", "pawn"}))
    (['k', 'p', 'r'], ['k', 'p', 'pawn', 'r'])
    >>> glyphs({"k", "p"}), glyphs({"king", "pawn"})
    ({}, {})
    """
    named = {
        kind: man for kind in kinds if (man := next((w for w in split(kind) if w in CHESS), None))
    }
    lettered = {
        kind: CHESS_LETTERS[kind[0]]
        for kind in kinds
        if kind[:1] in CHESS_LETTERS and (len(kind) == 1 or (len(kind) == 2 and kind[1] in _FILES))
    }
    men = set(lettered.values())
    if lettered.keys() | named.keys() == set(kinds) and (
        men & {"king", "queen"} or men == {"knight"}
    ):
        named |= lettered
    if not set(named.values()) - {"pawn", "king"}:
        return {}
    return {kind: CHESS[man] for kind, man in named.items()}


def codes(names: Iterable[str]) -> dict[str, str]:
    """Return the binary digits of each name, if all names are such codes of one length.

    >>> sorted(codes({"p00", "p01", "p11"}).items())
    [('p00', '00'), ('p01', '01'), ('p11', '11')]
    >>> codes({"10", "11", "12"})
    {}
    """
    matches = {name: _CODE.fullmatch(name) for name in names}
    found = {name: match[1] for name, match in matches.items() if match}
    lengths = {len(code) for code in found.values()}
    is_coded = len(found) == len(matches) > 2 and len(lengths) == 1
    return found if is_coded and len(set(found.values())) == len(found) else {}
