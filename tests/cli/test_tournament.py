"""`ggp tournament` as its users see it."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ggp import Deadline, Player, State, Term
from ggp.tournament import Store, fixtures
from tests.cli.command import GGP, has_controls, on_terminal
from tests.cli.conftest import Here
from tests.match.games import MARK, PICK
from tests.match.records.test_record import RECORD
from tests.tournament.killing import results
from tests.tournament.plans import plan as planned
from tests.tournament.plans import result

#: Thinks for a second.
SLOW = "tests.cli.test_tournament.Slow"


class Slow(Player):
    """Plays the first legal move after a second."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]
        time.sleep(1)


SLOW_CLOCKS = ("--start-clock", "60", "--play-clock", "30")


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with some games."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mark.kif").write_text(MARK)
    (tmp_path / "pick.kif").write_text(PICK)
    (tmp_path / "broken.kif").write_text("(role me")
    return tmp_path


@pytest.mark.long
def test_a_tournament_is_played_shown_and_shown_again(here: Here, games: Path) -> None:
    plan = ["--game", "pick.kif", "--game", "mark.kif", "--player", "random", "--player", "legal"]
    done = here("tournament", "cup", *plan, "--seed", "1", *SLOW_CLOCKS)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "4 matches; cup/index.html"
    assert {path.name for path in (games / "cup").iterdir()} == {
        "index.html",
        "matches.csv",
        "standings.csv",
        "standings.json",
        "tournament.sqlite",
    }
    # Whatever is asked again, the answer is the same, and nothing is played.
    again = here("tournament", "cup")
    assert again == done
    assert here("tournament", "cup", *plan, "--seed", "1", *SLOW_CLOCKS) == done
    shown = here("tournament", "cup", "--standings", "--json")
    assert shown.json["finished"]
    assert shown.json["name"] == "cup"
    assert [player["matches"] for player in shown.json["standings"]] == [3, 3]
    assert {player["player"] for player in shown.json["standings"]} == {"random", "legal"}
    assert len(results(games / "cup")) == 4


@pytest.mark.long
def test_records_are_written_and_replay(here: Here, games: Path) -> None:
    plan = ["--game", "pick.kif", "--player", "random", "--player", "random", "--scramble"]
    done = here("tournament", "cup", *plan, "--records", "records", "--json", *SLOW_CLOCKS)
    assert done.json["played"] == 2
    records = sorted((games / "records").iterdir())
    assert len(records) == 2
    replayed = here("replay", *records)
    assert (replayed.code, replayed.err) == (0, "")
    assert [line.endswith(": 3 steps, right") for line in replayed.out.splitlines()] == [True] * 2


@pytest.mark.long
def test_a_plan_does_not_change(here: Here, games: Path) -> None:
    plan = ["--game", "mark.kif", "--player", "legal", "--seed", "1"]
    assert here("tournament", "cup", *plan, *SLOW_CLOCKS).code == 0
    for option, changed in (
        ("--seed", ["--seed", "2"]),
        ("--rounds", ["--rounds", "5"]),
        ("--player", ["--player", "random"]),
        ("--game", ["--game", "pick.kif"]),
        ("--scramble", ["--scramble"]),
    ):
        done = here("tournament", "cup", *changed)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"ggp: cup has a tournament with another {option}; ")
    # A rulesheet that was edited since is another game.
    (games / "mark.kif").write_text(MARK + "(also this)")
    assert here("tournament", "cup", "--game", "mark.kif").code == 2
    assert here("tournament", "cup").code == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["new"], "new has no tournament; to plan one, give --game and --player, such as"),
        (["new", "--standings"], "new has no tournament"),
        (["new", "--game", "mark.kif"], "give --game and --player"),
        (["new", "--player", "legal"], "give --game and --player"),
        (["new", "--game", "nothing.kif", "--player", "legal"], "nothing.kif: no such file"),
        (["new", "--game", "broken.kif", "--player", "legal"], "broken.kif:1:1: "),
        (["new", "--game", "pick.kif", "--player", "legal"], "pick needs 2 players, not 1"),
        (["new", "--game", "mark.kif", "--player", "unheard"], "unheard: no such player"),
        (["new", "--game", "mark.kif", "--player", "random:sed=1"], "no option 'sed'"),
        (["new", "--game", "mark.kif", "--player", "https://h:1"], "over http only"),
        (["new", *["--game", "mark.kif"] * 2, "--player", "legal"], "two games are called mark"),
        (["mark.kif", "--game", "mark.kif", "--player", "legal"], "mark.kif"),
        (["new", "--rounds", "0"], "--rounds"),
        (["new", "--database", "mysql://localhost/cups"], "postgresql://user@host/database"),
        (["new", "--standings", "--database", "postgresql://127.0.0.1:1/cups"], "refused"),
        (["new", "--database", "postgresql://h:many/cups"], "postgresql://user@host/database"),
        (["new", "--play-clock", "nan"], "--play-clock"),
    ],
)
def test_wrong_use_is_reported_in_one_line(
    here: Here, games: Path, arguments: list[str], complaint: str
) -> None:
    done = here("tournament", *arguments)
    assert (done.code, done.out) == (2, "")
    assert complaint in done.err
    assert len(done.err.splitlines()) == 1
    assert not (games / "new").exists()


