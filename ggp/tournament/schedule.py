"""The schedule: which players meet in which game and seat, given the plan and the results so far.

The fixtures of a tournament are the same in every run, whatever the order in which its matches
end: they follow from the plan, its seed, and the results of the rounds before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count

from ggp.tournament.plan import ROUND_ROBIN, Fixture, Plan
from ggp.tournament.store import Result

__all__ = ["byes", "fixtures", "match_count"]

#: How many tables are tried for a Swiss round before one more rematch is allowed.
_PATIENCE = 2_000


def fixtures(plan: Plan, results: Iterable[Result]) -> tuple[Fixture, ...]:
    """Return the fixtures that are known, in their order.

    In a round robin these are all. In a Swiss tournament they are those of the rounds that are
    over and of the next one.
    """
    settled: list[Fixture] = []
    played = {result.fixture.number: result for result in results}
    for number in range(plan.rounds):
        if plan.system == ROUND_ROBIN:
            tables = _round_robin(plan)
        elif all(fixture.number in played for fixture in settled):
            before = [played[fixture.number] for fixture in settled]
            tables = _equals_meet(plan, number, settled, before)
        else:
            break
        settled += [
            Fixture(len(settled) + place, number, game, players)
            for place, (game, players) in enumerate(tables)
        ]
    return tuple(settled)


def match_count(plan: Plan) -> int:
    """Return how many fixtures there will be when all rounds are known."""
    if plan.system == ROUND_ROBIN:
        return len(fixtures(plan, ()))
    players = len(plan.players)
    return sum(
        players - players % plan.games[number % len(plan.games)].seats
        for number in range(plan.rounds)
    )


def byes(plan: Plan, settled: Iterable[Fixture]) -> Counter[int]:
    """Return for each player how many matches it had to sit out because a table was not full.

    In a round robin no player sits out.
    """
    sat_out: Counter[int] = Counter()
    if plan.system == ROUND_ROBIN:
        return sat_out
    rounds: dict[int, set[int]] = {}
    seats: dict[int, int] = {}
    for fixture in settled:
        rounds.setdefault(fixture.round, set()).update(fixture.players)
        seats[fixture.round] = len(fixture.players)
    for number, players in rounds.items():
        for player in set(range(len(plan.players))) - players:
            sat_out[player] += seats[number]
    return sat_out


def _round_robin(plan: Plan) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield every combination of players in every game, each player once in each seat."""
    for index, game in enumerate(plan.games):
        for players in combinations(range(len(plan.players)), game.seats):
            for seating in _seatings(players):
                yield index, seating


def _equals_meet(
    plan: Plan, number: int, settled: Sequence[Fixture], before: Iterable[Result]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the tables of a Swiss round, the games in turn, each player once in each seat.

    Players of like points meet who have met least; equal points are ordered by lot. Those who are
    left over sit out: the last ones of those who have sat out least.
    """
    index = number % len(plan.games)
    size = plan.games[index].seats
    sat_out = byes(plan, settled)
    points = {player: 100 * sat_out[player] for player in range(len(plan.players))}
    for result in before:
        if result.goals is not None:
            for player, goal in zip(result.fixture.players, result.goals, strict=True):
                points[player] += goal
    lots = list(points)
    plan.chance("lots of round", number).shuffle(lots)
    ranked = sorted(lots, key=lambda player: -points[player])
    last_first = ranked[::-1]
    left_over = sorted(last_first, key=lambda player: sat_out[player])
    left_over = left_over[: len(ranked) % size]
    met = Counter(
        pair
        for fixture in settled
        for pair in combinations(sorted(fixture.players), 2)
        if fixture.players[0] == min(fixture.players)  # once for each table, not for each seating
    )
    seated = [player for player in ranked if player not in left_over]
    for table in _tables(seated, size, met):
        for seating in _seatings(table):
            yield index, seating


def _tables(
    ranked: Sequence[int], size: int, met: Mapping[tuple[int, int], int]
) -> list[tuple[int, ...]]:
    """Divide the players among tables, the best first, with as few rematches as it can find."""
    # If enough rematches are allowed, the first try succeeds: players of similar rank meet.
    attempts = (
        _divided(tuple(ranked), size, met, allowed, iter(range(_PATIENCE))) for allowed in count()
    )
    return next(tables for tables in attempts if tables is not None)


def _divided(
    ranked: tuple[int, ...],
    size: int,
    met: Mapping[tuple[int, int], int],
    allowed: int,
    budget: Iterator[int],
) -> list[tuple[int, ...]] | None:
    """Divide the players by backtracking, in order of rank; None if it needs more rematches."""
    if not ranked:
        return []
    first, rest = ranked[0], ranked[1:]
    for others in combinations(rest, size - 1):
        table = (first, *others)
        meetings = sum(met.get(pair, 0) for pair in combinations(sorted(table), 2))
        if meetings > allowed:
            continue
        if next(budget, None) is None:
            return None
        left = tuple(player for player in rest if player not in others)
        tables = _divided(left, size, met, allowed - meetings, budget)
        if tables is not None:
            return [table, *tables]
    return None


def _seatings(players: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the players in every rotation, so that each has each seat once."""
    for shift in range(len(players)):
        yield players[shift:] + players[:shift]
