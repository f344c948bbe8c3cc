"""The sequential probability ratio test: stop as soon as the score is known to be high or low.

This is the generalised test (GSPRT) that chess engines are tested by: M. Van den Bergh, "A
Practical Introduction to the GSPRT" and "Comments on Normalized Elo" (cantate.be/Fishtest). The
matches of an opening are not independent of each other, so their mean is one observation: with two
matches there are five outcomes ("pentanomial"). The likelihood of a score is that of the most
likely distribution of outcomes with this mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

__all__ = ["Sprt", "score_of_elo"]

# The count of an outcome that has not occurred: without it, an outcome that is all that has
# occurred so far would seem to be certain.
_UNSEEN = 1e-3

# The number of bisection steps that reach the precision of a float.
_STEPS = 100


def score_of_elo(elo: float) -> float:
    """Return the expected score of a player that is stronger by `elo` Elo points.

    >>> score_of_elo(0), round(score_of_elo(70), 3)
    (0.5, 0.599)
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


@dataclass(frozen=True, slots=True)
class Sprt:
    """Tests whether the true score is `low` or less, or `high` or more."""

    low: float
    high: float
    #: The probability to accept the wrong one, if the true score is `low` or `high`.
    error: float = 0.05

    @property
    def bound(self) -> float:
        """The log-likelihood ratio from which `high` is accepted, and `low` from its negative."""
        return log((1 - self.error) / self.error)

    def ratio(self, scores: Sequence[float], *, outcomes: Sequence[float]) -> float:
        """Return the log-likelihood ratio of `high` to `low`.

        Args:
            scores: the mean score of each opening.
            outcomes: all that such a score can be.
        """
        if not scores:
            return 0.0
        seen = Counter(map(_rounded, scores))
        counts = {each: seen.get(each, 0) or _UNSEEN for each in map(_rounded, outcomes)}
        total = sum(counts.values())
        shares = {outcome: count / total for outcome, count in counts.items()}
        low, high = (_most_likely(shares, mean) for mean in (self.low, self.high))
        return total * sum(
            share * log(high[outcome] / low[outcome]) for outcome, share in shares.items()
        )

    def decision(self, ratio: float) -> str:
        """Return "high" or "low" if one of them is accepted, else "open"."""
        if abs(ratio) < self.bound:
            return "open"
        return "high" if ratio > 0 else "low"

    def to_json(self, ratio: float) -> dict[str, Any]:
        """Return the test as JSON values."""
        return {
            "low": self.low,
            "high": self.high,
            "ratio": ratio,
            "bound": self.bound,
            "decision": self.decision(ratio),
        }


def _rounded(score: float) -> float:
    """Return a score without the error of its arithmetic, so that equal ones are equal."""
    return round(score, 9)


def _most_likely(shares: Mapping[float, float], mean: float) -> dict[float, float]:
    """Return the distribution with this mean under which the observed shares are most likely.

    Its probabilities are shares / (1 + x * (outcome - mean)), where x makes the mean right; the sum
    below decreases in x.
    """
    least, most = min(shares) - mean, max(shares) - mean
    below, above = -1 / most, -1 / least
    for _ in range(_STEPS):
        x = (below + above) / 2
        rest = sum(
            share * (outcome - mean) / (1 + x * (outcome - mean))
            for outcome, share in shares.items()
        )
        below, above = (x, above) if rest > 0 else (below, x)
    return {outcome: share / (1 + x * (outcome - mean)) for outcome, share in shares.items()}
