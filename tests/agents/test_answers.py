"""What a client is told of the answers of commands."""

from __future__ import annotations

from typing import Any

import pytest

from ggp.agents.answers import (
    match_told,
    move_told,
    outcome_told,
    perft_told,
    proofs_told,
    show_told,
)
from ggp.agents.catalogue import bundled, is_simultaneous
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
    assert list(show_told(shown)) == ["circuit_error", "not_known", "file", "roles", "relations"]


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


def test_a_match_says_why_it_ended_and_which_errors_were_made() -> None:
    record = {
        "moves": [["a", "b"]], "goalValues": [0, 100], "isCompleted": True,
        "errors": [["", ""], ["TO", "IL (go 1)"]],
    }  # fmt: skip
    told = match_told(record, ["x", "random"], ["legal"], most_steps=500)
    assert told["players"] == {"x": "legal"}
    assert told["goals"] == {"x": 0, "random": 100}
    assert told["ended"] == "the game was over after 1 joint moves"
    assert told["errors"] == [
        {"step": 1, "role": "x", "error": "did not answer in time"},
        {"step": 1, "role": "random", "error": "may not do (go 1)"},
    ]
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
    assert games.keys() == {path.stem for path in bundled_games()}
    assert Workspace(tmp_path).names() == []
    apart = "(role a) (role b) (<= (legal ?r (go ?x)) (role ?r) (true (at ?r ?x)))"
    assert is_simultaneous(Description.from_text(apart))
