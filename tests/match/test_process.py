from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term, parse_term
from ggp.match import Percepts, PlayerProcess
from ggp.match.messages import Think
from ggp.match.process import start_worker
from ggp.match.worker import _Worker
from ggp.reasoner import JointMove
from ggp.workers.child import Owner
from ggp.workers.spares import Spares
from ggp.workers.worker import Worker
from tests.games.bundled import load
from tests.match.games import GOALLESS, PICK, STUCK
from tests.processes import all_gone, descendants

pytestmark = pytest.mark.usefixtures("forked")

ONE, TWO, THREE = (parse_term(f"(pick {n})") for n in (1, 2, 3))
ROOT = Path(__file__).parents[2]


@contextmanager
def started(
    player: str, *, rules: str = PICK, role: str = "left", memory_limit: int | None = None
) -> Iterator[PlayerProcess]:
    spec = player if player.islower() else f"tests.match.bad_players.{player}"
    with PlayerProcess(spec, memory_limit=memory_limit) as process:
        process.start(rules, role, play_clock=1, deadline=Deadline.after(20))
        yield process


def play_all(process: PlayerProcess, *, seconds: float) -> list[Term]:
    """Play the three turns of PICK; the other role picks 1."""
    moves = [process.play(None, Deadline.after(seconds))]
    for _ in range(2):
        moves.append(process.play((moves[-1], ONE), Deadline.after(seconds)))
    return moves


def test_a_player_plays_a_match() -> None:
    with PlayerProcess("legal") as process:
        assert not process.has_begun
    with started("legal") as process:
        assert play_all(process, seconds=10) == [ONE, ONE, ONE]


def test_a_move_that_is_not_legal_is_told_of_and_counts() -> None:
    with started("legal") as process:
        first = process.play(None, Deadline.after(20))
        assert process.doubt == ""
        assert process.has_begun
        process.play((first, parse_term("(mark 9 9)")), Deadline.after(20))
        assert process.doubt == "illegal move (mark 9 9) of right"
        process.play((ONE, ONE), Deadline.after(20))
        assert process.doubt == ""


def test_options_reach_the_player() -> None:
    games = []
    for _ in range(2):
        with started("random:seed=4") as process:
            games.append(play_all(process, seconds=10))
    assert games[0] == games[1]
    assert set(games[0]) != {ONE}


def test_roles_and_moves_may_come_in_upper_case() -> None:
    with started("legal", rules=PICK, role="LEFT") as process:
        process.play(None, Deadline.after(10))
        joint_move = (parse_term("(PICK 3)"), parse_term("(Pick 2)"))
        assert process.play(joint_move, Deadline.after(10)) == ONE


def test_a_crashing_player_plays_the_move_in_hand(caplog: pytest.LogCaptureFixture) -> None:
    with started("Crashing") as process:
        assert play_all(process, seconds=10) == [THREE, THREE, THREE]
    assert "ZeroDivisionError: by design (bad_players.py, line" in caplog.text


def test_an_error_of_a_player_is_a_fault_of_its_turn() -> None:
    with started("Crashing") as process:
        assert process.take_fault() == ""
        process.play(None, Deadline.after(10))
        assert process.take_fault().startswith("ZeroDivisionError: by design (bad_players.py, line")
        assert process.take_fault() == ""


def test_a_text_instead_of_a_move_is_called_so() -> None:
    with started("Text") as process:
        assert process.play(None, Deadline.after(10)) == ONE
        assert process.take_fault() == "yielded '(pick 3)', a str instead of a Term"


def test_a_player_yields_little_to_other_work_on_the_machine() -> None:
    # with the usual share of a busy machine it finds no move within its clock
    with started("legal") as process:
        assert os.getpriority(os.PRIO_PROCESS, process.processes[0]) <= os.nice(0) + 2


def test_the_last_report_of_a_turn_is_passed_on() -> None:
    heard = []
    spec = "tests.match.bad_players.Telling"
    with PlayerProcess(spec, on_info=lambda turn, info: heard.append((turn, info))) as process:
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(20))
        process.play(None, Deadline.after(20))
    assert [(turn, info.nodes) for turn, info in heard] == [(0, 3), (0, 1234)]


@pytest.mark.long
def test_what_a_player_thinks_between_its_turns_is_no_thought_of_the_next_turn() -> None:
    heard = []
    spec = "tests.match.pondering_players.Dreamer"
    with PlayerProcess(spec, on_info=lambda turn, info: heard.append((turn, info))) as process:
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(60))
        process.play(None, Deadline.after(60))
        time.sleep(0.5)  # for pondering
        process.play((THREE, THREE), Deadline.after(60))
    assert [(turn, info.nodes) for turn, info in heard] == [(0, 1)]


