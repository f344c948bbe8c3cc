from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ggp.errors import ReasonerDied
from ggp.perft import Perft
from ggp.perft.counts import Layer
from tests.cli.command import ggp
from tests.cli.conftest import Here, here
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_QUESTION

__all__ = ["here"]  # the fixture

#: The first state is quick; the second one's goals take forever.
SLOW = """
(role x) (init i) (legal x go) (<= (next j) (does x go)) (<= terminal (true j))
(<= (goal x 1) (true j) (grow z)) (<= (grow ?n) (true j) (grow (s ?n)))
"""


def test_the_json_has_the_fields_of_the_reference() -> None:
    finished = ggp("perft", "-", "--json", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count("\n") == 1
    found = finished.json
    assert found.keys() == {
        *("key", "file", "roles", "n_rules", "init_size", "init_fp", "init_goals"),
        *("states", "paths", "layers", "complete", "stop", "reachable_states"),
    }
    assert all(
        layer.keys()
        == {
            *("d", "states", "paths", "fp", "terminal_states", "terminal_paths"),
            *("goals", "legal_sum", "joint_sum"),
        }
        for layer in found["layers"]
    )
    assert (found["states"], found["paths"]) == ([1, 6, 8], [1, 9, 81, 0])
    assert found["layers"][2]["goals"] == {
        "0,0": [2, 23],
        "0,100": [2, 18],
        "100,0": [2, 18],
        "100,100": [2, 22],
    }


def test_the_key_is_the_name_of_the_file() -> None:
    found = ggp("perft", "nim", "--depth", "0", "--json").json
    assert (found["key"], found["file"]) == ("nim", "nim")


def test_the_table_has_a_row_for_each_depth() -> None:
    finished = ggp("perft", "-", stdin=LIGHTS.encode(), env={"COLUMNS": "120"})
    assert (finished.code, finished.err) == (0, "")
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in finished.out.splitlines()
        if line.startswith("│")
    ]
    assert [row[:5] for row in rows] == [
        ["0", "1", "1", "0", "9"],
        ["1", "6", "9", "0", "54"],
        ["2", "8", "81", "8", "0"],
    ]
    assert finished.out.endswith("15 states; every reachable state was expanded\n")


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "stop", "said"),
    [
        (["--depth", "1"], "maxdepth", "the depth was reached"),
        (["--max-states", "7"], "states", "the number of states was reached"),
    ],
)
def test_limits(options: list[str], stop: str, said: str) -> None:
    as_json = ggp("perft", "-", *options, "--json", stdin=LIGHTS.encode()).json
    assert (as_json["stop"], as_json["states"]) == (stop, [1, 6])
    assert ggp("perft", "-", *options, stdin=LIGHTS.encode()).out.endswith(f"{said}\n")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_is_complete_survives_a_failure(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    output = tmp_path / "counts.json"

    def fail(counts: Perft) -> None:
        written = json.loads(output.read_text())
        assert (written["states"], written["stop"]) == (counts.states, "")
        raise ReasonerDied("it is gone")

    def perft(_: object, __: object, *, progress: Any, **___: object) -> None:
        counts = Perft(["x"], 1, 1, "0" * 16, (0,))
        progress(counts, 1)
        for d, states in enumerate((1, 6)):
            counts.layers.append(Layer(d, states, states, "0" * 16))
            counts.states.append(states)
            progress(counts, states)
        fail(counts)

    monkeypatch.setattr("ggp.cli.perft.perft", perft)
    done = here("perft", "nim", "--reasoner", "prolog", "--output", output, *options)
    assert (done.code, done.err) == (1, "ggp: it is gone\n")
    if options:
        assert (done.json["states"], done.json["stop"]) == ([1, 6], "failed")
    else:
        assert done.out.endswith("what follows could not be counted\n")
    assert json.loads(output.read_text())["states"] == [1, 6]


def test_the_output_is_what_json_prints(here: Here, tmp_path: Path) -> None:
    output = tmp_path / "counts.json"
    options = ["nim", "--reasoner", "prolog", "--depth", "2", "--output", output]
    printed = here("perft", *options, "--json").json
    assert json.loads(output.read_text()) == printed
    done = here("perft", "nim", "--output", tmp_path / "missing" / "counts.json")
    assert (done.code, done.out) == (2, "")
    assert "missing/counts.json: No such file" in done.err


@pytest.mark.long
def test_seconds_are_kept_though_a_question_takes_longer() -> None:
    began = time.monotonic()
    finished = ggp("perft", "-", "--seconds", "1", "--json", stdin=SLOW.encode())
    assert time.monotonic() - began < 20
    assert (finished.code, finished.err) == (0, "")
    assert (finished.json["stop"], finished.json["complete"]) == ("time", False)
    assert finished.json["states"] in ([1], [1, 1])


@pytest.mark.long
def test_no_time_for_anything_is_said() -> None:
    finished = ggp("perft", "-", "--seconds", "0.5", stdin=ENDLESS_QUESTION.encode())
    assert finished.code == 1
    assert finished.err == "ggp: time was up before the initial state was known\n"


def test_too_many_joint_moves_are_said() -> None:
    roles = "".join(f"(role r{i})" for i in range(4))
    numbers = "".join(f"(n {i})" for i in range(40))
    rules = f"{roles} {numbers} (init i) (<= (legal ?r ?n) (role ?r) (n ?n))"
    finished = ggp("perft", "-", stdin=rules.encode())
    assert finished.code == 0
    assert finished.out.endswith("too many joint moves 2560000\n")
