"""Every bundled game has a golden playthrough, and every one replays to the letter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ggp.kif import parse
from ggp.reasoner import open_reasoner
from tests.games.bundled import NAMES, load
from tests.games.record_golden import GOLDEN, dump, text


def read(name: str) -> dict[str, Any]:
    playthrough: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return playthrough


def test_every_game_has_a_golden_playthrough_and_every_playthrough_its_game() -> None:
    assert sorted(path.stem for path in GOLDEN.iterdir()) == NAMES


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", NAMES)
def test_golden_playthrough_replays(name: str) -> None:
    playthrough = read(name)
    assert playthrough["game"] == name
    steps = playthrough["steps"]
    with open_reasoner(load(name)) as reasoner:
        assert playthrough["roles"] == text(reasoner.roles)
        state = reasoner.initial_state()
        for number, step in enumerate(steps):
            view = reasoner.view(state)
            assert text(reasoner.facts(state)) == step["facts"]
            assert reasoner.state_of(parse(step["facts"])) == state
            assert view.terminal == step["terminal"]
            assert list(view.goals) == step["goals"]
            assert [text(moves) for moves in view.legal] == step["legal"]
            if number < len(steps) - 1:
                joint_move = parse(step["joint_move"])
                reasoner.check_legal(state, joint_move)
                state = reasoner.next_state(state, joint_move)


@pytest.mark.parametrize("name", NAMES)
def test_golden_file_is_as_the_script_writes_it(name: str) -> None:
    written = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    assert written == dump(json.loads(written))