def test_a_player_that_fails_to_start_is_asked_no_more_and_this_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with started("CrashingInStart") as process:
        assert process.take_fault().startswith("ZeroDivisionError: by design (bad_players.py, line")
        last: JointMove | None = None
        for _ in range(3):
            assert process.play(last, Deadline.after(60)) == ONE
            last = (ONE, ONE)
            assert process.take_fault() == "was not asked, because it failed to start"
        process.stop((ONE, ONE))
    assert len(caplog.records) == 1


def test_a_player_whose_clock_ends_at_the_start_plays_on() -> None:
    with started("LateInStart") as process:
        assert play_all(process, seconds=60) == [THREE, THREE, THREE]


@pytest.mark.parametrize("is_fallback", [False, True])
def test_a_fallback_need_not_choose_its_move(
    caplog: pytest.LogCaptureFixture, *, is_fallback: bool
) -> None:
    """Its first legal move, which is there at once, is as good as any."""
    spec = "tests.match.bad_players.HungAtOnce"
    with PlayerProcess(spec, is_fallback=is_fallback) as process:
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(120))
        assert process.play(None, Deadline.after(0)) == ONE
    assert ("yielded no move in time" in caplog.text) is not is_fallback


def test_a_match_that_is_aborted_is_no_fault_of_the_player(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with PlayerProcess("tests.match.bad_players.HungAtOnce") as process:
        process.start(PICK, "left", play_clock=60, deadline=Deadline.after(120))
        deadline = Deadline.after(60)
        deadline.cancel()
        assert process.play(None, deadline) == ONE
        assert process.take_fault() == ""
    assert not caplog.records


@pytest.mark.long
def test_every_turn_without_a_move_of_the_player_is_a_fault() -> None:
    with started("Empty") as process:
        last: JointMove | None = None
        for _ in range(3):
            assert process.play(last, Deadline.after(60)) == ONE
            last = (ONE, ONE)
            # On a busy machine a process that ponders may be ended, which is said first.
            assert process.take_fault() in ("yielded no move", "did not come back in time")
    with started("HungAtOnce") as process:
        assert process.play(None, Deadline.after(0)) == ONE
        assert process.take_fault() == "yielded no move in time"
    with started("DyingAtOnce") as process:
        assert process.play(None, Deadline.after(60)) == ONE
        assert process.take_fault() == "its process died"


def test_a_player_has_no_fault_in_a_turn_in_which_it_chose_a_move() -> None:
    with started("legal") as process:
        assert process.play(None, Deadline.after(60)) == ONE
        assert process.take_fault() == ""


@pytest.mark.long
@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_silent_process_is_replaced_by_the_time_and_not_by_the_turns(is_replaced: bool) -> None:
    with PlayerProcess("legal", patience=0.0 if is_replaced else inf) as process:
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(60))
        last = process.play(None, Deadline.after(60))
        (first,) = process.processes
        os.kill(first, signal.SIGSTOP)
        with pytest.raises(PlayerError, match="in time"):
            process.play((last, ONE), Deadline.after(0))
        if is_replaced:
            assert process.play(None, Deadline.after(60)) == ONE
            assert process.take_fault().endswith("s past its clock")
            assert process.processes != (first,)
        else:
            for _ in range(4):
                with pytest.raises(PlayerError, match="in time"):
                    process.play(None, Deadline.after(0))
            assert process.processes == (first,)


def test_a_process_that_cannot_be_started_at_first_is_started_again() -> None:
    failures = [OSError("too many processes"), RuntimeError("no more threads")]

    class Failing(Spares):
        def take(self) -> Worker:
            if failures:
                raise failures.pop()
            return super().take()

    with (
        Failing(lambda: start_worker("legal"), count=0) as spares,
        PlayerProcess("legal", spares=spares) as process,
    ):
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(60))
        assert process.play(None, Deadline.after(60)) == ONE
        assert process.take_fault() == "no process could be started: no more threads"


def test_a_player_that_leaves_plays_on() -> None:
    with started("Leaving") as process:
        assert play_all(process, seconds=10) == [THREE, THREE, THREE]


def test_an_illegal_move_never_leaves_the_process(caplog: pytest.LogCaptureFixture) -> None:
    with started("Illegal") as process:
        assert play_all(process, seconds=10) == [THREE, THREE, THREE]
    assert "wants to play resign, which is not legal" in caplog.text


def test_a_player_that_kills_its_process_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    with started("Suicidal") as process:
        assert play_all(process, seconds=10) == [THREE, THREE, THREE]
        assert process.take_fault() == "its process died"
    assert "its process died" in caplog.text


