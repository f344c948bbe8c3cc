"""Opening a reasoner takes no longer than it may, and can be broken off."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.errors import ReasonerTimeout
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from tests.processes import all_gone, descendants
from tests.reasoner.games import LIGHTS

#: The grounder takes minutes for the moves of a step that play never comes to.
HUGE = """
(role x) (init (step 0)) (<= terminal (true (step 1))) (goal x 0)
(<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal x go) (not (true (step 2))))
(<= (legal x (try ?a ?b ?c ?d ?e ?f ?g)) (true (step 2))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g))
(<= (next (tried ?a ?b ?c ?d ?e ?f ?g)) (does x (try ?a ?b ?c ?d ?e ?f ?g)))
"""


@pytest.fixture
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("no_cache")
@pytest.mark.parametrize("kind", ["compiled", "prolog", "auto"])
def test_it_is_not_opened_when_no_time_is_left(kind: str) -> None:
    with pytest.raises(ReasonerTimeout, match="time was up"):
        open_reasoner(Description.from_text(LIGHTS), kind=kind, deadline=Deadline(0.0))


@pytest.mark.long
@pytest.mark.usefixtures("no_cache")
def test_compiling_is_broken_off_with_its_process() -> None:
    deadline, before = Deadline(), descendants(os.getpid())

    def cut() -> None:
        while not descendants(os.getpid()) - before:
            time.sleep(0.01)
        deadline.cancel()

    cutter = threading.Thread(target=cut)
    cutter.start()
    with pytest.raises(ReasonerTimeout, match="interrupted before the game was compiled"):
        open_reasoner(Description.from_text(HUGE), kind="compiled", deadline=deadline)
    cutter.join()
    assert all_gone(descendants(os.getpid()) - before, within=20)


@pytest.mark.long
@pytest.mark.usefixtures("no_cache")
def test_what_a_process_compiles_answers_like_what_this_one_compiles() -> None:
    description = Description.from_text(LIGHTS)
    here = open_reasoner(description, kind="compiled")
    with here, open_reasoner(description, kind="compiled", deadline=Deadline()) as other:
        start = other.initial_state()
        assert other.name == "compiled"
        assert other.expand(start) == here.expand(here.initial_state())
        other.warm_up(Deadline())
        assert other.playouts(start, count=5, seed=1) == here.playouts(start, count=5, seed=1)
