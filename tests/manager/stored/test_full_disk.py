"""A manager on a full disk says so, and nothing that was stored before is lost."""

from __future__ import annotations

import errno
import io
import logging
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from flask.testing import FlaskClient

from ggp.deadline import Deadline
from ggp.gdl.bundled import find_game
from ggp.match import MatchRecord
from ggp.server.manager.games import Games
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.match_worker import _Match as Match
from ggp.server.manager.records import Records
from ggp.server.manager.setup import Seat, Setup, Unfinished
from ggp.server.manager.web.app import make_app
from tests.files.disk import full_disk, names

RULES = "(role r)\n" * 1000


@pytest.mark.parametrize(("style", "drawing"), [("", ""), (".x { }\n" * 1000, "{}")])
def test_a_game_is_there_as_a_whole_or_not(tmp_path: Path, style: str, drawing: str) -> None:
    games = Games([], tmp_path)
    with full_disk(room=4096), pytest.raises(OSError, match="File too large") as failed:
        games.add("mine", RULES, style=style, drawing=drawing)
    assert str(failed.value.filename).startswith(str(tmp_path / "mine."))
    assert names(tmp_path) == []
    game = games.add("mine", RULES, style=style, drawing=drawing)
    assert (game.text, game.drawing) == (RULES, drawing)
    assert len(names(tmp_path)) == 1 + bool(style) + bool(drawing)


def test_a_game_that_is_cut_off_is_stored_anew(tmp_path: Path) -> None:
    """An earlier version left such files."""
    games = Games([], tmp_path)
    path = games.add("mine", RULES).path
    path.write_text(RULES[:100])
    assert games.add("mine", RULES).text == RULES
    with full_disk():  # it is there, and takes no more space
        assert games.add("mine", RULES).text == RULES


def test_rules_that_cannot_be_stored_leave_nothing_beside_them(tmp_path: Path) -> None:
    games = Games([], tmp_path)
    with full_disk(room=4096), pytest.raises(OSError, match="File too large"):
        games.add("mine", RULES, style=".x { }", drawing="{}")
    assert names(tmp_path) == []


def test_a_record_is_there_as_a_whole_or_not(tmp_path: Path) -> None:
    records, data = Records(tmp_path), b"x" * 10_000
    with full_disk(room=4096), pytest.raises(OSError, match="File too large"):
        records.add(data)
    assert names(tmp_path) == []
    assert records.add(data).data() == data


def test_a_setup_is_private_from_the_beginning(tmp_path: Path) -> None:
    setup = Setup(
        id="x", game="nim", seats=(Seat("human"),), start_clock=1, play_clock=1,
        humans_take_time=True,
    )  # fmt: skip
    Unfinished(tmp_path).keep(setup)
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o600


@pytest.fixture
def client(manager: Manager) -> FlaskClient:
    return make_app(manager).test_client()


def test_the_pages_say_that_there_is_no_space(
    client: FlaskClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with full_disk(room=4096), caplog.at_level(logging.ERROR):
        page = client.post("/games", data={"name": "mine", "rules": RULES})
        told = client.post("/api/games", json={"name": "mine", "rules": RULES})
        record = client.post("/records", data={"record": (io.BytesIO(b"x" * 9000), "r.json")})
    for reply in (page, told, record):
        assert reply.status_code == 507
        assert "nothing of it is there: File too large" in reply.text
        assert str(tmp_path) not in reply.text
    assert str(tmp_path) in caplog.text
    assert names(tmp_path) == []
    assert client.post("/games", data={"name": "mine", "rules": RULES}).status_code == 302


class Listener:
    """In place of the manager of a match."""

    def send(self, message: object) -> None:
        pass


@pytest.mark.long
@pytest.mark.parametrize("room_after", [1, None])
def test_a_match_goes_on_where_its_record_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room_after: int | None
) -> None:
    path, write, failed = tmp_path / "record.json", MatchRecord.write, list[int]()

    def full(record: MatchRecord, file: Path) -> None:
        if room_after is None or len(failed) < room_after:
            failed.append(len(record.moves))
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
        write(record, file)

    monkeypatch.setattr(MatchRecord, "write", full)
    task = {
        "rules": find_game("tictactoe").read_text(),
        "game_url": "",
        "match_id": "x",
        "start_clock": 10,
        "play_clock": 10,
        "players": [{"kind": "player", "spec": "legal", "name": "legal"}] * 2,
        "humans_take_time": True,
        "record": str(path),
        "start": None,
    }
    match: Any = Match(task, cast("Any", Listener()))
    with ExitStack() as stack:
        *_, finished = match.run(Deadline(), stack)
    lost = "the record of the last moves could not be written: No space left on device"
    assert finished["goals"] is not None
    assert finished["remark"] == ("" if room_after else lost)
    assert path.exists() == bool(room_after)
    assert failed
