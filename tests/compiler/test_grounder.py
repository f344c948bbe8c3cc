from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.grounding.ground_program import read_aspif
from ggp.compiler.grounding.grounder import ground
from ggp.errors import ReasonerDied, ReasonerError, ReasonerMemory, ReasonerTimeout
from ggp.gdl import Description
from tests.reasoner.processes import ends_soon

#: Terms grow without end, and slowly enough that time runs out first.
ENDLESS = "p(0). p(f(X)) :- p(X)."


def in_seconds(seconds: float) -> float:
    return time.monotonic() + seconds


def test_facts_rules_externals_and_names_are_read() -> None:
    text = "a(1..2). #external b(X):a(X). c(X):-b(X),not b(X+1). #show. #show c/1. #show a/1."
    program = read_aspif(ground(text, due=in_seconds(60), memory_limit=1 << 30))
    names = dict(program.names)
    one, two, three = (*program.externals, program.atoms)
    assert names["a(1)"] == names["a(2)"] == 0
    assert program.bodies(names["c(1)"]) == [[one, -two]]
    assert [body[0] for body in program.bodies(names["c(2)"])] == [two]
    assert three >= max(names.values())


def test_a_program_without_rules_is_read() -> None:
    program = read_aspif(ground("", due=in_seconds(60), memory_limit=1 << 30))
    assert (program.rules, program.atoms, program.names) == (0, 0, [])


def test_grounding_stops_at_its_time_limit() -> None:
    with pytest.raises(ReasonerTimeout, match="time limit"):
        ground(ENDLESS, due=in_seconds(0.5), memory_limit=8 << 30)


@pytest.mark.long
def test_grounding_stops_at_its_memory_limit() -> None:
    text = "n(0..9). p(A,B,C,D,E,F,G,H) :- n(A),n(B),n(C),n(D),n(E),n(F),n(G),n(H)."
    with pytest.raises(ReasonerMemory, match="MB"):
        ground(text, due=in_seconds(120), memory_limit=300 << 20)


def test_a_ground_program_that_is_too_long_needs_more_memory() -> None:
    text = "n(1..9999). { q(X) } :- n(X). r :- q(X), q(Y)."
    with pytest.raises(ReasonerMemory, match="more than 160 MB"):
        ground(text, due=in_seconds(60), memory_limit=160 << 20)


def test_a_process_that_may_write_only_short_files_can_ground() -> None:
    program = (
        "import resource, time;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20));"
        "from ggp.compiler.grounding.grounder import ground;"
        "print(len(ground('a.', due=time.monotonic() + 60, memory_limit=1 << 30)) > 0)"
    )
    found = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert found == "True\n"


def test_a_full_disk_is_no_death_of_clingo(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends its output where the disk is full, and takes that for success."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(ReasonerError, match=f"{tempfile.gettempdir()}: No space left on device"):
        ground("p(", due=in_seconds(60), memory_limit=1 << 30)


def test_errors_of_clingo_are_reported() -> None:
    with pytest.raises(ReasonerDied, match="clingo"):
        ground("p(", due=in_seconds(60), memory_limit=1 << 30)


def test_a_game_that_grounds_without_end_is_given_up() -> None:
    game = """
    (role x) (init (tower nil)) (legal x grow)
    (<= (next (tower (on ?t))) (true (tower ?t)))
    """
    with pytest.raises(ReasonerError, match="nest without end"):
        build_circuit(Description.from_text(game), time_limit=60, memory_limit=1 << 30)


def test_terms_that_nest_deep_but_not_without_end_are_ground() -> None:
    numbers = " ".join(f"(succ {i} {i + 1})" for i in range(100))
    game = f"""
    (role x) (init at) (legal x stay) {numbers}
    (tower 0 nil)
    (<= (tower ?j (on ?t)) (succ ?i ?j) (tower ?i ?t))
    (<= (next (top ?t)) (tower 100 ?t))
    """
    circuit = build_circuit(Description.from_text(game))
    assert [str(fact).count("on") for fact in circuit.facts] == [100, 0]


def test_clingo_ends_with_the_process_that_grounds() -> None:
    endless = "p(1..1000000). q(X,Y):-p(X),p(Y)."
    owner = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import sys, time; from ggp.compiler.grounding.grounder import ground;"
            f"ground({endless!r}, due=time.monotonic() + 600, memory_limit=1 << 32)",
        ]
    )
    try:
        children = Path(f"/proc/{owner.pid}/task/{owner.pid}/children")
        deadline = time.monotonic() + 60
        while not (found := children.read_text().split()) and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        owner.kill()
        owner.wait()
    assert ends_soon(int(found[0]))
