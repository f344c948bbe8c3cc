"""Prolog first, then machine code: only the speed may tell the difference."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.errors import GgpError, ReasonerError
from ggp.gdl import Description
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.reasoner.auto import AutoReasoner
from ggp.reasoner.compiled import CompiledReasoner
from tests.games import bundled
from tests.reasoner.conformance import Conformance
from tests.reasoner.games import LIGHTS, OpenGame
from tests.reasoner.processes import ends_soon, is_running
from tests.reasoner.random_play import RandomPlay
from tests.reasoner.states_and_moves import StatesAndMoves

#: What has no end of facts cannot be compiled.
ENDLESS_FACTS = """
(role x) (init (n z)) (legal x go) (goal x 0)
(<= (next (n (s ?n))) (true (n ?n)))
"""


class Mixed:
    """Games where Prolog has given out the initial state, and machine code answers."""

    kind = "auto"

    @pytest.fixture
    def open_game(self) -> Iterator[OpenGame]:
        with ExitStack() as stack:

            def opened(rules: str) -> Reasoner:
                description = Description.from_text(rules)
                reasoner = open_reasoner(description, kind=self.kind, time_limit=60)
                stack.enter_context(reasoner)
                with suppress(GgpError):  # it is for the test to find out
                    reasoner.initial_state()
                    reasoner.warm_up(Deadline.after(20))
                return reasoner

            yield opened


@pytest.mark.sample(20)
@pytest.mark.usefixtures("forked")
class TestAuto(Mixed, StatesAndMoves, RandomPlay):
    """The tests of states and moves."""


@pytest.mark.long
@pytest.mark.usefixtures("forked")
class TestAllOfAuto(Mixed, Conformance):
    """The whole suite."""


def has_taken_over(reasoner: AutoReasoner) -> bool:
    return reasoner.compiled is not None


def reachable(reasoner: Reasoner, *, layers: int) -> set[State]:
    states = layer = {reasoner.initial_state()}
    for _ in range(layers):
        expansions = reasoner.expand_all(sorted(layer))
        layer = {state for expansion in expansions for state in expansion.successors} - states
        states = states | layer
    return states


@pytest.fixture
def connect_four() -> Iterator[AutoReasoner]:
    with AutoReasoner(bundled.load("connectfour")) as reasoner:
        yield reasoner


@pytest.mark.long
@pytest.mark.parametrize("remembered", [100, 1_000_000])
def test_states_that_were_given_out_stay_good_and_are_given_out_again(
    monkeypatch: pytest.MonkeyPatch, connect_four: AutoReasoner, remembered: int
) -> None:
    monkeypatch.setattr("ggp.reasoner.auto._MAX_REMEMBERED", remembered)
    may_compile = threading.Event()
    monkeypatch.setattr(CompiledReasoner, "kept", lambda _: may_compile.wait() and None)
    before = reachable(connect_four, layers=4)
    texts = {state: connect_four.text(state) for state in before}
    strange = connect_four.state_of(connect_four.description.roles)  # no machine code has these
    views = connect_four.view_all(sorted(before))
    assert connect_four.name == "prolog"
    may_compile.set()
    connect_four.warm_up(Deadline.after(60))
    assert connect_four.name == "compiled"
    assert {state: connect_four.text(state) for state in before} == texts
    assert connect_four.view_all(sorted(before)) == views
    assert reachable(connect_four, layers=4) == before
    after = reachable(connect_four, layers=5)
    assert len({connect_four.text(state) for state in after}) == len(after) > len(before)
    assert {connect_four.state_of(connect_four.facts(state)) for state in after} == after
    assert connect_four.facts(strange) == connect_four.description.roles
    assert connect_four.state_of(connect_four.description.roles) == strange


@pytest.mark.long
def test_a_seed_gives_the_playouts_of_the_reasoner_that_answers(
    monkeypatch: pytest.MonkeyPatch, connect_four: AutoReasoner
) -> None:
    may_compile = threading.Event()
    monkeypatch.setattr(CompiledReasoner, "kept", lambda _: may_compile.wait() and None)
    state = connect_four.initial_state()
    with open_reasoner(connect_four.description, kind="prolog") as prolog:
        expected = prolog.playouts(prolog.initial_state(), count=10, seed=1)
    assert connect_four.playouts(state, count=10, seed=1) == expected
    assert connect_four.lanes == 1
    may_compile.set()
    connect_four.warm_up(Deadline())
    assert connect_four.is_settled
    after = connect_four.playouts(state, count=10, seed=1)
    with open_reasoner(connect_four.description, kind="compiled") as compiled:
        assert after == compiled.playouts(compiled.initial_state(), count=10, seed=1)
        assert connect_four.lanes == compiled.lanes > 1
    totals = connect_four.playout_totals(state, count=10, seed=1)
    assert totals.steps == sum(playout.steps for playout in after)
    assert totals.goals == tuple(sum(p.goals[role] or 0 for p in after) for role in (0, 1))


def test_a_cached_game_is_used_at_once_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ggp.reasoner.auto._ENOUGH", 1e9)
    description = bundled.load("connectfour")
    with open_reasoner(description, kind="compiled") as compiled:
        compiled.warm_up(Deadline())
    due = time.monotonic() + 60
    with caplog.at_level(logging.INFO), AutoReasoner(description) as reasoner:
        while reasoner.name == "prolog" and time.monotonic() < due:
            reasoner.expand(reasoner.initial_state())
        assert reasoner.name == "compiled"
    (record,) = [one for one in caplog.records if one.name == "ggp.reasoner.auto"]
    assert record.getMessage().startswith("machine code answers from now on")


@pytest.mark.long
def test_a_game_that_cannot_be_compiled_is_left_to_prolog_with_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        AutoReasoner(Description.from_text(ENDLESS_FACTS), time_limit=3) as reasoner,
    ):
        reasoner.warm_up(Deadline.after(60))
        states = [state := reasoner.initial_state()]
        for _ in range(10):
            states.append(state := reasoner.expand(state).successors[0])
        assert not has_taken_over(reasoner)
        assert len(set(states)) == 11
        assert reasoner.text(state) == f"(n {'(s ' * 10}z{')' * 11}"
    (record,) = caplog.records
    assert record.getMessage().startswith("this game is left to Prolog")


def test_there_is_an_end_to_waiting() -> None:
    began = time.monotonic()
    with AutoReasoner(Description.from_text(ENDLESS_FACTS)) as reasoner:
        reasoner.warm_up(Deadline.after(0))
        assert not has_taken_over(reasoner)
        assert reasoner.expand(reasoner.initial_state()).successors
    assert time.monotonic() - began < 30


def children(command: str) -> list[int]:
    """The processes of ours with this word in their command."""
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    pids = map(int, " ".join(listed).split())
    return [pid for pid in pids if command in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.fixture
def compiling(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[AutoReasoner, int]]:
    """A reasoner in the middle of compiling, and the process that does it."""
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    with AutoReasoner(bundled.load("breakthrough")) as reasoner:
        due = time.monotonic() + 20
        while not (found := children("compiler")) and time.monotonic() < due:
            reasoner.expand(reasoner.initial_state())
        yield reasoner, found[0]


def test_closing_stops_the_compiler(compiling: tuple[AutoReasoner, int]) -> None:
    reasoner, pid = compiling
    assert is_running(pid)
    reasoner.close()
    assert ends_soon(pid)
    with pytest.raises(ReasonerError, match="closed"):
        reasoner.expand(reasoner.initial_state())


def test_a_killed_compiler_does_no_harm(
    compiling: tuple[AutoReasoner, int], caplog: pytest.LogCaptureFixture
) -> None:
    reasoner, pid = compiling
    os.kill(pid, signal.SIGKILL)
    assert ends_soon(pid)
    with caplog.at_level(logging.WARNING):
        reasoner.warm_up(Deadline.after(60))
    assert not has_taken_over(reasoner)
    assert len(reasoner.expand(reasoner.initial_state()).successors) > 0
    assert ["ended unexpectedly" in record.getMessage() for record in caplog.records] == [True]


def test_without_prolog_there_is_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("LIBSWIPL_PATH", raising=False)
    with open_reasoner(Description.from_text(LIGHTS), kind="auto") as reasoner:
        assert reasoner.name == "compiled"
        assert len(reasoner.expand(reasoner.initial_state()).successors) == 9
