"""The manager's pages tell what was learned of a game, add to it, and use it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ggp.learning import Store
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.analyst import find
from ggp.server.manager.processes.guide import Guide
from ggp.server.manager.processes.questions import Draw, Learned, Values
from ggp.server.manager.setup import Seat
from ggp.server.manager.viewers import view_of
from ggp.server.manager.web.app import make_app
from tests.engine.loaded import loaded_learner  # noqa: F401 - a fixture
from tests.learning.test_store import made
from tests.manager.conftest import begin
from tests.manager.drawn import GAMES
from tests.processes import happens

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
    return Guide(rules(game)).answer(Learned())


@pytest.mark.long
@pytest.mark.usefixtures("loaded_learner")
def test_a_game_is_learned_and_the_page_says_so() -> None:
    assert learned("tictactoe") == {"learned": None, "can_learn": True}
    reports: list[dict[str, Any]] = []
    task = {"kind": "learn", "rules": rules("tictactoe"), "seconds": 10.0}
    *_, found = find(task, tell=reports.append)
    assert found["kept"]
    assert found["learned"]["plies"] == reports[-1]["plies"] > 1000
    assert found["learned"]["trial"] > 0
    assert learned("tictactoe")["learned"] == found["learned"]


@pytest.mark.long
@pytest.mark.usefixtures("loaded_learner")
def test_a_lesson_adds_to_what_there_is(store: Store) -> None:
    store.keep(*made("tictactoe"))
    known = learned("tictactoe")["learned"]
    found = analysed("tictactoe", kind="learn", seconds=6.0)["learned"]
    assert found["matches"] > known["matches"]
    assert found["plies"] > known["plies"] == 7


@pytest.mark.sample(1)
@pytest.mark.parametrize(("score", "is_used"), [(0.9, True), (0.5, False)])
def test_an_analysis_uses_what_is_trusted(store: Store, score: float, is_used: bool) -> None:
    description, known = made("connectfour")
    store.keep(description, replace(known, learned=replace(known.learned, score=score)))
    assert analysed("connectfour", kind="solve", seconds=2.0)["net"] is is_used


def test_a_puzzle_is_not_learned() -> None:
    assert learned("lightsout") == {"learned": None, "can_learn": False}


@pytest.mark.parametrize(("score", "is_told"), [(0.9, True), (0.5, False)])
def test_a_trusted_network_says_what_it_expects_of_a_state(
    store: Store, score: float, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    description, known = made("connectfour")
    store.keep(description, replace(known, learned=replace(known.learned, score=score)))
    guide = Guide(rules("connectfour"))
    facts = guide.answer(Draw())["facts"]
    looks: list[float] = []
    find_net = Store.find

    def find_and_count(*args: Any, **options: Any) -> Any:
        looks.append(options["time_limit"])
        return find_net(*args, **options)

    monkeypatch.setattr(Store, "find", find_and_count)
    values, again = (guide.answer(Values(facts))["values"] for _ in range(2))
    guide.reopen()
    assert values == again
    assert len(looks) == 1  # the network is not read anew for each state
    if is_told:
        assert len(values) == 2
        assert all(0 <= value <= 100 for value in values)
    else:
        assert values is None


def test_who_plays_is_not_told_what_a_network_expects(store: Store, manager: Manager) -> None:
    description, known = made("connectfour")
    store.keep(description, replace(known, learned=replace(known.learned, score=0.9)))
    match = begin(manager, "connectfour", Seat("human"), Seat("player", "legal"))
    assert happens(lambda: match.legal(0, 0) is not None, within=60)
    client = make_app(manager).test_client()
    address = f"/api/matches/{match.id}/values/0"
    assert client.get(f"{address}?as={view_of(match.setup.host)}").get_json() == {"values": None}
    assert client.get(f"/api/records/{match.id}/values/0").get_json() == {"values": None}
    assert len(client.get(address).get_json()["values"]) == 2
    match.abort()
    assert happens(lambda: match.is_over, within=60)
