"""The records of Stanford's Gamemaster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ggp.errors import RecordError
from ggp.match import MatchRecord, MatchSummary, completed, first_mistake
from ggp.reasoner import Reasoner
from ggp.server.manager.processes.guide import Guide
from ggp.server.manager.processes.questions import ReadRecord, RecordPlace, Verify
from tests.cli.command import ggp
from tests.match.games import PICK
from tests.match.records.replays import opened, played, stanford_2007_xml, stanford_2008_xml

#: A game with propositions and nested terms, in moves and in facts.
NESTED = """
(role me) (init start)
(<= (legal me (put (at 1 (s (s z))) down)) (true start))
(<= (legal me rest) (not (true start)))
(<= (next (put ?where)) (does me (put ?where down)))
(<= (next over) (does me rest)) (<= (next (put ?where)) (true (put ?where)))
(<= terminal (true over)) (goal me 100)
"""
ROLES = ["left", "right"]

Write = Callable[[MatchRecord, list[str]], str]


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    with opened(PICK) as opened_reasoner:
        yield opened_reasoner


@pytest.fixture(scope="module")
def record(reasoner: Reasoner) -> MatchRecord:
    return played(reasoner)


def read(folder: Path, text: str) -> MatchRecord:
    path = folder / "Match.3390055120.xml"
    path.write_text(text)
    return MatchRecord.read(path)


def test_a_record_of_2007_tells_the_moves_and_the_last_state(
    tmp_path: Path, record: MatchRecord, reasoner: Reasoner
) -> None:
    found = read(tmp_path, stanford_2007_xml(record, ROLES))
    assert found.moves == record.moves
    assert (found.match_id, found.goal_values) == (record.match_id, record.goal_values)
    assert found.player_names == ("PLAYER0", "PLAYER1")
    assert (found.states, len(found.final_state)) == ((), len(record.states[-1]))
    assert (found.start_time, found.start_clock, found.play_clock) == (0, -1, -1)
    assert found.is_completed
    assert MatchRecord.from_json(found.to_json()) == found
    assert first_mistake(found, reasoner) is None
    assert completed(found, reasoner).states == record.states
    assert completed(record, reasoner) is record
    summary = MatchSummary.read(tmp_path / "Match.3390055120.xml")
    assert (summary.steps, summary.goal_values) == (len(record.moves), record.goal_values)


def test_a_record_of_2008_tells_all(
    tmp_path: Path, record: MatchRecord, reasoner: Reasoner
) -> None:
    found = read(tmp_path, stanford_2008_xml(record, ROLES))
    assert found == replace(
        record,
        random_token="",
        start_time=0,
        game_meta_url="",
        is_player_human=(),
        state_times=(0,) * len(record.states),
        errors=(),
    )
    assert first_mistake(found, reasoner) is None


@pytest.mark.parametrize("write", [stanford_2007_xml, stanford_2008_xml])
def test_nested_terms_and_propositions_are_read(tmp_path: Path, write: Write) -> None:
    with opened(NESTED) as nested:
        record = played(nested)
        found = read(tmp_path, write(record, ["me"]))
        assert found.moves == record.moves
        assert str(found.moves[0][0]) == "(put (at 1 (s (s z))) down)"
        assert first_mistake(found, nested) is None


def test_what_is_wrong_in_a_record_without_states_is_found(
    tmp_path: Path, record: MatchRecord, reasoner: Reasoner
) -> None:
    text = stanford_2007_xml(record, ROLES)
    illegal = read(tmp_path, text.replace("<move>pick(", "<move>take(", 1))
    mistake = first_mistake(illegal, reasoner)
    assert mistake is not None
    assert (mistake.step, "may not do (take " in mistake.reason) == (1, True)
    with pytest.raises(RecordError, match=r"step 1: left may not do \(take "):
        completed(illegal, reasoner)
    mistake = first_mistake(read(tmp_path, text.replace("f>STEP<", "f>STOP<")), reasoner)
    assert mistake is not None
    assert mistake.step == len(record.moves)
    assert "(STOP 3) is recorded, but not true" in mistake.reason


def _with_move(text: str) -> str:
    step = f"<step><step-number>1</step-number><move>{text}</move></step>"
    return f"<match><match-id>m</match-id><history>{step}</history></match>"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("noop", "noop"),
        ("noop()", "noop"),
        ("move(1,2,2,3)", "(move 1 2 2 3)"),
        (" f( 1 , g(h(2),3) ) ", "(f 1 (g (h 2) 3))"),
        ("(f 1 (g 2))", "(f 1 (g 2))"),
    ],
)
def test_a_move_is_read_from_its_notation(tmp_path: Path, text: str, move: str) -> None:
    assert list(map(str, read(tmp_path, _with_move(text)).moves[0])) == [move]


@pytest.mark.parametrize(
    "text", ["", "f(1", "f(1,)", "f(,1)", "f 1", "f(1))", "f(1) g", "f,1", ")", "f((1))"]
)
def test_what_is_no_move_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(RecordError, match="<move> holds no move"):
        read(tmp_path, _with_move(text))


def test_a_record_that_tells_no_moves_is_an_error(tmp_path: Path) -> None:
    scores = "<scores><reward>100</reward></scores>"
    with pytest.raises(RecordError, match="the scores, but no moves"):
        read(tmp_path, f"<match><match-id>FINAL.3330101476</match-id>{scores}</match>")
    missing = _with_move("noop").replace(">1<", ">2<")
    with pytest.raises(RecordError, match="<step-number> should count from 1 to 1"):
        read(tmp_path, missing)


def test_the_command_replays_a_record_without_states(tmp_path: Path, record: MatchRecord) -> None:
    (tmp_path / "pick.kif").write_text(PICK)
    path = tmp_path / "Match.1.xml"
    path.write_text(stanford_2007_xml(record, ROLES))
    said = ggp("replay", path, "--game", tmp_path / "pick.kif", "--reasoner", "prolog")
    assert said.code == 0, said
    assert f"{len(record.moves)} steps, right" in said.out


def test_the_manager_shows_the_states_that_the_rules_give(
    tmp_path: Path, record: MatchRecord
) -> None:
    path = tmp_path / "Match.1.xml"
    path.write_text(stanford_2007_xml(record, ROLES))
    guide = Guide(PICK)
    try:
        told = guide.answer(ReadRecord(RecordPlace(str(path))))
        assert told["states"] == [list(map(str, facts)) for facts in record.states]
        assert len(told["state_times"]) == len(record.states)
        assert guide.answer(Verify(RecordPlace(str(path))))["mistake"] is None
    finally:
        guide.reopen()
    with pytest.raises(RecordError, match="no states, and its game is not known"):
        Guide(None).answer(ReadRecord(RecordPlace(str(path))))
