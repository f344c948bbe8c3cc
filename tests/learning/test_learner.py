"""A learner learns, and the same seed gives the same network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ggp import Deadline, Game
from ggp.learning import Learner, LearningSettings, Progress, SelfPlaySettings
from ggp.search import ValueNet

SMALL = LearningSettings(
    hidden=32, samples=20_000, enough=500, batch=256, selfplay=SelfPlaySettings(lanes=64)
)


def learned(name: str, plies: int, seed: int = 1) -> tuple[Learner, ValueNet]:
    with Game.load(name) as game:
        learner = Learner(game.reasoner.kernel, settings=SMALL, seed=seed)
        learner.learn(deadline=Deadline(), plies=plies)
        return learner, learner.net


def test_a_seed_gives_the_same_network() -> None:
    (first, net), (second, again), (_, other) = (
        learned("tictactoe", 5000, seed) for seed in (1, 1, 2)
    )
    assert (net.weights == again.weights).all()
    assert (net.outputs == again.outputs).all()
    assert (net.weights != other.weights).any()
    assert first.progress.matches == second.progress.matches > 100
    assert first.progress.plies >= 5000


def test_it_learns_who_wins() -> None:
    learner, _ = learned("hexapawn", 60_000)
    assert learner.progress.steps > 100
    assert learner.progress.loss < 0.45  # to know nothing costs 0.69


@pytest.mark.parametrize("name", ["rockpaperscissors", "montyhall", "triad"])
def test_any_game_that_compiles_is_learned(name: str) -> None:
    learner, net = learned(name, 3000)
    assert learner.progress.matches > 0
    assert np.isfinite(learner.layers.weights).all()
    assert len(net.roles) == len(learner.layers.outputs)


def test_a_deadline_ends_it_and_it_can_go_on() -> None:
    reports = list[Progress]()
    with Game.load("tictactoe") as game:
        learner = Learner(game.reasoner.kernel, settings=SMALL)
        learner.learn(deadline=Deadline(0.0))
        assert learner.progress.plies == 0
        deadline = Deadline.after(60)

        def stop(progress: Progress) -> None:
            reports.append(progress)
            deadline.cancel()

        learner.learn(deadline=deadline, report=stop)
        assert learner.progress.plies == reports[0].plies > 0
        learner.learn(deadline=Deadline(), plies=reports[0].plies + 1000)
        assert learner.progress.plies >= reports[0].plies + 1000


def test_hidden_units_come_in_rows() -> None:
    with Game.load("tictactoe") as game, pytest.raises(ValueError, match="multiple of 32"):
        Learner(game.reasoner.kernel, settings=LearningSettings(hidden=40))


def test_players_take_the_file(tmp_path: Path) -> None:
    _, net = learned("tictactoe", 2000)
    net.save(tmp_path / "net.npz")
    loaded = ValueNet.load(tmp_path / "net.npz")
    assert (loaded.weights == net.weights).all()
