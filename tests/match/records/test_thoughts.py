"""What players think is told by the referee, and recorded."""

from __future__ import annotations

import json

import pytest

from ggp.match import LocalPlayer, MoveMade, Participant, PlayersReady, Scrambled
from tests.match.games import PICK
from tests.match.participants import Fixed
from tests.match.test_referee import play

pytestmark = pytest.mark.usefixtures("forked")


def test_what_players_think_is_told_and_recorded() -> None:
    events, record = play(PICK, LocalPlayer("tests.match.bad_players.Telling"), Fixed("(pick 1)"))
    infos = [event.search[0] for event in events if isinstance(event, MoveMade)]
    assert [info.nodes for info in infos if info] == [1234] * 3
    told = {
        "value": 20.5, "depth": 2, "nodes": 1234, "seconds": 0.0, "proven": False,
        "classifier": None, "leafValues": None, "prunes": {"shallow": 3}, "reasoner": "prolog",
        "variation": [["(pick 1)", "(pick 1)"]] * 12,
    }  # fmt: skip
    assert record.search == ((told, None),) * 3


@pytest.mark.long
@pytest.mark.parametrize("is_scrambled", [False, True])
def test_the_record_has_the_end_of_each_search_and_of_that_of_the_start_clock(
    monkeypatch: pytest.MonkeyPatch, is_scrambled: bool
) -> None:
    # However busy the machine is: usually the last thought comes some milliseconds after the clock.
    monkeypatch.setattr("ggp.match.referee._LAST_INFO", 60.0)
    player: Participant = LocalPlayer("tests.match.bad_players.LastWord")
    if is_scrambled:
        player = Scrambled(player, seed=1)
    events, record = play(PICK, player, Fixed("(pick 1)"), start_clock=0.2, play_clock=0.2)
    searched = [info["nodes"] for info, _ in record.search if info]
    assert searched == [1000] * 3
    mine, others = record.start_search
    assert mine is not None
    assert (mine["value"], mine["nodes"], others) == (40, 1000, None)
    (ready,) = (event for event in events if isinstance(event, PlayersReady))
    assert [info and info.nodes for info in ready.search] == [1000, None]
    written = json.loads(record.to_json())
    assert written["startSearch"] == [mine, None]


def test_a_wrapped_participant_is_asked_all_that_a_participant_is_asked() -> None:
    asked = {name for name, each in vars(Participant).items() if callable(each) and name[0] != "_"}
    assert asked <= vars(Scrambled).keys()


def test_a_scrambled_player_thinks_in_the_words_of_the_game() -> None:
    telling = Scrambled(LocalPlayer("tests.match.bad_players.Telling"), seed=3)
    _, record = play(PICK, telling, Fixed("(pick 1)"))
    assert record.moves
    for (info, _), (move, _) in zip(record.search, record.moves, strict=True):
        assert info is not None
        assert info["variation"][0][0] == str(move)
