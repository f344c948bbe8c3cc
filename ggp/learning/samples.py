"""The states that a network learns from."""

from __future__ import annotations

import numpy as np

__all__ = ["Samples"]


class Samples:
    """The last states of self-play, and what each of them turned out to be worth."""

    def __init__(self, *, size: int, words: int, roles: int) -> None:
        """Make room for `size` states of `words` words."""
        #: uint64[size, words]: the states, packed.
        self.states = np.zeros((size, words), np.uint64)
        #: float32[size, roles]: shares of the highest goal.
        self.targets = np.zeros((size, roles), np.float32)
        #: How many samples there have been; the next takes the place of this number modulo `size`.
        self.seen = 0

    def __len__(self) -> int:
        """Return how many samples there are."""
        return min(self.seen, len(self.states))

    def take(self, others: Samples) -> None:
        """Add what others hold, in their order, and empty them."""
        count = len(others)
        first = others.seen - count
        there = np.arange(first, others.seen) % len(others.states)
        here = np.arange(self.seen, self.seen + count) % len(self.states)
        self.states[here], self.targets[here] = others.states[there], others.targets[there]
        self.seen += count
        others.seen = 0
