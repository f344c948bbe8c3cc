"""Whether a network needs pairs of facts beside the facts: decided by matches, early on.

Pairs cost time: a network with them learns from fewer states, and searches fewer. In games of
connections and of lines they are worth it, in others not, or not before a network has learned for
long. So both are tried. A search makes more of pairs than the matches show, which are played one
ply deep.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ggp.learning.layers import Rounded
from ggp.learning.trainee import Trainee

__all__ = ["Growth"]

#: The shares of the learning after which the copy with pairs learns, and after which both play.
_BEGIN, _END = 1 / 8, 2 / 8
#: The share of the goals that is enough for the one with pairs.
_LEAST = 0.5


class Growth:
    """Lets a network and a copy of it with pairs of facts learn in turn, and keeps one of them.

    The copy is kept unless it plays worse.
    """

    def __init__(
        self,
        trainee: Trainee,
        pairs: NDArray[np.int32],
        *,
        contest: Callable[[Rounded, Rounded], float | None],
    ) -> None:
        """Take a network before it learns.

        Args:
            trainee: the network.
            pairs: int32[pairs, 2]: numbers of facts. Without any, nothing is tried.
            contest: returns the first network's share of the goals in matches of two; None if
                there are none.
        """
        self._contest = contest
        #: The network that is kept, and the copy, while there is one.
        self._kept = trainee
        self._grown = trainee.grown(pairs) if len(pairs) else None

    def turn(self, share: float) -> Trainee:
        """Return the network that learns next, when a share of the learning is done."""
        if self._grown is None or share < _BEGIN:
            return self._kept
        if share < _END:
            return self._grown
        score = self._contest(self._grown.rounded, self._kept.rounded)
        if score is not None and score >= _LEAST:
            self._kept = self._grown
        self._grown = None
        return self._kept

    def end(self) -> Trainee:
        """Return the network that is left where the learning ends before that is decided."""
        return self._kept
