"""What a person who plays is told: nothing that depends on what an opponent is about to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import ForkServer, seats
from ggp.reasoner import open_reasoner
from ggp.server.manager.drawing.play import random_lines
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.setup import Seat
from ggp.server.manager.viewers import view_of
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import begin, opened
from tests.manager.drawn import GAMES
from tests.processes import happens

#: Asked by the page of a match, after its address.
ASKED = ("", "/summary", "/drawings/{step}", "/scenes/{step}", "/record.json")


#: The bundled games in which several roles choose at once, and those that hide something.
SIMULTANEOUS = ["rockpaperscissors", "auction", "rendezvous", "tron"]
HIDDEN = ["kriegtictactoe", "montyhall"]


def games(*, are_hidden: bool) -> list[str]:
    """The bundled games that hide something, or else those with simultaneous choices."""
    found = []
    for path in sorted(GAMES.glob("*.kif")):
        game = Description.load(path)
        if game.has_imperfect_information:
            if are_hidden:
                found.append(path.stem)
        elif not are_hidden:
            with open_reasoner(game, kind="prolog") as reasoner:
                lines = random_lines(reasoner, deadline=Deadline.after(60), lines=2, max_steps=12)
            views = [view for line in lines for view in line.legal]
            if any(sum(len(moves) > 1 for moves in view) > 1 for view in views):
                found.append(path.stem)
    return found


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Manager]:
    with opened(tmp_path_factory.mktemp("fairness"), fork_server) as manager:
        yield manager


def begin_of_people(own: Manager, name: str) -> Match:
    """Begin a match in which people play all roles."""
    roles = seats(Description.load(GAMES / f"{name}.kif"))
    return begin(own, name, *(Seat("human") for _ in roles), play_clock=60.0)


def turn_of(match: Match, number: int) -> dict[str, Any]:
    def found() -> dict[str, Any] | None:
        turns = [event for event in match.log if event["event"] == "turn"]
        return turns[-1] if turns and turns[-1]["turn"] == number else None

    assert happens(lambda: found() is not None or match.is_over, within=60)
    told = found()
    assert told is not None
    return told


def keys(match: Match) -> dict[int, str]:
    return {role: seat.key for role, seat in match.people().items()}


def told_to(match: Match, role: int | None, client: FlaskClient) -> str:
    """All that the seat of a role is told, or a watcher, without times and names of the match."""
    layout = f"/api/games/{match.game.id}/layout"  # a busy machine finds the board by and by
    assert happens(lambda: client.get(layout).get_json()["is_settled"], within=90)
    view = "" if role is None else view_of(keys(match)[role])
    events, count, _ = match.events(0, timeout=0, view=view)
    step = len(match.moves)
    answers = [
        client.get(f"/api/matches/{match.id}{path.format(step=step)}?as={view}")
        if path != "/record.json"
        else client.get(f"/matches/{match.id}{path}")
        for path in ASKED
    ]
    text = json.dumps([events, count]) + "".join(answer.text for answer in answers)
    text += client.get(f"/records/{match.id}/record.json").text
    text = text.replace(match.id, "MATCH")
    text = re.sub(r'"(time|startTime|seconds)": ?[0-9.e+]+', r'"\1": 0', text)
    text = re.sub(r'"(stateTimes|seconds)": ?\[[^]]*\]', r'"\1": []', text)
    return re.sub(r'"randomToken": ?"\w*"', '"randomToken": ""', text)


def played(own: Manager, name: str, client: FlaskClient, which: int) -> str:
    """What a seat is told when an opponent has chosen its first or its last legal move."""
    match = begin_of_people(own, name)
    for number in range(40):
        turn = turn_of(match, number)
        legal = {int(role): moves for role, moves in turn["legal"].items()}
        if len(legal) > 1:
            chooser, *opponents = legal
            for opponent in opponents:
                match.make_move(opponent, number, legal[opponent][which])
                assert happens(lambda o=opponent, n=number: match.legal(o, n) is None, within=60)  # type: ignore[misc]
            told = told_to(match, chooser, client)
            break
        for role, moves in legal.items():
            match.make_move(role, number, moves[0])
    else:
        raise AssertionError("no turn with two choices")
    match.abort()
    assert happens(lambda: match.is_over, within=60)
    return told


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_a_seat_is_not_told_what_an_opponent_has_just_chosen(own: Manager, name: str) -> None:
    client = make_app(own).test_client()
    assert played(own, name, client, 0) == played(own, name, client, -1)


@pytest.mark.long
def test_all_bundled_games_of_these_kinds_are_tried() -> None:
    assert games(are_hidden=False) == sorted(SIMULTANEOUS)
    assert games(are_hidden=True) == sorted(HIDDEN)


def test_a_role_is_not_told_what_the_rules_hide(own: Manager) -> None:
    """What x marks is no part of what o is told: the same percepts are the same bytes."""
    client = make_app(own).test_client()

    def told(move: str) -> str:
        match = begin_of_people(own, "kriegtictactoe")
        turn_of(match, 0)
        match.make_move(0, 0, move)
        turn_of(match, 1)
        text = told_to(match, 1, client)
        assert "hide something" in client.get(f"/records/{match.id}").text
        match.give_up(1)
        assert happens(lambda: match.is_over, within=60)
        assert move in json.dumps(match.events(0, timeout=0, view=view_of(match.seats[1].key))[0])
        return text

    first = told("(place 1 1)")
    assert first == told("(place 3 2)")
    assert '"possible":9' in first
    assert "your_turn" in first


def test_a_page_without_a_seat_is_told_nothing_of_a_match_that_hides_something(
    own: Manager,
) -> None:
    """A player could open it beside the page of the seat."""
    client = make_app(own).test_client()

    def told(move: str) -> str:
        match = begin_of_people(own, "kriegtictactoe")
        turn_of(match, 0)
        match.make_move(0, 0, move)
        turn_of(match, 1)
        text = told_to(match, None, client)
        listed = client.get("/api/matches").get_json()["matches"]
        assert [each["waits_for"] for each in listed if each["id"] == match.id] == [[]]
        match.give_up(1)
        assert happens(lambda: match.is_over, within=60)
        drawn = client.get(f"/api/matches/{match.id}/drawings/1").get_json()
        assert move.replace("place", "mark").replace(")", " x)") in drawn["facts"]
        return text

    first = told("(place 1 1)")
    assert first == told("(place 3 2)")
    assert '"step": 1' in first
    assert "(mark" not in first.replace("(mark 1 1 b)", "")


def test_a_watcher_of_computers_sees_all(own: Manager) -> None:
    legal = Seat("player", "legal")
    match = begin(own, "kriegtictactoe", legal, legal)
    assert happens(lambda: match.is_over, within=60)
    assert match.viewer("") is None


def test_a_candidate_is_not_told_where_the_car_is(own: Manager) -> None:
    """Chance hides it and opens a door: what is told depends on that door alone."""
    client = make_app(own).test_client()
    before: dict[str, str] = {}
    after: dict[str, dict[str, str]] = {}
    for _ in range(30):
        match = begin_of_people(own, "montyhall")
        turn_of(match, 1)
        car = match.moves[0][1]
        before[car] = told_to(match, 0, client)
        match.make_move(0, 1, "(choose 1)")
        turn_of(match, 3)
        opened_door = match.moves[2][1]
        after.setdefault(opened_door, {})[car] = told_to(match, 0, client)
        match.give_up(0)
        assert happens(lambda m=match: m.is_over, within=60)  # type: ignore[misc]
        if any(len(told) > 1 for told in after.values()):
            break
    assert len(before) > 1
    assert len(set(before.values())) == 1
    assert any(len(told) > 1 for told in after.values())
    for told in after.values():
        assert len(set(told.values())) == 1


@pytest.mark.long
def test_what_a_role_sees_is_what_it_is_told(own: Manager) -> None:
    client = make_app(own).test_client()
    match = begin_of_people(own, "kriegtictactoe")
    turn_of(match, 0)
    match.make_move(0, 0, "(place 2 2)")
    turn_of(match, 1)
    match.make_move(1, 1, "(place 2 2)")  # it is not free: o tries again
    turn_of(match, 2)
    view = view_of(keys(match)[1])
    seen = client.get(f"/api/matches/{match.id}/drawings/2?as={view}").get_json()
    assert (seen["possible"], seen["is_complete"], seen["percepts"]) == (1, True, ["not_free"])
    assert "(mark 2 2 x)" in seen["facts"]
    assert [len(moves or []) for moves in seen["legal"]] == [0, 8]
    match.abort()
    assert happens(lambda: match.is_over, within=60)


@pytest.mark.long
@pytest.mark.parametrize("name", ["nim", "rockpaperscissors"])
def test_a_seat_is_told_no_thoughts_until_the_match_is_over(own: Manager, name: str) -> None:
    player = Seat("player", "alphabeta" if name == "nim" else "mcts")
    # a person may take longer; tree search proves nothing here, and takes all its time
    match = begin(own, name, Seat("human"), player, start_clock=2.0, play_clock=1.0)
    client = make_app(own).test_client()
    view, after = view_of(match.setup.host), 0
    for number in range(30):
        if not happens(lambda n=number: match.legal(0, n) is not None or match.is_over, within=60):  # type: ignore[misc]
            continue
        if match.is_over:
            break
        news, after, is_over = match.events(after, timeout=0, view=view)
        assert not is_over
        assert not [event for event in news if event["event"] == "info"]
        assert not [event for event in news if event.get("search")]
        for path in (f"/matches/{match.id}/record.json", f"/records/{match.id}/record.json"):
            answer = client.get(path)
            assert (
                answer.status_code != 200
                or not {"search", "startSearch"} & answer.get_json().keys()
            )
        read = client.get(f"/api/records/{match.id}")
        assert read.status_code != 200 or not read.get_json()["search"]
        legal = match.legal(0, number)
        assert legal is not None
        match.make_move(0, number, legal[0])
    assert happens(lambda: match.is_over, within=60)
    # Afterwards everybody is told all.
    assert [event for event in match.events(0, timeout=0)[0] if event["event"] == "info"]
    assert client.get(f"/matches/{match.id}/record.json").get_json()["search"]
