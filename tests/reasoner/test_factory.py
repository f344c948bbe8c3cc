from __future__ import annotations

import threading
import time

import pytest

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.reasoner import KINDS, bounded, open_reasoner
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_PLAY


def test_every_kind_can_be_opened() -> None:
    for kind in KINDS:
        with open_reasoner(Description.from_text(LIGHTS), kind=kind) as reasoner:
            assert len(reasoner.expand(reasoner.initial_state()).successors) == 9


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no reasoner 'oracle'; there are auto, .*prolog"):
        open_reasoner(Description.from_text(LIGHTS), kind="oracle")


@pytest.mark.sample(1)
@pytest.mark.parametrize("cut", [False, True])
def test_when_time_is_up_a_running_question_is_cut_short(cut: bool) -> None:
    deadline = Deadline() if cut else Deadline.after(0.3)
    description = Description.from_text(ENDLESS_PLAY)
    with (
        open_reasoner(description, kind="prolog") as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        state = reasoner.initial_state()
        cutter = threading.Timer(0.3, deadline.cancel if cut else lambda: None)
        cutter.start()
        with pytest.raises(ReasonerError):
            reasoner.playouts(state, count=1, seed=0)
        assert deadline.is_over
        cutter.join()


def test_work_that_ends_in_time_is_not_disturbed() -> None:
    before = threading.active_count()
    deadline = Deadline.after(60)
    with (
        open_reasoner(Description.from_text(LIGHTS), kind="auto") as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        began = time.monotonic()
        reasoner.expand(reasoner.initial_state())
    assert threading.active_count() == before
    assert time.monotonic() - began < 30