@pytest.mark.long
def test_a_player_that_takes_too_much_memory_is_replaced() -> None:
    with started("Greedy", memory_limit=400 << 20) as process:
        assert play_all(process, seconds=20) == [THREE, THREE, THREE]


def ask_patiently(process: PlayerProcess, joint_move: JointMove | None, *, seconds: float) -> Term:
    """Ask again until the process that takes over has found a move, however busy the machine is."""
    for _ in range(20):
        began = time.monotonic()
        try:
            return process.play(joint_move, Deadline.after(seconds))
        except PlayerError:
            joint_move = None
        finally:
            assert time.monotonic() - began < seconds + 5
    raise AssertionError("no process took over")


@pytest.mark.long
@pytest.mark.parametrize("player", ["Hung", "Deaf", "Tireless", "HungAtOnce", "HungInStart"])
def test_a_player_that_does_not_come_back_keeps_to_the_clock(player: str) -> None:
    with PlayerProcess(f"tests.match.bad_players.{player}") as process:
        process.start(PICK, "left", play_clock=1.5, deadline=Deadline.after(1))
        first = ask_patiently(process, None, seconds=1.5)
        second = ask_patiently(process, (first, ONE), seconds=1.5)
    assert {first, second} <= {ONE, TWO, THREE}


@pytest.mark.long
def test_the_move_of_a_hung_player_counts() -> None:
    with started("Hung") as process:
        assert process.play(None, Deadline.after(2)) == THREE


@pytest.mark.long
def test_preparing_without_end_keeps_no_turn_back() -> None:
    with PlayerProcess("tests.match.bad_players.HungInStart") as process:
        # The turn begins before the rules are read.
        process.start(PICK, "left", play_clock=2, deadline=Deadline.after(0))
        assert ask_patiently(process, None, seconds=2) == ONE


@pytest.mark.timing
def test_a_cut_clock_ends_the_turn_early() -> None:
    with started("Hung") as process:
        deadline = Deadline.after(60)
        threading.Timer(0.5, deadline.cancel).start()
        began = time.monotonic()
        assert process.play(None, deadline) == THREE
        assert time.monotonic() - began < 10


@pytest.mark.timing
def test_abort_ends_a_turn_of_another_thread() -> None:
    with started("Hung") as process:
        threading.Timer(0.5, process.abort).start()
        began = time.monotonic()
        assert process.play(None, Deadline.after(60)) == THREE
        assert time.monotonic() - began < 10
        with pytest.raises(PlayerError, match="the match is over"):
            process.play((ONE, ONE), Deadline.after(1))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("no_player", "no such player; there are .*legal"),
        ("legal:depth=3", "no option 'depth'"),
        ("no.such.Player", "No module named 'no'"),
        ("tests.match.bad_players.THREE", "not a subclass of ggp.match.Player"),
        ("tests.match.bad_players.Unimportable", "its process died"),
    ],
)
def test_a_player_that_cannot_be_made_is_told_at_the_start(spec: str, complaint: str) -> None:
    with PlayerProcess(spec) as process, pytest.raises(PlayerError, match=complaint):
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(20))


@pytest.mark.parametrize(
    ("rules", "role", "complaint"),
    [
        ("(role left", "left", "rules:1:1: this parenthesis is never closed"),
        ("(init start)", "left", "no role"),
        (PICK, "middle", "no role 'middle'"),
    ],
)
def test_a_game_that_cannot_be_played_is_told_at_the_start(
    rules: str, role: str, complaint: str
) -> None:
    with PlayerProcess("legal") as process, pytest.raises(PlayerError, match=complaint):
        process.start(rules, role, play_clock=1, deadline=Deadline.after(20))


def test_a_role_without_legal_moves_is_an_error() -> None:
    with started("legal", rules=STUCK, role="me") as process:
        move = process.play(None, Deadline.after(10))
        with pytest.raises(PlayerError, match="no legal move"):
            process.play((move,), Deadline.after(10))


def test_a_joint_move_of_the_wrong_length_is_an_error() -> None:
    with started("legal") as process:
        process.play(None, Deadline.after(10))
        with pytest.raises(PlayerError, match="1 moves for 2 roles"):
            process.play((ONE,), Deadline.after(10))


def test_the_same_turn_may_be_asked_about_again() -> None:
    with started("legal") as process:
        process.play(None, Deadline.after(10))
        with pytest.raises(PlayerError, match="no legal move was found in time"):
            process.play((ONE, TWO), Deadline.after(0))
        assert process.play(None, Deadline.after(10)) == ONE
        assert process.play((ONE, TWO), Deadline.after(10)) == ONE
        process.play((ONE, TWO), Deadline.after(10))


