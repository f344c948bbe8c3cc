"""`ggp solve`: what it prints, and how it refuses."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ggp.cli import main, solve
from ggp.cli.solve import show_progress
from ggp.deadline import Deadline
from ggp.engine import KNOWN
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import Limit, Minimax, Searcher
from tests.search.every import TREE_SEARCHES

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ggp = Callable[..., Run]


@pytest.fixture
def ggp(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ggp:
    """Run the command with arguments."""

    def run(*arguments: str) -> Run:
        monkeypatch.setattr(sys, "argv", ["ggp", *arguments])
        code: Any = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run


@pytest.mark.sample(1)
@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
def test_solve_says_everything_in_json(ggp: Ggp, algorithm: str) -> None:
    run = ggp("solve", "nim", "--algorithm", algorithm, "--json")
    assert (run.code, run.err) == (0, "")
    found = run.json
    assert list(found) == [
        "algorithm", "classifier", "engine", "roles", "goals", "joint_move", "move", "variation",
        "exact", "depth", "expanded", "generated", "researched", "prunes", "table", "seconds",
        *["simulations"] * (algorithm == "mcts"),
    ]  # fmt: skip
    assert found["algorithm"] == algorithm
    engine = "compiled" if algorithm in KNOWN else "reference"
    assert (found["classifier"], found["engine"]) == ("lvt", engine)
    assert (found["roles"], found["goals"]) == (["first", "second"], [100, 0])
    assert (found["joint_move"], found["move"]) == (["(take 1)", "noop"], "(take 1)")
    assert found["variation"][0] == found["joint_move"]
    assert found["exact"] is True
    # the nodes of a tree search are not all expanded
    assert found["table"]["size"] >= found["expanded"] > 0
    assert algorithm == "mcts" or found["table"]["size"] == found["expanded"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
def test_engine_and_reference_say_the_same(ggp: Ggp, algorithm: str) -> None:
    arguments = ("solve", "nim", "--algorithm", algorithm, "--json", "--engine")
    compiled, reference = ggp(*arguments, "compiled").json, ggp(*arguments, "reference").json
    assert (compiled["engine"], reference["engine"]) == ("compiled", "reference")
    for name in ("goals", "move", "exact"):
        assert compiled[name] == reference[name]
    # which leaves a tree search visits is drawn at random, and alpha-beta sorts the moves
    assert algorithm in ("mcts", "alphabeta") or compiled["depth"] == reference["depth"]


def test_the_engine_says_what_it_cannot_do(ggp: Ggp) -> None:
    run = ggp("solve", "nim", "--engine", "compiled", "--reasoner", "prolog")
    assert (run.code, run.out) == (2, "")
    assert "the engine searches by minimax, bounded, alphabeta" in run.err


def test_solve_prints_for_people(ggp: Ggp) -> None:
    run = ggp("solve", "nim")
    assert run.code == 0
    assert "100 for first, proven" in run.out
    assert "first 100, second 0" in run.out
    assert "1. (take 1) noop" in run.out
    assert "\x1b" not in run.out


def test_solve_of_the_end_has_no_move(ggp: Ggp) -> None:
    state = ("--state", "((pile 0) (control first))")
    assert ggp("solve", "nim", *state, "--json").json["move"] is None
    assert "the game is over" in ggp("solve", "nim", *state).out


def test_solve_for_another_role(ggp: Ggp) -> None:
    found = ggp("solve", "nim", "--role", "second", "--json").json
    assert (found["goals"], found["move"]) == ([100, 0], "noop")


@pytest.mark.parametrize("keyword", ["control", "CONTROL"])
def test_solve_from_a_state(ggp: Ggp, keyword: str) -> None:
    state = f"( (pile 5) ({keyword} first) )"
    assert ggp("solve", "nim", "--state", state, "--json").json["goals"] == [0, 100]


def test_a_state_that_is_none_of_the_game_is_refused(ggp: Ggp) -> None:
    run = ggp("solve", "nim", "--state", "( (pile 5) (turn first) )", "--json")
    assert run.code == 2
    assert "(turn first) can never be true" in run.err


@pytest.mark.long
def test_solve_to_a_depth_guesses(ggp: Ggp) -> None:
    found = ggp("solve", "connectfour", "--depth", "1", "--json").json
    assert (found["exact"], found["depth"], found["goals"]) == (False, 1, [50, None])
    assert "not proven" in ggp("solve", "connectfour", "--depth", "1").out


def test_a_search_that_ends_in_time_does_not_deepen(ggp: Ggp) -> None:
    asked = ("solve", "triad", "--algorithm", "maxn", "--memory", "64", "--json")
    whole, found = ggp(*asked).json, ggp(*asked, "--seconds", "60").json
    assert found["exact"]
    assert found["expanded"] == whole["expanded"]  # else those of each depth would add up


def test_solve_within_limits(ggp: Ggp) -> None:
    found = ggp("solve", "connectfour", "--nodes", "50", "--json").json
    assert found["expanded"] + found["researched"] == 50
    found = ggp("solve", "connectfour", "--seconds", "0.5", "--json").json
    assert found["exact"] is False
    assert found["move"].startswith("(drop")


def test_a_question_that_is_answered_in_time_is_the_answer(ggp: Ggp, tmp_path: Path) -> None:
    tree = tmp_path / "tree.txt"
    tree.write_text("P1[P2[(50,50) (60,40)] P2[(60,40) (70,30)]]")
    arguments = ("solve", str(tree), "--algorithm", "bounded", "--win", "40", "--json")
    found, whole = ggp(*arguments, "--seconds", "60").json, ggp(*arguments).json
    assert found["prunes"] == whole["prunes"] != {}


def test_the_hull_decides_within_a_time_too(ggp: Ggp) -> None:
    arguments = ("solve", "triad", "--algorithm", "speculative", "--classifier", "hull", "--json")
    found = ggp(*arguments, "--seconds", "60").json
    assert (found["classifier"], found["exact"]) == ("hull", True)


def test_solve_without_a_table_and_with_thresholds(ggp: Ggp) -> None:
    found = ggp("solve", "nim", "--no-table", "--json").json
    assert found["table"] == {"size": 0, "hits": 0}
    bounds = ("--algorithm", "bounded", "--win", "51", "--lose", "50")
    assert ggp("solve", "harvest", *bounds, "--json").json["goals"][0] <= 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--role", "bob"], "no role 'bob' to search for; there are first, second"),
        (["--state", "(pile"], "--state:1:1: this parenthesis is never closed"),
        (["--state", "pile"], "write the facts in parentheses, as in ( pile )"),
        (["--state", "((pile ?n))"], "(pile ?n) has a variable"),
        (["--state", "(pile 5)"], "pile can never be true in this game"),
        (["--win", "51"], "--win is for --algorithm bounded"),
        (["--filter", "upper"], "--filter is for --algorithm maxn, shallow"),
        (["--algorithm", "bounded", "--lose", "100"], "lose must be less than win"),
    ],
)
def test_solve_points_at_what_is_wrong(ggp: Ggp, arguments: list[str], message: str) -> None:
    run = ggp("solve", "nim", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize("option", ["--algorithm=deep", "--classifier=x", "--depth=0", "--nodes=0"])
def test_solve_refuses_what_it_does_not_know(ggp: Ggp, option: str) -> None:
    assert ggp("solve", "nim", option).code == 2


def test_random_is_no_role_to_search_for(ggp: Ggp, tmp_path: Path) -> None:
    path = tmp_path / "dice.kif"
    path.write_text("(role random) (role a) (init x) (legal ?r go) (<= terminal) (goal a 50)")
    found = ggp("solve", str(path), "--json").json
    assert (found["roles"], found["goals"]) == (["random", "a"], [0, 50])
    run = ggp("solve", str(path), "--role", "random")
    assert run.code == 2
    assert "there are a" in run.err


def test_ctrl_c_prints_what_was_found(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    is_prepared = threading.Event()
    prepare = solve._search

    def prepared(*arguments: Any, **options: Any) -> Searcher:
        search = prepare(*arguments, **options)
        is_prepared.set()
        return search

    def interrupt() -> None:
        is_prepared.wait()
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(solve, "_search", prepared)
    interrupter = threading.Thread(target=interrupt, daemon=True)
    interrupter.start()
    run = ggp("solve", "connectfour", "--json")
    interrupter.join()
    assert run.code == 130
    assert run.json["exact"] is False
    assert run.json["move"] == "(drop 1)"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "options",
    [["--discrete"], ["--filter", "upper"], ["--filter", "literal"], ["--classifier", "none"]],
)
def test_max_n_takes_its_options(ggp: Ggp, options: list[str]) -> None:
    run = ggp("solve", "pirates", "--algorithm", "speculative", *options, "--json")
    found = run.json
    assert (found["algorithm"], found["goals"]) == ("speculative", [80, 0, 20])
    assert found["move"] == "(propose 4 0 1)"


def test_prunes_are_counted_by_rule(ggp: Ggp) -> None:
    arguments = ("--algorithm", "shallow", "--no-table", "--engine", "reference", "--json")
    found = ggp("solve", "pirates", *arguments).json
    plain = ggp("solve", "pirates", *arguments, "--classifier", "none").json
    assert set(found["prunes"]) == {"immediate", "shallow"}
    assert (found["expanded"] < plain["expanded"], plain["prunes"]) == (True, {})
    assert found["variation"] == plain["variation"]


def test_a_small_tree_is_drawn(ggp: Ggp, tmp_path: Path) -> None:
    path = tmp_path / "nim.svg"
    run = ggp("solve", "nim", "--no-table", "--draw", str(path))
    assert run.code == 0
    drawing = path.read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert "alpha" in drawing
    assert "(take 3)" in drawing


def test_the_tree_of_a_tree_search_is_drawn(ggp: Ggp, tmp_path: Path) -> None:
    path = tmp_path / "gt1.svg"
    visits = ("--nodes", "5", "--option", "playouts=2", "--reasoner", "prolog")
    run = ggp("solve", "gt1", "--algorithm", "mcts", *visits, "--draw", str(path))
    assert run.code == 0
    assert "1x, " in path.read_text(encoding="utf-8")  # visits stand below the nodes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["connectfour", "--draw", "x.svg"], "more than 300 nodes, too many for a drawing"),
        (
            ["nim", "--algorithm", "bestfirst", "--depth", "2"],
            "--depth is for --algorithm minimax, bounded",
        ),
        (["nim", "--draw", "x.svg", "--seconds", "1"], "limit it by --depth"),
        (["nim", "--draw", "no/such/folder/x.svg"], "No such file"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    ggp: Ggp, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ggp("solve", *arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert run.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


#: Nothing that `big` needs is finite, so that no reasoner ever expands the first state.
ENDLESS = """
(role a) (init (p 0)) (next (p 0)) (goal a 100)
(<= (legal a go) (big ?x ?y) (distinct ?x ?x))
(big 0 0) (<= (big (s ?x) (s ?y)) (big ?x ?y) (big ?y ?x))
(<= terminal (true (p never)))
"""


@pytest.mark.long
def test_rules_that_recurse_without_end_are_not_reported_as_solved(
    ggp: Ggp, tmp_path: Path
) -> None:
    path = tmp_path / "endless.kif"
    path.write_text(ENDLESS)
    run = ggp("solve", str(path), "--reasoner", "prolog", "--seconds", "0.5")
    assert (run.code, run.out) == (2, "")
    assert f"`ggp check {path}` says whether the rules recurse without end" in run.err


TOO_MUCH = """
(role a) (role b) (init start) (legal b wait)
(<= (legal a left) (true start)) (<= (legal a right) (true start))
(<= (next lost) (does a left)) (<= (next won) (does a right))
(<= terminal (true won)) (<= terminal (true lost))
(<= (goal a 50) (true lost)) (<= (goal a 250) (true won)) (goal b 0)
"""


@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
@pytest.mark.parametrize("reasoner", ["prolog", "compiled"])
def test_goals_above_100_prove_nothing(
    ggp: Ggp, tmp_path: Path, algorithm: str, reasoner: str
) -> None:
    path = tmp_path / "250.kif"
    path.write_text(TOO_MUCH)
    options = ("--algorithm", algorithm, "--reasoner", reasoner, "--classifier", "none")
    run = ggp("solve", str(path), *options, "--json")
    assert run.code == 0
    assert run.json["exact"] is False
    assert run.err.startswith(f"ggp: {path}: goals must be from 0 to 100, not 250; ")


@pytest.mark.parametrize("win", ["nan", "0", "-inf"])
def test_a_threshold_that_is_no_number_above_the_other_is_refused(ggp: Ggp, win: str) -> None:
    run = ggp("solve", "nim", "--algorithm", "bounded", "--win", win)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert "--algorithm bounded: lose must be less than win" in run.err


def test_progress_without_a_value_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="prolog") as reasoner:
        deadline = Deadline()
        deadline.cancel()
        show_progress(Minimax(GameGraph(reasoner)).run(limit=Limit(deadline=deadline)))
    assert "no value yet" in capsys.readouterr().err


def test_the_planner_solves_puzzles_and_says_what_it_cannot_do(ggp: Ggp) -> None:
    found = ggp("solve", "lightsout", "--algorithm", "planner", "--json").json
    assert (found["goals"], found["exact"]) == ([100], True)
    assert (found["algorithm"], found["engine"]) == ("planner", "compiled")
    for arguments, reason in (
        (["nim"], "the roles are first, second"),
        (["montyhall"], "one role"),
        (["lightsout", "--draw", "out.svg"], "--draw is for --algorithm minimax"),
        (["lightsout", "--no-table"], "--no-table is for --algorithm minimax"),
    ):
        run = ggp("solve", *arguments, "--algorithm", "planner")
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
        assert reason in run.err
