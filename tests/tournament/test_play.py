from __future__ import annotations

import socket
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from ggp.cluster import Pool
from ggp.deadline import Deadline
from ggp.errors import TournamentError
from ggp.match import MatchRecord
from ggp.tournament import SWISS, Fixture, Plan, Result, Store, fixtures, play, standings
from tests.match.fakes import answers, fake_player
from tests.match.games import FORK, STUCK
from tests.match.records.test_record import RECORD
from tests.tournament.plans import ONE, TWO, game, plan, result

ENDLESS = """
(role me) (init (at 1)) (legal me go)
(<= (next (at 1)) (true (at 2)))
(<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 3)))
(goal me 0)
"""


def run(folder: Path, cup: Plan, *, jobs: int = 2) -> tuple[Result, ...]:
    store = Store.create(folder, cup)
    told: list[Result] = []
    play(store, pool=Pool(jobs=jobs), deadline=Deadline(), on_result=told.append)
    results = store.results()
    assert sorted(told, key=lambda each: each.fixture.number) == list(results)
    store.close()
    return results


def moves(folder: Path) -> list[tuple[tuple[str, ...], ...]]:
    store = Store.open(folder)
    records = [MatchRecord.from_json(text) for _, text in store.records()]
    store.close()
    return [tuple(tuple(map(str, moves)) for moves in record.moves) for record in records]


@pytest.mark.long
def test_spectators_are_told_how_far_a_match_is(tmp_path: Path) -> None:
    deadline = Deadline()
    store = Store.create(tmp_path, plan(("legal",), game(ENDLESS, "endless"), max_steps=100_000))
    watcher = Store.open(tmp_path)
    seen: list[int] = []

    def watch() -> None:
        with closing(Store.open(tmp_path)) as spectator:
            while len(seen) < 2 and not deadline.is_over:
                for match in spectator.running():
                    record = MatchRecord.from_json(spectator.record(match.match_id) or "")
                    if match.moves == len(record.moves) > max([0, *seen]):
                        seen.append(match.moves)
        deadline.cancel()

    spectator = threading.Thread(target=watch)
    spectator.start()
    play(store, pool=Pool(jobs=1), deadline=deadline)
    spectator.join()
    assert len(seen) == 2
    assert watcher.running() == ()
    watcher.close()
    store.close()


@pytest.mark.long
def test_all_fixtures_are_played_and_recorded(tmp_path: Path) -> None:
    cup = plan(("random", "legal", "random"), ONE, TWO)
    results = run(tmp_path, cup)
    assert tuple(each.fixture for each in results) == fixtures(cup, ())
    store = Store.open(tmp_path)
    for each, (match_id, text) in zip(results, store.records(), strict=True):
        record = MatchRecord.from_json(text)
        assert record.match_id == match_id == each.match_id
        assert record.is_completed
        assert record.goal_values == each.goals
        assert record.tournament_name == "cup"
        assert not record.is_scrambled
        assert len(record.moves) == each.moves
        names = [name.partition(":")[0] for name in record.player_names]
        assert names == [cup.players[player] for player in each.fixture.players]
    store.close()


@pytest.mark.long
@pytest.mark.parametrize("system", ["round-robin", SWISS])
def test_a_seed_repeats_a_tournament_move_by_move(tmp_path: Path, system: str) -> None:
    cups = [plan(3, TWO, system=system, seed=seed) for seed in (1, 1, 2)]
    results = [
        run(tmp_path / str(number), cup, jobs=jobs)
        for number, (cup, jobs) in enumerate(zip(cups, (1, 3, 2), strict=True))
    ]
    played = [moves(tmp_path / str(number)) for number in range(3)]
    assert played[0] == played[1] != played[2]
    assert len(set(played[0])) > 1
    assert standings(cups[0], results[0]) == standings(cups[1], results[1])


@pytest.mark.long
def test_each_match_scrambles_the_rules_differently(tmp_path: Path) -> None:
    cup = plan(["legal"], game(FORK, "fork"), rounds=8, scramble=True)
    results = run(tmp_path, cup)
    assert all(each.errors == ({},) for each in results)
    # What comes first among the legal moves depends on the words.
    assert {str(each.goals) for each in results} == {"(0,)", "(100,)"}
    store = Store.open(tmp_path)
    assert all(MatchRecord.from_json(text).is_scrambled for _, text in store.records())
    store.close()


