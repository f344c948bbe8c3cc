"""SWI-Prolog in its process: limits, sudden ends, and rulesheets that try to get out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

import pytest

from ggp.errors import (
    ReasonerDied,
    ReasonerError,
    ReasonerMemory,
    ReasonerTimeout,
    ReasonerUnavailable,
)
from ggp.gdl import Description
from ggp.kif import Symbol, compound, parse_term
from ggp.reasoner import Reasoner
from ggp.reasoner.prolog import PrologReasoner
from tests.files.disk import full_disk
from tests.reasoner.games import LIGHTS, facts, legal, moves
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION, ends_soon, is_running

MANY = "".join(f"(d {digit})" for digit in range(10))
#: A hundred million moves of a state. (Static relations are enumerated when Prolog starts.)
ENORMOUS = f"""
(role x) (init i) {MANY}
(<= (legal x (n ?a ?b ?c ?d ?e ?f ?g ?h))
    (true i) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))
"""


def opened(
    rules: str, *, time_limit: float = 60, memory_limit: int | None = None
) -> PrologReasoner:
    """Open a reasoner; the time limit holds from then on, because starting may take long."""
    reasoner = PrologReasoner(
        Description.from_text(rules), time_limit=60, memory_limit=memory_limit
    )
    reasoner._process._time_limit = time_limit
    return reasoner


def pid_of(reasoner: PrologReasoner) -> int:
    return reasoner._process._worker.pid


def is_usable(reasoner: Reasoner) -> bool:
    return not reasoner.view(reasoner.initial_state()).terminal


def test_a_full_disk_is_said() -> None:
    with full_disk(room=100), pytest.raises(ReasonerError, match="File too large") as failed:
        opened(LIGHTS)
    assert tempfile.gettempdir() in str(failed.value)


@pytest.mark.skipif(sys.platform != "linux", reason="the program is in memory on Linux")
def test_a_game_can_be_played_on_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> IO[bytes]:
        return Path("/dev/full").open("wb", buffering=0)

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with opened(LIGHTS) as reasoner:
        assert is_usable(reasoner)


class TestLimits:
    @pytest.mark.long
    @pytest.mark.parametrize("rules", [ENDLESS_QUESTION, ENORMOUS])
    def test_a_question_that_takes_too_long(self, rules: str) -> None:
        reasoner = opened(rules, time_limit=1.5)
        state = reasoner.initial_state()
        began = time.monotonic()
        with pytest.raises(ReasonerTimeout, match=r"stopped after 1\.5 s"):
            reasoner.view(state)
        assert time.monotonic() - began < 30
        assert ends_soon(pid_of(reasoner))
        with opened(LIGHTS) as another:
            assert is_usable(another)

    @pytest.mark.long
    def test_playouts_that_never_end(self) -> None:
        with opened(ENDLESS_PLAY, time_limit=1) as reasoner:
            state = reasoner.initial_state()
            with pytest.raises(ReasonerTimeout):
                reasoner.playouts(state, count=1, seed=0)

    @pytest.mark.long
    def test_many_short_questions_may_take_longer_together(self) -> None:
        with opened(LIGHTS, time_limit=1) as reasoner:
            state, began = reasoner.initial_state(), time.monotonic()
            while time.monotonic() - began < 1.2:
                reasoner.expand(state)
            assert is_usable(reasoner)

    def test_more_memory_than_allowed(self) -> None:
        reasoner = opened(ENORMOUS, memory_limit=300 << 20)
        state = reasoner.initial_state()
        with pytest.raises(ReasonerMemory, match="more than 300 MB"):
            reasoner.view(state)
        assert ends_soon(pid_of(reasoner))
        with opened(LIGHTS) as another:
            assert is_usable(another)

    @pytest.mark.parametrize("megabytes", [0, 1, 5])
    def test_too_little_memory_to_begin(self, megabytes: int) -> None:
        with pytest.raises(ReasonerMemory, match=f"more than {megabytes} MB"):
            opened(LIGHTS, memory_limit=megabytes << 20)


class TestTheEnd:
    def test_closing_twice(self) -> None:
        reasoner = opened(LIGHTS)
        pid = pid_of(reasoner)
        assert is_running(pid)
        reasoner.close()
        reasoner.close()
        assert not is_running(pid)

    def test_use_after_closing(self) -> None:
        with opened(LIGHTS) as reasoner:
            state = reasoner.initial_state()
        joint_move = moves("(switch 1)", "(switch 2)")
        for use in (
            lambda: reasoner.view(state),
            lambda: reasoner.expand(state),
            lambda: reasoner.next_state(state, joint_move),
            lambda: reasoner.playouts(state, count=1, seed=1),
            lambda: reasoner.state_of([parse_term("(never seen)")]),
        ):
            with pytest.raises(ReasonerDied, match="the reasoner is closed"):
                use()

    def test_closed_before_the_first_question(self) -> None:
        reasoner = opened(LIGHTS)
        reasoner.close()
        with pytest.raises(ReasonerDied, match="the reasoner is closed"):
            reasoner.initial_state()

    @pytest.mark.sample(2)
    @pytest.mark.parametrize("attempt", range(4))
    def test_closing_from_another_thread_ends_a_running_question(self, attempt: int) -> None:
        reasoner = opened(ENDLESS_PLAY)
        state = reasoner.initial_state()
        closer = threading.Timer(0.2, reasoner.close)
        closer.start()
        with pytest.raises(ReasonerDied, match="the reasoner is closed"):
            reasoner.playouts(state, count=1, seed=attempt)
        closer.join()
        assert not is_running(pid_of(reasoner))

    @pytest.mark.parametrize("busy", [False, True])
    def test_killed_from_outside(self, busy: bool) -> None:
        with opened(ENDLESS_PLAY) as reasoner:
            state = reasoner.initial_state()
            killer = threading.Timer(
                0.3 if busy else 0, os.kill, (pid_of(reasoner), signal.SIGKILL)
            )
            killer.start()
            if not busy:
                killer.join()
            with pytest.raises(ReasonerDied, match="ended unexpectedly"):
                reasoner.playouts(state, count=1, seed=0)
            killer.join()
            with pytest.raises(ReasonerDied, match="the reasoner is closed"):
                reasoner.view(state)

    @pytest.mark.parametrize("busy", [False, True])
    def test_nothing_is_left_behind_when_the_owner_is_killed(self, busy: bool) -> None:
        question = "reasoner.playouts(state, count=1, seed=0)" if busy else "time.sleep(60)"
        program = f"""
