"""The libraries' own tests pass on games of all kinds."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from ggp.adapters.__main__ import main
from ggp.adapters.checks import CHECKS, Checked, check, run_check
from tests.games.bundled import NAMES

for _library in ("pyspiel", "pettingzoo", "gymnasium"):
    pytest.importorskip(_library)

#: Turns; all at once; chance and percepts; three roles; one role.
KINDS = ("tictactoe", "tron", "montyhall", "triad", "eightpuzzle")

TOGETHER = """
(role a) (role b) (init (step 0)) (move left) (move right)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal ?r ?m) (role ?r) (move ?m)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 6))) (goal a 50) (goal b 50)
"""


@pytest.mark.sample(8)
@pytest.mark.parametrize("game", KINDS)
@pytest.mark.parametrize("check", sorted(CHECKS))
def test_a_library_accepts_a_game(check: str, game: str) -> None:
    assert run_check(check, game) == ""


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(set(NAMES) - set(KINDS)))
@pytest.mark.parametrize("check", sorted(CHECKS))
def test_a_library_accepts_every_bundled_game(check: str, game: str) -> None:
    assert run_check(check, game) == ""


@pytest.mark.parametrize(
    ("check", "broken", "reason"),
    [
        ("openspiel-sim", "ggp.adapters.openspiel.GdlState.returns", "player_return"),
        ("openspiel-api", "ggp.adapters.openspiel.GdlState._legal_actions", "AssertionError"),
        ("pettingzoo-turns", "ggp.adapters.pettingzoo.TurnGame.observe", "AssertionError"),
        ("pettingzoo-parallel", "ggp.adapters.pettingzoo.ParallelGame._observations", "Error"),
        ("gymnasium", "ggp.adapters.gymnasium.RoleEnv._observed", "AssertionError"),
    ],
)
def test_a_check_finds_what_is_broken(
    check: str, broken: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, lambda *_, **__: [7.0, 8.0])
    assert run_check(check, "tictactoe")


def test_a_failed_assertion_without_words_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_file: str) -> None:
        raise AssertionError

    monkeypatch.setitem(CHECKS, "gymnasium", failing)
    assert run_check("gymnasium", "nim") == "AssertionError: raise AssertionError (failing)"


def test_a_game_that_does_not_fit_says_why(tmp_path: Path) -> None:
    endless = tmp_path / "endless.kif"
    endless.write_text(
        "(role x) (init (at nil)) (legal x go) (<= (next (at (s ?y))) (true (at ?y)))"
    )
    found = check(str(endless), seconds=60, memory_limit=8 << 30)
    assert found.error == (
        "the game cannot be compiled, which all adapters need: "
        "the game cannot be grounded: its terms nest without end"
    )
    found = check("tictactoe", seconds=0, memory_limit=8 << 30)
    assert found.error == (
        "after 0 seconds, the game was being compiled, which all adapters need; "
        "--seconds allows more"
    )


def test_max_cycles(tmp_path: Path) -> None:
    from pettingzoo.test import max_cycles_test

    from ggp.adapters.pettingzoo import env, parallel_env

    # the test takes only games in which all choose in each step, and none ends before the fifth
    game = tmp_path / "game.kif"
    game.write_text(TOGETHER)
    made = {"env": partial(env, game), "parallel_env": partial(parallel_env, game)}
    max_cycles_test(SimpleNamespace(**made))


@pytest.mark.parametrize(
    ("games", "code"), [(["nim"], 0), (["nim", "tron"], 1), (["gone.kif", "nim", "tron"], 2)]
)
def test_the_exit_code_tells_what_cannot_be_read(
    games: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = lambda game, **_: Checked(game, "" if game == "nim" else "no")  # noqa: E731
    monkeypatch.setattr("ggp.adapters.__main__.check", checked)
    done = CliRunner().invoke(main, games)
    assert done.exit_code == code
    assert "nim: passes" in done.stdout


@pytest.mark.long
def test_the_command_says_why_a_game_does_not_fit() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ggp.adapters", "--json", "tictactoe", "no_such_game"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    fits, does_not = map(json.loads, done.stdout.splitlines())
    assert fits["passes"]
    assert set(fits["checks"]) == set(CHECKS)
    assert "no such file" in does_not["error"]
    assert not does_not["passes"]
