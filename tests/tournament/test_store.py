from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from ggp.errors import TournamentError
from ggp.match import MatchRecord
from ggp.tournament import Result, Running, Store, fixtures
from ggp.tournament.database import PLAN, Database
from tests.match.records.test_record import RECORD
from tests.tournament.adding import CUP
from tests.tournament.plans import ONE, TWO, plan, result
from tests.tournament.postgresql import Server
from tests.tournament.postgresql import server as server_of_its_own


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest) -> str | None:
    if request.param == "sqlite":
        return None
    postgresql: Server = request.getfixturevalue("postgresql")
    return postgresql.url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # Its name is that of the schema on the server, which all tests share.
    return tmp_path / "a" / f'The "Cup" of {tmp_path.name}'


@pytest.mark.long
def test_matches_in_play_are_told_until_they_are_over_or_their_process_is_gone(
    folder: Path, server: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = fixtures(CUP, ())[:2]
    records = [replace(RECORD, match_id=f"match.{number}") for number in (0, 1)]
    store = Store.create(folder, CUP, server)
    store.tell(zip((first, second), records, strict=True))
    steps = len(RECORD.moves)
    told = (Running(first, "match.0", steps), Running(second, "match.1", steps))
    assert (store.running(), store.running("match.1")) == (told, told[1:])
    assert store.record("match.0") == records[0].to_json()
    assert store.results() == ()
    store.add(result(first, (100, 0)), records[0])
    assert store.running() == told[1:]
    now = time.time()
    monkeypatch.setattr("ggp.tournament.store.time.time", lambda: now + 60)
    assert store.running() == ()
    store.close()


def test_a_plan_and_results_read_back(folder: Path, server: str | None) -> None:
    cup = plan(3, ONE, TWO, scramble=True, play_clock=0.5)
    first, second, *_ = fixtures(cup, ())
    results = [result(second, None), result(first, (100,), errors=({"IL": 2},))]
    store = Store.create(folder, cup, server)
    for each in results:
        store.add(each, RECORD)
    store.close()
    store = Store.open(folder)
    assert store.plan == cup
    assert store.results() == (results[1], results[0])
    assert [match_id for match_id, _ in store.records()] == ["match.0", "match.1"]
    assert [MatchRecord.from_json(text) for _, text in store.records()] == [RECORD] * 2
    store.close()


def test_no_match_counts_twice(folder: Path, server: str | None) -> None:
    cup = plan(2)
    first, _ = fixtures(cup, ())
    store = Store.create(folder, cup, server)
    store.add(result(first, (100, 0)), RECORD)
    with pytest.raises(TournamentError, match="match 0 was played already"):
        store.add(Result(first, "another", goals=(0, 100), errors=({}, {}), moves=1), RECORD)
    assert store.results() == (result(first, (100, 0)),)
    store.close()


@pytest.mark.long
def test_results_reported_as_stored_survive_a_kill(folder: Path, server: str | None) -> None:
    chance = random.Random(1)
    kept = 0
    for _ in range(4):
        command = [sys.executable, "-m", "tests.tournament.adding", str(folder), server or ""]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            told = [int(process.stdout.readline())]
            time.sleep(chance.uniform(0, 0.3))
            process.kill()
            told += map(int, process.stdout.read().splitlines())
        # Exactly these, and perhaps one more whose report was cut off.
        assert told == list(range(kept, kept + len(told)))
        store = Store.open(folder)
        results = store.results()
        records = dict(store.records())
        store.close()
        assert kept + len(told) <= len(results) <= kept + len(told) + 1
        kept = len(results)
        assert results == tuple(result(fixture, (100, 0)) for fixture in fixtures(CUP, ())[:kept])
        assert set(records.values()) == {RECORD.to_json()}
    assert kept > 20


def test_a_folder_has_one_tournament(folder: Path, server: str | None) -> None:
    assert not Store.exists(folder, server)
    Store.create(folder, plan(2), server).close()
    assert Store.exists(folder)
    with pytest.raises(TournamentError, match="has a tournament already"):
        Store.create(folder, plan(3), server)
    store = Store.open(folder)
    assert store.plan == plan(2)
    store.close()


def test_a_tournament_killed_before_it_was_planned_does_not_exist(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "tournament.sqlite").touch()
    assert not Store.exists(folder)
    with pytest.raises(TournamentError, match="has no tournament"):
        Store.open(folder)
    Store.create(folder, plan(2)).close()
    assert Store.exists(folder)


def test_one_process_plays_and_others_look_on(folder: Path, server: str | None) -> None:
    cup = plan(2)
    first, _ = fixtures(cup, ())
    store, other = Store.create(folder, cup, server), Store.open(folder)
    with store.locked():
        store.add(result(first, (100, 0)), RECORD)
        assert len(other.results()) == 1
        with pytest.raises(TournamentError, match="another process plays"), other.locked():
            pass
    with other.locked():
        pass
    store.close()
    other.close()


def test_a_folder_without_a_tournament_is_named(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=f"{tmp_path} has no tournament"):
        Store.open(tmp_path)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"games": 7}', '{"games": [], "players": []}'])
