"""Means with their standard errors, and ratios of means and deal by deal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median, stdev

__all__ = ["Summary", "ratio_of_means", "ratios"]


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of some numbers. Without any numbers, all but the count are None."""

    count: int
    mean: float | None = None
    median: float | None = None
    #: The standard deviation of the numbers; None for fewer than two.
    deviation: float | None = None

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Summary:
        """Summarise some numbers.

        >>> Summary.of([1, 2, 6])
        Summary(count=3, mean=3.0, median=2, deviation=2.6457513110645907)
        """
        values = list(numbers)
        if not values:
            return cls(0)
        deviation = stdev(values) if len(values) > 1 else None
        return cls(len(values), fmean(values), median(values), deviation)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / sqrt(self.count)


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Summary:
    """Summarise the ratios of paired numbers, such as two searches of the same deal.

    >>> ratios([20, 30], [10, 10]).median
    2.5
    """
    return Summary.of(one / other for one, other in zip(ours, theirs, strict=True))


def ratio_of_means(
    ours: Sequence[float], theirs: Sequence[float]
) -> tuple[float | None, float | None]:
    """Return the ratio of the means of paired numbers, and its standard error.

    The error is that of the first-order expansion of the ratio, from what remains of each pair
    (Cochran 1977, "Sampling techniques", section 2.11). None where there is too little for it.

    >>> ratio_of_means([20, 40], [10, 20])
    (2.0, 0.0)
    """
    base = fmean(theirs) if theirs else 0
    if not base:
        return None, None
    ratio = fmean(ours) / base
    rests = [one - ratio * other for one, other in zip(ours, theirs, strict=True)]
    error = Summary.of(rests).standard_error
    return ratio, None if error is None else error / base
