from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.command import GGP, interrupted
from tests.cli.conftest import Here
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION

pytestmark = pytest.mark.usefixtures("forked")

#: Where the first states are small, but there are 80 ** 4 moves in all.
MANY_MOVES = """
(role x) (init (at 0)) (goal x 0)
(<= (next (at ?n)) (true (at ?n)))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= (legal x (go ?a ?b ?c ?d)) (true (at ?a)) (true (at ?b)) (true (at ?c)) (true (at ?d)))
""" + " ".join(f"(succ {n} {n + 1})" for n in range(80))


@pytest.mark.long
def test_the_json_says_what_the_game_is(here: Here) -> None:
    finished = here("show", "tictactoe", "--json")
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count("\n") == 1
    found = finished.json
    assert found["roles"] == ["x", "o"]
    assert found["base_facts"] == 20
    assert found["moves"] == 20
    assert found["declared"] is True
    assert found["goal_values"] == {"x": [0, 50, 100], "o": [0, 50, 100]}
    properties = found["properties"]
    assert properties["language"] == "GDL"
    assert properties["turn_taking"]
    assert properties["constant_sum"]
    assert not properties["recursive"]
    relations = {f"{r['name']}/{r['arity']}": r for r in found["relations"]}
    assert relations["role/1"]["kind"] == "facts"
    assert relations["next/1"]["kind"] == "dynamic"
    assert found["seen"]["playouts"] == 50
    assert found["seen"]["longest"] == 9
    proofs = {proof["name"]: proof["verdict"] for proof in found["proofs"]}
    assert (proofs["turn-taking"], proofs["ends"]) == ("proved", "proved")


@pytest.mark.long
def test_what_is_not_declared_was_seen(here: Here) -> None:
    found = here("show", "-", "--json", stdin=LIGHTS.encode()).json
    assert (found["declared"], found["base_facts"], found["moves"]) == (False, 6, 6)
    assert not found["properties"]["turn_taking"]
    kinds = {relation["name"]: relation["kind"] for relation in found["relations"]}
    assert (kinds["switched"], kinds["succ"]) == ("dynamic", "facts")


@pytest.mark.long
def test_the_text_is_for_people(here: Here) -> None:
    finished = here("show", "-", stdin=LIGHTS.encode())
    assert (finished.code, finished.err) == (0, "")
    lines = ("roles       left right", "facts       6 seen", "goals       left: 0 100", "proved")
    for line in lines:
        assert line in finished.out


@pytest.mark.long
def test_declarations_that_make_no_sense_are_no_reason_to_fail(here: Here) -> None:
    rules = LIGHTS + "(base (cell ?anything)) (input left go)"
    found = here("show", "-", "--json", stdin=rules.encode())
    assert found.code == 0
    assert (found.json["declared"], found.json["base_facts"]) == (False, 6)


@pytest.mark.long
@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
def test_seconds_are_kept_though_play_does_not_end(here: Here, rules: str) -> None:
    began = time.monotonic()
    finished = here("show", "-", "--seconds", "0.5", "--json", stdin=rules.encode())
    assert time.monotonic() - began < 20
    assert (finished.code, finished.err) == (0, "")
    assert finished.json["seen"]["playouts"] == 0


@pytest.mark.long
def test_no_play_at_all(here: Here) -> None:
    found = here("show", "nim", "--seconds", "0", "--json").json
    assert found["seen"] == {
        **{"playouts": 0, "states": 0, "facts": 0, "moves": 0},
        **{"longest": 0, "branching": 0},
    }
    assert found["base_facts"] > 0


@pytest.mark.long
def test_the_circuit(here: Here) -> None:
    finished = here("show", "connectfour5x5", "--seconds", "0", "--json").json
    circuit = finished["circuit"]
    assert finished["circuit_error"] is None
    assert (circuit["facts"], circuit["moves"], circuit["loops"]) == (52, 12, 0)
    assert 100 < circuit["gates"] < 1000
    assert sum(circuit["phase_gates"].values()) == circuit["gates"]
    assert max(circuit["phase_depths"].values()) == circuit["depth"]
    assert circuit["forms"] == {"view": "code", "next": "code"}
    assert circuit["seconds"] > 0


@pytest.mark.long
def test_the_text_tells_of_the_circuit(here: Here) -> None:
    out = here("show", "nim", "--seconds", "0").out
    assert "gates, depth" in out
    assert "from 9 facts and 8 moves" in out
    assert "runs as machine code" in out


@pytest.mark.long
def test_symmetries_and_factors(here: Here) -> None:
    found = here("show", "tictactoe", "--seconds", "0", "--structure-seconds", "60", "--json").json
    assert len(found["symmetries"]) == 7
    assert not found["more_symmetries"]
    images = [each["moves"].get("x (place 1 1)") for each in found["symmetries"]]
    assert sorted(filter(None, images)) == sorted(
        f"x (place {place})" for place in ("1 3", "1 3", "3 1", "3 1", "3 3", "3 3")
    )
    for each in found["symmetries"]:
        assert all(source != image for source, image in each["facts"].items())
        assert "(mark 2 2 x)" not in each["facts"]
    assert [(part["facts"], part["moves"]) for part in found["factors"]] == [(18, 20)]
    assert found["factors_error"] is None


