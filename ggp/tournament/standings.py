"""Standings: points, ratings and errors of the players, and their results in each game."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openskill.models import PlackettLuce, PlackettLuceRating

from ggp.tournament.plan import Plan
from ggp.tournament.schedule import byes, fixtures
from ggp.tournament.store import ERRORS, Result

__all__ = ["Mean", "Rating", "Standing", "Standings", "standings"]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean goal of some matches."""

    goals: tuple[int, ...] = ()

    @property
    def value(self) -> float | None:
        """The mean, from 0 to 100; None without a match."""
        return sum(self.goals) / len(self.goals) if self.goals else None

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean; None for fewer than two matches."""
        count = len(self.goals)
        if count < 2:
            return None
        mean = sum(self.goals) / count
        variance = sum((goal - mean) ** 2 for goal in self.goals) / (count - 1)
        return math.sqrt(variance / count)


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength as openskill rates it, which starts at 25 with a deviation of 8.33."""

    mean: float
    #: One standard deviation.
    deviation: float


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of one player."""

    rank: int
    player: str
    #: Without aborted matches.
    matches: int
    #: A goal of 100 is one point, as is a match that the player had to sit out.
    points: float
    byes: int
    goals: Mean
    #: Matches with other players in which no goal was higher, and how many of these were shared.
    firsts: int
    shared: int
    rating: Rating
    moves: int
    #: How often each of `ERRORS` occurred.
    errors: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return a flat dictionary for CSV and JSON."""
        return {
            "rank": self.rank,
            "player": self.player,
            "matches": self.matches,
            "points": self.points,
            "byes": self.byes,
            "mean_goal": self.goals.value,
            "standard_error": self.goals.standard_error,
            "firsts": self.firsts,
            "shared": self.shared,
            "rating": self.rating.mean,
            "rating_deviation": self.rating.deviation,
            "moves": self.moves,
            **{error: self.errors[error] for error in ERRORS},
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a tournament. Sequences by player are in the order of the standings."""

    plan: Plan
    #: Matches that are over, and matches that are known: in Swiss tournaments more may follow.
    played: int
    settled: int
    is_finished: bool
    #: Aborted matches, which count for no player.
    aborted: tuple[Result, ...]
    players: tuple[Standing, ...]
    #: For each player, its goals in each game of the plan.
    by_game: tuple[tuple[Mean, ...], ...]
    #: For each player, its goals in matches with each other player.
    against: tuple[tuple[Mean, ...], ...]
    #: For each player, its rating after each of its matches, with the number of the match.
    ratings: tuple[tuple[tuple[int, Rating], ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the standings for JSON."""
        plan = self.plan
        games = [game.name for game in plan.games]
        return {
            "name": plan.name,
            "system": plan.system,
            "rounds": plan.rounds,
            "games": games,
            "start_clock": plan.start_clock,
            "play_clock": plan.play_clock,
            "scramble": plan.scramble,
            "seed": plan.seed,
            "played": self.played,
            "settled": self.settled,
            "finished": self.is_finished,
            "aborted": [
                {"match": result.match_id, "reason": result.remark} for result in self.aborted
            ],
            "standings": [
                standing.to_dict()
                | {"by_game": dict(zip(games, (mean.value for mean in means), strict=True))}
                for standing, means in zip(self.players, self.by_game, strict=True)
            ],
        }


@dataclass(slots=True)
class _Tally:
    """The counts of one player."""

    goals: list[int] = field(default_factory=list)
    firsts: int = 0
    shared: int = 0
    moves: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    by_game: dict[int, list[int]] = field(default_factory=dict)
    against: dict[int, list[int]] = field(default_factory=dict)

    def add(self, result: Result, goals: Sequence[int], seat: int) -> None:
        """Count a match in which the player had a seat."""
        goal = goals[seat]
        self.goals.append(goal)
        self.by_game.setdefault(result.fixture.game, []).append(goal)
        for other in result.fixture.players:
            self.against.setdefault(other, []).append(goal)
        if len(goals) > 1 and goal == max(goals):
            self.firsts += 1
            self.shared += goals.count(goal) > 1


def standings(plan: Plan, results: Iterable[Result]) -> Standings:
    """Return the standings of a tournament, which do not depend on the order of the results.

    Players are ranked by points a match, and equal ones listed by rating. Ratings are openskill's
    (Plackett-Luce), matches being rated in the order of the fixtures by who had the higher goals.
    """
    results = sorted(results, key=lambda result: result.fixture.number)
    settled = fixtures(plan, results)
    # The players that sit out in a round are known before it is over.
    over = {result.fixture.number for result in results}
    open_rounds = {fixture.round for fixture in settled if fixture.number not in over}
    sat_out = byes(plan, (f for f in settled if f.round not in open_rounds))
    tallies = [_Tally() for _ in plan.players]
    for result in results:
        for seat, player in enumerate(result.fixture.players):
            tallies[player].moves += result.moves
            tallies[player].errors.update(result.errors[seat])
            if result.goals is not None:
                tallies[player].add(result, result.goals, seat)
    ratings = _ratings(plan, results)
    latest = [history[-1][1] for history in ratings]
    shares = [_share(tally, sat_out[player]) for player, tally in enumerate(tallies)]
    names = plan.player_names
    order = sorted(range(len(tallies)), key=lambda player: (-shares[player], -latest[player].mean))
    return Standings(
        plan=plan,
        played=len(results),
        settled=len(settled),
        is_finished=not open_rounds and settled[-1].round == plan.rounds - 1,
        aborted=tuple(result for result in results if result.goals is None),
        players=tuple(
            Standing(
                rank=1 + sum(share > shares[player] for share in shares),
                player=names[player],
                matches=len(tallies[player].goals),
                points=sum(tallies[player].goals) / 100 + sat_out[player],
                byes=sat_out[player],
                goals=Mean(tuple(tallies[player].goals)),
                firsts=tallies[player].firsts,
                shared=tallies[player].shared,
                rating=latest[player],
                moves=tallies[player].moves,
                errors=tallies[player].errors,
            )
            for player in order
        ),
        by_game=tuple(
            tuple(Mean(tuple(tallies[p].by_game.get(game, ()))) for game in range(len(plan.games)))
            for p in order
        ),
        against=tuple(
            tuple(
                Mean(() if p == other else tuple(tallies[p].against.get(other, ())))
                for other in order
            )
            for p in order
        ),
        ratings=tuple(ratings[player] for player in order),
    )


def _share(tally: _Tally, sat_out: int) -> float:
    matches = len(tally.goals) + sat_out
    return (sum(tally.goals) / 100 + sat_out) / matches if matches else 0.0


def _ratings(plan: Plan, results: Iterable[Result]) -> list[tuple[tuple[int, Rating], ...]]:
    """Return the ratings of each player: the initial one, and one after each of its matches."""
    model = PlackettLuce()
    rated: list[PlackettLuceRating] = [model.rating() for _ in plan.players]
    histories = [[(0, Rating(rating.mu, rating.sigma))] for rating in rated]
    for result in results:
        players = result.fixture.players
        if result.goals is None or len(players) < 2:
            continue
        teams = [[rated[player]] for player in players]
        scores = [float(goal) for goal in result.goals]
        for player, (rating,) in zip(players, model.rate(teams, scores=scores), strict=True):
            rated[player] = rating
            entry = result.fixture.number + 1, Rating(rating.mu, rating.sigma)
            histories[player].append(entry)
    return [tuple(history) for history in histories]
