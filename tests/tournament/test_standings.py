from __future__ import annotations

import random
from statistics import stdev

import pytest
from openskill.models import PlackettLuce

from ggp.tournament import SWISS, Mean, standings
from tests.tournament.plans import ONE, THREE, TWO, plan, played, result, stronger_wins


def test_players_are_ranked_by_points() -> None:
    cup = plan(4)
    _, results = played(cup)
    shown = standings(cup, results)
    assert (shown.played, shown.settled, shown.is_finished) == (12, 12, True)
    assert [player.player for player in shown.players] == [f"random #{n}" for n in (1, 2, 3, 4)]
    assert [player.rank for player in shown.players] == [1, 2, 3, 4]
    assert [player.points for player in shown.players] == [6, 4, 2, 0]
    assert [player.firsts for player in shown.players] == [6, 4, 2, 0]
    assert [player.matches for player in shown.players] == [6] * 4
    assert [player.moves for player in shown.players] == [18] * 4
    ratings = [player.rating.mean for player in shown.players]
    assert ratings == sorted(ratings, reverse=True)
    assert len(set(ratings)) == 4


def test_nothing_depends_on_the_order_in_which_matches_end() -> None:
    cup = plan(5, TWO, THREE, rounds=2)
    _, results = played(cup)
    shown = standings(cup, results)
    for seed in range(5):
        random.Random(seed).shuffle(results)
        assert standings(cup, results) == shown


def test_ratings_are_those_of_openskill() -> None:
    cup = plan(2, rounds=2)
    settled, _ = played(cup)
    goals = [(100, 0), (50, 50), (0, 100), (30, 70)]
    results = [result(fixture, goal) for fixture, goal in zip(settled, goals, strict=True)]
    model = PlackettLuce()
    one, other = model.rating(), model.rating()
    # Seats are (0, 1), (1, 0), (0, 1), (1, 0).
    (one,), (other,) = model.rate([[one], [other]], ranks=[1, 2])
    (other,), (one,) = model.rate([[other], [one]], ranks=[1, 1])
    (one,), (other,) = model.rate([[one], [other]], ranks=[2, 1])
    (other,), (one,) = model.rate([[other], [one]], ranks=[2, 1])
    shown = {player.player: player for player in standings(cup, results).players}
    assert shown["random #1"].rating.mean == pytest.approx(one.mu)
    assert shown["random #2"].rating.mean == pytest.approx(other.mu)
    assert shown["random #2"].rating.deviation == pytest.approx(other.sigma)
    assert [player.goals.value for player in shown.values()] == [55, 45]


def test_shared_firsts_are_told_apart() -> None:
    cup = plan(3, THREE)
    settled, _ = played(cup)
    results = [
        result(fixture, goals)
        for fixture, goals in zip(settled, [(100, 100, 0), (0, 0, 0), (90, 40, 80)], strict=True)
    ]
    shown = {player.player: player for player in standings(cup, results).players}
    assert [(shown[f"random #{n}"].firsts, shown[f"random #{n}"].shared) for n in (1, 2, 3)] == [
        (2, 2),
        (2, 2),
        (2, 1),
    ]


def test_a_puzzle_gives_points_and_no_rating() -> None:
    cup = plan(2, ONE)
    _, results = played(cup, lambda fixture: result(fixture, (100 * fixture.number,)))
    best, worst = standings(cup, results).players
    assert (best.player, best.points, best.firsts) == ("random #2", 1, 0)
    assert best.rating == worst.rating
    assert best.rating.mean == 25


def test_errors_are_counted_by_kind() -> None:
    cup = plan(2)
    settled, _ = played(cup)
    results = [
        result(fixture, (50, 50), errors=({"TO": 1}, {"IL": 2, "CE": 1})) for fixture in settled
    ]
    shown = standings(cup, results)
    assert [
        (player.errors["TO"], player.errors["CE"], player.errors["IL"]) for player in shown.players
    ] == [(1, 1, 2)] * 2


def test_aborted_matches_count_for_no_player() -> None:
    cup = plan(2)
    settled, _ = played(cup)
    broken = result(settled[1], None, errors=({"CE": 1}, {}))
    shown = standings(cup, [result(settled[0], (100, 0)), broken])
    assert shown.is_finished
    assert shown.aborted == (broken,)
    assert [player.matches for player in shown.players] == [1, 1]
    assert sum(player.errors["CE"] for player in shown.players) == 1
    assert shown.to_dict()["aborted"] == [{"match": "match.1", "reason": "it broke"}]


def test_a_player_that_sits_out_gets_the_points() -> None:
    cup = plan(3, system=SWISS, rounds=3)
    _, results = played(cup)
    shown = standings(cup, results)
    assert [player.byes for player in shown.players] == [2, 2, 2]
    assert [player.points for player in shown.players] == [6, 4, 2]
    # In a round that is not over, no player has points for sitting out yet.
    assert [player.points for player in standings(cup, ()).players] == [0, 0, 0]


def test_an_unfinished_tournament_is_told_apart() -> None:
    cup = plan(4, system=SWISS, rounds=2)
    _, results = played(cup)
    first = [each for each in results if each.fixture.round == 0]
    shown = standings(cup, first)
    assert (shown.played, shown.settled, shown.is_finished) == (4, 8, False)
    assert not standings(cup, ()).is_finished
    assert standings(cup, results).is_finished


def test_goals_are_told_by_game_and_opponent() -> None:
    cup = plan(3, ONE, TWO)
    shown = standings(cup, played(cup)[1])
    best, middle, worst = range(3)
    assert [mean.value for mean in shown.by_game[middle]] == [100, 50]
    assert shown.against[best][best].value is None
    assert [shown.against[middle][other].value for other in (best, worst)] == [0, 100]
    assert shown.to_dict()["standings"][middle]["by_game"] == {"mark": 100, "pick": 50}


def test_ratings_develop_match_by_match() -> None:
    cup = plan(2, rounds=3)
    _, results = played(cup)
    history = standings(cup, results).ratings[0]
    assert [number for number, _ in history] == list(range(7))
    assert history[0][1].mean == 25
    means = [rating.mean for _, rating in history]
    assert means == sorted(means)


def test_a_mean_has_its_standard_error() -> None:
    goals = (0, 50, 100, 100)
    assert Mean(goals).value == 62.5
    assert Mean(goals).standard_error == pytest.approx(stdev(goals) / 2)
    assert (Mean().value, Mean((7,)).standard_error) == (None, None)


def test_a_stronger_player_is_rated_higher_in_a_game_of_three() -> None:
    cup = plan(4, THREE, rounds=3)
    shown = standings(cup, played(cup, stronger_wins)[1])
    assert [player.player for player in shown.players][:2] == ["random #1", "random #2"]