def test_no_move_before_the_start() -> None:
    with PlayerProcess("legal") as process, pytest.raises(PlayerError, match="not started"):
        process.play(None, Deadline.after(1))


def test_the_player_hears_the_goals_and_prints_nothing_to_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "goals"
    with PlayerProcess(f"tests.match.bad_players.Chatty:file={file}") as process:
        process.start(PICK, "left", play_clock=1, deadline=Deadline.after(20))
        moves = play_all(process, seconds=10)
        process.stop((moves[-1], TWO))
    assert file.read_text() == "(100, 50)"
    assert capfd.readouterr().out == ""


@pytest.mark.long
def test_the_player_hears_of_missing_goals_and_of_an_abort(tmp_path: Path) -> None:
    file = tmp_path / "goals"
    for end, expected in (("stop", "(None, None)"), ("abort", "None")):
        with PlayerProcess(f"tests.match.bad_players.Chatty:file={file}") as process:
            process.start(GOALLESS, "me", play_clock=1, deadline=Deadline.after(20))
            move = process.play(None, Deadline.after(10))
            if end == "stop":
                process.stop((move, move))
            else:
                process.abort()
        assert file.read_text() == expected


@pytest.mark.long
def test_close_leaves_nothing_behind() -> None:
    before = descendants(os.getpid())
    with started("Hung") as process:
        process.play(None, Deadline.after(0.5))
        ours = descendants(os.getpid()) - before
        assert len(ours) >= 2  # the player and its reasoner
    process.close()
    assert all_gone(ours, within=10)


OWNER = """
import sys, time
from ggp.deadline import Deadline
from ggp.match import Percepts, PlayerProcess
from ggp.reasoner import JointMove
from tests.match.games import PICK
process = PlayerProcess("tests.match.bad_players." + sys.argv[1])
process.start(PICK, "left", play_clock=60, deadline=Deadline.after(20))
print("ready", flush=True)
process.play(None, Deadline.after(60))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("player", ["Hung", "Tireless"])
def test_nothing_outlives_a_killed_owner(player: str) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, player], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        time.sleep(0.5)
        below = descendants(owner.pid)
        assert len(below) >= 2
        owner.send_signal(signal.SIGKILL)
    assert all_gone(below, within=10)


@pytest.mark.long
def test_what_contradicts_the_rules_leaves_a_guess_that_is_called_one() -> None:
    with started("legal", rules=load("montyhall").source.text, role="candidate") as process:
        noop = process.play(None, Deadline.after(20))
        was_sure = process.is_sure
        move = process.play(Percepts(noop, (parse_term("nonsense"),)), Deadline.after(20))
        assert str(move) == "(choose 1)"
        assert (was_sure, process.is_sure) == (True, False)
        assert "its moves are guesses" in process.take_fault()


def test_requests_that_follow_each_other_give_a_hung_player_no_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, timers = 1000.0, list[float]()
    monkeypatch.setattr("ggp.match.worker.time.monotonic", lambda: now)
    monkeypatch.setattr(
        "ggp.match.worker.signal.setitimer", lambda _which, seconds: timers.append(seconds)
    )
    worker = _Worker(cast("Owner", Mock()), Mock(), memory_limit=None, grace=10.0)
    worker._is_prepared = True
    clock = Deadline(now + 1)
    with worker._in_players_hands(clock):
        for turn in range(3):
            now += 2
            worker._latest = Think(turn, None, now + 1)
            worker._hurry(clock)
        assert timers == [11, 9, 7, 5]
    assert timers[4:] == [0]


def test_each_process_gets_twice_as_long_to_prepare_as_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers = list[float]()
    monkeypatch.setattr("ggp.match.worker.time.monotonic", lambda: 1000.0)
    monkeypatch.setattr(
        "ggp.match.worker.signal.setitimer", lambda _which, seconds: timers.append(seconds)
    )
    for restarts in (0, 1, 2, 50):
        worker = _Worker(cast("Owner", Mock()), Mock(), memory_limit=None, grace=None)
        worker._restarts = restarts
        worker._latest = Think(1, None, 1000.2)
        worker._hurry(Deadline(1000.2))
    assert timers == [1, 2, 4, 32]


@pytest.mark.long
def test_a_player_that_takes_long_to_prepare_comes_to_move_again_between_short_turns() -> None:
    with PlayerProcess("tests.match.bad_players.SlowToPrepare") as process:
        process.start(PICK, "left", play_clock=0.3, deadline=Deadline.after(10))
        moves = []
        for turn in range(60):
            with suppress(PlayerError):
                moves.append(process.play((ONE, ONE) if turn else None, Deadline.after(0.3)))
            if moves[-1:] == [THREE]:
                break
            time.sleep(0.2)
        assert moves[-1] == THREE