import time
from ggp.gdl import Description
from ggp.reasoner.prolog import PrologReasoner
reasoner = PrologReasoner(Description.from_text({ENDLESS_PLAY!r}))
state = reasoner.initial_state()
print(reasoner._process._worker.pid, flush=True)
{question}
"""
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as owner:
            assert owner.stdout is not None
            pid = int(owner.stdout.readline())
            assert is_running(pid)
            time.sleep(0.3)  # let the question begin
            owner.kill()
        assert ends_soon(pid)

    def test_a_state_of_another_reasoner_is_no_state(self) -> None:
        with opened(LIGHTS) as reasoner, pytest.raises(ReasonerDied, match="could not answer"):
            reasoner.view(b"123456")


class TestTheMachine:
    def test_without_prolog_the_error_says_how_to_get_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", "")
        monkeypatch.delenv("LIBSWIPL_PATH", raising=False)
        with pytest.raises(ReasonerUnavailable) as caught:
            opened(LIGHTS)
        assert "apt-get install swi-prolog-nox" in str(caught.value)
        assert "brew install swi-prolog" in str(caught.value)
        assert isinstance(caught.value, ReasonerError)

    def test_files_of_the_current_folder_do_not_stand_in_for_modules(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("random", "queue", "pyswip", "threading"):
            (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')")
        monkeypatch.chdir(tmp_path)
        with opened(LIGHTS) as reasoner:
            assert is_usable(reasoner)

    def test_no_file_is_left_behind_whatever_the_folder_is_called(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "it's \\ é"
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        with opened(LIGHTS) as reasoner:
            assert is_usable(reasoner)
            assert list(folder.iterdir()) == []


class TestBreakingOut:
    """A rulesheet is data, whatever it looks like to Prolog."""

    @pytest.mark.sample(6)
    @pytest.mark.parametrize(
        "rules",
        [
            ":- halt.",
            ":- initialization(halt).",
            "x. halt.\n:- shell('touch {marker}').",
            "'.\n:- halt.\np '",
            "(:- (shell touch {marker}))",
            "(<= (legal x gone) (shell touch) (halt) (call halt))",
            "(<= (legal x gone) (engine:halt) (user:halt) (:- halt))",
            "(<= (legal x gone) (shell {marker}) (open {marker} write ?stream))",
            "\\x27\\,halt,\\x27\\",
            "(p '\\' ,halt, '\\')",
        ],
    )
    def test_text_that_would_be_a_program(self, rules: str, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        text = "(role x) (init i) (legal x stay) (goal x 1)\n" + rules.format(marker=marker)
        with opened(text) as reasoner:
            state = reasoner.initial_state()
            assert legal(reasoner) == ["stay"]
            assert reasoner.goals(reasoner.next_state(state, moves("stay"))) == (1,)
        assert not marker.exists()

    def test_a_line_end_inside_a_rule_is_a_blank(self) -> None:
        with opened("(role x) (init (a\r\nb\n\tc))") as reasoner:
            assert facts(reasoner, reasoner.initial_state()) == ["(a b c)"]

    @pytest.mark.parametrize("name", ["'],halt,x['", "a\\", "\\n", "],halt,["])
    def test_names_in_questions(self, name: str) -> None:
        with opened(LIGHTS) as reasoner:
            fact = compound(name, Symbol(name))
            assert reasoner.facts(reasoner.state_of([fact])) == (fact,)
