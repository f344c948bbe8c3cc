from __future__ import annotations

import time

import pytest

from tests.cli.command import ggp
from tests.cli.conftest import Here
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION


@pytest.mark.long
def test_the_json_says_how_fast_and_how_it_ends() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.5", "--json", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count("\n") == 1
    found = finished.json
    assert found.keys() == {
        *("playouts", "steps", "mean_steps", "seconds", "playouts_per_second", "steps_per_second"),
        *("mean_goals", "min_goals", "max_goals"),
        *("compiled_after", "compiled_playouts_per_second"),
    }
    assert found["playouts"] > 0
    assert found["steps"] == 2 * found["playouts"]
    assert found["mean_steps"] == 2
    assert found["playouts_per_second"] == found["playouts"] / found["seconds"]
    assert found["steps_per_second"] == found["steps"] / found["seconds"]
    assert list(found["mean_goals"]) == ["left", "right"]
    assert found["min_goals"] == {"left": 0, "right": 0}
    assert found["max_goals"] == {"left": 100, "right": 100}


@pytest.mark.long
def test_the_text_says_the_same() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.5", "--seed", "1", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    first, played_by, *means = finished.out.splitlines()
    assert " playouts of " in first
    assert " steps, 2.0 each, in " in first
    assert "machine code took over after " in played_by  # a seed waits for it
    assert [line.split(":")[0] for line in means] == ["  left", "  right"]
    assert all(line.endswith(" (0 to 100)") for line in means)


@pytest.mark.long
@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
def test_seconds_are_kept_though_a_question_takes_longer(rules: str) -> None:
    began = time.monotonic()
    options = ("--seconds", "0.5", "--reasoner", "prolog", "--json")
    finished = ggp("playouts", "-", *options, stdin=rules.encode())
    assert time.monotonic() - began < 20
    assert (finished.code, finished.err) == (0, "")
    assert (finished.json["playouts"], finished.json["mean_goals"]) == (0, {"x": None})


@pytest.mark.long
def test_no_playout_ended_is_said() -> None:
    finished = ggp("playouts", "-", "--seconds", "0.3", stdin=ENDLESS_PLAY.encode())
    assert finished.code == 0
    assert finished.out.endswith("  x: no playout ended\n")


#: Its only state is terminal; x has the goal that stands in place of `%s`, and y has none.
GOALS = "(role x) (role y) (init i) (legal ?r go) (<= terminal (true i)) %s"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("goal", "mean", "said"),
    [
        ("(<= (goal x 40) (true i))", 40, "40.00 (40 to 40)"),
        ("(<= (goal x 0) (true i))", 0, "0.00 (0 to 0)"),
        ("", None, "the rules give this role no goal"),
        (
            "(<= (goal x 40) (true i) (true j)) (<= (next j) (true i))",
            0,
            "0.00 (0 to 0); playouts without a goal count 0; see `ggp check`",
        ),
    ],
)
def test_a_missing_goal_is_no_goal_of_zero(
    here: Here, goal: str, mean: float | None, said: str
) -> None:
    rules = (GOALS % goal).encode()
    options = ("playouts", "-", "--seconds", "0.3", "--reasoner", "prolog")
    found = here(*options, "--json", stdin=rules).json
    for each in ("mean_goals", "min_goals", "max_goals"):
        assert found[each] == {"x": mean, "y": None}
    means = here(*options, stdin=rules).out.splitlines()[2:]
    assert means == [f"  x: {said}", "  y: the rules give this role no goal"]


@pytest.mark.parametrize("kind", ["prolog", "compiled"])
def test_the_role_and_the_state_without_a_move_are_named(here: Here, kind: str) -> None:
    rules = (
        b"(role x) (role y) (init (n 1)) (legal x go) (<= (legal y go) (true (n 1)))"
        b"(<= (next (n 2)) (true (n 1))) (<= terminal (true (n 3))) (goal ?r 50)"
    )
    found = here("playouts", "-", "--reasoner", kind, stdin=rules)
    assert found.code == 1
    assert found.err.startswith("ggp: y: no legal move in a state that is not terminal: ( (n 2) )")
