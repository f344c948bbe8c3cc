"""Matches under the manager, with local players, players at a URL, and people."""

from __future__ import annotations

import http.client
import json
import os
import re
import time
import urllib.request
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ggp.gdl import Description
from ggp.match import ForkServer, MatchRecord, first_mistake
from ggp.reasoner import open_reasoner
from ggp.server.manager.games import Games
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.matches import MatchesFull
from ggp.server.manager.setup import Seat, Unfinished
from ggp.server.manager.web.app import make_app
from tests.manager import sheets
from tests.manager.conftest import CLOCKS, begin, opened
from tests.manager.drawn import GAMES
from tests.match.fakes import answers, fake_player
from tests.processes import all_gone, descendants, happens

RANDOM, LEGAL = Seat("player", "random:seed=1"), Seat("player", "legal")


def events(match: Match) -> Iterator[dict[str, object]]:
    known, is_over = 0, False
    while not is_over:
        news, known, is_over = match.events(known, timeout=60)
        assert news or is_over, "nothing happens"
        yield from news


def test_a_match_is_played_told_and_recorded(manager: Manager) -> None:
    match = begin(manager, "tictactoe", RANDOM, LEGAL)
    told = list(events(match))
    names = [event["event"] for event in told]
    moves = [event for event in told if event["event"] == "move"]
    assert names[:2] == ["started", "ready"]
    assert names[-1] == "finished"
    record = MatchRecord.read(match.record)
    assert record.is_completed
    assert [event["moves"] for event in moves] == [list(map(str, m)) for m in record.moves]
    assert tuple(told[-1]["goals"]) == record.goal_values  # type: ignore[arg-type]
    assert record.player_names == ("random:seed=1", "legal")
    assert match.states == [list(map(str, facts)) for facts in record.states]


@pytest.mark.long
def test_players_report_their_search(manager: Manager) -> None:
    match = begin(manager, "nim", Seat("player", "alphabeta"), LEGAL)
    infos = [event for event in events(match) if event["event"] == "info"]
    last = infos[-1]
    assert (last["role"], last["proven"], last["value"]) == (0, True, 100.0)
    assert last["variation"]
    # A viewer that connects later gets only the last search info of a turn.
    kept, _, _ = match.events(0, timeout=0)
    turns = [event["turn"] for event in kept if event["event"] == "info"]
    assert turns == sorted(set(turns))
    turn = last["turn"]
    assert isinstance(turn, int)
    thought, _ = MatchRecord.read(match.record).search[turn]
    assert thought is not None
    assert thought["variation"] == last["variation"]


@pytest.mark.long
def test_only_the_first_move_of_a_person_in_a_turn_counts(manager: Manager) -> None:
    match = begin(manager, "tictactoe", Seat("human", "Ada"), LEGAL)
    played = []
    for event in events(match):
        if event["event"] == "turn":
            turn = event["turn"]
            assert isinstance(turn, int)
            legal = match.legal(0, turn)
            if legal is None:  # the only legal move is made at once
                continue
            match.make_move(0, turn + 1, legal[0])  # too early
            match.make_move(0, turn, legal[-1])
            match.make_move(0, turn, legal[0])  # too late
            played.append(legal[-1])
    record = MatchRecord.read(match.record)
    assert record.is_completed
    assert record.player_names == ("Ada", "legal")
    assert record.is_player_human == (True, False)
    assert [str(moves[0]) for moves in record.moves if str(moves[0]) != "noop"] == played
    assert {error for errors in record.errors for error in errors} == {""}


@pytest.mark.long
def test_a_person_takes_the_time_that_is_needed(manager: Manager) -> None:
    match = begin(manager, "nim", Seat("human"), LEGAL, play_clock=0.1)
    for event in events(match):
        if event["event"] == "turn":
            turn = event["turn"]
            assert isinstance(turn, int)
            if turn == 0:
                time.sleep(1)
            for move in (match.legal(0, turn) or [])[:1]:
                match.make_move(0, turn, move)
    assert MatchRecord.read(match.record).errors[1][0] == ""


@pytest.mark.long
def test_a_person_under_the_clock_is_too_late(manager: Manager) -> None:
    match = begin(manager, "nim", Seat("human"), LEGAL, play_clock=0.1, humans_take_time=False)
    move = next(event for event in events(match) if event["event"] == "move")
    assert move["errors"][0] == "TO"  # type: ignore[index]


