"""A contest: the matches of two players, played until there are enough or a test has decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from benchmarks.arena.contenders import Thinking
from benchmarks.arena.measuring import A, Pairing, division, measure, roles, thinking
from benchmarks.arena.scores import Scoring, Tally
from benchmarks.arena.sprt import Sprt
from ggp.cluster import Pool
from ggp.deadline import Deadline
from ggp.experiments.running.measuring import Kept, Measured, Task, measure_all

__all__ = ["Contest", "Standing"]


@dataclass(frozen=True, slots=True)
class Contest:
    """The matches that two players are to play."""

    pairing: Pairing
    #: The least number of matches; an opening is played to the end.
    matches: int
    test: Sprt | None = None

    @property
    def scoring(self) -> Scoring:
        """How matches count for A."""
        return Scoring(A, self.pairing.alone, roles(self.pairing.game))

    @property
    def tasks(self) -> list[Task]:
        """The tasks of all openings."""
        openings = ceil(self.matches / self.scoring.matches)
        return [self.pairing.task(number) for number in range(openings)]

    def standing(self, kept: Kept) -> Standing:
        """Return how the contest stands."""
        return Standing(self, [done for task in self.tasks if (done := kept.get(task))])

    def play(self, kept: Kept, *, pool: Pool, deadline: Deadline) -> Iterator[Standing]:
        """Play on, and yield how the contest stands, at the start and after each opening.

        Raises as `measure_all` does.
        """
        standing = self.standing(kept)
        yield standing
        if not standing.is_over:
            for _ in measure_all(self.tasks, measure, kept, pool=pool, deadline=deadline):
                standing = self.standing(kept)
                yield standing
                if standing.is_over:
                    return


@dataclass(frozen=True, slots=True)
class Standing:
    """How a contest stands after some openings."""

    contest: Contest
    measured: Sequence[Measured]

    @property
    def tally(self) -> Tally:
        """The score."""
        played = [[division(match) for match in done.result["matches"]] for done in self.measured]
        return Tally(self.contest.scoring, played)

    @property
    def decision(self) -> str | None:
        """The decision of the test: "high", "low" or "open"; None without a test."""
        test = self.contest.test
        return None if test is None else test.decision(self.tally.ratio(test))

    @property
    def is_over(self) -> bool:
        """Whether all matches are played, or the test has decided."""
        if len(self.measured) == len(self.contest.tasks):
            return True
        return self.decision not in (None, "open")

    @property
    def thinking(self) -> dict[str, Thinking]:
        """What the sides have spent."""
        return thinking(self.measured)

    def to_json(self) -> dict[str, Any]:
        """Return the contest, its score and what was spent as JSON values."""
        tally, test = self.tally, self.contest.test
        return {
            **asdict(self.contest.pairing),
            **tally.to_json(),
            "spent": {side: spent.to_json() for side, spent in self.thinking.items()},
            "sprt": None if test is None else test.to_json(tally.ratio(test)),
            "complete": self.is_over,
        }
