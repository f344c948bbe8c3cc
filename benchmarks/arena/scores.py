"""The score of a side: by role, with its error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import sqrt
from statistics import fmean
from typing import Any

from benchmarks.arena.matches import Division
from benchmarks.arena.sprt import Sprt
from ggp.experiments.running.statistics import Summary

__all__ = ["Overall", "Scoring", "Tally"]

# Of a normal distribution, for an interval that holds 95 %.
_QUANTILE = 1.96


@dataclass(frozen=True, slots=True)
class Scoring:
    """How matches count for a side."""

    side: str
    #: Whether the side has one role in each match.
    is_alone: bool
    #: The roles that are played.
    roles: tuple[str, ...]

    @property
    def even(self) -> float:
        """The score of a side that is as strong as the other."""
        return 1 / len(self.roles) if self.is_alone else 0.5

    @property
    def matches(self) -> int:
        """How many matches are played from an opening: one for each division of the roles."""
        return len(self.roles) if self.is_alone else 2 ** len(self.roles) - 2

    def points(self, played: Division) -> float:
        """Return what a match counts.

        The side that gets more on average wins, and a draw counts 1/2. A role that is alone wins if
        no other gets more; it shares the win with those that get as much.
        """
        own = fmean(played.of(self.side))
        others = [g for s, g in zip(played.sides, played.goals, strict=True) if s != self.side]
        if self.is_alone:
            ties = sum(goal == own for goal in others)
            return 0.0 if own < max(others) else 1 / (1 + ties)
        return 0.5 if own == fmean(others) else float(own > fmean(others))

    @property
    def outcomes(self) -> list[float]:
        """All that the mean of the points of an opening can be."""
        ways = range(2, len(self.roles) + 1) if self.is_alone else (2,)
        points = {Fraction(0), Fraction(1), *(Fraction(1, each) for each in ways)}
        sums = {
            sum(each, Fraction(0)) for each in combinations_with_replacement(points, self.matches)
        }
        return sorted(float(each / self.matches) for each in sums)


@dataclass(frozen=True, slots=True)
class Tally:
    """The matches of some openings. Every opening has the same number of them."""

    scoring: Scoring
    openings: Sequence[Sequence[Division]]

    @property
    def games(self) -> int:
        """The number of matches."""
        return sum(map(len, self.openings))

    @property
    def by_opening(self) -> list[float]:
        """The mean score of each opening."""
        return [fmean(map(self.scoring.points, played)) for played in self.openings]

    @property
    def score(self) -> float | None:
        """The mean score; None without matches."""
        return Summary.of(self.by_opening).mean

    @property
    def error(self) -> float | None:
        """The standard error of the score: that between openings. None for fewer than two."""
        return Summary.of(self.by_opening).standard_error

    @property
    def interval(self) -> tuple[float, float] | None:
        """An interval that holds the true score in 95 % of cases (Wilson), as if without draws.

        It makes sense, too, where all matches ended alike and the error seems to be 0.
        """
        return None if (score := self.score) is None else _wilson(score, self.games)

    def ratio(self, test: Sprt) -> float:
        """Return the log-likelihood ratio of a test."""
        return test.ratio(self.by_opening, outcomes=self.scoring.outcomes)

    def to_json(self) -> dict[str, Any]:
        """Return score and matches as JSON values."""
        points = [self.scoring.points(each) for played in self.openings for each in played]
        return {
            "score": self.score,
            "error": self.error,
            "interval": self.interval,
            "even": self.scoring.even,
            "games": self.games,
            "openings": len(self.openings),
            **_counted(points),
            "seats": self._seats(),
        }

    def _seats(self) -> dict[str, dict[str, Any]]:
        """Return the same by the roles that the side had."""
        by_seat: defaultdict[str, list[float]] = defaultdict(list)
        for played in self.openings:
            for each in played:
                seated = zip(self.scoring.roles, each.sides, strict=True)
                roles = (role for role, side in seated if side == self.scoring.side)
                by_seat["+".join(roles)].append(self.scoring.points(each))
        return {
            seat: {"score": fmean(points), **_counted(points)}
            for seat, points in sorted(by_seat.items())
        }


@dataclass(frozen=True, slots=True)
class Overall:
    """The matches in several games. Each game counts the same, however many matches it had."""

    tallies: Sequence[Tally]

    @property
    def score(self) -> float | None:
        """The mean of the scores; None without matches. An even score is 1/2."""
        return self._summary.mean

    @property
    def error(self) -> float | None:
        """The standard error of the score: that between games. None for fewer than two."""
        return self._summary.standard_error

    @property
    def games(self) -> int:
        """The number of matches."""
        return sum(tally.games for tally in self.tallies)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval that holds the true score in 95 % of cases, over the games."""
        return None if (score := self.score) is None else _wilson(score, len(self.tallies))

    def to_json(self) -> dict[str, Any]:
        """Return score and matches as JSON values."""
        found = [tally.to_json() for tally in self.tallies]
        summed = {name: sum(each[name] for each in found) for name in ("wins", "draws", "losses")}
        told = {"score": self.score, "error": self.error, "interval": self.interval}
        return {**told, "games": self.games, **summed}

    @property
    def _summary(self) -> Summary:
        return Summary.of([score for tally in self.tallies if (score := tally.score) is not None])


def _wilson(score: float, count: int) -> tuple[float, float]:
    """Return Wilson's interval for 95 % of a score between 0 and 1 after a number of trials."""
    square = _QUANTILE**2
    middle = (score + square / (2 * count)) / (1 + square / count)
    spread = sqrt(score * (1 - score) / count + square / (4 * count**2))
    half = _QUANTILE * spread / (1 + square / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def _counted(points: Sequence[float]) -> dict[str, int]:
    wins, losses = points.count(1.0), points.count(0.0)
    return {"wins": wins, "draws": len(points) - wins - losses, "losses": losses}
