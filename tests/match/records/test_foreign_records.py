"""Records that come from elsewhere: the game that they name, and their length."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ggp.cli import replay
from ggp.deadline import Deadline, TimeUp
from ggp.gdl import Description
from ggp.match import MatchRecord, first_mistake
from ggp.reasoner import open_reasoner

RULES = """
(role me) (init (step 0)) (legal me go) (goal me 50)
(<= (next (step 1)) (true (step 0))) (<= (next (step 0)) (true (step 1)))
(<= terminal (true (step 2)))
"""


def record(address: str, *, steps: int = 0) -> dict[str, Any]:
    return {
        "matchId": "m",
        "randomToken": "",
        "startTime": 1,
        "gameMetaURL": address,
        "isCompleted": False,
        "startClock": 1,
        "playClock": 1,
        "states": [f"( (step {step % 2}) )" for step in range(steps + 1)],
        "stateTimes": [1] * (steps + 1),
        "moves": [["go"]] * steps,
    }


def replayed(folder: Path, address: str, *options: str) -> Result:
    path = folder / "record.json"
    path.write_text(json.dumps(record(address, steps=3)))
    arguments = [str(path), "--reasoner", "prolog", *options]
    return CliRunner().invoke(replay.command, arguments, standalone_mode=False)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "a game.kif"
    path.write_text(RULES)
    return path


def test_the_rulesheet_that_a_record_names_is_read(rules: Path, tmp_path: Path) -> None:
    for address in (rules.as_uri(), rules.as_uri().replace("file://", "file://localhost")):
        done = replayed(tmp_path, address)
        assert "3 steps, right" in done.output


def test_what_is_no_rulesheet_of_this_machine_is_not_opened(rules: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("(role secret-of-a-test)")
    (tmp_path / "link.kif").symlink_to(secret)
    (tmp_path / "zero.kif").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.kif")
    (tmp_path / "folder.kif").mkdir()
    for address in (
        secret.as_uri(),
        f"{tmp_path.as_uri()}/link.kif",
        f"{tmp_path.as_uri()}/zero.kif",
        f"{tmp_path.as_uri()}/pipe.kif",
        f"{tmp_path.as_uri()}/folder.kif",
        f"{tmp_path.as_uri()}/none.kif",
        rules.as_uri().replace("file://", "file://evil.example"),
        rules.as_uri() + "%00",
        "file:///dev/zero",
        "file://[",
        "http://evil.example/game.kif",
        str(rules),
    ):
        done = replayed(tmp_path, address)
        assert done.exit_code == 2, address
        assert "give it with --game FILE" in done.output
        assert "secret-of-a-test" not in done.output
    assert "3 steps, right" in replayed(tmp_path, "file://[", "--game", str(rules)).output


def test_long_records_tell_their_progress_and_can_be_ended() -> None:
    fields = record("", steps=5)
    seen: list[tuple[int, int]] = []

    def progress(done: int, steps: int) -> None:
        seen.append((done, steps))

    made = MatchRecord.from_fields(fields, progress=progress)
    assert seen == [(step, 6) for step in range(6)]
    seen.clear()
    with open_reasoner(Description.from_text(RULES), kind="prolog") as reasoner:
        assert first_mistake(made, reasoner, progress=progress) is None
    assert seen == [(step, 5) for step in range(5)]
    with pytest.raises(TimeUp):
        MatchRecord.from_fields(fields, progress=lambda *_: Deadline.after(0).check())


def test_the_command_shows_progress_on_a_terminal_alone(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(replay, "_TICK", 0)
    monkeypatch.setattr(replay, "show_progress", shown.append)
    assert "3 steps, right" in replayed(tmp_path, rules.as_uri()).output
    place = str(tmp_path / "record.json")
    assert f"{place}: reads state 4 of 4" in shown
    assert f"{place}: replays step 3 of 3" in shown
    assert shown[-1] == ""
