"""`ggp prove` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import ggp
from tests.prove.games import COUNT, FAULTS


@pytest.mark.long
def test_json_and_the_exit_code_of_a_fault(tmp_path: Path) -> None:
    old, new, _ = FAULTS["playable a"]
    game = tmp_path / "count.kif"
    game.write_text(COUNT.replace(old, new))
    records = tmp_path / "plays"
    finished = ggp("prove", str(game), "--seconds", "2", "--save", str(records), "--json")
    assert finished.code == 1
    questions = finished.json["questions"]
    (stuck,) = (q for q in questions if q["name"] == "playable" and q["role"] == "a")
    assert stuck["verdict"] == "refuted"
    assert stuck["witness"] == [["go", "wait"]]
    assert all(q["verdict"] in ("proved", "refuted", "open") for q in questions)
    replayed = ggp("replay", str(records / "playable-a.json"), "--json")
    assert (replayed.code, replayed.json[0]["mistake"]) == (0, None)


@pytest.mark.long
def test_what_is_refuted_is_a_finding_of_the_checker(tmp_path: Path) -> None:
    game = tmp_path / "count.kif"
    changes = [FAULTS[question][:2] for question in ("ends", "one-content (cell ? ? *)")]
    text = COUNT
    for old, new in changes:
        text = text.replace(old, new)
    game.write_text(text)
    found = ggp("check", str(game), "--prove", "2", "--strict", "--json")
    warnings = {finding["code"]: finding for finding in found.json}
    assert {"refuted-ends", "refuted-one-content"} <= warnings.keys()
    assert "Play: go, wait" in warnings["refuted-ends"]["hint"]
    line = warnings["refuted-one-content"]["line"]
    assert (found.code, text.splitlines()[line - 1][:13]) == (1, "(<= (next (ce")
    game.write_text(text + "; ggp: ignore-file[refuted-ends, refuted-one-content]")
    found = ggp("check", str(game), "--prove", "2", "--json")
    assert not any(finding["code"].startswith("refuted") for finding in found.json)


def test_a_condition_that_is_none_is_one_line(tmp_path: Path) -> None:
    game = tmp_path / "count.kif"
    game.write_text(COUNT)
    finished = ggp("prove", str(game), "--never", "(true (m 1))")
    assert finished.code == 2
    assert len(finished.err.splitlines()) == 1
    assert "--never" in finished.err


@pytest.mark.long
def test_the_answer_says_how_long_each_phase_took(tmp_path: Path) -> None:
    game = tmp_path / "count.kif"
    game.write_text(COUNT)
    found = ggp("prove", str(game), "--seconds", "2", "--json").json
    seconds = found["seconds"]
    total = seconds.pop("total")
    assert set(seconds) == {"compiling", "plays", "proofs", "repairs"}
    assert sum(seconds.values()) == pytest.approx(total, abs=0.1)
    assert found["summary"] == "no faults"
