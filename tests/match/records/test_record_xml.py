"""The records of others in XML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.errors import RecordError
from ggp.kif import parse
from ggp.match import MatchRecord
from ggp.match.records.xml import xml_fields
from tests.match.games import PICK
from tests.match.records.replays import dresden_xml, ggp_base_xml, opened, played, write_dresden
from tests.match.records.test_record import RECORD

ROLES = ["LEFT", "RIGHT"]

#: As ggp-base writes a match of one step, with a proposition and nested terms.
GGP_BASE = (
    "<match><isCompleted>true</isCompleted><goalValues>100</goalValues><goalValues>0</goalValues>"
    "<errorHistory><errors><error></error><error></error></errors>"
    "<errors><error>TO</error><error>IL (pick 9)</error></errors></errorHistory>"
    "<startTime>1700000000000</startTime><matchId>m.1</matchId><playClock>15</playClock>"
    "<herstory><state><fact>over</fact></state><state>"
    "<fact><relation>at</relation><argument>1</argument><argument><relation>s</relation>"
    "<argument><relation>s</relation><argument>z</argument></argument></argument></fact>"
    "<fact>over</fact></state></herstory>"
    "<stateTimes>1</stateTimes><stateTimes>2</stateTimes><scrambled>false</scrambled>"
    "<history><move><action><relation>pick</relation><argument>1</argument></action>"
    "<action>noop</action></move></history>"
    "<previewClock>-1</previewClock><isAborted>false</isAborted><startClock>30</startClock>"
    "<gameMetaURL>http://games.ggp.org/base/games/pick/</gameMetaURL>"
    "<randomToken>abc</randomToken><matchHostPK>0MII</matchHostPK></match>"
)


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    with opened(PICK) as reasoner:
        return played(reasoner)


def read(folder: Path, text: str | bytes) -> MatchRecord:
    path = folder / "record.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return MatchRecord.read(path)


def test_a_record_of_ggp_base_is_read(tmp_path: Path) -> None:
    record = read(tmp_path, GGP_BASE)
    assert record == MatchRecord(
        match_id="m.1",
        random_token="abc",
        start_time=1_700_000_000_000,
        game_meta_url="http://games.ggp.org/base/games/pick/",
        start_clock=30,
        play_clock=15,
        is_completed=True,
        states=(parse("over"), parse("(at 1 (s (s z))) over")),
        state_times=(1, 2),
        moves=(parse("(pick 1) noop"),),
        errors=(("", ""), ("TO", "IL (pick 9)")),
        goal_values=(100, 0),
    )


def test_xml_of_ggp_base_says_what_its_json_says(tmp_path: Path, record: MatchRecord) -> None:
    assert read(tmp_path, ggp_base_xml(record)) == record
    assert MatchRecord.from_json(record.to_json()) == record


def test_a_match_that_never_began_has_no_states(tmp_path: Path) -> None:
    nothing = replace(RECORD, states=(), moves=(), state_times=(), errors=(), goal_values=())
    text = ggp_base_xml(replace(nothing, is_completed=False, is_aborted=True, play_clock=5))
    text = text.replace("<tournamentNameFromHost>None</tournamentNameFromHost>", "")
    assert read(tmp_path, text) == replace(
        nothing, is_completed=False, is_aborted=True, play_clock=5
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<match>", "this is not XML: no element found"),
        ("<match><matchId>m</match>", "this is not XML: mismatched tag"),
        ("<html></html>", "a record in XML is a <match>, not a <html>"),
        ("<match></match>", "no record: neither JSON, nor XML"),
        ('<?xml version="1.0" encoding="klingon"?><match/>', "this is not XML"),
        (GGP_BASE.replace(">1700000000000<", ">now<"), "startTime should be an integer, not 'now'"),
        (GGP_BASE.replace(">true<", ">yes<"), "isCompleted should be true or false, not 'yes'"),
        (GGP_BASE.replace(">noop<", ">a) (b<"), "<action> holds no term: 'a\\) \\(b'"),
        (GGP_BASE.replace(">z<", "><"), "<argument> holds no term: ''"),
        (GGP_BASE.replace("<stateTimes>1</stateTimes>", ""), "stateTimes has 1 entries"),
        (GGP_BASE.replace("<startClock>30</startClock>", ""), "startClock is missing"),
        (GGP_BASE.replace("<fact>over", "<fact>" + "<arg>" * 3 + "x" + "</arg>" * 3), "no term"),
    ],
)
def test_text_that_is_not_a_record_is_an_error(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(RecordError, match=rf"record\.xml: .*{complaint}"):
        read(tmp_path, text)


def test_xml_that_is_meant_to_do_harm_does_none(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    laughs = (
        f'<!DOCTYPE match [<!ENTITY l0 "lol">{entities}]><match><matchId>&l9;</matchId></match>'
    )
    with pytest.raises(RecordError, match="this is not XML"):
        read(tmp_path, laughs)
    (tmp_path / "secret").write_text("s3cret")
    outside = f'<!DOCTYPE match [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    with pytest.raises(RecordError):
        read(tmp_path, outside + GGP_BASE.replace(">m.1<", ">&x;<"))
    nested = "<fact><relation>f</relation>" + "<argument><relation>f</relation>" * 5000
    nested += "<argument>x</argument>" + "</argument>" * 5000 + "</fact>"
    with pytest.raises(RecordError, match="nested too deep"):
        read(tmp_path, GGP_BASE.replace("<fact>over</fact>", nested, 1))


@given(data=st.data())
def test_whatever_is_changed_is_read_or_refused(data: st.DataObject) -> None:
    text = GGP_BASE.encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    changed = text[:start] + data.draw(st.binary(max_size=12)) + text[end:]
    try:
        record = MatchRecord.from_fields(xml_fields(changed, Path("/nowhere/record.xml")))
    except (RecordError, FileNotFoundError) as error:
        assert str(error)  # noqa: PT017 - both ends are fine
    else:
        assert MatchRecord.from_json(record.to_json()) == record


# Dresden


def test_a_record_of_dresdens_is_read_from_its_folder(tmp_path: Path, record: MatchRecord) -> None:
    write_dresden(tmp_path / "match", record, ROLES)
    read = MatchRecord.read(tmp_path / "match")
    assert read.match_id == record.match_id
    assert read.player_names == ("PLAYER0", "PLAYER1")
    assert (read.start_clock, read.play_clock, read.is_completed) == (30, 15, True)
    assert read.state_times == record.state_times
    assert read.goal_values == record.goal_values
    assert [[str(move).lower() for move in moves] for moves in read.moves] == [
        [str(move) for move in moves] for moves in record.moves
    ]
    assert [{str(fact).lower() for fact in facts} for facts in read.states] == [
        {str(fact) for fact in facts} for facts in record.states
    ]


@pytest.mark.parametrize("name", ["finalstate.xml", "step_1.xml", "step_3.xml"])
def test_any_file_of_the_folder_stands_for_it(
    tmp_path: Path, record: MatchRecord, name: str
) -> None:
    write_dresden(tmp_path / "match", record, ROLES)
    assert MatchRecord.read(tmp_path / "match" / name) == MatchRecord.read(tmp_path / "match")


def test_stanfords_names_for_terms_are_understood(tmp_path: Path, record: MatchRecord) -> None:
    write_dresden(tmp_path / "match", record, ROLES)
    expected = MatchRecord.read(tmp_path / "match")
    for path in (tmp_path / "match").iterdir():
        text = path.read_text(encoding="iso-8859-1")
        for old, new in (("prop-f>", "relation>"), ("arg>", "argument>")):
            text = text.replace(old, new)
        path.write_text(text, encoding="iso-8859-1")
    assert MatchRecord.read(tmp_path / "match") == expected


def test_a_match_that_goes_on_has_no_goals(tmp_path: Path, record: MatchRecord) -> None:
    write_dresden(tmp_path / "match", record, ROLES)
    (tmp_path / "match" / f"step_{len(record.states)}.xml").unlink()
    (tmp_path / "match" / "finalstate.xml").unlink()
    read = MatchRecord.read(tmp_path / "match")
    assert (read.is_completed, read.goal_values) == (False, ())
    assert len(read.moves) == len(record.moves) - 1


def test_letters_beyond_ascii_are_read(tmp_path: Path, record: MatchRecord) -> None:
    write_dresden(tmp_path / "match", replace(record, player_names=("Jos\u00e9", "<&>")), ROLES)
    assert MatchRecord.read(tmp_path / "match").player_names == ("JOS\u00c9", "<&>")


def test_what_is_missing_in_a_folder_is_told(tmp_path: Path, record: MatchRecord) -> None:
    write_dresden(tmp_path / "match", record, ROLES)
    (tmp_path / "match" / "step_2.xml").rename(tmp_path / "step_2.xml")
    with pytest.raises(RecordError, match=r"match: step_2\.xml is missing"):
        MatchRecord.read(tmp_path / "match")
    other = dresden_xml(replace(record, match_id="other"), ROLES, 2)
    (tmp_path / "match" / "step_2.xml").write_text(other)
    with pytest.raises(RecordError, match=r"step_2\.xml does not belong to step_4\.xml"):
        MatchRecord.read(tmp_path / "match")
    blind = dresden_xml(record, ROLES, 4).replace("<move>", "<no>").replace("</move>", "</no>")
    (tmp_path / "match" / "step_4.xml").write_text(blind.replace("RANDOM", "LEFT"))
    with pytest.raises(RecordError, match=r"the moves are left out, .* what LEFT could see"):
        MatchRecord.read(tmp_path / "match")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="empty: no record"):
        MatchRecord.read(tmp_path / "empty")
