"""What the child process that checks says of a text."""

from __future__ import annotations

from ggp.authoring.lsp.background.check import find_places, find_problems
from ggp.authoring.lsp.background.repair import repair
from tests.gdl.sheets import GAME


def test_one_pair_of_parentheses_around_all_is_a_warning_with_a_fix() -> None:
    text = f"; a game\n({GAME})\n"
    (problem,) = find_problems(repair(text))
    assert (problem.code, problem.severity) == ("outer-parentheses", "warning")
    assert text[problem.start : problem.end] == f"({GAME})"
    assert problem.fix is not None
    assert problem.fix.text == GAME
    assert find_places(text) == find_places(GAME)


def test_a_pair_that_is_not_closed_is_an_error() -> None:
    problems = find_problems(repair(f"({GAME}"))
    assert "syntax" in {problem.code for problem in problems}
