"""Records played again by the rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.hashes import SHA1

from ggp.cli.replay import command
from ggp.kif import parse, parse_term
from ggp.match import MatchRecord, Mistake, first_mistake
from ggp.reasoner import Reasoner
from tests.cli.command import ggp, has_controls
from tests.match.games import CASES, COIN, GOALLESS
from tests.match.records.replays import GAMES, ggp_base_xml, opened, played, write_dresden
from tests.match.records.test_signature import signed

Value = TypeVar("Value")
Alter = Callable[[MatchRecord], MatchRecord]

TICTACTOE = (GAMES / "tictactoe.kif").read_text()


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    with opened(TICTACTOE) as opened_reasoner:
        yield opened_reasoner


@pytest.fixture(scope="module")
def record(reasoner: Reasoner) -> MatchRecord:
    return played(reasoner, seed=3)


@pytest.mark.parametrize("seed", range(5))
def test_a_match_played_by_the_rules_has_no_mistake(reasoner: Reasoner, seed: int) -> None:
    assert first_mistake(played(reasoner, seed=seed), reasoner) is None


@pytest.mark.parametrize("rules", [COIN, GOALLESS])
def test_chance_and_missing_goals_are_no_mistakes(rules: str) -> None:
    with opened(rules) as reasoner:
        assert first_mistake(played(reasoner), reasoner) is None


def test_capitals_do_not_count(reasoner: Reasoner, record: MatchRecord, tmp_path: Path) -> None:
    write_dresden(tmp_path / "match", record, ["X", "O"])
    assert first_mistake(MatchRecord.read(tmp_path / "match"), reasoner) is None


def test_capitals_count_where_two_facts_differ_by_them() -> None:
    with opened(CASES) as reasoner:
        record = played(reasoner)
        assert first_mistake(record, reasoner) is None
        *states, (last,) = record.states
        other = {"(at a)": "(at A)", "(at A)": "(at a)"}[str(last)]
        changed = replace(record, states=(*states, (parse_term(other),)))
        mistake = first_mistake(changed, reasoner)
    assert mistake is not None
    assert mistake.step == 1
    assert f"{other} is recorded, but not true" in mistake.reason


def test_an_unfinished_match_is_right_as_far_as_it_goes(
    reasoner: Reasoner, record: MatchRecord
) -> None:
    cut = replace(
        record,
        is_completed=False,
        is_aborted=True,
        states=record.states[:3],
        state_times=record.state_times[:3],
        moves=record.moves[:2],
        errors=record.errors[:3],
        goal_values=(),
    )
    assert first_mistake(cut, reasoner) is None
    empty = replace(cut, states=(), state_times=(), moves=(), errors=())
    assert first_mistake(empty, reasoner) is None


def changed(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    return (*values[:index], value, *values[index + 1 :])


def with_facts(step: int, change: Callable[[str], str]) -> Alter:
    def alter(record: MatchRecord) -> MatchRecord:
        text = change(" ".join(map(str, record.states[step])))
        return replace(record, states=changed(record.states, step, parse(text)))

    return alter


def with_error(step: int, *errors: str) -> Alter:
    return lambda record: replace(record, errors=changed(record.errors, step, errors))


MISTAKES: list[tuple[Alter, int, str]] = [
    (
        with_facts(0, lambda text: text.replace("(control x)", "(control o)")),
        0,
        "(control o) is recorded, but not true, and 1 facts more are wrong",
    ),
    (with_facts(2, lambda text: text + " (cell 9 9 x)"), 2, "(cell 9 9 x) is recorded, but not"),
    (
        with_facts(3, lambda text: text.replace("(control o)", "")),
        3,
        "(control o) is true, but not recorded",
    ),
    (
        lambda record: replace(record, moves=changed(record.moves, 2, record.moves[0])),
        3,
        "may not do",
    ),
    (
        lambda record: replace(record, moves=changed(record.moves, 1, record.moves[1][:1])),
        2,
        "1 moves for 2 roles",
    ),
    (
        lambda record: replace(
            record,
            moves=(*record.moves, record.moves[0]),
            states=(*record.states, record.states[-1]),
            errors=(),
        ),
        9,
        "a move was made, but the game was over",
    ),
    (
        lambda record: replace(
            record, moves=record.moves[:4], states=record.states[:5], errors=record.errors[:5]
        ),
        4,
        "the match is called completed, but the game is not over",
    ),
    (lambda record: replace(record, goal_values=(7, 50)), 8, "has a goal of"),
    (lambda record: replace(record, goal_values=(1, 2, 3)), 8, "3 goals for 2 roles"),
    (with_error(1, "IL noop", ""), 0, ""),
    (with_error(1, "", "IL noop"), 1, "o may do noop, which is called illegal"),
    (with_error(1, "TO", "IL (mark 1"), 0, ""),
]


@pytest.mark.parametrize(("alter", "step", "reason"), MISTAKES)
def test_the_first_wrong_step_is_named(
    reasoner: Reasoner,
    record: MatchRecord,
    alter: Alter,
    step: int,
    reason: str,
) -> None:
    assert len(record.moves) == 8
    mistake = first_mistake(alter(record), reasoner)
    if not reason:
        assert mistake is None
    else:
        assert mistake is not None
        assert mistake.step == step
        assert reason in mistake.reason


def test_every_wrong_fact_is_found(reasoner: Reasoner, record: MatchRecord) -> None:
    assert all(record.states)
    assert record.states
    for step, facts in enumerate(record.states):
        for index in range(len(facts)):
            fewer = facts[:index] + facts[index + 1 :]
            states = (*record.states[:step], fewer, *record.states[step + 1 :])
            assert first_mistake(replace(record, states=states), reasoner) == Mistake(
                step, f"{facts[index]} is true, but not recorded"
            )


# The command


def test_the_command_says_that_a_record_is_right(tmp_path: Path, record: MatchRecord) -> None:
    record.write(tmp_path / "record.json")
    (tmp_path / "record.xml").write_text(ggp_base_xml(record))
    write_dresden(tmp_path / "folder", record, ["X", "O"])
    names = ["record.json", "record.xml", "folder", "folder/finalstate.xml"]
    done = ggp("replay", *names, "--game", "tictactoe", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [f"{name}: 8 steps, right" for name in names]


def test_the_command_prints_no_control_characters(tmp_path: Path, record: MatchRecord) -> None:
    name = "evil\x1b[31m\n\x9b.json"
    record.write(tmp_path / name)
    done = ggp("replay", name, "--game", "tictactoe", cwd=tmp_path)
    assert (done.code, done.err, has_controls(done.out)) == (0, "", False)
    assert done.out == "evil\u241b[31m\u240a\ufffd.json: 8 steps, right\n"


@pytest.mark.long
def test_the_command_names_the_first_wrong_step(tmp_path: Path, record: MatchRecord) -> None:
    record.write(tmp_path / "right.json")
    wrong = replace(record, goal_values=(13, 50))
    wrong.write(tmp_path / "wrong.json")
    arguments = ["replay", "right.json", "wrong.json", "--game", "tictactoe"]
    done = ggp(*arguments, cwd=tmp_path)
    assert (done.code, done.err) == (1, "")
    right, mistaken = done.out.splitlines()
    assert right == "right.json: 8 steps, right"
    assert mistaken.startswith("wrong.json: 8 steps, step 8: x has a goal of ")
    found = ggp(*arguments, "--json", cwd=tmp_path).json
    assert [each["mistake"] and each["mistake"]["step"] for each in found] == [None, 8]
    assert found[0] == {
        "record": "right.json",
        "match": record.match_id,
        "steps": 8,
        "mistake": None,
        "signature": None,
        "error": None,
    }


@pytest.mark.long
def test_the_game_is_found_where_the_record_says(tmp_path: Path) -> None:
    (tmp_path / "my game.kif").write_text(TICTACTOE)
    record = tmp_path / "record.json"
    done = ggp("match", "my game.kif", "legal", "legal", "--record", record, cwd=tmp_path)
    assert done.code == 0
    assert ggp("replay", record, cwd=tmp_path).code == 0
    (tmp_path / "my game.kif").write_text(TICTACTOE.replace("100", "90"))
    done = ggp("replay", record, cwd=tmp_path)
    assert (done.code, "has a goal of 90, not 100" in done.out) == (1, True)


@pytest.mark.parametrize("url", ["", "http://games.ggp.org/base/games/x/", "file:///nowhere.kif"])
def test_a_game_that_is_not_at_hand_must_be_given(
    tmp_path: Path, record: MatchRecord, url: str
) -> None:
    replace(record, game_meta_url=url).write(tmp_path / "record.json")
    done = ggp("replay", "record.json", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("ggp: record.json: the game is ")
    assert done.err.endswith("; give it with --game FILE\n")


@pytest.mark.long
def test_an_unreadable_record_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text("{}")
    done = ggp("replay", "record.json", "--game", "tictactoe", cwd=tmp_path)
    assert (done.code, done.err) == (2, "ggp: record.json: matchId is missing\n")
    assert ggp("replay", "nothing.json", cwd=tmp_path).code == 2


def test_the_records_beside_one_that_cannot_be_read_are_checked(
    tmp_path: Path, record: MatchRecord
) -> None:
    (tmp_path / "bad.xml").write_text("hi")
    (tmp_path / "broken.kif").write_text("(role x")
    replace(record, goal_values=(13, 50)).write(tmp_path / "wrong.json")
    record.write(tmp_path / "good.json")
    url = (tmp_path / "broken.kif").as_uri()
    replace(record, game_meta_url=url).write(tmp_path / "no_game.json")
    names = ["nothing.json", "bad.xml", "wrong.json", "good.json"]
    runner = CliRunner()
    with chdir(tmp_path):
        found = runner.invoke(command, [*names, "--game", "tictactoe"])
        assert found.exit_code == 2
        wrong, good = found.stdout.splitlines()
        assert wrong.startswith("wrong.json: 8 steps, step 8: ")
        assert good == "good.json: 8 steps, right"
        nothing, bad = found.stderr.splitlines()
        assert nothing == "ggp: nothing.json: No such file or directory"
        assert bad.startswith("ggp: bad.xml: this is not JSON")
        found = runner.invoke(command, [*names, "--game", "tictactoe", "--json"])
        told = json.loads(found.stdout)
        assert [bool(each["error"]) for each in told] == [True, True, False, False]
        found = runner.invoke(command, ["no_game.json", "no_game.json"])
        assert (found.exit_code, found.stdout) == (2, "")
        assert found.stderr.count("ggp: no_game.json: ") == 2
        assert "this parenthesis is never closed" in found.stderr


def test_a_signature_that_does_not_fit_is_told(tmp_path: Path, record: MatchRecord) -> None:
    fields = json.loads(record.to_json()) | {"matchHostPK": "0AAAA", "matchHostSignature": "A0AAAA"}
    (tmp_path / "record.json").write_text(json.dumps(fields))
    done = ggp("replay", "record.json", "--game", "tictactoe", cwd=tmp_path)
    assert (done.code, done.out) == (1, "record.json: 8 steps, right; invalid signature\n")


@pytest.mark.long
def test_a_record_that_is_signed_says_so(tmp_path: Path, record: MatchRecord) -> None:
    (tmp_path / "record.json").write_text(signed(json.loads(record.to_json()), SHA1()))
    done = ggp("replay", "record.json", "--game", "tictactoe", cwd=tmp_path)
    assert (done.code, done.out) == (0, "record.json: 8 steps, right; valid signature\n")
    text = (tmp_path / "record.json").read_text().replace('"startClock": 30', '"startClock": 31')
    (tmp_path / "record.json").write_text(text)
    found = ggp("replay", "record.json", "--game", "tictactoe", "--json", cwd=tmp_path)
    assert (found.code, found.json[0]["signature"]) == (1, "invalid")


def test_a_term_is_compared_as_a_whole(reasoner: Reasoner, record: MatchRecord) -> None:
    mark = parse_term("(mark 1 1 1)")
    moves = ((mark, *record.moves[0][1:]), *record.moves[1:])
    mistake = first_mistake(replace(record, moves=moves), reasoner)
    assert mistake == Mistake(1, "x may not do (mark 1 1 1)")
