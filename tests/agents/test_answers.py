"""What a client is told of the answers of commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ggp.agents.answers import (
    clock_for,
    constant_sum,
    match_told,
    move_told,
    outcome_told,
    perft_told,
    playouts_told,
    proofs_told,
    show_told,
)
from ggp.agents.calls import Limits, Refused
from ggp.agents.catalogue import bundled, is_simultaneous
from ggp.agents.layout import laid_out
from ggp.agents.tools import Tools
from ggp.agents.wording import for_client
from ggp.agents.workspace import Workspace
from ggp.gdl import Description
from ggp.gdl.bundled import bundled_games


def question(name: str, verdict: str, *, expected: bool = True) -> dict[str, Any]:
    return {
        "name": name, "verdict": verdict, "engine": "", "seconds": 20.0, "checked": "",
        "expected": expected, "meaning": "", "lines": [],
    }  # fmt: skip


def test_a_summary_counts_faults_apart() -> None:
    asked = [
        question("goals", "refuted"),
        question("monotone", "refuted", expected=False),
        question("playable", "proved"),
    ]
    told = proofs_told(asked, error=None, seconds=2, most=42)
    assert told["summary"] == "1 proved, 2 refuted (1 fault), 0 open"
    assert [each["fault"] for each in told["questions"]] == [True, False, False]
    assert "next" not in told


def test_open_questions_say_why_and_what_to_do() -> None:
    told = proofs_told([question("ends", "open")], error=None, seconds=2, most=42)
    (ends,) = told["questions"]
    assert told["summary"] == (
        "0 proved, 0 refuted (no faults found), 1 open, 1 of them would be a fault"
    )
    assert ends["fault_if_refuted"]
    assert ends["why"] == "neither proved nor refuted in 2 s"
    assert "seconds" not in ends
    assert "seconds=10" in told["next"]
    assert "count the steps in a fact" in told["next"]
    told = proofs_told([question("ends", "open")], error=None, seconds=42, most=42)
    assert "seconds=" not in told["next"]


@pytest.mark.parametrize(
    ("error", "advice"),
    [("clingo ended unexpectedly, exit code 1", "crashed"), ("too many gates", "make the rules")],
)
def test_without_a_compiled_game_the_error_comes_first(error: str, advice: str) -> None:
    told = proofs_told([question("ends", "open")], error=error, seconds=2, most=42)
    assert list(told)[:2] == ["summary", "circuit_error"]
    assert "begins" in told["not_asked"]
    assert advice in told["next"]
    assert "not compiled" in told["questions"][0]["why"]
    shown = {
        "file": "g.kif", "roles": ["a"], "relations": [], "circuit": None, "circuit_error": error,
        "symmetries": None, "more_symmetries": False, "factors": None,
        "factors_error": "there is no circuit", "proofs": [],
    }  # fmt: skip
    told = show_told(shown)
    assert list(told) == ["summary", "circuit_error", "not_known", "file", "roles", "relations"]
    assert "could not be compiled" in told["summary"]


def test_a_play_is_told_of_faults_alone() -> None:
    play = {"witness": [["a"], ["b"]], "lastState": ["(f 1)"]}
    asked = [
        {**question("goals", "refuted"), **play},
        {**question("never", "refuted"), **play},
        {**question("winnable", "proved", expected=False), **play},
    ]
    goals, never, winnable = proofs_told(asked, error=None, seconds=2, most=42)["questions"]
    assert goals["witness"] == never["witness"] == [["a"], ["b"]]
    assert goals["lastState"] == ["(f 1)"]
    assert not {"witness", "lastState", "lines"} & set(winnable)
    assert winnable["shown_after"] == "2 joint moves"


def test_a_game_is_shown_in_short() -> None:
    cells = {f"(cell {n} 1)": f"(cell {9 - n} 1)" for n in range(9)}
    moves = {f"white (mark {n} 1)": f"white (mark {9 - n} 1)" for n in range(9)}
    shown = {
        "file": "g.kif", "roles": ["white", "black"], "rules": 9, "circuit_error": None,
        "properties": {"language": "GDL", "turn_taking": True, "constant_sum": False},
        "circuit": {"facts": 9, "gates": 7, "phase_gates": {"view": 7}},
        "symmetries": [{"facts": cells, "moves": moves}], "more_symmetries": False,
        "factors": [{"facts": 9, "moves": 9, "examples": list("abcdefgh")}], "factors_error": None,
        "relations": [
            {"name": "cell", "arity": 2, "rules": 3, "kind": "dynamic", "recursive": False},
            {"name": "line", "arity": 1, "rules": 3, "kind": "dynamic", "recursive": True},
        ],
        "proofs": [
            {**question("ends", "proved"), "longest": 30},
            {**question("goals", "refuted"), "role": "white"},
            {**question("keeps-content", "open", expected=False), "subject": "(cell ? *)"},
        ],
    }  # fmt: skip
    told = show_told(shown)
    assert next(iter(told)) == "summary"
    assert told["summary"] == (
        "2 roles, turn taking; 1 symmetry; 1 factor; 1 proved, 1 refuted (1 fault), 1 open"
    )
    assert told["symmetries"] == {
        "count": 1,
        "each": [
            {
                "facts": 9,
                "moves": 9,
                "examples": [
                    "(cell 0 1) -> (cell 9 1)",
                    "(cell 1 1) -> (cell 8 1)",
                    "white (mark 0 1) -> white (mark 9 1)",
                ],
            }
        ],
    }
    assert told["factors"]["largest"] == [{"facts": 9, "moves": 9, "examples": ["a", "b", "c"]}]
    assert told["proofs"] == [
        "goals white: refuted (a fault)",
        "ends: proved, after 30 joint moves at most",
        "keeps-content (cell ? *): open",
    ]
    assert told["relations"] == {"dynamic": ["cell/2", "line/1"], "recursive": ["line/1"]}
    assert len(laid_out(told).splitlines()) < 20
    many = {f"(f {n})": f"(f {300 - n})" for n in range(200)}
    shown["symmetries"] = [{"facts": many, "moves": {}}]
    (each,) = show_told(shown)["symmetries"]["each"]
    assert (each["facts"], each["moves"], len(each["examples"])) == ("200 or more", 0, 3)


def test_what_belongs_together_stands_on_one_line() -> None:
    facts = [f"(cell {n} {n} empty)" for n in range(40)]
    moves = [["noop", f"(move {n} {n} {n} {n})"] for n in range(9)]
    lines = laid_out({"facts": facts, "moves": moves, "more": {}, "goals": {"a": 1, "b": None}})
    told = lines.splitlines()
    assert len(told) == 2 + 1 + 1 + 1 + (2 + len(moves))
    assert '  ["noop", "(move 3 3 3 3)"],' in told
    assert ' "goals": {"a": 1, "b": null}' in told
    answer = {"name": "playable", "meaning": "x" * 200, "lines": [1, 2]}
    assert len(laid_out({"questions": [answer, answer]}).splitlines()) == 6
    assert laid_out({"question": "\N{LATIN SMALL LETTER A WITH DIAERESIS}"}).isascii() is False


def test_commands_are_told_as_tools() -> None:
    told = {
        "error": "g.kif: it failed; see `ggp check g.kif`",
        "details": ["none is recorded; `ggp test --update` records one"],
        "seconds": 1.5,
    }
    assert for_client(told) == {
        "error": "g.kif: it failed; see check",
        "details": ["none is recorded; test_game(name, update=true) records one"],
        "seconds": 1.5,
    }
    assert for_client("`ggp games` lists them") == "list_games lists them"
    assert for_client("--algorithm maxn: no") == 'algorithm="maxn": no'
    assert for_client("without the file, --update plays") == "without the file, update=true plays"
    assert for_client("(does white (go --north))") == "(does white (go --north))"


def outcome(test: str, status: str, *details: str) -> dict[str, Any]:
    return {"test": test, "what": "w", "status": status, "details": list(details)}


@pytest.mark.parametrize(
    ("tests", "result"),
    [
        ([outcome("check", "passed"), outcome("perft", "passed")], "passed"),
        ([outcome("proof", "skipped", "they need the circuit of the game")], "incomplete"),
        ([outcome("playthrough", "passed")], "incomplete"),  # no counts are recorded
        ([outcome("reasoner", "skipped", "clingo ended unexpectedly, exit code 1")], "failed"),
        ([outcome("proof", "skipped", "refuted; a comment in the rules switches this off")],
         "passed"),
        ([outcome("proof", "failed")], "failed"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_no_success(tests: list[dict[str, Any]], result: str) -> None:
    passed = all(each["status"] != "failed" for each in tests)
    told = outcome_told("g", {"passed": passed, "tests": tests})
    assert told["result"] == result
    assert ("left_out" in told) == (result == "incomplete" or "unexpectedly" in str(tests))
    if result == "incomplete":
        assert told["next"]


def test_tests_that_passed_are_named_alone() -> None:
    tests = [
        outcome("check", "passed", "g.kif:1:1: warning[unused-relation]: x"),
        outcome("playthrough", "passed", "30 steps"),
        outcome("perft", "passed", "5 steps deep"),
        outcome("proof", "passed"),
    ]
    told = outcome_told("g", {"passed": True, "tests": tests})
    assert told["passed"] == ["playthrough w", "perft w", "proof w"]
    assert told["tests"] == tests[:1]


def test_faults_of_a_game_that_is_recorded_are_told() -> None:
    files = [{"file": "g.perft.json", "what": "recorded: 5 steps deep"}]
    updated = {"files": files, "error": ""}
    failed = {"test": "proof", "what": "goals north", "status": "failed", "details": []}
    tests = [outcome("check", "passed"), outcome("perft", "passed")]
    told = outcome_told("g", {"passed": False, "tests": [*tests, failed]}, updated=updated)
    assert told["recorded"] == (
        "g.perft.json recorded: 5 steps deep; but prove found faults: goals north; "
        "correct the rules and record again"
    )
    told = outcome_told("g", {"passed": True, "tests": tests}, updated=updated)
    assert told["recorded"] == "g.perft.json recorded: 5 steps deep"
    wrong = {"files": [], "error": "g.kif:1:1: no role"}
    told = outcome_told("g", {"passed": True, "tests": tests}, updated=wrong)
    assert (told["recorded"], told["result"]) == ("nothing: g.kif:1:1: no role", "failed")


def test_a_match_says_why_it_ended_and_which_errors_were_made() -> None:
    record = {
        "moves": [["a", "b"]], "goalValues": [0, 100], "isCompleted": True,
        "errors": [["", ""], ["TO", "IL (go 1)"], ["TO", ""]],
    }  # fmt: skip
    told = match_told(record, ["x", "random"], ["legal"], most_steps=500)
    assert told["players"] == {"x": "legal"}
    assert told["goals"] == {"x": 0, "random": 100}
    assert told["ended"] == "the game was over after 1 joint move"
    assert told["errors"] == [
        {"role": "x", "error": "did not answer in time", "steps": [1, 2]},
        {"role": "random", "error": "may not do (go 1)", "steps": [1]},
    ]
    aborted = match_told({"moves": [[], []]}, ["x"], ["legal"], most_steps=500, why="no time")
    assert aborted["ended"] == "it was aborted after 2 joint moves: no time"
    stopped = match_told({"moves": [[]] * 500}, ["x"], ["legal"], most_steps=500)
    assert "stopped after 500 joint moves" in stopped["ended"]


def test_a_search_without_time_says_so() -> None:
    found = {
        "roles": ["a", "b"], "goals": [None, None], "move": "m", "exact": False, "variation": [],
        "algorithm": "mcts", "depth": 0, "expanded": 1, "seconds": 0.1, "classifier": "lvt",
    }  # fmt: skip
    told = move_told(found, "a")
    assert "no time" in told["note"]
    assert "classifier" not in told
    assert "note" not in move_told({**found, "goals": [0, 100]}, "a")
    assert "note" not in move_told({**found, "expanded": 3419322, "depth": 26}, "a")
    assert "note" not in move_told({**found, "goals": [100, None], "exact": True}, "a")


def test_goals_that_follow_are_told_and_others_left_out() -> None:
    found = {
        "roles": ["a", "b"], "goals": [None, 50], "move": "m", "exact": False, "variation": [],
        "algorithm": "alphabeta", "depth": 9, "expanded": 99, "seconds": 0.1,
    }  # fmt: skip
    assert move_told(found, "b")["goals"] == {"b": 50}
    assert move_told(found, "b", total=100)["goals"] == {"a": 50, "b": 50}
    three = {**found, "roles": ["a", "b", "c"], "goals": [None, 50, None]}
    assert move_told(three, "b", total=100)["goals"] == {"b": 50}
    table = {"complete": True, "entries": [{"goals": [100, 0]}, {"goals": [50, 50]}]}
    assert constant_sum(table) == 100
    assert constant_sum({**table, "complete": False}) is None
    assert (
        constant_sum({"complete": True, "entries": [{"goals": [100, 0]}, {"goals": [0, 0]}]})
        is None
    )


def test_numbers_of_playouts_can_be_read() -> None:
    found = {
        "playouts": 3, "steps": 77, "mean_steps": 25.666666, "seconds": 2.0012345,
        "playouts_per_second": 1.49907, "steps_per_second": 38.4, "mean_goals": {"a": 33.333333},
        "min_goals": {"a": 0}, "max_goals": {"a": 100}, "compiled_after": 0.00001040600000123959,
        "compiled_playouts_per_second": 12.3,
    }  # fmt: skip
    assert playouts_told(found) == {
        "playouts": 3, "mean_steps": 25.67, "mean_goals": {"a": 33.33}, "min_goals": {"a": 0},
        "max_goals": {"a": 100}, "seconds": 2.0, "playouts_per_second": 1,
        "played_by": "machine code",
    }  # fmt: skip
    assert playouts_told({**found, "compiled_after": None})["played_by"] == "Prolog"
    late = playouts_told({**found, "compiled_after": 1.234})
    assert late["played_by"].startswith("Prolog, and machine code after 1.2 s: 12 playouts")


def test_a_play_clock_lets_a_match_of_the_usual_length_end_in_time() -> None:
    assert clock_for(1, steps=20, start_clock=2, seconds=42) == 1
    assert clock_for(5, steps=20, start_clock=2, seconds=42) == 1.8
    assert clock_for(5, steps=None, start_clock=2, seconds=42) == 5
    assert clock_for(5, steps=2000, start_clock=2, seconds=42) is None


def test_a_text_that_occurs_once_is_replaced(tmp_path: Path) -> None:
    tools = Tools(Workspace(tmp_path), Limits())
    rules = "(role a)\n(role b)\n(<= (goal a 1)\n    (true  (x 1)))\n"
    (tmp_path / "g.kif").write_text(rules)
    for old, said in (
        ("(role", "old occurs 2 times, in the lines 1, 2: give more"),
        ("(true (x 1))", "old occurs with other blanks, in line 4"),
        ("(role c)", "old does not occur in the rules"),
        ("", "old is empty"),
    ):
        with pytest.raises(Refused, match=re.escape(said)):
            tools.edit_game("g", old, "(role d)")
    with pytest.raises(Refused, match="no saved game is called nim"):
        tools.edit_game("nim", "a", "b")
    assert (tmp_path / "g.kif").read_text() == rules
    assert tools.edit_game("g", "(role b)", "(role c)").startswith("saved as g; ")
    assert (tmp_path / "g.kif").read_text() == rules.replace("(role b)", "(role c)")


def test_counts_that_did_not_reach_their_depth_say_what_to_ask_for() -> None:
    counts = {
        "complete": False, "stop": "time", "roles": ["a"], "states": [1, 2], "paths": [1, 2, 9],
        "layers": [{"states": 1, "fp": "x"}], "init_fp": "y", "key": "g",
    }  # fmt: skip
    told = perft_told(counts, depth=30)
    assert "ask for depth 1" in told["note"]
    assert told["paths"] == [1, 2]
    assert told["layers"] == [{"states": 1}]


def test_bundled_games_are_described(tmp_path: Any) -> None:
    games = bundled()
    assert {name for name, game in games.items() if game["simultaneous"]} == {
        "auction", "rendezvous", "rockpaperscissors", "tron",
    }  # fmt: skip
    assert {name for name, game in games.items() if game["hidden"]} == {
        "kriegtictactoe", "montyhall",
    }  # fmt: skip
    assert all(game["shows"] and game["roles"] and game["lines"] > 20 for game in games.values())
    assert games["hexapawn"]["moves"] == ["(move ? ? ? ?)", "noop"]
    assert "moves" not in games["tron"]  # its rules name no form
    assert "capture" in games["hexapawn"]["shows"]
    assert games.keys() == {path.stem for path in bundled_games()}
    assert Workspace(tmp_path).names() == []
    apart = "(role a) (role b) (<= (legal ?r (go ?x)) (role ?r) (true (at ?r ?x)))"
    assert is_simultaneous(Description.from_text(apart))
