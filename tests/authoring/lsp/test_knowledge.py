"""What the background finds takes the place of what it found before."""

from __future__ import annotations

from ggp.authoring.lsp.background.proofs import proof
from ggp.authoring.lsp.knowledge import Knowledge
from ggp.gdl import Description
from ggp.kif import Symbol
from ggp.prove import Question, Verdict
from ggp.prove.question import Repair
from tests.authoring.lsp.game import GAME

CELLS = Question.about("keeps-content", None, "(cell ? ? *)", expected=True)


def test_a_fault_that_comes_again_with_what_heals_it_takes_its_own_place() -> None:
    description = Description.from_text(GAME.replace("|", ""))
    fault = Verdict(CELLS, "refuted", "play", 0.1, witness=(), suspects=(0,))
    healed = Verdict(
        CELLS, "refuted", "play", 0.2, witness=(), suspects=(0,), repair=Repair(0, "x", "(p)", True)
    )
    other = Verdict(Question.about("keeps-content", None, "(pile *)"), "proved", "induction", 0.1)
    found = Knowledge()
    for verdict in (fault, other, healed):
        found.take(proof(description, verdict))
    assert [each.subject for each in found.proofs] == ["(pile *)", "(cell ? ? *)"]
    problem = found.proofs[-1].problem
    assert problem is not None
    assert "A change that heals it in line 2: x (what should hold is proved then)" in problem.hint


def test_a_role_that_can_never_win_is_a_warning() -> None:
    description = Description.from_text(GAME.replace("|", ""))
    right = Question.about("winnable", Symbol("right"), "100")
    problem = proof(description, Verdict(right, "refuted", "pdr", 0.1)).problem
    assert problem is not None
    assert (problem.severity, problem.code) == ("warning", "refuted-winnable")
    assert problem.message == "Right can never have 100 at the end: is that meant?"