@pytest.mark.long
def test_a_player_at_a_url(manager: Manager) -> None:
    with fake_player(answers("noop")) as player:
        match = begin(manager, "tictactoe", LEGAL, Seat("url", player.url))
        told = list(events(match))
    errors = [event["errors"][1] for event in told if event["event"] == "move"]  # type: ignore[index]
    # It answers noop whatever it is asked, which is right whenever it is not its turn.
    assert errors[:2] == ["", "IL noop"]
    assert player.messages[0].startswith("( START tictactoe.")
    assert player.messages[-1].startswith("( STOP ")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("seat", "reason"),
    [
        (Seat("player", "alphabeta:depth=x"), "depth"),
        (Seat("url", "https://player:1"), "http only"),
        (Seat("url", "nowhere"), "http://host:port"),
    ],
)
def test_a_seat_that_cannot_be_taken_ends_the_match_by_a_line(
    manager: Manager, seat: Seat, reason: str
) -> None:
    match = begin(manager, "nim", seat, LEGAL)
    (finished,) = events(match)
    assert finished["goals"] is None
    assert reason in str(finished["remark"])


def test_the_wrong_number_of_players_ends_the_match_by_a_line(manager: Manager) -> None:
    (finished,) = events(begin(manager, "nim", LEGAL))
    assert "1 players for 2 roles" in str(finished["remark"])


@pytest.mark.long
def test_a_match_that_is_given_up_leaves_a_record_and_no_process(manager: Manager) -> None:
    before = descendants(os.getpid())
    match = begin(manager, "tictactoe", Seat("human"), LEGAL)
    assert happens(
        lambda: any(e["event"] == "turn" for e in match.events(0, timeout=1)[0]), within=30
    )
    started = descendants(os.getpid()) - before
    assert len(started) > 2
    match.abort()
    *_, last = events(match)
    assert (last["event"], last["goals"]) == ("finished", None)
    assert MatchRecord.read(match.record).is_aborted
    assert all_gone(started, within=20)


@pytest.mark.long
def test_a_hostile_game_ends_its_match_and_nothing_else(manager: Manager, tmp_path: Path) -> None:
    before = descendants(os.getpid())
    games = Games([], tmp_path / "games")
    game = games.add("hostile", sheets.ENDLESS)
    hostile = manager.matches.begin(game, [RANDOM], **CLOCKS)
    fine = begin(manager, "nim", RANDOM, LEGAL)
    *_, last = events(fine)
    assert last["goals"] is not None
    started = descendants(os.getpid()) - before
    if not hostile.is_over:
        hostile.abort()
    *_, last = events(hostile)
    assert last["goals"] is None
    assert all_gone(started, within=20)


