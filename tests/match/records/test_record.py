from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import RecordError
from ggp.kif import Symbol, parse, parse_term
from ggp.match import MatchRecord

RECORD = MatchRecord(
    match_id="pick.1700000000000.ab12",
    random_token="t0ken",
    start_time=1_700_000_000_000,
    game_meta_url="file:///games/pick.kif",
    start_clock=10,
    play_clock=0.5,
    player_names=("legal", "http://localhost:9147"),
    is_player_human=(False, False),
    is_completed=True,
    states=(parse("(step 0)"), parse("(picked left 1) (step 1)")),
    state_times=(1_700_000_000_100, 1_700_000_000_200),
    moves=((parse_term("(pick 1)"), Symbol("noop")),),
    errors=(("", "TO"), ("", "IL (pick 9)")),
    goal_values=(100, 0),
)


def test_thoughts_read_back_and_older_records_have_none_of_the_start_clock() -> None:
    thought = {"value": 50, "nodes": 1234}
    told = replace(RECORD, search=((None, thought),), start_search=(thought, None))
    written = json.loads(told.to_json())
    assert (written["search"], written["startSearch"]) == ([[None, thought]], [thought, None])
    assert MatchRecord.from_json(told.to_json()) == told
    assert "startSearch" not in json.loads(RECORD.to_json())
    assert MatchRecord.from_json(RECORD.to_json()).start_search == ()


@pytest.mark.parametrize(
    ("start_search", "complaint"),
    [
        ([7, None], r"startSearch\[0\] should be an object, not 7"),
        ({}, "startSearch should be a list"),
        ([None], "startSearch has 1 entries for 2 roles"),
    ],
)
def test_thoughts_of_the_start_clock_are_checked(start_search: object, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        MatchRecord.from_json(fields(startSearch=start_search))


def fields(**changes: object) -> str:
    """The record's JSON with some fields changed; None leaves one out."""
    changed: dict[str, Any] = json.loads(RECORD.to_json()) | changes
    return json.dumps({name: value for name, value in changed.items() if value is not None})


def test_a_record_has_the_fields_of_ggp_base() -> None:
    assert json.loads(RECORD.to_json()) == {
        "matchId": "pick.1700000000000.ab12",
        "randomToken": "t0ken",
        "startTime": 1700000000000,
        "gameMetaURL": "file:///games/pick.kif",
        "isCompleted": True,
        "isAborted": False,
        "states": ["( (step 0) )", "( (picked left 1) (step 1) )"],
        "moves": [["(pick 1)", "noop"]],
        "stateTimes": [1700000000100, 1700000000200],
        "errors": [["", "TO"], ["", "IL (pick 9)"]],
        "goalValues": [100, 0],
        "previewClock": -1,
        "startClock": 10,
        "playClock": 0.5,
        "playerNamesFromHost": ["legal", "http://localhost:9147"],
        "isPlayerHuman": [False, False],
        "scrambled": False,
    }


def test_a_record_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "matches" / "record.json"
    RECORD.write(path)
    assert MatchRecord.read(path) == RECORD
    assert [file.name for file in path.parent.iterdir()] == ["record.json"]


def test_writing_replaces_the_whole_file_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text("x" * 100_000)
    RECORD.write(path)
    assert MatchRecord.read(path) == RECORD
    blocked = tmp_path / "folder"
    blocked.mkdir()
    with pytest.raises(OSError, match="folder"):
        RECORD.write(blocked)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "record.json"]


def test_a_record_of_ggp_base_is_read() -> None:
    # Blanks inside parentheses, facts in no order, optional fields missing, unknown ones added.
    text = fields(
        states=["( ( step 0 ) )", "( ( step 1 ) ( picked left 1 ) )"],
        moves=[["( pick 1 )", "noop"]],
        playClock=15,
        errors=None,
        previewClock=None,
        isAborted=None,
        playerNamesFromHost=None,
        isPlayerHuman=None,
        scrambled=None,
        tournamentNameFromHost="cup",
        matchHostPK="0xABCD",
    )
    record = MatchRecord.from_json(text)
    assert record.states == RECORD.states
    assert record.moves == RECORD.moves
    assert (record.errors, record.player_names) == ((), ())
    assert (record.preview_clock, record.play_clock) == (-1, 15)
    assert record.tournament_name == "cup"
    assert MatchRecord.from_json(record.to_json()) == record


def test_the_facts_of_a_state_are_written_in_order() -> None:
    record = MatchRecord(
        match_id="m",
        random_token="t",
        start_time=0,
        game_meta_url="",
        start_clock=1,
        play_clock=1,
        states=(parse("(b 2) a (b 10)"),),
        state_times=(0,),
    )
    assert json.loads(record.to_json())["states"] == ["( (b 10) (b 2) a )"]


def test_a_match_that_never_began_reads_back() -> None:
    text = fields(
        states=[],
        moves=[],
        stateTimes=[],
        errors=None,
        goalValues=None,
        isCompleted=False,
        isAborted=True,
    )
    record = MatchRecord.from_json(text)
    assert MatchRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"matchId": None}, "matchId is missing"),
        ({"matchId": 7}, "matchId should be a string, not 7"),
        ({"startTime": "now"}, "startTime should be an integer, not 'now'"),
        ({"startTime": True}, "startTime should be an integer, not True"),
        ({"playClock": "5"}, "playClock should be a number, not '5'"),
        ({"playClock": float("inf")}, "playClock should be a number, not inf"),
        ({"isCompleted": 1}, "isCompleted should be true or false, not 1"),
        ({"states": "( )"}, "states should be a list"),
        ({"states": ["( (step 0) )", 5]}, r"states\[1\] should be a string, not 5"),
        ({"states": ["( (step 0) )", "( (step 1)"]}, r"states\[1\]: .*never closed"),
        ({"states": ["( (step 0) )", "step"]}, r"states\[1\] should be a list of facts"),
        ({"states": ["( (step 0) )"]}, "states has 1 entries, 1 moves need 2"),
        ({"stateTimes": [1]}, "stateTimes has 1 entries, 1 moves need 2"),
        ({"moves": ["noop"]}, r"moves\[0\] should be a list, not 'noop'"),
        ({"moves": [["noop", None]]}, r"moves\[0\]\[1\] should be a string, not None"),
        ({"moves": [["noop", "a b"]]}, r"moves\[0\]: expected the end"),
        ({"errors": [["", ""]]}, "errors has 1 entries, 1 moves need 2"),
        ({"errors": [["", ""], [""]]}, r"errors\[1\] has 1 entries for 2 roles"),
        ({"goalValues": [1, 2, 3]}, "goalValues has 3 entries for 2 roles"),
    ],
)
def test_what_is_wrong_is_pointed_at(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        MatchRecord.from_json(fields(**changes))


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "[" * 100_000])
def test_text_that_is_not_a_json_object_is_not_a_record(text: str) -> None:
    with pytest.raises(RecordError):
        MatchRecord.from_json(text)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b'{"matchId": "\xff"}')
    with pytest.raises(RecordError, match=r"bad\.json: not UTF-8"):
        MatchRecord.read(path)
    path.write_text("{}")
    with pytest.raises(RecordError, match=r"bad\.json: matchId is missing"):
        MatchRecord.read(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(name=st.sampled_from(sorted(json.loads(RECORD.to_json()))), value=JSON)
def test_any_field_may_hold_anything(name: str, value: object) -> None:
    try:
        record = MatchRecord.from_json(fields(**{name: value}))
    except RecordError as error:
        assert str(error)  # noqa: PT017 - both ends are fine
    else:
        assert MatchRecord.from_json(record.to_json()) == record
