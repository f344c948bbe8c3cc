"""Facts in parts that are joined step by step."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Partition"]


class Partition:
    """Facts, each in a part of its own until parts are joined."""

    def __init__(self, facts: Iterable[int]) -> None:
        self._above = {fact: fact for fact in facts}
        #: How many parts there are.
        self.count = len(self._above)

    @property
    def facts(self) -> list[int]:
        """All facts, ascending."""
        return sorted(self._above)

    def part(self, fact: int) -> int:
        """Return the first fact of the part that a fact is in."""
        above = self._above
        while above[fact] != fact:
            above[fact] = above[above[fact]]
            fact = above[fact]
        return fact

    def join(self, one: int, other: int) -> bool:
        """Make one part of two facts' parts; return whether they were two.

        What is in no part, such as clockwork, joins nothing.
        """
        if one not in self._above or other not in self._above:
            return False
        first, second = sorted((self.part(one), self.part(other)))
        self._above[second] = first
        self.count -= first != second
        return first != second

    def parts(self) -> dict[int, list[int]]:
        """Return the facts of each part, ascending, by its first fact."""
        found: dict[int, list[int]] = {}
        for fact in self.facts:
            found.setdefault(self.part(fact), []).append(fact)
        return found
