"""Reviews of matches: the values of all moves, mistakes, and the better line."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.server.manager.manager import Manager
from ggp.server.manager.processes.review import review
from ggp.server.manager.setup import Seat
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import begin
from tests.manager.drawn import GAMES
from tests.processes import happens

#: Six toothpicks; who takes the last one loses. To leave five is right, to leave three is wrong.
NIM = [["(take 3)", "noop"], ["noop", "(take 2)"]]


def reviewed(name: str, moves: list[list[str]]) -> list[dict[str, object]]:
    game = Description.load(GAMES / f"{name}.kif")
    *_, last = review(game, moves, Deadline.after(60))
    assert last["complete"]
    steps: list[dict[str, object]] = last["steps"]
    return steps


@pytest.mark.usefixtures("forked")
def test_a_move_that_throws_the_win_away_is_a_blunder() -> None:
    first, second = reviewed("nim", NIM)
    assert (first["role"], first["step"], first["mark"]) == (0, 0, "??")
    assert (first["value"], first["after"], first["proven"]) == (100.0, 0.0, True)
    line = first["line"]
    assert isinstance(line, list)
    assert line[0] == ["(take 1)", "noop"]
    assert (second["role"], second["mark"], second["value"], second["line"]) == (1, "", 100.0, [])


def test_hidden_information_is_not_reviewed() -> None:
    with pytest.raises(GameError, match="hides information"):
        list(review(Description.load(GAMES / "montyhall.kif"), [], Deadline.after(60)))


@pytest.mark.long
def test_a_review_is_kept_with_the_record_and_removed_with_it(manager: Manager) -> None:
    client = make_app(manager).test_client()
    match = begin(manager, "nim", Seat("human"), Seat("player", "legal"))
    assert happens(lambda: match.legal(0, 0) is not None, within=60)
    address = f"/api/records/{match.id}/review"
    assert client.post(address, json={}).status_code == 400  # it is not over
    for turn in range(0, 12, 2):
        assert happens(lambda t=turn: match.is_over or match.legal(0, t) is not None, within=60)  # type: ignore[misc]
        if match.is_over:
            break
        match.make_move(0, turn, (match.legal(0, turn) or [""])[0])
    assert match.is_over
    assert "id" in client.post(address, json={}).get_json()
    assert happens(lambda: client.get(address).get_json()["review"] is not None, within=90)
    found = client.post(address, json={}).get_json()["review"]
    assert found["complete"]
    assert [step["step"] for step in found["steps"]] == sorted(s["step"] for s in found["steps"])
    client.post(f"/records/{match.id}/remove")
    assert manager.records.review(match.id) is None


def test_a_match_in_play_is_not_reviewed_even_between_programs(manager: Manager) -> None:
    client = make_app(manager).test_client()
    match = begin(manager, "nim", Seat("player", "legal"), Seat("player", "legal"))
    match.close()  # it rests, and is not over
    match.record.parent.mkdir(parents=True, exist_ok=True)
    match.record.write_text("{}")
    reply = client.post(f"/api/records/{match.id}/review", json={})
    assert (reply.status_code, "is being played" in reply.text) == (400, True)
