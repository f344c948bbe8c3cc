from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerError
from ggp.gdl import Description
from ggp.playouts import playouts
from ggp.reasoner import PlayoutTotals, Reasoner, State, bounded, open_reasoner
from tests.reasoner.games import LIGHTS, after
from tests.reasoner.processes import ENDLESS_PLAY, ENDLESS_QUESTION

pytestmark = pytest.mark.usefixtures("forked")


@pytest.fixture
def lights() -> Iterator[Reasoner]:
    with open_reasoner(Description.from_text(LIGHTS)) as reasoner:
        yield reasoner


def test_it_counts_what_it_played(lights: Reasoner) -> None:
    found = playouts(lights, deadline=Deadline.after(0.4), generator=random.Random(1))
    assert found.playouts > 0
    assert found.steps == 2 * found.playouts
    assert found.seconds > 0
    assert found.mean_goals is not None
    assert all(0 < mean < 100 for mean in found.mean_goals)
    assert found.ranges == ((0, 100), (0, 100))


def test_from_another_state(lights: Reasoner) -> None:
    end = after(lights, ("(switch 1)", "(switch 2)"), ("(switch 10)", "(switch 2)"))
    found = playouts(lights, deadline=Deadline.after(0.2), generator=random.Random(1), state=end)
    assert (found.steps, found.mean_goals) == (0, (100, 0))
    assert found.ranges == ((100, 100), (0, 0))


def test_no_longer_than_allowed() -> None:
    with open_reasoner(Description.from_text(ENDLESS_PLAY)) as reasoner:
        found = playouts(
            reasoner, deadline=Deadline.after(0.2), generator=random.Random(1), max_steps=3
        )
    assert found.steps == 3 * found.playouts > 0


def test_a_missing_goal_counts_as_nothing() -> None:
    rules = "(role x) (role y) (init i) terminal (goal x 40) (goal x 50) (goal y 60)"
    with open_reasoner(Description.from_text(rules)) as reasoner:
        found = playouts(reasoner, deadline=Deadline.after(0.2), generator=random.Random(1))
    assert (found.mean_goals, found.ranges) == ((0, 60), ((0, 0), (60, 60)))


def test_the_generator_decides(lights: Reasoner) -> None:
    asked: list[int] = []
    play = lights.playout_totals

    def noted(*args: object, seed: int, **options: object) -> object:
        asked.append(seed)
        return play(*args, seed=seed, **options)  # type: ignore[arg-type]

    lights.playout_totals = noted  # type: ignore[method-assign, assignment]
    runs = []
    for seed in (1, 1, 2):
        asked.clear()
        playouts(lights, deadline=Deadline.after(0.2), generator=random.Random(seed))
        runs.append(asked[0])
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.sample(1)
@pytest.mark.parametrize("rules", [ENDLESS_PLAY, ENDLESS_QUESTION])
@pytest.mark.parametrize("cut", [False, True])
def test_unfinished_playouts_do_not_count(rules: str, cut: bool) -> None:
    deadline = Deadline() if cut else Deadline.after(0.5)
    stopper = threading.Timer(0.5, deadline.cancel)
    stopper.start()
    with (
        open_reasoner(Description.from_text(rules), kind="auto") as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        found = playouts(reasoner, deadline=deadline, generator=random.Random(1))
    stopper.join()
    assert (found.playouts, found.steps, found.mean_goals) == (0, 0, None)
    assert found.seconds > 0


def test_no_time_at_all(lights: Reasoner) -> None:
    deadline = Deadline()
    deadline.cancel()
    found = playouts(lights, deadline=deadline, generator=random.Random(1))
    assert (found.playouts, found.mean_goals, found.ranges) == (0, None, ())


def test_a_reasoner_that_fails_with_time_left(lights: Reasoner) -> None:
    lights.close()
    with pytest.raises(ReasonerError):
        playouts(lights, deadline=Deadline.after(60), generator=random.Random(1))


def test_a_game_that_misbehaves() -> None:
    with (
        open_reasoner(Description.from_text("(role x) (init i)")) as reasoner,
        pytest.raises(GameError, match="no legal move"),
    ):
        playouts(reasoner, deadline=Deadline.after(60), generator=random.Random(1))


@pytest.mark.parametrize("adaptive", [False, True])
def test_no_lane_of_machine_code_is_left_empty(
    lights: Reasoner, monkeypatch: pytest.MonkeyPatch, adaptive: bool
) -> None:
    deadline = Deadline()
    lanes = iter([1, 1, 512, 512])
    asked: list[int] = []

    def total(_state: State, *, count: int, **_: object) -> PlayoutTotals:
        asked.append(count)
        if len(asked) == 4:
            deadline.cancel()
        return PlayoutTotals(count, count, (0, 0), ((0, 0), (0, 0)))

    monkeypatch.setattr(type(lights), "lanes", property(lambda _: next(lanes)))
    monkeypatch.setattr(lights, "playout_totals", total)
    found = playouts(lights, deadline=deadline, generator=random.Random(1), adaptive=adaptive)
    assert asked == ([1, 2, 512, 1024] if adaptive else [1, 1, 512, 512])
    assert found.taken_over_after is not None
    assert found.compiled_playouts_per_second is not None
