"""Proofs and refutations agree with the known facts about the games."""

from __future__ import annotations

from functools import cache
from math import inf
from pathlib import Path
from typing import cast

import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GdlError, KifError
from ggp.gdl import Description
from ggp.kif import Position
from ggp.prove import Question, Verdict, faults, prove, prover, read_condition, witness_record
from ggp.prove.play.replay import replay, shows
from ggp.prove.process import _answers, _Clock
from ggp.reasoner import open_reasoner
from ggp.workers.worker import Worker
from tests.prove.games import COUNT, FAULTS

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"


def verdicts(description: Description, seconds: float = 3) -> dict[str, Verdict]:
    return {str(verdict.question): verdict for verdict in prove(description, seconds=seconds)}


@cache
def of_tictactoe() -> dict[str, Verdict]:
    return verdicts(Description.load(GAMES / "tictactoe.kif"))


@pytest.mark.long
def test_a_game_without_faults_has_none() -> None:
    found = verdicts(Description.from_text(COUNT))
    assert {v.verdict for v in found.values()} == {"proved"}
    assert {v.question.name for v in found.values()} >= {"playable", "goals", "ends", "winnable"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("question", FAULTS)
def test_a_fault_is_refuted_by_the_shortest_play_and_its_line_named(question: str) -> None:
    old, new, steps = FAULTS[question]
    assert old in COUNT
    text = COUNT.replace(old, new)
    description = Description.from_text(text)
    verdict = verdicts(description)[question]
    assert (verdict.verdict, verdict.is_fault, verdict.checked) == ("refuted", True, "prolog")
    assert verdict.witness is not None
    assert len(verdict.witness) == steps
    (fault,) = faults(description, [verdict])
    assert fault.code == f"refuted-{verdict.question.name}"
    place, *_ = [*verdict.places(description), Position(1, 1)]
    assert (fault.span.line, fault.span.column) == place
    with open_reasoner(description, kind="prolog") as reasoner:
        states = replay(reasoner, verdict.witness)
        assert states is not None
        assert shows(verdict.question, reasoner, states)
    if question != "ends":  # there the rule that no longer counts is at fault, not the end
        lines = [position.line for position in verdict.places(description)]
        assert text[: text.index(new)].count("\n") + 1 in lines


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "longest"), [("tictactoe", 9), ("nim", 6), ("centipede", 7), ("connectfour5x5", 25)]
)
def test_the_length_of_the_longest_play_is_told(game: str, longest: int) -> None:
    found = verdicts(Description.load(GAMES / f"{game}.kif"))["ends"]
    assert (found.verdict, found.longest) == ("proved", longest)
    assert found.summary == f"every play comes to an end, after {longest} joint moves at most"


def test_tic_tac_toe() -> None:
    found = of_tictactoe()
    proved = {name for name, verdict in found.items() if verdict.verdict == "proved"}
    assert proved >= {
        *("playable x", "playable o", "goals x", "goals o", "ends", "winnable x 100"),
        *("winnable o 100", "turn-taking", "constant-sum 100", "one-content (control *)"),
    }
    # The second player cannot win before the sixth move, nor the first before the fifth.
    assert [len(found[f"winnable {role} 100"].witness or ()) for role in "xo"] == [5, 6]
    assert found["monotone x"].verdict == "refuted"  # 50 until a player wins
    assert not found["monotone x"].is_fault


