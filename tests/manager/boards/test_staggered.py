"""Hexagons in rows of which every other one is shifted by half a cell."""

from __future__ import annotations

import pytest

from tests.manager.drawn import draw

pytestmark = pytest.mark.usefixtures("forked")

_RULES = """
(role cat) (role mouse)
(init (control cat))
(<= (next (control cat)) (true (control mouse)))
(<= (next (control mouse)) (true (control cat)))
(index 1) (index 2) (index 3) (index 4) (index 5)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(odd 1) (odd 3) (odd 5) (even 2) (even 4)
(<= (base (stone ?x ?y)) (index ?x) (index ?y))
(<= (legal ?w (put ?x ?y)) (true (control ?w)) (index ?x) (index ?y) (not (true (stone ?x ?y))))
(<= (legal cat noop) (true (control mouse)))
(<= (legal mouse noop) (true (control cat)))
(<= (next (stone ?x ?y)) (does ?w (put ?x ?y)))
(<= (next (stone ?x ?y)) (true (stone ?x ?y)))
(<= (near ?x ?y ?u ?y) (succ ?x ?u) (index ?y))
(<= (near ?x ?y ?x ?v) (index ?x) (succ ?y ?v))
(<= (near ?x ?y ?u ?v) (odd ?y) (succ ?u ?x) (succ ?y ?v))
(<= (near ?x ?y ?u ?v) (even ?y) (succ ?x ?u) (succ ?y ?v))
(<= open (index ?x) (index ?y) (not (true (stone ?x ?y))))
(<= terminal (not open))
(goal cat 50) (goal mouse 50)
"""


@pytest.mark.parametrize("are_columns", [False, True])
def test_every_other_row_is_shifted(are_columns: bool) -> None:
    """Columns that are shifted are drawn as rows."""
    rules = _RULES
    if are_columns:
        rules = rules.replace("(near ?x ?y ?u ?v)", "(near ?y ?x ?v ?u)")
    board = draw(rules).board
    assert (board.shape, len(board.spots)) == ("hex", 25)
    places = {
        (key[::-1] if are_columns else key): (spot.x, abs(round(spot.y, 3)))
        for key, spot in board.spots.items()
    }
    assert [places["1", row] for row in "123"] == [(0.0, 0.0), (0.5, 0.866), (0.0, 1.732)]
    assert [places[column, "2"][0] for column in "123"] == [0.5, 1.5, 2.5]
