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
