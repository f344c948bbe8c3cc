"""Coordinates: sets of words with an order, which is numerical or comes from the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["MAX_LENGTH", "Axis", "axis_of", "natural"]

_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
#: The longest side of a board.
MAX_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Axis:
    """The values of one coordinate, ascending."""

    values: tuple[str, ...]
    #: Whether a number or a relation puts them in order, rather than their spelling.
    is_ordered: bool
    #: Whether a relation of the rules does so.
    by_rules: bool = False

    def __len__(self) -> int:
        return len(self.values)


def axis_of(values: Iterable[str], chains: Sequence[Sequence[str]]) -> Axis:
    """Order values as numbers, by the shortest chain that contains them all, or by spelling.

    Missing numbers between others are added if they are few.

    >>> axis_of({"10", "9", "7"}, ()).values
    ('7', '8', '9', '10')
    >>> axis_of({"a", "b"}, [("c", "b", "a")])
    Axis(values=('b', 'a'), is_ordered=True, by_rules=True)
    """
    names = set(values)
    containing = [chain for chain in chains if names.issubset(chain)]
    chain = min(containing, key=len, default=())
    if names and all(map(_NUMBER.fullmatch, names)):
        numbers = sorted(map(int, names))
        span = range(numbers[0], numbers[-1] + 1)
        shown = span if len(span) <= min(2 * len(numbers), MAX_LENGTH) else numbers
        return Axis(tuple(map(str, shown)), True, bool(chain))
    if chain:
        places = [chain.index(name) for name in names]
        return Axis(tuple(chain[min(places) : max(places) + 1]), True, True)
    return Axis(tuple(sorted(names, key=natural)), False)


def natural(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers inside of words as numbers.

    >>> sorted(["c10", "c9", "c"], key=natural)
    ['c', 'c9', 'c10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    return [
        (int(part), "") if part.isdecimal() and len(part) < 10 else (-1, part) for part in parts
    ]
