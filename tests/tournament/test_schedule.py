from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import TournamentError
from ggp.tournament import SWISS, Fixture, Result, byes, fixtures
from tests.tournament.plans import ONE, THREE, TWO, plan, played, result, tables


def test_a_round_robin_has_every_pair_in_both_seats() -> None:
    settled = fixtures(plan(4), ())
    assert Counter(fixture.players for fixture in settled) == Counter(permutations(range(4), 2))
    assert [fixture.number for fixture in settled] == list(range(12))


def test_a_round_robin_has_every_game_and_round() -> None:
    settled = fixtures(plan(3, ONE, TWO, THREE, rounds=2), ())
    one_round = 3 + 6 + 3
    assert len(settled) == 2 * one_round
    assert [fixture.round for fixture in settled] == [0] * one_round + [1] * one_round
    assert Counter(fixture.game for fixture in settled) == {0: 6, 1: 12, 2: 6}


def test_at_every_table_each_player_sits_once_in_each_seat() -> None:
    settled = fixtures(plan(5, THREE), ())
    assert len(settled) == 10 * 3
    seatings = Counter(
        (frozenset(fixture.players), player, seat)
        for fixture in settled
        for seat, player in enumerate(fixture.players)
    )
    assert set(seatings.values()) == {1}
    assert len(seatings) == 10 * 3 * 3


def test_the_rounds_of_a_swiss_tournament_wait_for_each_other() -> None:
    swiss = plan(4, system=SWISS, rounds=2)
    first = fixtures(swiss, ())
    assert {fixture.round for fixture in first} == {0}
    assert len(first) == 4
    results = [result(fixture, (50, 50)) for fixture in first]
    assert fixtures(swiss, results[:-1]) == first
    second = fixtures(swiss, results)
    assert second[:4] == first
    assert [fixture.round for fixture in second[4:]] == [1] * 4


def test_in_a_swiss_tournament_equals_meet() -> None:
    swiss = plan(8, system=SWISS, rounds=3)
    settled, results = played(swiss)
    points: Counter[int] = Counter()
    for number in range(3):
        for table in tables(settled, number):
            one, other = table
            assert points[one] == points[other]
        for each in results:
            if each.fixture.round == number and each.goals:
                points.update(dict(zip(each.fixture.players, each.goals, strict=True)))
    assert sorted(points.values()) == [0, 200, 200, 200, 400, 400, 400, 600]
    assert points[0] == 600


def test_there_is_no_rematch_while_there_is_another_way() -> None:
    settled, _ = played(plan(6, system=SWISS, rounds=5))
    met = [pair for number in range(5) for pair in tables(settled, number)]
    assert sorted(map(sorted, met)) == [list(pair) for pair in combinations(range(6), 2)]


def test_more_rounds_than_opponents_bring_rematches() -> None:
    settled, _ = played(plan(2, system=SWISS, rounds=3))
    assert len(settled) == 6


def test_games_are_played_in_turn_and_those_left_over_sit_out() -> None:
    swiss = plan(5, TWO, THREE, system=SWISS, rounds=4)
    settled, _ = played(swiss)
    assert [
        next(fixture.game for fixture in settled if fixture.round == number) for number in range(4)
    ] == [0, 1, 0, 1]
    # One sits out of two matches, then two out of three, and so on, in turn.
    assert sum(byes(swiss, settled).values()) == 2 * (1 * 2 + 2 * 3)
    assert set(byes(swiss, settled)) == set(range(5))


def test_a_swiss_tournament_may_be_of_puzzles() -> None:
    settled, _ = played(plan(3, ONE, system=SWISS, rounds=2))
    assert sorted(fixture.players for fixture in settled) == [(0,), (0,), (1,), (1,), (2,), (2,)]


def test_the_seed_decides_who_meets_first() -> None:
    first_rounds = {
        frozenset(tables(fixtures(plan(8, system=SWISS, seed=seed), ()), 0)) for seed in range(20)
    }
    assert len(first_rounds) > 10


def test_a_swiss_tournament_of_many_is_paired_in_time() -> None:
    settled, _ = played(plan(60, system=SWISS, rounds=12))
    met = Counter(pair for number in range(12) for pair in tables(settled, number))
    assert set(met.values()) == {1}


@given(
    players=st.integers(3, 9),
    rounds=st.integers(1, 5),
    seed=st.integers(0, 1000),
)
def test_swiss_fixtures_follow_from_plan_and_results_alone(
    players: int, rounds: int, seed: int
) -> None:
    swiss = plan(players, TWO, THREE, system=SWISS, rounds=rounds, seed=seed)

    def decide(fixture: Fixture) -> Result:
        chance = swiss.chance("goals", fixture.number)
        return result(fixture, [chance.choice((0, 50, 100)) for _ in fixture.players])

    settled, results = played(swiss, decide)
    assert fixtures(swiss, results[::-1]) == settled
    for number in range(rounds):
        seated = [player for table in tables(settled, number) for player in table]
        assert len(seated) == len(set(seated))
        assert players - len(seated) == players % (2 if number % 2 == 0 else 3)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"games": ()}, "needs games and players"),
        ({"players": ()}, "needs games and players"),
        ({"system": "knockout"}, "no system 'knockout'; there are round-robin, swiss"),
        ({"rounds": 0}, "at least one round"),
        ({"players": ("random",)}, "pick needs 2 players, not 1"),
        ({"games": (TWO, ONE, TWO)}, "two games are called pick"),
        ({"players": ("h:1", "legal", "http://h:1/")}, "http://h:1 stands there twice"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(
    changes: dict[str, object], complaint: str
) -> None:
    with pytest.raises(TournamentError, match=complaint):
        replace(plan(2), **changes).check()  # type: ignore[arg-type]