@pytest.mark.long
def test_a_match_that_breaks_is_aborted_and_the_tournament_goes_on(tmp_path: Path) -> None:
    cup = plan(2, game(STUCK, "stuck"), ONE)
    results = run(tmp_path, cup)
    assert [each.goals is None for each in results] == [True, True, False, False]
    assert results[0].remark.startswith(
        "me has no legal move, though the game is not over, after 1"
    )
    assert standings(cup, results).is_finished


@pytest.mark.long
def test_a_match_that_does_not_end_is_aborted(tmp_path: Path) -> None:
    results = run(tmp_path, plan(1, game(ENDLESS, "endless"), max_steps=5))
    assert results[0].goals is None
    assert results[0].remark == "not over after 5 joint moves"
    store = Store.open(tmp_path)
    ((_, text),) = store.records()
    store.close()
    assert MatchRecord.from_json(text).is_aborted
    # A match of exactly that many joint moves is not aborted.
    results = run(tmp_path / "pick", plan(2, TWO, max_steps=3))
    assert [each.moves for each in results if each.goals is not None] == [3, 3]


def test_errors_are_counted(tmp_path: Path) -> None:
    with fake_player(answers("(mark 9)")) as player:
        results = run(tmp_path, plan([player.url], ONE))
    assert results[0].errors == ({"IL": 1},)


@pytest.mark.long
def test_a_player_elsewhere_plays_one_match_at_a_time(tmp_path: Path) -> None:
    under_way: list[int] = []
    lock = threading.Lock()

    def behave(connection: socket.socket, message: str) -> None:
        verb = message.split()[1]
        with lock:
            under_way.append({"START": 1, "STOP": -1}.get(verb, 0))
        time.sleep(0.05)
        answers("(pick 1)")(connection, message)

    with fake_player(behave) as player:
        cup = plan([player.url, "legal", "legal"], TWO)
        results = run(tmp_path, cup, jobs=4)
    assert all(each.errors == ({}, {}) for each in results)
    at_once = [sum(under_way[: index + 1]) for index in range(len(under_way))]
    assert max(at_once) == 1


@pytest.mark.long
def test_a_match_in_progress_when_the_clock_is_cut_is_played_again(tmp_path: Path) -> None:
    cup = plan(2, TWO, rounds=2)
    store = Store.create(tmp_path, cup)
    deadline = Deadline()
    play(store, pool=Pool(jobs=2), deadline=deadline, on_result=lambda _: deadline.cancel())
    begun = store.results()
    assert 1 <= len(begun) < 4
    play(store, pool=Pool(jobs=2), deadline=Deadline())
    whole = store.results()
    assert len(whole) == 4
    assert {each.match_id for each in begun} <= {each.match_id for each in whole}
    play(store, pool=Pool(jobs=2), deadline=Deadline(), on_result=_nothing_is_left)
    assert store.results() == whole
    store.close()
    assert standings(cup, whole) == standings(cup, run(tmp_path / "again", cup))


def _nothing_is_left(_result: Result) -> None:
    raise AssertionError("nothing was left to play")


def test_a_tournament_of_another_schedule_is_not_gone_on_with(tmp_path: Path) -> None:
    cup = plan(3)
    store = Store.create(tmp_path, cup)
    store.add(result(Fixture(0, 0, 0, (2, 1)), (100, 0)), RECORD)
    with pytest.raises(TournamentError, match="match 0 is not what the plan says"):
        play(store, pool=Pool(jobs=1), deadline=Deadline())
    store.close()


def test_only_one_process_plays(tmp_path: Path) -> None:
    store, other = Store.create(tmp_path, plan(2)), Store.open(tmp_path)
    with store.locked(), pytest.raises(TournamentError, match="another process plays"):
        play(other, pool=Pool(jobs=1), deadline=Deadline())
    assert other.results() == ()
    store.close()
    other.close()
