"""Plans of small tournaments, and results without playing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ggp.gdl import Description
from ggp.tournament import Fixture, Plan, PlannedGame, Result, fixtures
from tests.match.games import MARK, PICK

#: Three roles that pick a number at the same time; a role that alone picks the highest number wins.
TRIO = """
(role a) (role b) (role c)
(init start)
(number 1) (number 2) (number 3)
(greater 2 1) (greater 3 1) (greater 3 2)
(<= (legal ?role (pick ?number)) (role ?role) (number ?number))
(<= (next (picked ?role ?number)) (does ?role (pick ?number)))
(<= (matched ?role)
    (true (picked ?role ?mine)) (true (picked ?other ?mine)) (distinct ?role ?other))
(<= (beaten ?role)
    (true (picked ?role ?mine)) (true (picked ?other ?more)) (greater ?more ?mine))
(<= terminal (true (picked a ?number)))
(<= (goal ?role 100) (role ?role) (not (matched ?role)) (not (beaten ?role)))
(<= (goal ?role 0) (matched ?role))
(<= (goal ?role 0) (beaten ?role) (not (matched ?role)))
"""


def game(rules: str, name: str) -> PlannedGame:
    return PlannedGame.of(name, f"file:///{name}.kif", Description.from_text(rules))


ONE, TWO, THREE = game(MARK, "mark"), game(PICK, "pick"), game(TRIO, "trio")


def plan(players: int | Sequence[str], *games: PlannedGame, **changes: Any) -> Plan:
    """A tournament of that many random players, or of the given ones, with ample time."""
    settled: dict[str, Any] = {
        "name": "cup",
        "system": "round-robin",
        "games": games or (TWO,),
        "players": ("random",) * players if isinstance(players, int) else tuple(players),
        "rounds": 1,
        "start_clock": 30,
        "play_clock": 30,
        "scramble": False,
        "seed": 1,
    }
    return Plan(**settled | changes)


def result(
    fixture: Fixture, goals: Sequence[int] | None, *, errors: Sequence[dict[str, int]] = ()
) -> Result:
    return Result(
        fixture=fixture,
        match_id=f"match.{fixture.number}",
        goals=None if goals is None else tuple(goals),
        errors=tuple(errors) or ({},) * len(fixture.players),
        moves=3,
        remark="" if goals is not None else "it broke",
    )


def stronger_wins(fixture: Fixture) -> Result:
    """The player of the lowest number wins."""
    best = min(fixture.players)
    return result(fixture, [100 if player == best else 0 for player in fixture.players])


def played(
    plan: Plan, decide: Callable[[Fixture], Result] = stronger_wins
) -> tuple[tuple[Fixture, ...], list[Result]]:
    """Play a whole tournament by deciding each match; return its fixtures and results."""
    results: list[Result] = []
    while True:
        settled = fixtures(plan, results)
        done = {each.fixture.number for each in results}
        waiting = [fixture for fixture in settled if fixture.number not in done]
        if not waiting:
            return settled, results
        results += map(decide, reversed(waiting))


def tables(settled: Iterable[Fixture], number: int) -> list[frozenset[int]]:
    """The players who sit together in a round, each table once."""
    together = [frozenset(fixture.players) for fixture in settled if fixture.round == number]
    return list(dict.fromkeys(together))
