"""Matches under the manager, with local players, players at a URL, and people."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ggp.match import MatchRecord
from ggp.server.manager.games import Games
from ggp.server.manager.manager import Manager
from ggp.server.manager.matches import Match, MatchesFull, Seat
from tests.manager import sheets
from tests.manager.drawn import GAMES
from tests.manager.test_processes import wait_for
from tests.match.fakes import answers, fake_player
from tests.processes import all_gone, descendants

RANDOM, LEGAL = Seat("player", "random:seed=1"), Seat("player", "legal")
CLOCKS = {"start_clock": 20.0, "play_clock": 20.0, "humans_take_time": True}


def begin(manager: Manager, game: str, *seats: Seat, **options: object) -> Match:
    found = manager.games.find(game)
    assert found is not None
    return manager.matches.begin(found, seats, **{**CLOCKS, **options})


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
            legal = manager.legal_moves(match, turn, 0)
            match.make_move(0, turn + 1, legal[0])  # too early
            match.make_move(0, turn, legal[-1])
            match.make_move(0, turn, legal[0])  # too late
            played.append(legal[-1])
    record = MatchRecord.read(match.record)
    assert record.is_completed
    assert record.player_names == ("Ada", "legal")
    assert record.is_player_human == (True, False)
    assert [str(moves[0]) for moves in record.moves] == played
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
            match.make_move(0, turn, manager.legal_moves(match, turn, 0)[0])
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


def test_a_match_that_is_given_up_leaves_a_record_and_no_process(manager: Manager) -> None:
    before = descendants(os.getpid())
    match = begin(manager, "tictactoe", Seat("human"), LEGAL)
    wait_for(lambda: any(e["event"] == "turn" for e in match.events(0, timeout=1)[0]))
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


def test_the_number_of_matches_at_once_is_limited(manager: Manager) -> None:
    for _ in range(8):
        begin(manager, "nim", Seat("human"), LEGAL)
    with pytest.raises(MatchesFull, match="end one first"):
        begin(manager, "nim", Seat("human"), LEGAL)


@pytest.mark.long
def test_events_stream_while_they_happen_and_go_on_where_one_left_off(
    manager: Manager, url: str
) -> None:
    match = begin(manager, "nim", RANDOM, LEGAL)
    told = stream(url, f"/api/matches/{match.id}/events")
    assert [event["event"] for event in told][-1] == "finished"
    again = stream(url, f"/api/matches/{match.id}/events?after=2")
    assert again == told[2:]


def stream(url: str, path: str) -> list[dict[str, object]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        assert reply.getheader("Content-Type", "").startswith("text/event-stream")
        text = reply.read().decode()
    finally:
        connection.close()
    assert "event: end\n" in text
    lines = [line.removeprefix("data: ") for line in text.splitlines() if "data: {" in line]
    return [event for event in map(json.loads, lines) if event]


def test_the_first_event_is_told_before_the_last_has_happened(manager: Manager, url: str) -> None:
    match = begin(manager, "nim", Seat("human"), LEGAL)
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("GET", f"/api/matches/{match.id}/events")
    reply = connection.getresponse()
    text = b""
    while b'"started"' not in text:
        text += reply.read1()
    assert not match.is_over
    match.close()
    while b"event: end" not in text:
        text += reply.read1()
    connection.close()


def test_bundled_games_are_those_of_the_folder(manager: Manager) -> None:
    assert [game.name for game in manager.games] == sorted(
        path.stem for path in GAMES.glob("*.kif")
    )