def test_a_plan_that_cannot_be_read_is_reported(
    folder: Path, server: str | None, text: str
) -> None:
    Store.create(folder, plan(2), server).close()
    with closing(Database.of(folder)) as database, database.transaction() as connection:
        connection.execute(update(PLAN).values(plan=text))
    with pytest.raises(TournamentError, match="its plan cannot be read"):
        Store.open(folder)


def test_a_file_that_is_not_a_database_is_reported(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "tournament.sqlite").write_text("nonsense " * 1000)
    with pytest.raises(TournamentError, match="not a database"):
        Store.open(folder)


def test_a_lock_is_given_back_where_playing_fails(folder: Path, server: str | None) -> None:
    store = Store.create(folder, plan(2), server)
    with pytest.raises(ZeroDivisionError), store.locked():
        raise ZeroDivisionError
    with closing(Store.open(folder)) as other, other.locked():
        pass
    store.close()


def test_another_machine_opens_the_tournament_of_a_server_by_its_name(
    folder: Path, tmp_path: Path, postgresql: Server
) -> None:
    store = Store.create(folder, plan(2), postgresql.url)
    elsewhere = tmp_path / "b" / folder.name
    with closing(Store.open(elsewhere, postgresql.url)) as other:
        first, _ = fixtures(plan(2), ())
        other.add(result(first, (100, 0)), RECORD)
        with (
            store.locked(),
            pytest.raises(TournamentError, match="another process"),
            other.locked(),
        ):
            pass
    with closing(Store.open(elsewhere)) as again:  # the folder knows it by now
        assert again.results() == store.results() == (result(first, (100, 0)),)
    store.close()
    assert not Store.exists(tmp_path / "another", postgresql.url)


def test_the_password_of_a_server_is_not_kept(folder: Path, postgresql: Server) -> None:
    url = postgresql.url.replace("@", ":secret@")
    with closing(Store.create(folder, plan(2), url)):
        assert "secret" not in (folder / "database.url").read_text()
    with closing(Store.open(folder, url)) as store:
        assert store.plan == plan(2)


def test_a_tournament_stays_in_its_database(tmp_path: Path, postgresql: Server) -> None:
    in_file, on_server = tmp_path / "file", tmp_path / f"server {tmp_path.name}"
    Store.create(in_file, plan(2)).close()
    with pytest.raises(TournamentError, match=r"has its tournament in tournament\.sqlite"):
        Store.open(in_file, postgresql.url)
    Store.create(on_server, plan(2), postgresql.url).close()
    with pytest.raises(TournamentError, match="has its tournament at postgresql://ggp@/postgres"):
        Store.open(on_server, "postgresql://elsewhere/cups")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("cup.sqlite", "is not a URL like postgresql://user@host/database"),
        ("mysql://localhost/cups", "is not a URL like postgresql://user@host/database"),
        ("postgresql://127.0.0.1:1/cups", "schema cup: .*127.0.0.1.*refused"),
        ("postgresql:///cups?host=/nowhere", "schema cup: .*/nowhere"),
    ],
)
def test_a_server_that_cannot_be_reached_is_reported(tmp_path: Path, url: str, reason: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(TournamentError, match=reason):
        Store.exists(tmp_path / "cup", url)


@pytest.mark.long
def test_a_server_that_stops_loses_nothing_that_was_stored(folder: Path) -> None:
    first, second, *_ = fixtures(CUP, ())
    with server_of_its_own() as postgresql:
        store = Store.create(folder, CUP, postgresql.url)
        with store.locked():
            store.add(result(first, (100, 0)), RECORD)
            postgresql.stop()
            with pytest.raises(TournamentError, match="schema The"):
                store.add(result(second, (0, 100)), RECORD)
            postgresql.start()
            store.add(result(second, (0, 100)), RECORD)
        assert store.results() == (result(first, (100, 0)), result(second, (0, 100)))
        store.close()
