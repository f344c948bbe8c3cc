"""A pass that changes what a game means is found, by its name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.report import steps
from ggp.compiler.rewriting import rewrite
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.reasoner.checking import Sample, difference

GAME = """
(role x) (role o) (init (at 0)) (init (control x)) (up 0 1) (up 1 2) (up 2 3)
(<= (legal ?r go) (true (control ?r)))
(<= (legal ?r stay) (true (control ?r)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (at ?n)) (true (at ?m)) (up ?m ?n) (does ?r go))
(<= (next (at ?m)) (true (at ?m)) (does ?r stay))
(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))
(<= (goal x 100) (true (at 3)) (true (control o)))
(<= (goal x 0) (not (true (at 3))))
(<= (goal x 0) (true (at 3)) (true (control x)))
(goal o 50)
(<= terminal (true (at 3)))
"""


@pytest.fixture(scope="module")
def sample() -> list[Sample]:
    with open_reasoner(Description.from_text(GAME), kind="prolog") as prolog:
        return Sample.of(prolog, count=60)


def without(text: str) -> rewrite.Pass:
    def broken(game: Rules) -> Rules:
        return replace(game, rules=tuple(rule for rule in game.rules if text not in str(rule)))

    return broken


def test_a_sample_has_states_of_whole_matches(sample: list[Sample]) -> None:
    assert len(sample) == 60
    assert sum(each.step is None for each in sample) > 3
    assert all(each.view.terminal == (each.step is None) for each in sample)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(<= terminal", "terminal"),
        ("(legal ?r stay)", "legal x stay"),
        ("(goal x 100)", "goal (None, 50), not (100, 50)"),
        ("(next (control o))", "has no (control o)"),
        ("(next (at ?m))", "next (at 0)"),
    ],
)
def test_what_differs_is_told(text: str, told: str, sample: list[Sample]) -> None:
    description = Description.from_text(GAME)
    assert difference(build_circuit(description), sample) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewrite, "PASSES", (*rewrite.PASSES, without(text)))
        assert difference(build_circuit(description), sample) == told


def test_the_pass_that_is_wrong_is_named(sample: list[Sample]) -> None:
    check = partial(difference, sample=sample)
    right = [*steps(Description.from_text(GAME), check=check)]
    assert [step.differs for step in right if step.differs is not None] == [""] * 12
    assert not any(step.unchecked for step in right)
    passes = rewrite.PASSES
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewrite, "PASSES", (*passes[:5], without("(next (at ?m))"), *passes[5:]))
        wrong = [
            step.name for step in steps(Description.from_text(GAME), check=check) if step.differs
        ]
    names = [step.name for step in right]
    assert wrong == ["broken", *names[5:11], "build"]


def test_each_step_has_its_counts() -> None:
    found = {step.name: step for step in steps(Description.from_text(GAME))}
    assert all(step.differs is None for step in found.values())
    assert found["split"].rules
    assert found["ground"].rules
    assert found["ground"].atoms
    assert found["build"].gates
    assert found["code of the view"].gates
    assert all(step.seconds >= 0 for step in found.values())
