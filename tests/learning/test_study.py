"""A learner in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.learning import LEARNING_KERNELS, Study
from ggp.reasoner.compiled import CompiledReasoner


@pytest.fixture
def compiled() -> Iterator[CompiledReasoner]:
    with CompiledReasoner(Description.load("tictactoe")) as reasoner:
        yield reasoner


def test_what_was_learned_is_there_where_the_deadline_comes_first(
    compiled: CompiledReasoner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.learning.study._PARTING", 60.0)
    assert LEARNING_KERNELS.wait(Deadline())
    study = Study(compiled, memory=16 << 20, threads=1)
    study.begin(Deadline())
    while study.progress is None or not study.progress.steps:
        time.sleep(0.01)
    net = study.result(Deadline(0.0))
    assert net is not None
    assert net.roles == ("x", "o")
    assert not study.trouble


def test_it_says_why_there_is_no_network(
    compiled: CompiledReasoner, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study(compiled, memory=16 << 20)
    study.begin(Deadline(0.0))
    assert study.result(Deadline()) is None
    assert study.trouble in {
        "0 joint moves were too few to learn from",
        "the functions of the learning are not compiled yet",
    }
    monkeypatch.setattr("ggp.learning.study.LEARNING_KERNELS.wait", lambda _deadline: False)
    study = Study(compiled, memory=16 << 20)
    study.begin(Deadline())
    assert study.result(Deadline()) is None
    assert study.trouble == "the functions of the learning are not compiled yet"
