"""Which names resemble each other so much that one is probably a slip for the other."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["closest", "did_you_mean", "distance", "is_slip_of"]

_NUMBER = re.compile(r"[0-9]+")
_LONG = 6  # letters of a name in which two slips are believed
_TELLING = 4  # letters of a name in which a slip is believed without further evidence


def distance(one: str, other: str) -> int:
    """Return how many slips turn one name into the other: Damerau's distance.

    A slip is a character too many, one too few, a wrong one, or two neighbours that changed places
    (Damerau, A technique for computer detection and correction of spelling errors, 1964).

    >>> distance("leagl", "legal"), distance("blamk", "blank"), distance("x", "x")
    (1, 1, 0)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        earlier, before, row = before, row, [i + 1]
        for j, b in enumerate(other):
            best = min(before[j] + (a != b), before[j + 1] + 1, row[j] + 1)
            if i and j and a == other[j - 1] and one[i - 1] == b:
                best = min(best, earlier[j - 1] + 1)
            row.append(best)
    return row[-1]


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that the name is probably a slip for, if there is one.

    Names that differ in their numbers only, as ``player1`` and ``player2`` do, are no slips.

    >>> closest("smalles", ["role", "smaller", "step"])
    'smaller'
    """
    bare = name.removeprefix("?").lower()
    allowed = 0 if len(bare) < 2 else 1 if len(bare) < _LONG else 2
    found: list[tuple[int, str]] = []
    for candidate in set(candidates):
        other = candidate.removeprefix("?").lower()
        if name == candidate or abs(len(bare) - len(other)) > allowed or len(other) < 2:
            continue
        if _NUMBER.sub("", bare) != _NUMBER.sub("", other) or bare == other:
            slips = distance(bare, other)
            if slips <= allowed and slips < max(len(bare), len(other)) - 1:
                found.append((slips, candidate))
    return min(found)[1] if found else None


def did_you_mean(name: str, candidates: Iterable[str], fix: str) -> tuple[str, str | None]:
    """Return a hint that names the closest candidate before the usual fix, and that candidate."""
    close = closest(name, candidates)
    return (fix, None) if close is None else (f"did you mean `{close}`? If not: {fix}", close)


def is_slip_of(name: str, other: str) -> bool:
    """Return whether a name is so like another that this alone is reason to warn.

    >>> is_slip_of("?colunm", "?column"), is_slip_of("?x1", "?x2"), is_slip_of("?x", "?y")
    (True, False, False)
    """
    one, two = name.removeprefix("?"), other.removeprefix("?")
    if min(len(one), len(two)) < _TELLING or abs(len(one) - len(two)) > 1:
        return False
    return _NUMBER.sub("", one) != _NUMBER.sub("", two) and distance(one, two) == 1
