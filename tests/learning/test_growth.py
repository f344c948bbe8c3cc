"""A network gets pairs of facts if it plays better with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ggp import Deadline, Game
from ggp.compiler.related import find_related
from ggp.compiler.symmetry import Symmetry, find_symmetries
from ggp.errors import GgpError
from ggp.learning import Learner, LearningSettings, SelfPlaySettings
from ggp.learning.contest import play_contest
from ggp.learning.growth import Growth
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.selfplay import Played
from ggp.learning.source import InThreads, Source
from ggp.learning.trainee import Trainee

PAIRS = np.array([[0, 1], [2, 5]], np.int32)
SMALL = LearningSettings(
    hidden=32, samples=20_000, enough=500, batch=256, selfplay=SelfPlaySettings(lanes=64)
)


def new_layers(rows: int = 64) -> Layers:
    return Layers.new(rows=rows, hidden=32, roles=2, generator=np.random.default_rng(3))


def growth(score: float | None) -> tuple[Growth, Trainee, list[tuple[Rounded, Rounded]]]:
    """A growth whose contest has this score, what it begins with, and the contests so far."""
    played: list[tuple[Rounded, Rounded]] = []

    def contest(first: Rounded, second: Rounded) -> float | None:
        played.append((first, second))
        return score

    trainee = Trainee(new_layers(), ())
    return Growth(trainee, PAIRS, contest=contest), trainee, played


@pytest.mark.parametrize(("score", "count"), [(0.5, 2), (0.49, 0), (None, 0)])
def test_the_better_of_two_goes_on(score: float | None, count: int) -> None:
    found, trainee, played = growth(score)
    assert found.turn(0.0) is found.turn(0.12) is trainee
    grown = found.turn(0.13)
    assert (grown.layers.pairs == PAIRS).all()
    assert found.turn(0.24) is grown
    assert not played
    kept = found.turn(0.26)
    assert played == [(grown.rounded, trainee.rounded)]
    assert len(kept.layers.pairs) == count
    assert found.turn(0.9) is found.end() is kept
    assert len(played) == 1


def test_an_early_end_leaves_the_one_without_pairs() -> None:
    found, trainee, played = growth(0.9)
    assert found.turn(0.2) is not trainee
    assert found.end() is trainee
    assert not played


def test_a_copy_with_pairs_says_the_same_until_it_learns() -> None:
    layers = new_layers()
    grown = layers.grown(PAIRS)
    assert (grown.weights[:64] == layers.weights).all()
    assert not grown.weights[64:].any()
    grown.weights[0] = grown.bias[0] = grown.outputs[0] = grown.output_bias[0] = 7
    for own, other in zip(new_layers().arrays(), layers.arrays(), strict=True):
        assert (own == other).all()


def test_pairs_move_with_their_facts_under_symmetries() -> None:
    layers = new_layers().grown(PAIRS)
    mirrored = Symmetry(facts=(5, 4, 1, 3, 2, 0), moves=())  # not a pair becomes one
    turned = Symmetry(facts=(2, 5, 1, 3, 4, 0), moves=())
    reversed_pairs = new_layers().grown(np.ascontiguousarray(PAIRS[:, ::-1]))
    for same in (layers, reversed_pairs):
        images = Trainee(same, (mirrored, turned)).images
        assert images.shape == (2, 66)
        assert images[0].tolist() == [*range(66)]
        assert images[1].tolist() == [2, 5, 1, 3, 4, 0, *range(6, 64), 65, 64]


def rounded(learner: Learner) -> Rounded:
    return Rounded.of(learner.layers)


def test_a_network_that_has_learned_beats_one_that_has_not() -> None:
    with Game.load("breakthrough") as game:
        kernel = game.reasoner.kernel
        first, second = (Learner(kernel, settings=SMALL) for _ in range(2))
        first.learn(deadline=Deadline(), plies=150_000)
        scores = [
            play_contest(
                kernel, *map(rounded, learners), matches=100, plies=10**9,
                settings=SMALL.selfplay, deadline=Deadline(), seed=1,
            )
            for learners in ((first, second), (second, first), (first, first))
        ]  # fmt: skip
        better, worse, same = scores
        assert better is not None
        assert better > 0.75
        assert worse is not None
        assert worse < 0.25
        assert same == pytest.approx(0.5, abs=0.2)


@pytest.mark.parametrize("name", ["uptoten", "montyhall", "triad", "rockpaperscissors", "harvest"])
def test_contests_are_played_in_any_game(name: str) -> None:
    with Game.load(name) as game:
        kernel = game.reasoner.kernel
        net = rounded(Learner(kernel, settings=SMALL))

        def score(plies: int, deadline: Deadline) -> float | None:
            return play_contest(
                kernel, net, net, matches=20, plies=plies, settings=SMALL.selfplay,
                deadline=deadline, seed=1,
            )  # fmt: skip

        found = score(10**6, Deadline())
        assert found is not None
        assert 0 <= found <= 1
        assert score(0, Deadline()) is None  # no match has ended
        assert score(10**6, Deadline(0.0)) is None


def test_pairs_are_learned_kept_and_reproduced() -> None:
    with Game.load("connectfour") as game:
        reasoner = game.reasoner
        kernel, rules = reasoner.kernel, reasoner.description
        pairs = find_related(rules, kernel.circuit)
        nets = []
        for _ in range(2):
            learner = Learner(
                kernel, symmetries=find_symmetries(rules, kernel.circuit), pairs=pairs,
                settings=SMALL, seed=3,
            )  # fmt: skip
            learner.learn(deadline=Deadline(), plies=60_000)
            nets.append(learner.net)
        assert (nets[0].weights == nets[1].weights).all()


@pytest.mark.parametrize("wanted", [True, False])
def test_pairs_are_a_setting_and_stay(wanted: bool) -> None:
    with Game.load("connectfour") as game:
        kernel = game.reasoner.kernel
        pairs = find_related(game.reasoner.description, kernel.circuit)
        settings, net = replace(SMALL, pairs=wanted), None
        for _ in range(2):
            learner = Learner(kernel, settings=settings, net=net, pairs=pairs)
            learner.learn(deadline=Deadline(), plies=20_000)
            net = learner.net
            assert len(net.pairs) == learner.progress.pairs == wanted * len(pairs)
            assert learner.layers.weights[learner.layers.bits :].any() == wanted


class Failing(Source):
    """A source that fails after some rounds, as one does whose cluster is gone."""

    def __init__(self, inner: Source, rounds: int) -> None:
        self._inner, self._rounds = inner, rounds

    @property
    def played(self) -> Played:
        return self._inner.played

    @property
    def owed(self) -> int:
        return self._inner.owed

    def play(self, half: int, net: Rounded) -> None:
        self._rounds -= 1
        if self._rounds < 0:
            raise GgpError("the cluster is gone")
        self._inner.play(half, net)

    def take(self, samples: Samples) -> bool:
        return self._inner.take(samples)


def test_a_failure_leaves_the_network_without_pairs() -> None:
    with Game.load("connectfour") as game:
        kernel = game.reasoner.kernel
        inner = InThreads(kernel, settings=SMALL.selfplay, added=1000, every=1, seeds=[1, 2])
        learner = Learner(
            kernel, settings=SMALL, source=Failing(inner, 400),
            pairs=find_related(game.reasoner.description, kernel.circuit),
        )  # fmt: skip
        with pytest.raises(GgpError, match="gone"):
            learner.learn(deadline=Deadline(), plies=64 * 1000)
        assert learner.progress.steps > 100
        assert len(learner.net.pairs) == 0
        assert np.isfinite(learner.progress.loss)
