from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Thread

import click
import pytest
from rich.console import Console

from ggp.cli.match import _complaints, _Display, _write
from ggp.gdl import Description
from ggp.kif import Symbol, parse_term
from ggp.match import (
    MatchFinished,
    MatchRecord,
    MatchStarted,
    MoveMade,
    PlayersReady,
    SearchInfo,
)
from tests.cli.command import has_controls
from tests.match.fakes import fake_player, sends
from tests.match.games import COIN, GOALLESS, MARK, PICK, STUCK
from tests.match.records.replays import opened, played

#: So long that no player is late, however busy the machine is; arguments may override them.
CLOCKS = ("--start-clock", "60", "--play-clock", "60")


def ggp(*arguments: str, folder: Path, rules: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ggp", "match", *CLOCKS, *arguments],
        cwd=folder,
        input=rules,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


LAST = """
from ggp.match import Player
class Last(Player):
    def moves(self, state, deadline):
        yield self.context.reasoner.legal_moves(state, self.context.role)[-1]
"""


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


@pytest.mark.long
def test_json_is_the_record_and_nothing_else(tmp_path: Path, pick: str) -> None:
    arguments = [pick, "legal", "legal", "--json", "--record", "out/it.json"]
    done = ggp(*arguments, "--start-clock", "70", "--play-clock", "62.5", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    record = MatchRecord.from_json(done.stdout)
    assert record == MatchRecord.read(tmp_path / "out" / "it.json")
    assert json.loads(done.stdout)["startClock"] == 70
    assert (record.start_clock, record.play_clock) == (70, 62.5)
    assert not (tmp_path / "matches").exists()


@pytest.mark.long
def test_a_seed_repeats_the_match(tmp_path: Path) -> None:
    matches = []
    for rules in (PICK, COIN) * 2:
        players = ["random"] * (2 if rules is PICK else 1)
        done = ggp("-", *players, "--seed", "7", "--json", folder=tmp_path, rules=rules)
        matches.append(json.loads(done.stdout)["moves"])
    assert matches[:2] == matches[2:]


EVIL = r"""
from ggp.match import Player
class Evil(Player):
    def __init__(self, label: str = "") -> None:
        pass
    def moves(self, state, deadline):
        raise RuntimeError("\x1b[2J\x9b0m")
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [["--traceback"], []])
def test_control_characters_of_players_and_files_are_not_printed(
    tmp_path: Path, pick: str, options: list[str]
) -> None:
    (tmp_path / "evil.py").write_text(EVIL)
    record = "\x1b[31m.json"
    done = ggp(
        pick, "legal", "evil.Evil:label=\x1b[0m", "--record", record, *options, folder=tmp_path
    )
    assert done.returncode == 1
    assert not has_controls(done.stdout)
    assert not has_controls(done.stderr)
    assert "right: evil.Evil:label=\u241b[0m\n" in done.stdout
    assert "\u241b[2J\ufffd0m" in done.stdout
    assert "\u241b[2J\ufffd0m" in done.stderr
    assert done.stdout.endswith("recorded in \u241b[31m.json\n")
    assert (tmp_path / record).is_file()
    assert ("Traceback" in done.stderr) == bool(options)


@pytest.mark.long
def test_a_players_class_is_found_in_the_current_folder(tmp_path: Path, pick: str) -> None:
    (tmp_path / "mine.py").write_text(LAST)
    done = ggp(pick, "mine.Last", "legal", "--json", folder=tmp_path)
    assert json.loads(done.stdout)["moves"] == [["(pick 3)", "(pick 1)"]] * 3


@pytest.mark.long
@pytest.mark.parametrize("package", ["players", "server", "games", "tests"])
@pytest.mark.parametrize("has_init", [True, False])
def test_the_current_folder_comes_first_for_a_players_class(
    package: str, has_init: bool, tmp_path: Path, pick: str
) -> None:
    # In a checkout these folders lie on the search path, too.
    folder = tmp_path / package
    folder.mkdir()
    if has_init:
        (folder / "__init__.py").write_text("")
    (folder / "mine.py").write_text(LAST)
    command = ["match", *CLOCKS, pick, f"{package}.mine.Last", "legal", "--json"]
    for start in ([sys.executable, "-m", "ggp"], [sys.executable, "-P", "-m", "ggp"]):
        done = subprocess.run(
            [*start, *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["moves"] == [["(pick 3)", "(pick 1)"]] * 3


@pytest.mark.long
def test_files_with_the_names_of_our_folders_do_no_harm(tmp_path: Path, pick: str) -> None:
    for name in ("server", "players", "games", "benchmarks", "tests"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not meant for ggp')")
    done = ggp(pick, "legal", "random", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    served = subprocess.run(
        [sys.executable, "-m", "ggp", "serve", "--help"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert served.returncode == 0


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["legal"], "2 roles (left, right) need as many players, not 1; a player is"),
        ([], "2 roles (left, right) need as many players, not 0; a player is"),
        (["legal", "legal", "legal"], "2 roles (left, right) need as many players, not 3"),
        (["legal", "no_player"], "no_player: no such player; there are"),
        (["legal", "random:sed=1"], "random:sed=1: no option 'sed'; options are seed"),
        (["legal", "https://here:1"], "players are asked over http only"),
        (["legal", "legal", "--record", "pick.kif/x.json"], "pick.kif/x.json: "),
        (["legal", "legal", "--record", "/proc/x.json"], "/proc/x.json: "),
    ],
)
def test_wrong_use_is_reported_in_one_line(
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
    assert "after 1 joint moves in the state ( stuck ); `ggp check` may say why" in done.stderr
    assert MatchRecord.read(tmp_path / "it.json").is_aborted


@pytest.mark.long
def test_missing_goals_are_said(tmp_path: Path) -> None:
    done = ggp("-", "legal", "legal", folder=tmp_path, rules=GOALLESS)
    assert done.returncode == 0
    assert "scored 0: me, you" in done.stdout


def test_errors_of_players_are_shown(tmp_path: Path) -> None:
    with fake_player(sends(b"HTTP/1.0 200 OK\r\n\r\n(mark 9)")) as player:
        done = ggp("-", player.url, "--scramble", folder=tmp_path, rules=MARK)
    assert "me answered with no term of the game; a random move was made instead" in done.stdout
    (path,) = (tmp_path / "matches").iterdir()
    assert MatchRecord.read(path).is_scrambled


@pytest.mark.long
def test_what_players_think_is_shown_and_recorded(tmp_path: Path) -> None:
    done = ggp("nim", "alphabeta", "legal", "--record", "it.json", folder=tmp_path)
    assert done.returncode == 0
    assert re.search(r"depth \d+, [\d,]+ nodes, value 100 \(proven\)", done.stdout)
    record = json.loads((tmp_path / "it.json").read_text())
    assert len(record["search"]) == len(record["moves"])
    first, other = record["search"][0]
    assert other is None
    assert (first["value"], first["proven"]) == (100, True)
    assert first["reasoner"] in ("prolog", "compiled")
    assert {"depth", "nodes", "seconds", "classifier", "prunes"} < first.keys()


@pytest.mark.long
def test_errors_in_a_players_code_are_summed_up(tmp_path: Path, pick: str) -> None:
    (tmp_path / "mine.py").write_text(LAST + "        raise ZeroDivisionError('by design')\n")
    for options in ([], ["--traceback"]):
        done = ggp(pick, "mine.Last", "legal", "--record", "it.json", *options, folder=tmp_path)
        assert done.returncode == 1
        assert "left made an error in its own code: ZeroDivisionError: by design" in done.stdout
        assert ("Traceback (most recent call last)" in done.stderr) == bool(options)
        errors = MatchRecord.read(tmp_path / "it.json").errors
        assert all(left.startswith("EX ZeroDivisionError") for left, _ in errors[1:])
    assert "made errors in 3 of 3 turns: failed in its own code (3)" in done.stderr


@pytest.mark.long
def test_a_player_that_cannot_be_reached_is_told_by_the_exit_code(
    tmp_path: Path, pick: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    done = ggp(pick, "legal", f"127.0.0.1:{port}", "--wait", "0.3", folder=tmp_path)
    assert done.returncode == 2
    said = f"ggp: no player listens at http://127.0.0.1:{port}: Connection refused; start it"
    assert done.stderr.startswith(said)
    assert not [*tmp_path.rglob("*.json")]


@pytest.mark.long
def test_a_match_ends_after_its_last_step(tmp_path: Path, pick: str) -> None:
    done = ggp(pick, "legal", "legal", "--max-steps", "2", "--json", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "ggp: the match was aborted: not over after 2 joint moves\n"
    record = MatchRecord.from_json(done.stdout)
    assert (record.is_aborted, len(record.moves)) == (True, 2)
    done = ggp(pick, "legal", "legal", "--max-steps", "3", folder=tmp_path)
    assert done.returncode == 0


@pytest.mark.long
def test_a_match_ends_when_its_time_is_over(tmp_path: Path, pick: str) -> None:
    slow = "import time\n" + LAST.replace("        yield", "        time.sleep(60)\n        yield")
    (tmp_path / "slow.py").write_text(slow)
    done = ggp(pick, "slow.Last", "legal", "--seconds", "6", "--play-clock", "60", "--json",
               folder=tmp_path)  # fmt: skip
    assert done.returncode == 1
    assert "ggp: the match was aborted: stopped before its end\n" in done.stderr
    assert MatchRecord.from_json(done.stdout).is_aborted


@pytest.mark.long
def test_a_record_is_written_through_to_what_is_there(tmp_path: Path, pick: str) -> None:
    target, link, pipe = tmp_path / "target.json", tmp_path / "link.json", tmp_path / "pipe"
    link.symlink_to(target)
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    for path in (link, pipe, Path("/dev/null")):
        done = ggp(pick, "legal", "legal", "--record", str(path), folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    reader.join()
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert Path("/dev/null").is_char_device()
    for text in (target.read_text(), *read):
        assert MatchRecord.from_json(text).is_completed


@pytest.mark.parametrize("is_printed", [True, False])
def test_a_record_that_can_be_written_nowhere_is_printed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_printed: bool,
) -> None:
    with opened(PICK) as reasoner:
        record = played(reasoner)

    def full(_: MatchRecord, path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(MatchRecord, "write", full)
    path = tmp_path / "record.json"
    with pytest.raises(click.ClickException) as failed:
        _write(record, path, is_printed=is_printed)
    said = failed.value.message
    assert said == f"{path}: No space left on device; the record is printed above"
    printed = capsys.readouterr().out
    assert printed == ("" if is_printed else f"{record.to_json()}\n")


@pytest.mark.long
def test_a_record_that_cannot_be_written_is_kept(tmp_path: Path, pick: str) -> None:
    done = ggp(pick, "legal", "legal", "--record", "/dev/full", folder=tmp_path)
    assert done.returncode == 2
    told = re.search(r"^ggp: /dev/full: (.*); the record is in (.*)$", done.stderr)
    assert told
    kept = Path(told[2])
    assert MatchRecord.read(kept).is_completed
    kept.unlink()
    assert Path("/dev/full").is_char_device()


@pytest.mark.long
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
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        assert stderr == "ggp: the match was aborted: stopped before its end\nggp: interrupted\n"
        player.wait_for("ABORT")
    assert MatchRecord.read(tmp_path / "it.json").is_aborted


def test_errors_are_counted_by_turns() -> None:
    idle, failed = "EX yielded no move in time", "EX ValueError: no"
    errors = (("TO", ""), (idle, "IL (pick 9)"), (idle, ""), (failed, ""))
    with opened(PICK) as reasoner:
        record = replace(played(reasoner), player_names=("legal", "random"), errors=errors)
    assert [*_complaints(record, Description.from_text(PICK))] == [
        "left, played by legal, made errors in 3 of 3 turns: yielded no move in time (2), "
        "failed in its own code (1); at the start: did not answer in time",
        "right, played by random, made errors in 1 of 3 turns: answered with an illegal move (1)",
    ]


def test_a_brief_display_shows_the_goals_alone() -> None:
    console = Console(file=StringIO(), width=80)
    display = _Display(console, Description.from_text(PICK), is_brief=True)
    roles, move = (Symbol("left"), Symbol("right")), parse_term("(pick 1)")
    display.show(MatchStarted("m", roles, ("maxn", "legal"), ()))
    display.show(PlayersReady(("", ""), (1.0, 1.0), (None, None), ("learned", "")))
    display.show(MoveMade(1, (move, move), ("", "TO"), (1.0, 1.0), (), (None, None)))
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]
    display.show(MatchFinished((100, 0)))
    shown = console.file.getvalue().split()  # type: ignore[attr-defined]
    assert shown == ["role", "player", "goal", "left", "maxn", "100", "right", "legal", "0"]


def test_what_a_player_has_learned_is_shown() -> None:
    console = Console(file=StringIO(), width=80)
    display = _Display(console, Description.from_text(PICK))
    display.show(MatchStarted("m", (Symbol("left"), Symbol("right")), ("auto", "legal"), ()))
    display.show(PlayersReady(("", ""), (1.0, 1.0), (None, None), ("learned nothing: why", "")))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "start clock\n    left: learned nothing: why\n" in shown


def test_what_players_think_during_the_start_clock_is_shown() -> None:
    console = Console(file=StringIO(), width=80)
    display = _Display(console, Description.from_text(PICK))
    roles = (Symbol("left"), Symbol("right"))
    display.show(MatchStarted("m", roles, ("maxn", "legal"), ()))
    thought = SearchInfo(62.5, depth=3, nodes=1234)
    display.show(PlayersReady(("", ""), (1.0, 1.0), (thought, None)))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "start clock\n    left: depth 3, 1,234 nodes, value 62.5\n" in shown
