"""Every bundled game has a golden playthrough, and every one replays to the letter."""

from __future__ import annotations

import pytest

from ggp.authoring.playthrough import Playthrough, first_difference
from ggp.reasoner import open_reasoner
from tests.games.bundled import NAMES, load
from tests.games.record_golden import GOLDEN


def read(name: str) -> Playthrough:
    return Playthrough.read(GOLDEN / f"{name}.json")


def test_every_game_has_a_golden_playthrough_and_every_playthrough_its_game() -> None:
    assert sorted(path.stem for path in GOLDEN.iterdir()) == NAMES


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", NAMES)
def test_golden_playthrough_replays(name: str) -> None:
    playthrough = read(name)
    assert playthrough.game == name
    assert len(playthrough.steps) > 1
    with open_reasoner(load(name)) as reasoner:
        assert first_difference(playthrough, reasoner) == ()
        state = reasoner.initial_state()
        for step in playthrough.steps:
            # To the letter: the facts and moves also have their order.
            view = reasoner.view(state)
            assert step.facts == reasoner.facts(state)
            assert reasoner.state_of(step.facts) == state
            assert step.legal == view.legal
            assert (step.terminal, step.goals) == (view.terminal, view.goals)
            if step.joint_move is not None:
                state = reasoner.next_state(state, step.joint_move)


@pytest.mark.parametrize("name", NAMES)
def test_golden_file_is_as_the_script_writes_it(name: str) -> None:
    assert (GOLDEN / f"{name}.json").read_text(encoding="utf-8") == read(name).to_text()
