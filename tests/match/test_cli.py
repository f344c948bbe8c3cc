from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ggp.match import MatchRecord
from tests.match.fakes import fake_player, sends
from tests.match.games import COIN, GOALLESS, MARK, PICK, STUCK


def ggp(*arguments: str, folder: Path, rules: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ggp", "match", *arguments],
        cwd=folder,
        input=rules,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def pick(tmp_path: Path) -> str:
    (tmp_path / "pick.kif").write_text(PICK)
    return "pick.kif"


def test_a_match_is_shown_and_recorded(tmp_path: Path, pick: str) -> None:
    done = ggp(pick, "legal", "random", "--seed", "3", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "left: legal" in done.stdout
    assert "1.  left (pick 1)" in done.stdout
    assert "right" in done.stdout
    (path,) = (tmp_path / "matches").iterdir()
    assert f"recorded in matches/{path.name}" in done.stdout
    record = MatchRecord.read(path)
    assert record.match_id == path.stem
    assert record.match_id.startswith("pick.")
    assert record.game_meta_url == (tmp_path / "pick.kif").as_uri()
    assert record.player_names == ("legal", "random:seed=4")
    assert record.is_completed


def test_json_is_the_record_and_nothing_else(tmp_path: Path, pick: str) -> None:
    arguments = [pick, "legal", "legal", "--json", "--record", "out/it.json"]
    done = ggp(*arguments, "--start-clock", "7", "--play-clock", "2.5", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    record = MatchRecord.from_json(done.stdout)
    assert record == MatchRecord.read(tmp_path / "out" / "it.json")
    assert json.loads(done.stdout)["startClock"] == 7
    assert (record.start_clock, record.play_clock) == (7, 2.5)
    assert not (tmp_path / "matches").exists()


def test_a_seed_repeats_the_match(tmp_path: Path) -> None:
    matches = []
    for rules in (PICK, COIN) * 2:
        players = ["random"] * (2 if rules is PICK else 1)
        done = ggp("-", *players, "--seed", "7", "--json", folder=tmp_path, rules=rules)
        matches.append(json.loads(done.stdout)["moves"])
    assert matches[:2] == matches[2:]


def test_a_player_of_ones_own_lies_in_the_current_folder(tmp_path: Path, pick: str) -> None:
    (tmp_path / "mine.py").write_text(
        "from ggp.match import Player\n"
        "class Last(Player):\n"
        "    def moves(self, state, clock):\n"
        "        yield self.seat.reasoner.legal_moves(state, self.seat.role)[-1]\n"
    )
    done = ggp(pick, "mine.Last", "legal", "--json", folder=tmp_path)
    assert json.loads(done.stdout)["moves"] == [["(pick 3)", "(pick 1)"]] * 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["legal"], "2 roles (left, right) need as many players, not 1; a player is"),
        ([], "2 roles (left, right) need as many players, not 0; a player is"),
        (["legal", "legal", "legal"], "2 roles (left, right) need as many players, not 3"),
        (["legal", "nobody"], "nobody: no such player; there are"),
        (["legal", "random:sed=1"], "random:sed=1: no option 'sed'; options are seed"),
        (["legal", "https://here:1"], "players are asked over http only"),
        (["legal", "legal", "--record", "pick.kif/x.json"], "pick.kif: "),
    ],
)
def test_wrong_use_is_told_in_one_line(
    arguments: list[str], complaint: str, tmp_path: Path, pick: str
) -> None:
    done = ggp(pick, *arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("matches/*"))


def test_a_broken_game_aborts_the_match(tmp_path: Path) -> None:
    done = ggp("-", "legal", "--record", "it.json", folder=tmp_path, rules=STUCK)
    assert done.returncode == 1
    assert "the match was aborted: me has no legal move" in done.stderr
    assert MatchRecord.read(tmp_path / "it.json").is_aborted


def test_missing_goals_are_said(tmp_path: Path) -> None:
    done = ggp("-", "legal", "legal", folder=tmp_path, rules=GOALLESS)
    assert done.returncode == 0
    assert "scored 0: me, you" in done.stdout


def test_errors_of_players_are_shown(tmp_path: Path) -> None:
    with fake_player(sends(b"HTTP/1.0 200 OK\r\n\r\n(mark 9)")) as player:
        done = ggp("-", player.url, "--scramble", folder=tmp_path, rules=MARK)
    assert "me may not do (mark 9); a random move was made instead" in done.stdout
    (path,) = (tmp_path / "matches").iterdir()
    assert MatchRecord.read(path).is_scrambled


def test_ctrl_c_aborts_and_records(tmp_path: Path, pick: str) -> None:
    with fake_player(sends(b"", keep_open=True)) as player:
        command = [sys.executable, "-m", "ggp", "match", pick, "legal", player.url]
        process = subprocess.Popen(
            [*command, "--play-clock", "60", "--record", "it.json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        player.wait_for("PLAY")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
        assert process.returncode == 130
        assert stderr == "ggp: the match was aborted: stopped before its end\nggp: interrupted\n"
        player.wait_for("ABORT")
    assert MatchRecord.read(tmp_path / "it.json").is_aborted
