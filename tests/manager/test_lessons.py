"""The manager's pages tell what was learned of a game, add to it, and use it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ggp.learning import Store
from ggp.server.manager.processes.analyst import find
from ggp.server.manager.processes.guide import Guide
from tests.learning.test_store import made
from tests.manager.drawn import GAMES

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GGP_KNOWLEDGE_DIR", str(tmp_path))
    return Store()


def rules(game: str) -> str:
    return (GAMES / f"{game}.kif").read_text()


def analysed(game: str, **task: Any) -> dict[str, Any]:
    task = {"rules": rules(game), "facts": None, "algorithm": "alphabeta", "role": 0, **task}
    *_, last = find(task, tell=lambda _found: None)
    return last


def learned(game: str) -> dict[str, Any]:
    return Guide(rules(game)).answer({"do": "learned"})


def test_a_game_is_learned_and_the_page_says_so() -> None:
    assert learned("tictactoe") == {"learned": None, "can_learn": True}
    reports: list[dict[str, Any]] = []
    task = {"kind": "learn", "rules": rules("tictactoe"), "seconds": 20.0}
    *_, found = find(task, tell=reports.append)
    assert found["kept"]
    assert found["learned"]["plies"] == reports[-1]["plies"] > 1000
    assert found["learned"]["trial"] > 0
    assert learned("tictactoe")["learned"] == found["learned"]


def test_a_lesson_adds_to_what_there_is(store: Store) -> None:
    store.keep(*made("tictactoe"))
    known = learned("tictactoe")["learned"]
    found = analysed("tictactoe", kind="learn", seconds=10.0)["learned"]
    assert found["matches"] > known["matches"]
    assert found["plies"] > known["plies"] == 7


@pytest.mark.parametrize(("score", "is_used"), [(0.9, True), (0.5, False), (None, False)])
def test_an_analysis_uses_what_is_trusted(store: Store, score: float | None, is_used: bool) -> None:
    description, known = made("connectfour")
    store.keep(description, replace(known, learned=replace(known.learned, score=score)))
    assert analysed("connectfour", kind="solve", seconds=4.0)["net"] is is_used


def test_a_puzzle_is_not_learned() -> None:
    assert learned("lightsout") == {"learned": None, "can_learn": False}
