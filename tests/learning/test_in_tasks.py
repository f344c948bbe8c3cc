"""Self-play in the tasks of other processes, beside a learner in this one."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from ggp import Deadline, Game
from ggp.cli.learning import learn
from ggp.cluster import Executor, Failed, Pool, following, run
from ggp.cluster.task import call
from ggp.errors import ClusterError, GameError, GgpError
from ggp.learning import InTasks, Learner, LearningSettings, Progress, SelfPlaySettings
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.stretch import Harvest, Stretch, Stretches
from ggp.players.learning import learn_offline, offline
from ggp.search import ValueNet
from tests.cli.command import GGP
from tests.processes import all_gone, command_line, descendants

SMALL = LearningSettings(
    hidden=32, samples=20_000, enough=500, batch=256, selfplay=SelfPlaySettings(lanes=64)
)


class AtOnce(Executor):
    """Runs each task in this process as soon as its result is waited for."""

    def __init__(self, function: Callable[[Any], Any], *, room: int = 1) -> None:
        self._function, self._room, self._tasks = function, room, list[Any]()

    @property
    def room(self) -> int:
        return self._room - len(self._tasks)

    @property
    def running(self) -> list[Any]:
        return self._tasks

    @property
    def told(self) -> list[tuple[Any, Any]]:
        return []

    def submit(self, task: Any) -> None:
        self._tasks.append(task)

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        tasks, self._tasks = self._tasks, []
        return [
            (task, call(self._function, task, send=lambda _: None, every=1.0)) for task in tasks
        ]

    def interrupt(self, seconds: float) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._tasks.clear()


class Failing:
    """Finds the game at fault: at once, or when it gets a network that has learned."""

    def __init__(self, stretches: Stretches, *, at_once: bool) -> None:
        self._stretches, self._at_once = stretches, at_once
        self._first: NDArray[np.int16] | None = None

    def __call__(self, task: Stretch) -> Harvest:
        if self._first is None:
            self._first = task.net.weights.copy()
        if self._at_once or (task.net.weights != self._first).any():
            raise GameError("the game is at fault")
        return self._stretches(task)


def new_net(game: Game) -> Rounded:
    circuit, words = game.reasoner.circuit, game.reasoner.kernel.state_words
    generator = np.random.default_rng(1)
    layers = Layers.new(rows=64 * words, hidden=32, roles=len(circuit.roles), generator=generator)
    return Rounded.of(layers)


def is_worker(pid: int) -> bool:
    """Whether a process takes tasks."""
    return "ggp.cluster.local" in command_line(pid)


def rounds(game: Game, count: int, *, most: int = 10_000) -> list[Stretch]:
    """Return tasks that make one joint move in each match."""
    net = new_net(game)
    return [Stretch(net=net, seconds=0.0, most=most, seed=seed) for seed in range(count)]


def in_this_process(
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Stretches], Callable[[Any], Any]] = lambda stretches: stretches,
) -> None:
    """Let pools run their tasks in this process."""
    monkeypatch.setattr(Pool, "open", lambda _pool, function: AtOnce(change(function)))


def test_matches_go_on_in_the_next_stretch() -> None:
    with Game.load("tictactoe") as game:
        stretches = Stretches(game.reasoner.circuit, SMALL.selfplay)
        unused = pickle.dumps(stretches)
        tasks = rounds(game, 12)
        played = [stretches(task).played for task in tasks]
        assert [each.matches for each in played[:5]] == [0] * 5  # none is shorter
        assert sum(each.matches for each in played) >= SMALL.selfplay.lanes
        # a process that has none begins new ones
        assert [pickle.loads(unused)(task).played.matches for task in tasks] == [0] * 12


@pytest.mark.parametrize("cluster", ["local", pytest.param("ray", marks=pytest.mark.long)])
def test_matches_go_on_in_the_processes_of_a_pool(
    cluster: str, request: pytest.FixtureRequest
) -> None:
    pool = Pool(jobs=1)
    if cluster == "ray":
        pool = Pool(cluster=request.getfixturevalue("address"), memory=0.1, jobs=1)
    with Game.load("tictactoe") as game:
        stretches = Stretches(game.reasoner.circuit, SMALL.selfplay)
        with pool.open(stretches) as executor:
            ran = run(executor, following(rounds(game, 40)), deadline=Deadline())
            harvests: list[Harvest] = [harvest for _, harvest in ran]
        assert sum(each.played.matches for each in harvests) >= SMALL.selfplay.lanes
        words, roles = game.reasoner.kernel.state_words, len(game.roles)
        for each in harvests:
            assert each.states.shape == (len(each.targets), words)
            assert each.targets.shape == (len(each.states), roles)
        assert sum(len(each.states) for each in harvests) > SMALL.selfplay.lanes


def test_of_many_samples_some_are_drawn() -> None:
    with Game.load("tictactoe") as game:
        few, all_of_them = (Stretches(game.reasoner.circuit, SMALL.selfplay) for _ in range(2))
        for task, same in zip(rounds(game, 12, most=40), rounds(game, 12), strict=True):
            harvest, whole = few(task), all_of_them(same)
            assert harvest.played == whole.played
            assert len(harvest.states) == min(40, len(whole.states))
            kept = {state.tobytes() for state in whole.states}
            assert all(state.tobytes() in kept for state in harvest.states)


def test_it_learns_who_wins() -> None:
    with (
        Game.load("hexapawn") as game,
        InTasks(game.reasoner.circuit, pool=Pool(jobs=1), settings=SMALL, seed=1) as source,
    ):
        learner = Learner(game.reasoner.kernel, settings=SMALL, source=source, seed=1)
        # The clock decides what each step learns from, and the loss swings at the beginning.
        learner.learn(deadline=Deadline.after(300), plies=400_000)
        progress = learner.progress
    assert progress.plies >= 400_000
    assert progress.matches > 1000
    assert progress.takes_turns
    assert progress.steps > 100
    assert progress.loss < 0.6  # to know nothing costs 0.69


def test_there_are_as_many_steps_for_a_joint_move_as_without_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_this_process(monkeypatch)
    many = LearningSettings(samples=1 << 20, selfplay=SMALL.selfplay)
    with Game.load("tictactoe") as game:
        net, samples = new_net(game), Samples(size=many.samples, words=1, roles=2)
        source = InTasks(game.reasoner.circuit, pool=Pool(jobs=1), settings=many)
        steps, lanes = 0, many.selfplay.lanes
        for _ in range(5):
            source.play(0, net)
            source.play(1, net)
            steps += source.take(samples)
            assert steps + source.owed // lanes == source.played.plies // lanes
        while source.take(samples):
            steps += 1
        assert samples.seen > 0
        assert source.owed == 0
        assert steps == source.played.plies // lanes > 0


def test_steps_for_which_there_is_no_time_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    in_this_process(monkeypatch)
    few = LearningSettings(samples=1280, selfplay=SMALL.selfplay)
    with Game.load("tictactoe") as game:
        net, samples = new_net(game), Samples(size=few.samples, words=1, roles=2)
        source = InTasks(game.reasoner.circuit, pool=Pool(jobs=1), settings=few)
        while source.played.plies < 20_000:
            source.play(0, net)
            source.take(samples)
        left = 0
        while source.take(samples):
            left += 1
        assert left <= few.samples // few.selfplay.lanes


def test_an_interruption_keeps_what_was_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "_TRIAL_LEAST", 0.0)
    in_this_process(monkeypatch)
    deadline = Deadline.after(100)

    def stop(progress: Progress) -> None:
        if progress.steps:
            deadline.cancel()

    with Game.load("tictactoe") as game:
        course = learn_offline(
            game.reasoner, until=deadline, deadline=deadline, pool=Pool(jobs=1), settings=SMALL,
            report=stop,
        )  # fmt: skip
    assert course.failure is None
    assert course.progress.steps > 0
    assert course.knowledge.learned.plies == course.progress.plies > 0


def test_a_failure_keeps_what_was_learned_and_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_this_process(monkeypatch, partial(Failing, at_once=False))
    target = tmp_path / "net.npz"
    given = ["tictactoe", "--cluster", "local", "--plies", "100000000", "--net", str(target)]
    done = CliRunner().invoke(learn.command, [*given, "--json", "--fresh"])
    assert isinstance(done.exception, GgpError)
    assert done.exception.one_line() == "the game is at fault"
    found = json.loads(done.stdout)
    assert found["steps"] > 0
    assert found["kept"] is not None
    assert len(ValueNet.load(target).roles) == 2


def test_a_failure_before_anything_was_learned_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_this_process(monkeypatch, partial(Failing, at_once=True))
    target = tmp_path / "net.npz"
    given = ["tictactoe", "--cluster", "local", "--net", str(target)]
    done = CliRunner().invoke(learn.command, given)
    assert isinstance(done.exception, GgpError)
    assert done.exception.one_line() == "the game is at fault"
    assert not target.exists()


@pytest.mark.long
def test_the_command_plays_in_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "_TRIAL_LEAST", 0.1)
    target = tmp_path / "net.npz"
    given = ["tictactoe", "--cluster", "local", "--plies", "50000", "--net", str(target), "--json"]
    done = CliRunner().invoke(learn.command, [*given, "--fresh"])
    assert done.exit_code == 0, done.output
    first = json.loads(done.stdout)
    assert first["plies"] >= 50_000
    assert first["steps"] > 0
    assert len(ValueNet.load(target).roles) == 2
    second = json.loads(CliRunner().invoke(learn.command, given).stdout)
    assert second["total_plies"] == first["plies"] + second["plies"]
    assert not [each for each in descendants(os.getpid()) if is_worker(each)]


@pytest.mark.long
def test_it_learns_on_a_cluster(address: str, tmp_path: Path) -> None:
    given = ["tictactoe", "--cluster", address, "--memory", "0.1", "--plies", "100000", "--json"]
    done = CliRunner().invoke(learn.command, [*given, "--no-keep", "--fresh",
                                              "--net", str(tmp_path / "net.npz")])  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["plies"] >= 100_000
    assert found["steps"] > 0
    assert found["loss"] < 0.69


@pytest.mark.long
def test_ctrl_c_keeps_the_network_and_leaves_no_process(tmp_path: Path) -> None:
    target = tmp_path / "net.npz"
    given = ("--seconds", "600", "--cluster", "local", "--jobs", "2", "--net", str(target))
    terminal, theirs = os.openpty()
    with subprocess.Popen(
        [*GGP, "learn", "tictactoe", *given, "--fresh"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            shown = b""
            while not re.search(rb"[\d,]+ joint moves in .* matches, loss 0\.\d+", shown):
                shown += os.read(terminal, 1000)  # the progress
            workers = set(filter(is_worker, descendants(process.pid)))
            os.killpg(process.pid, signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            os.close(terminal)
    assert process.returncode == 130
    assert b"joint moves" in out
    assert len(ValueNet.load(target).roles) == 2
    assert len(workers) == 2
    assert all_gone(workers, within=10)


def test_nothing_is_kept_where_nothing_was_played(tmp_path: Path) -> None:
    target = tmp_path / "net.npz"
    given = ["tictactoe", "--seconds", "0.001", "--fresh", "--net", str(target)]
    for more in ([], ["--cluster", "local"]):
        done = CliRunner().invoke(learn.command, [*given, *more])
        assert isinstance(done.exception, GgpError)
        assert "nothing was learned: the time was over" in done.exception.one_line()
        assert not target.exists()


def test_no_cluster_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    done = CliRunner().invoke(learn.command, ["tictactoe", "--cluster", "127.0.0.1:1"])
    assert isinstance(done.exception, ClusterError)
    assert done.exception.one_line().startswith("no cluster at 127.0.0.1:1: ")
    assert "\n" not in done.exception.one_line()


def test_a_process_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dead(AtOnce):
        def wait(self, seconds: float) -> list[tuple[Any, Any]]:
            return [(task, Failed("a process died")) for task in self._tasks]

    monkeypatch.setattr(Pool, "open", lambda _pool, function: Dead(function))
    with Game.load("tictactoe") as game:
        source = InTasks(game.reasoner.circuit, pool=Pool(jobs=1), settings=SMALL)
        learner = Learner(game.reasoner.kernel, settings=SMALL, source=source)
        with pytest.raises(GgpError, match="a process died"):
            learner.learn(deadline=Deadline.after(60))