@pytest.mark.long
def test_the_text_tells_of_symmetries_and_factors(here: Here) -> None:
    out = here("show", "rendezvous", "--seconds", "0", "--structure-seconds", "60").out
    assert re.search(r"^symmetries  \d+$", out, re.MULTILINE)
    assert re.search(r"^factors     2: \(9 facts, 4 moves: .*\), \(9 facts", out, re.MULTILINE)


@pytest.mark.long
def test_no_structure_where_none_is_wanted(here: Here) -> None:
    found = here("show", "nim", "--seconds", "0", "--structure-seconds", "0", "--json").json
    assert (found["symmetries"], found["factors"]) == (None, None)
    assert "--structure-seconds" in found["factors_error"]


def test_no_circuit_where_none_is_wanted(here: Here) -> None:
    found = here("show", "nim", "--seconds", "0", "--compile-seconds", "0", "--json").json
    assert found["circuit"] is None
    assert "--compile-seconds" in found["circuit_error"]


@pytest.mark.long
def test_the_drawing(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "nim.dot"
    finished = here("show", "nim", "--seconds", "0", "--json", "--draw", out)
    assert (finished.code, finished.err) == (0, "")
    drawn = out.read_text()
    assert drawn.count('class="gate ') == finished.json["circuit"]["gates"]
    assert 'label="next (pile 0)"' in drawn


@pytest.mark.skipif(shutil.which("dot") is not None, reason="Graphviz is installed")
def test_a_picture_needs_graphviz(here: Here, tmp_path: Path) -> None:
    finished = here("show", "nim", "--seconds", "0", "--draw", tmp_path / "nim.svg")
    assert finished.code != 0
    assert "Graphviz" in finished.err
    assert not (tmp_path / "nim.svg").exists()


@pytest.mark.long
def test_too_large_a_drawing_is_refused_with_its_size(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "large.svg"
    finished = here("show", "othello6x6", "--draw", out)
    assert (finished.code, finished.out) == (2, "")
    assert re.fullmatch(r"ggp: othello6x6: \d,\d{3} gates are too many .*400\n", finished.err)
    assert not out.exists()


@pytest.mark.long
def test_a_drawing_that_cannot_be_written(here: Here, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "nim.dot"
    finished = here("show", "nim", "--draw", out)
    assert (finished.code, finished.out) == (2, "")
    assert str(out) in finished.err


@pytest.mark.long
def test_a_drawing_of_what_cannot_be_compiled(here: Here, tmp_path: Path) -> None:
    limits = ("--compile-seconds", "0.5", "--draw", tmp_path / "out.svg")
    finished = here("show", "-", *limits, stdin=MANY_MOVES.encode())
    assert (finished.code, finished.out) == (1, "")
    assert "there is no circuit to draw: " in finished.err


@pytest.mark.long
def test_interrupted_while_it_compiles(tmp_path: Path) -> None:
    rules = tmp_path / "large.kif"
    rules.write_text(MANY_MOVES)
    arguments = ("show", rules, "--compile-seconds", "600", "--seconds", "600", "--json")
    with subprocess.Popen(
        [*GGP, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        tasks = Path(f"/proc/{process.pid}/task")
        try:
            # A thread of the command starts the compiler.
            while not any(map(Path.read_text, tasks.glob("*/children"))):
                assert process.poll() is None
                time.sleep(0.01)
            finished, seconds = interrupted(process)
        finally:
            process.kill()
    assert (finished.code, finished.err) == (130, "ggp: interrupted\n")
    assert seconds < 20
    assert finished.json["roles"] == ["x"]
    assert finished.json["circuit_error"] == "interrupted"


@pytest.mark.long
def test_a_rulesheet_in_one_pair_of_parentheses_is_shown_with_a_warning(
    here: Here, tmp_path: Path
) -> None:
    path = tmp_path / "lights.kif"
    path.write_text(f"({LIGHTS})")
    shown = here("show", path, "--json")
    assert shown.code == 0
    assert "lights.kif: one pair of parentheses stands around" in shown.err
    assert shown.json["roles"]


def test_passes_are_shown_and_checked(here: Here) -> None:
    finished = here("show", "tictactoe", "--passes", "--check", "--json")
    assert (finished.code, finished.err) == (0, "")
    found = finished.json["passes"]
    names = [step["name"] for step in found]
    assert names[0] == "without_visited"
    assert names[-4:] == ["ground", "build", "code of the view", "code of the step"]
    assert {step["differs"] for step in found[:-4]} == {""}
    shown = here("show", "tictactoe", "--passes").out.splitlines()
    assert len(shown) == 1 + len(found)
    assert "agrees" not in "".join(shown)


def test_only_passes_can_be_checked(here: Here) -> None:
    finished = here("show", "tictactoe", "--check")
    assert finished.code == 2
    assert "--check is for --passes" in finished.err
