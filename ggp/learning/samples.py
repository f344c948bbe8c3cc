"""The states that a network learns from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp.learning.loops import move_samples

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

    def add(self, states: NDArray[np.uint64], targets: NDArray[np.float32]) -> None:
        """Add samples, no more than there is room for."""
        here = np.arange(self.seen, self.seen + len(states)) % len(self.states)
        self.states[here], self.targets[here] = states, targets
        self.seen += len(states)

    def take(self, others: Samples) -> None:
        """Add what others hold, in their order, and empty them."""
        count = len(others)
        move_samples(
            others.states, others.targets, others.seen - count, others.seen, self.states,
            self.targets, self.seen,
        )  # fmt: skip
        self.seen += count
        others.seen = 0
