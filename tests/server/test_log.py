from __future__ import annotations

import json
import logging
import sys
from io import StringIO
from threading import Event
from typing import Any

import pytest

from ggp.server.log import log_fields, logging_behind, make_formatter
from ggp.server.player import make_app
from tests.server.fakes import FakeSession, Table, start

LOG = logging.getLogger("ggp.server.test")


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    formatter = make_formatter("json")
    return [json.loads(formatter.format(record)) for record in caplog.records]


def test_fields_are_logged_for_people_and_for_programs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    log_fields(LOG, logging.INFO, {"verb": "play", "turn": 0, "trouble": "", "match": None})
    assert caplog.messages == ["verb='play' turn=0"]
    (line,) = lines(caplog)
    assert line.pop("time").endswith("+00:00")
    assert line.pop("message") == "verb='play' turn=0"
    assert line == {"level": "INFO", "logger": "ggp.server.test", "verb": "play", "turn": 0}


def test_text_from_outside_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    log_fields(LOG, logging.INFO, {"match": "a\nb\x1b[2J\u2028c" + "d" * 1000})
    assert caplog.messages[0].isprintable()
    assert len(caplog.messages[0]) < 300
    assert "\n" not in make_formatter("json").format(caplog.records[0])


def test_an_error_is_one_line_too(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("no\nway")
    except ValueError:
        LOG.error("an error in %s", "a test", exc_info=sys.exc_info())
    (line,) = lines(caplog)
    assert line["message"] == "an error in a test"
    assert "ValueError: no\nway" in line["traceback"]


def test_a_match_is_logged_from_start_to_end_with_the_tiltyards_headers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="ggp.server")
    table = Table()
    client = make_app(table.protocol).test_client()
    for message in (start("m"), "(PLAY m NIL)", "(STOP m ((choose 0) (choose 1)))"):
        headers = {"GGP-Match-Host": "tiltyard", "GGP-Match-Step": "3"}
        client.post("/", data=message, headers=headers)
    told = lines(caplog)
    assert {line["match"] for line in told} == {"m"}
    replies = [line for line in told if line["event"] == "reply"]
    assert [line["verb"] for line in replies] == ["start", "play", "stop"]
    assert all(line["ggp-match-host"] == "tiltyard" for line in replies)
    (end,) = (line for line in told if line["event"] == "end")
    assert (end["how"], end["role"], end["turn"]) == ("stopped", "white", 0)


def test_no_one_waits_for_a_log_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    may_write, written = Event(), list[str]()

    class Stopped(StringIO):
        def write(self, text: str) -> int:
            may_write.wait(60)
            written.append(text)
            return len(text)

    monkeypatch.setattr("sys.stderr", Stopped())
    monkeypatch.setattr(logging.root, "handlers", [])
    with logging_behind("text", level=logging.INFO):
        for number in range(12_000):
            LOG.warning("line %d", number)
        assert written == []
        may_write.set()
    assert "line 0" in written[0]
    assert 10_000 <= len(written) < 12_000  # the others found no room


def test_what_a_player_has_learned_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    table = Table()
    table.make = lambda: FakeSession(note="learned from 7 joint moves")
    table.ask(start())
    note = {"event": "note", "match": "m1", "role": "white", "note": "learned from 7 joint moves"}
    assert [line.items() >= note.items() for line in lines(caplog)].count(True) == 1
    table.ask("(PLAY m1 NIL)")
    # a player that overruns its clock says so later
    table.session.note = "learned nothing"
    table.ask("(PLAY m1 ((choose 0) (choose 1)))")
    told = [line["note"] for line in lines(caplog) if line.get("event") == "note"]
    assert told == ["learned from 7 joint moves", "learned nothing"]
