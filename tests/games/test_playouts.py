"""Random playouts of every game, refereed step by step."""

from __future__ import annotations

import random

import pytest

from ggp.reasoner import open_reasoner
from tests.games import referees
from tests.games.bundled import NAMES, declared, load

pytestmark = pytest.mark.usefixtures("forked")

PLAYOUTS = 4

#: More joint moves than a playout of any game needs, but for the one that has no bound.
MAX_STEPS = 210
UNBOUNDED = "walk"


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_playouts_agree_with_the_referee_and_the_declarations(name: str) -> None:
    description = load(name)
    base, inputs = declared(description)
    referee = referees.load(name)
    generator = random.Random(name)
    with open_reasoner(description) as reasoner:
        for _ in range(PLAYOUTS):
            state, twin = reasoner.initial_state(), referee.start
            for _ in range(MAX_STEPS):
                view = reasoner.view(state)
                assert base.issuperset(map(str, reasoner.facts(state)))
                assert None not in view.goals
                assert view.terminal == referee.is_over(twin)
                if view.terminal:
                    assert view.goals == referee.goals(twin)
                    break
                for role, legal, expected in zip(
                    reasoner.roles, view.legal, referee.moves(twin), strict=True
                ):
                    assert legal
                    assert [str(move) for move in legal] == sorted(expected)
                    assert inputs.issuperset((str(role), str(move)) for move in legal)
                joint_move = tuple(map(generator.choice, view.legal))
                state = reasoner.next_state(state, joint_move)
                twin = referee.after(twin, tuple(map(str, joint_move)))
            else:
                assert name == UNBOUNDED


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", [name for name in NAMES if name != UNBOUNDED])
def test_playouts_end(name: str) -> None:
    with open_reasoner(load(name)) as reasoner:
        playouts = reasoner.playouts(reasoner.initial_state(), count=20, seed=1)
    assert max(playout.steps for playout in playouts) <= MAX_STEPS
    assert all(None not in playout.goals for playout in playouts)