@pytest.mark.long
def test_matches_that_wait_unseen_make_room_and_go_on_when_they_are_seen(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.manager.matches._MAX_RUNNING", 1)
    first = begin(manager, "nim", Seat("human"), LEGAL)
    assert happens(lambda: first.waits_since is not None, within=30)
    with pytest.raises(MatchesFull, match="end one of them first"):
        begin(manager, "nim", Seat("human"), LEGAL)  # a page may follow the first one
    monkeypatch.setattr("ggp.server.manager.matches._IDLE", 0)
    other = begin(manager, "nim", Seat("human"), LEGAL)  # nothing has happened for long enough
    assert happens(lambda: other.waits_since is not None, within=30)
    with pytest.raises(MatchesFull, match="end one of them first"):
        manager.matches.wake(first)
    other.abort()
    list(events(other))
    monkeypatch.setattr("ggp.server.manager.matches._UNSEEN", 0)
    second = begin(manager, "nim", RANDOM, LEGAL)
    assert (first.is_running, first.is_over) == (False, False)
    assert [event["event"] for event in first.events(0, timeout=0)[0]][-1] == "paused"
    list(events(second))
    manager.matches.wake(first)
    assert happens(lambda: first.waits_since is not None, within=30)
    told = [event["event"] for event in first.events(0, timeout=0)[0]]
    assert told[:3] == ["started", "ready", "turn"]


@pytest.mark.long
def test_events_stream_while_they_happen_and_go_on_where_one_left_off(
    manager: Manager, url: str
) -> None:
    match = begin(manager, "nim", RANDOM, LEGAL)
    told = stream(url, f"/api/matches/{match.id}/events")
    assert [event["event"] for event in told][-1] == "finished"
    again = stream(url, f"/api/matches/{match.id}/events", after=ids(url, match)[0])
    assert again == []
    again = stream(url, f"/api/matches/{match.id}/events", after="other-2")
    # A browser that comes later is not told whose turn it was.
    assert again == [event for event in told if event["event"] not in ("turn", "answered")]


def ids(url: str, match: Match) -> list[str]:
    with urllib.request.urlopen(f"{url}/api/matches/{match.id}/events", timeout=60) as reply:
        return re.findall(r"^id: (.*)$", reply.read().decode(), re.MULTILINE)


def stream(url: str, path: str, after: str = "") -> list[dict[str, object]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        connection.request("GET", path, headers={"Last-Event-ID": after} if after else {})
        reply = connection.getresponse()
        assert reply.getheader("Content-Type", "").startswith("text/event-stream")
        text = reply.read().decode()
    finally:
        connection.close()
    assert "event: end\n" in text
    lines = [line.removeprefix("data: ") for line in text.splitlines() if "data: {" in line]
    return [event for event in map(json.loads, lines) if event and event["event"] != "clock"]


@pytest.mark.long
def test_the_first_event_is_told_before_the_last_has_happened(manager: Manager, url: str) -> None:
    match = begin(manager, "nim", Seat("human"), LEGAL)
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("GET", f"/api/matches/{match.id}/events")
    reply = connection.getresponse()
    text = b""
    while b'"started"' not in text:
        text += reply.read1()
    assert not match.is_over
    match.abort()
    while b"event: end" not in text:
        text += reply.read1()
    connection.close()


@pytest.mark.long
def test_a_match_goes_on_with_the_next_manager_and_its_record_is_whole(
    manager: Manager, tmp_path: Path, fork_server: ForkServer
) -> None:
    match = begin(manager, "nim", Seat("human", "Ada"), LEGAL)
    assert happens(lambda: match.legal(0, 0) is not None, within=30)
    match.make_move(0, 0, "(take 1)")
    assert happens(lambda: match.legal(0, 2) is not None, within=30)
    before = MatchRecord.read(match.record)
    match.close()  # as if the manager had been killed
    match.join()
    with opened(tmp_path / "matches", fork_server) as other:
        found = other.matches.find(match.id)
        assert found is not None
        assert (found.is_running, found.is_over) == (False, False)
        assert found.roles_of(match.setup.host) == []  # not before it has begun
        other.matches.wake(found)
        assert happens(lambda: found.legal(0, 2) is not None, within=30)
        assert found.roles_of(match.seats[0].key) == [0]
        told = [event["event"] for event in found.events(0, timeout=0)[0]]
        assert told[:3] == ["started", "move", "move"]
        while not found.is_over:
            turn = len(found.states) - 1
            for move in (found.legal(0, turn) or [])[:1]:
                found.make_move(0, turn, move)
            time.sleep(0.02)
        record = MatchRecord.read(found.record)
        game = other.games.find("nim")
        assert game is not None
        with open_reasoner(Description.from_text(game.text), kind="prolog") as reasoner:
            assert first_mistake(record, reasoner) is None
        assert record.is_completed
        assert record.moves[:2] == before.moves
        assert (record.random_token, record.start_time) == (before.random_token, before.start_time)
        assert record.state_times[:2] == before.state_times[:2]
    assert not (tmp_path / "matches" / "unfinished").exists()


@pytest.mark.long
def test_a_match_of_hidden_information_goes_on_with_the_next_manager(
    manager: Manager, tmp_path: Path, fork_server: ForkServer
) -> None:
    thinker = Seat("player", "alphabeta:depth=1")
    match = begin(manager, "kriegtictactoe", Seat("human", "Ada"), thinker, play_clock=1.0)

    def play_on(match: Match) -> None:
        turn = len(match.states) - 1
        for move in (match.legal(0, turn) or [])[-1:]:
            match.make_move(0, turn, move)
        time.sleep(0.02)

    while len(match.states) < 5:
        play_on(match)
    match.close()  # as if the manager had been killed
    match.join()
    before = MatchRecord.read(match.record)
    with opened(tmp_path / "matches", fork_server) as other:
        found = other.matches.find(match.id)
        assert found is not None
        other.matches.wake(found)
        while not found.is_over:
            play_on(found)
        thoughts = [event for event in found.log if event["event"] == "info"]
        assert all(len(before.moves) <= event["turn"] < len(found.states) for event in thoughts)
    record = MatchRecord.read(found.record)
    assert record.is_completed
    assert {error for errors in record.errors for error in errors} <= {"", "TO"}  # a busy machine
    assert record.moves[: len(before.moves)] == before.moves
    with open_reasoner(Description.load(GAMES / "kriegtictactoe.kif"), kind="prolog") as reasoner:
        assert first_mistake(record, reasoner) is None


@pytest.mark.long
def test_a_match_begins_at_a_step_of_another_one_or_after_a_line_of_moves(
    manager: Manager, tmp_path: Path
) -> None:
    line = [["(place 2 2)", "noop"], ["noop", "(place 1 1)"]]
    match = begin(manager, "tictactoe", RANDOM, LEGAL, start={"moves": line})
    list(events(match))
    whole = MatchRecord.read(match.record)
    assert [list(map(str, joint)) for joint in whole.moves[:2]] == line
    start = {"record": str(match.record), "step": 1}
    other = begin(manager, "tictactoe", LEGAL, RANDOM, start=start)
    told = list(events(other))
    assert [event.get("earlier") for event in told if event["event"] == "move"][:2] == [True, None]
    record = MatchRecord.read(other.record)
    assert [list(map(str, joint)) for joint in record.moves[:1]] == line[:1]
    game = manager.games.find("tictactoe")
    assert game is not None
    with open_reasoner(Description.from_text(game.text), kind="prolog") as reasoner:
        assert first_mistake(whole, reasoner) is first_mistake(record, reasoner) is None


def test_a_start_that_the_rules_do_not_allow_ends_the_match_by_a_line(manager: Manager) -> None:
    line = [["(place 2 2)", "noop"], ["(place 1 1)", "noop"]]
    (finished,) = events(begin(manager, "tictactoe", RANDOM, LEGAL, start={"moves": line}))
    assert "step 2 is not legal: x may not do (place 1 1)" in str(finished["remark"])


def test_a_manager_that_closes_ends_no_match(manager: Manager, url: str) -> None:
    match = begin(manager, "nim", Seat("human"), LEGAL)
    assert happens(lambda: match.legal(0, 0) is not None, within=30)
    with urllib.request.urlopen(f"{url}/api/matches/{match.id}/events", timeout=60) as reply:
        manager.matches.close()
        told = reply.read().decode()
    assert '"turn"' in told
    assert "event: end" not in told  # so the page comes back, to the next manager
    assert not match.is_over
    assert [setup.id for setup in Unfinished(match.record.parent / "unfinished")] == [match.id]


def test_bundled_games_are_those_of_the_folder(manager: Manager) -> None:
    assert [game.name for game in manager.games] == sorted(
        path.stem for path in GAMES.glob("*.kif")
    )


@pytest.mark.long
def test_where_all_streams_are_taken_a_page_is_told_the_news_and_comes_back(
    shared: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.manager.web.streams.MAX_STREAMS", 1)
    client = make_app(shared).test_client()
    match = begin(shared, "nim", Seat("human"), LEGAL)
    assert happens(lambda: match.legal(0, 0) is not None, within=30)
    address = f"/api/matches/{match.id}/events"
    lasting = client.get(address)
    assert b'"started"' in b"".join(islice(lasting.iter_encoded(), 3))
    for _ in range(3):  # other watchers get one answer each
        other = client.get(address).text
        assert "retry: 2000" in other
        assert '"started"' in other
        assert '"turn"' in other
    ((number, name),) = re.findall(r"id: (\S+)\nevent: (\w+)", other)
    assert name == "again"
    assert '"turn"' not in client.get(address, headers={"Last-Event-ID": number}).text
    lasting.close()
    match.abort()
    assert "event: end" in client.get(address).text
