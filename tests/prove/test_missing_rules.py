"""A rule that is missing is told from one that is wrong, and what is suspicious is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from ggp.authoring.new import new_rules
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import Source, Symbol, parse
from ggp.prove import Question, Verdict, faults, prove, slips
from ggp.prove.finding import doubted
from ggp.prove.play.blame import held_goals
from ggp.prove.process import _answers, _Clock
from ggp.prove.question import Repair, Spent
from ggp.prove.repair.variants import Behaviour
from ggp.workers.worker import Worker
from tests.cli.conftest import Here, here
from tests.prove.games import COUNT

pytestmark = pytest.mark.usefixtures("forked")

__all__ = ["here"]  # the fixture

BOARD = new_rules("Lines", ["red", "blue"], kind="board")
#: The rule that keeps the contents of cells, and that which passes the turn on.
FRAME = BOARD[BOARD.index("(<= (next (cell ?x ?y ?content))") : BOARD.index("(<= (next (control")]
TURN = BOARD[BOARD.index("(<= (next (control") : BOARD.index("; A cell is marked by")]
CELLS = Question.about("keeps-content", None, "(cell ? ? *)", expected=True)
BLUE = Question.about("winnable", Symbol("blue"), "100")


def without(rule: str) -> Description:
    assert BOARD.count(rule) == 1
    return Description.from_text(Source(BOARD.replace(rule, ""), "lines.kif"))


def line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.long
def test_without_the_frame_rule_cells_lose_their_contents_and_nothing_heals_that() -> None:
    description = without(FRAME)
    found = {verdict.question: verdict for verdict in prove(description, seconds=5)}
    # One cell is marked, no other has a content, so none is open, and the game is over.
    assert found[CELLS].is_fault
    assert len(found[CELLS].witness or ()) == 1
    assert found[CELLS].repair is None
    assert found[BLUE].verdict == "refuted"
    assert found[BLUE].doubt == "blue can never have 100 at the end: is that meant?"
    assert found[Question.about("ends")].longest in (None, 1, 2)


@pytest.mark.long
def test_without_the_rule_that_passes_the_turn_on_it_is_named_and_no_change_proposed() -> None:
    description = without(TURN)
    found = {verdict.question: verdict for verdict in prove(description, seconds=3)}
    ends = next(verdict for verdict in found.values() if verdict.is_fault)
    assert ends.repair is None
    assert ends.places(description)[0].line == line(description.source.text, "(init (control red)")


def test_the_checker_says_what_only_the_first_state_has() -> None:
    description = without(TURN)
    (finding,) = slips(description)
    assert finding.code == "initial-only-fact"
    (number,) = doubted(description, [finding])
    assert str(description.terms[number]) == "(init (control red))"
    lost, unused = slips(without(FRAME))
    assert lost.code == "no-frame-rule"
    assert unused.message == "`marked` is used nowhere"
    assert slips(Description.from_text(BOARD)) == []


def test_a_role_that_never_wins_is_a_warning_at_its_goal() -> None:
    description = Description.from_text(Source(BOARD, "lines.kif"))
    verdict = Verdict(BLUE, "refuted", "pdr", 0.1, checked="clingo")
    (finding,) = faults(description, [verdict])
    assert (finding.code, finding.severity) == ("refuted-winnable", "warning")
    assert finding.message == "Blue can never have 100 at the end: is that meant?"
    assert finding.span.line == line(BOARD, "(<= (goal ?player 100)")
    assert not verdict.is_fault
    mark = "; ggp: ignore-file[refuted-winnable]\n"
    meant = Description.from_text(Source(BOARD + mark, "lines.kif"))
    assert faults(meant, [verdict]) == []
    assert faults(description, [Verdict(BLUE, "proved", "play", 0.1)]) == []


@pytest.mark.parametrize(("longest", "asked"), [(None, False), (1, True), (2, True), (3, False)])
def test_plays_that_hardly_begin_are_asked_about(longest: int | None, asked: bool) -> None:
    verdict = Verdict(Question.about("ends"), "proved", "induction", 0.1, longest=longest)
    assert bool(verdict.doubt) == asked
    assert verdict.to_json(Description.from_text(COUNT)).get("doubt", "") == verdict.doubt


@pytest.mark.parametrize(
    ("rules", "goals"),
    [
        ("(<= (goal b 0) (true (n 2)))", []),
        ("(<= (goal b 50) (true (n 3))) (<= (goal b 0) (true (n ?n)))", ["0", "50"]),
        ("(<= (goal b ?n) (true (n ?n)) (role b)) (<= (goal b 200) (true (n 3)))", ["200", "3"]),
    ],
)
def test_all_goals_of_a_role_are_found(rules: str, goals: list[str]) -> None:
    description = Description.from_text(COUNT.replace("(<= (goal b 0) (true (n 3)))", rules))
    facts = parse("(n 3) (cell 1 1 x)")
    held = held_goals(description, Symbol("b"), facts)
    assert held is not None
    assert [str(goal) for goal in held] == goals


def test_goals_that_depend_on_legal_moves_are_not_told() -> None:
    rules = "(<= (goal b 0) (true (n 3)) (not (legal a go)))"
    description = Description.from_text(COUNT.replace("(<= (goal b 0) (true (n 3)))", rules))
    assert held_goals(description, Symbol("b"), parse("(n 3)")) is None


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("(<= (goal b 0) (true (n 2)))", "b has no goal"),
        ("(<= (goal b 50) (true (n 3))) (<= (goal b 0) (role b))", "b has 2 goals: 0 and 50"),
        ("(<= (goal b 101) (role b))", "the goal of b is 101, not one from 0 to 100"),
    ],
)
def test_a_fault_of_goals_says_which_it_is(rule: str, shown: str) -> None:
    description = Description.from_text(COUNT.replace("(<= (goal b 0) (true (n 3)))", rule))
    question = Question.about("goals", Symbol("b"))
    (fault,) = [v for v in prove(description, seconds=3) if v.question == question]
    assert fault.summary == f"after 2 joint moves, the game is over, and {shown}"


def test_a_change_is_no_remedy_if_a_role_cannot_win_or_play_hardly_begins() -> None:
    red = Question.about("winnable", Symbol("red"), "100")
    before = Behaviour(frozenset({red, BLUE}), is_played=True, steps=7)
    assert Behaviour(frozenset({red}), is_played=True, steps=9).is_poorer_than(before)
    assert Behaviour(frozenset({red, BLUE}), is_played=True, steps=2).is_poorer_than(before)
    assert not Behaviour(frozenset({red, BLUE}), is_played=True, steps=5).is_poorer_than(before)
    short = Behaviour(frozenset(), is_played=True, steps=1)
    assert not Behaviour(frozenset({red}), is_played=True, steps=1).is_poorer_than(short)


FAULT = Verdict(CELLS, "refuted", "play", 0.1, witness=(), suspects=(0,))
HEALED = Verdict(
    CELLS, "refuted", "play", 0.1, witness=(), suspects=(0,), repair=Repair(0, "x", "(p)", True)
)
OTHER = Verdict(BLUE, "proved", "play", 0.1, witness=())


class Child:
    """A process that finds a fault, answers another question, and then finds what heals it."""

    def __init__(self, *messages: object) -> None:
        self._messages = list(messages)

    def receive(self, _deadline: Deadline) -> Any:
        return self._messages.pop(0)


@pytest.mark.parametrize(
    ("messages", "early", "expected"),
    [
        ((FAULT, OTHER, HEALED, None), False, [OTHER, HEALED]),
        ((FAULT, OTHER, HEALED, None), True, [FAULT, OTHER, HEALED]),
        # What was found before the end of the time is told without a change.
        ((FAULT, OTHER, None), False, [OTHER, FAULT]),
    ],
)
def test_a_fault_comes_once_and_early_if_that_is_wanted(
    messages: tuple[object, ...], early: bool, expected: list[Verdict]
) -> None:
    spent, clock = Spent(0.0, 0.0), _Clock()
    worker = cast(Worker, Child((CELLS, BLUE), spent, *messages))
    assert list(_answers(worker, 1.0, Deadline(), clock, early=early)) == expected
    assert clock.spent is spent


def test_the_command_tells_faults_from_properties_and_asks_what_is_suspicious(
    here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    verdicts = [
        Verdict(Question.about("ends"), "proved", "induction", 0.1, longest=1),
        Verdict(Question.about("turn-taking"), "refuted", "play", 0.1, witness=()),
        Verdict(BLUE, "refuted", "pdr", 0.1),
    ]

    def found(_description: Description, **_: Any) -> Iterator[Verdict]:
        yield from verdicts

    monkeypatch.setattr("ggp.cli.rules.prove.prove", found)
    path = tmp_path / "lines.kif"
    path.write_text(BOARD)
    done = here("prove", path)
    assert (done.code, done.err) == (0, "")
    assert "refuted" not in done.out
    assert done.out.index("What should hold") < done.out.index("ends")
    assert done.out.index("What this game is like") < done.out.index("turn-taking")
    asked = done.out[done.out.index("Suspicious:") :].splitlines()
    assert asked == [
        "Suspicious:",
        "  every play ends after 1 joint move at most: is that meant?",
        "  blue can never have 100 at the end: is that meant?",
        "no faults; 3 of 3 questions answered",
    ]
    verdicts += [Verdict(Question.about("playable", Symbol("blue")), "open", "", 2.0)]
    last = here("prove", path).out.splitlines()[-1]
    said = "no faults found; 1 question that would be a fault is open"
    assert last == f"{said}; 3 of 4 questions answered"
    verdicts[-1] = replace(FAULT, advice="a rule is probably missing")
    done = here("prove", path)
    assert done.code == 1
    last = done.out.splitlines()[-1]
    assert last == "1 fault: keeps-content (cell ? ? *); 4 of 4 questions answered"
    assert "a rule is probably missing" in done.out
    found_json = here("prove", path, "--json").json
    (advice,) = [each["advice"] for each in found_json["questions"] if "advice" in each]
    assert "a rule is probably missing" in advice
    assert (found_json["repairs"], found_json["seconds"]) == ([], None)
    repair = Repair(2, "x", "(role red)", is_proved=False)
    stuck = Verdict(
        Question.about("playable", Symbol("blue")), "refuted", "play", 2.0, repair=repair
    )
    verdicts[-1:] = [replace(FAULT, repair=repair), stuck]
    lines = [line.strip() for line in here("prove", path).out.splitlines()]
    assert [line for line in lines if "heals it" in line or "suggestion" in line] == [
        "a change that heals it in line 15: x",
        "a suggestion, not proven:",
        "the same change in line 15 heals it: x",
    ]
    (change,) = here("prove", path, "--json").json["repairs"]
    assert change["heals"] == ["playable blue", "keeps-content (cell ? ? *)"]
    assert change["note"] == "a suggestion, not proven"


def test_the_command_says_what_the_checker_says_of_rules_that_cannot_be_played(
    here: Here, tmp_path: Any
) -> None:
    path = tmp_path / "lines.kif"
    path.write_text(BOARD.replace("(init (control red))", "(init (control ?x))"))
    done = here("prove", path, "--seconds", "1")
    assert done.code == 1
    assert f"{path}:{line(BOARD, '(init (control red))')}:" in done.out
    assert "error[variable-in-fact]" in done.out