@pytest.mark.long
def test_ctrl_c_shows_how_it_stands_and_the_rest_follows(here: Here, games: Path) -> None:
    plan = ["--game", "pick.kif", "--player", "random", "--player", "random", "--seed", "3"]
    process = subprocess.Popen(
        [*GGP, "tournament", "cup", *plan, "--rounds", "3", "--jobs", "2", *SLOW_CLOCKS],
        cwd=games,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while len(results(games / "cup")) < 2:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "ggp: interrupted\n")
    assert out.splitlines()[-1].endswith(" of 6 matches so far; `ggp tournament cup` continues it")
    done = here("tournament", "cup")
    assert done.out.splitlines()[-1] == "6 matches; cup/index.html"


def test_control_characters_of_players_and_folders_are_not_printed(
    here: Here, tmp_path: Path
) -> None:
    folder = tmp_path / "\x1b[31m"
    plan = planned(["random", "\x1b[2J"])
    first, second = fixtures(plan, ())
    store = Store.create(folder, plan)
    store.add(replace(result(first, None), remark="\x9b0m"), RECORD)
    shown = here("tournament", folder, "--standings")
    assert shown.out.endswith("/\u241b[31m` continues it\n")
    store.add(result(second, (100, 0)), RECORD)
    store.close()
    done = here("tournament", folder, "--standings")
    assert (shown.code, done.code) == (0, 0)
    assert not has_controls(shown.out + done.out)
    assert "\u241b[2J" in done.out
    assert "aborted: match.0: \ufffd0m\n" in done.out
    assert done.out.endswith("/\u241b[31m/index.html\n")


def test_no_number_of_the_standings_wraps(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    plan = planned(["alphabeta:depth=4,ponder=true", "mcts:exploration=0.5,threads=1"])
    store = Store.create(tmp_path / "cup", plan)
    for fixture, goals in zip(fixtures(plan, ()), ((100, 0), (0, 100)), strict=True):
        store.add(result(fixture, goals), RECORD)
    store.close()
    lines = here("tournament", tmp_path / "cup", "--standings").out.splitlines()
    assert sum(" ± 7.8 " in line for line in lines) == 2, "\n".join(lines)
    assert "…" not in "".join(lines)  # a long name goes on in the next line
    assert all(len(line) <= 80 for line in lines[:-1])


@pytest.mark.long
def test_a_terminal_shows_the_first_match_before_it_is_over(games: Path) -> None:
    plan = ["--game", "pick.kif", "--player", SLOW, "--player", "random", "--jobs", "1"]
    shown, code = on_terminal("tournament", "cup", *plan, *SLOW_CLOCKS)
    assert code == 0
    before, _, after = shown.partition("1 of 2 matches")
    assert re.search("0 of 2 matches; pick, move [1-9]", before)
    assert " s left; pick, move " in after


@pytest.mark.long
def test_another_process_is_told_to_stay_away(here: Here, games: Path) -> None:
    plan = ["--game", "mark.kif", "--player", "legal"]
    assert here("tournament", "cup", *plan, *SLOW_CLOCKS).code == 0
    store = Store.open(games / "cup")
    with store.locked():
        done = here("tournament", "cup")
        assert (done.code, done.err) == (2, "ggp: cup: another process plays this tournament\n")
        assert here("tournament", "cup", "--standings").code == 0
    store.close()