@pytest.mark.long
def test_a_condition_is_proved_or_refuted() -> None:
    description = Description.load(GAMES / "tictactoe.kif")
    both, corner = (
        read_condition(text, description)
        for text in (
            "(and (true (mark ?x ?y x)) (true (mark ?x ?y o)))",
            "(or (true (mark 1 1 o)) (and (true (mark 1 1 x)) (not (true (control o)))))",
        )
    )
    found = {
        v.question.subject: v
        for v in prove(description, seconds=10, never=[both, corner])
        if v.question.name == "never"
    }
    assert found[str(both)].verdict == "proved"
    assert found[str(corner)].verdict == "refuted"
    assert len(found[str(corner)].witness or ()) == 2
    assert found[str(corner)].checked == "prolog"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(true (marc 1 1 x))", "marc"),
        ("(not (true (mark ?x 1 x))", "never closed"),
        ("(true (mark 1 1 x)) (true (mark 1 2 x))", "one term"),
        ("(does x noop)", "does"),
        ("(true (mark 1 1 xx))", "gives `xx` at this place"),
        ("(or (true (control o)) (true (mark ?x 4 ?c)))", "gives `4` at this place"),
        ("(true (control b))", "gives `b` at this place"),
    ],
)
def test_what_is_no_condition_is_told(text: str, message: str) -> None:
    with pytest.raises((GdlError, KifError), match=message):
        read_condition(text, Description.load(GAMES / "tictactoe.kif"))


@pytest.mark.long
def test_a_game_whose_circuit_has_loops_is_played() -> None:
    loops = """
    (role a) (init (at 1)) (edge 1 2) (edge 2 3) (edge 3 1)
    (<= (reach ?x) (true (at ?x)) ) (<= (reach ?y) (reach ?x) (open ?x ?y))
    (<= (open ?x ?y) (edge ?x ?y) (true (at ?z)))
    (<= (legal a ?y) (true (at ?x)) (edge ?x ?y) (reach ?y))
    (<= (next (at ?y)) (does a ?y)) (<= terminal (true (at 7))) (goal a 0)
    """
    found = verdicts(Description.from_text(loops), seconds=1)
    assert found["ends"].verdict == "refuted"
    assert found["playable a"].verdict in ("open", "proved")


def test_the_end_of_time_ends_the_proofs() -> None:
    assert list(prove(Description.load(GAMES / "spades4.kif"), deadline=Deadline.after(0.2))) == []


def test_a_witness_is_a_record_that_replays() -> None:
    description = Description.load(GAMES / "tictactoe.kif")
    verdict = of_tictactoe()["winnable o 100"]
    record = witness_record(description, verdict, url="", start_time=0)
    assert (len(record.moves), record.goal_values) == (6, (0, 100))


class Stuck:
    """A process that asks two questions, answers one, and falls silent."""

    def __init__(self) -> None:
        ends, turns = Question.about("ends"), Question.about("turn-taking")
        self.messages: list[object] = [(ends, turns), Verdict(turns, "proved", "pdr", 0.1)]

    def receive(self, deadline: Deadline) -> object:
        if self.messages:
            return self.messages.pop(0)
        assert deadline.due < inf
        raise TimeUp


@pytest.mark.parametrize(("abc", "verdict"), [("/usr/bin/abc", "open"), (None, "proved")])
def test_an_induction_counts_only_if_the_other_engine_confirms_it(
    monkeypatch: pytest.MonkeyPatch, abc: str | None, verdict: str
) -> None:
    monkeypatch.setattr(prover, "confirms", lambda *_, **__: False)
    monkeypatch.setattr(prover, "model_check", lambda *_, **__: None)
    monkeypatch.setattr(prover, "find_abc", lambda: abc)
    description = Description.from_text(COUNT)
    circuit = build_circuit(description)
    found = prover.Prover(description, circuit, seconds=3, deadline=Deadline()).verdicts()
    answers = {str(v.question): (v.verdict, v.checked) for v in found if v.witness is None}
    assert {"ends", "playable a"} <= set(answers)
    assert set(answers.values()) == {(verdict, "")}


def test_what_a_solver_does_not_answer_at_all_is_open() -> None:
    found = _answers(cast(Worker, Stuck()), 1.0, Deadline(), _Clock())
    assert [(v.question.name, v.verdict) for v in found] == [
        ("turn-taking", "proved"),
        ("ends", "open"),
    ]
