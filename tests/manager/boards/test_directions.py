"""Words that name a direction say which way up a board is."""

from __future__ import annotations

import pytest

from tests.manager.drawn import draw

pytestmark = pytest.mark.usefixtures("forked")

#: A thing that walks on a board of 5 x 5; what the moves are called, and the columns of its place.
_WALK = """
(role robot)
(init (at 3 3)) (init (step 0))
(<= (init (cell ?x ?y free)) (index ?x) (index ?y))
(index 1) (index 2) (index 3) (index 4) (index 5)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(count 0 1) (count 1 2) (count 2 3) (count 3 4) (count 4 5) (count 5 6)
(<= (goes {less} ?a ?c ?b ?c) (succ ?b ?a) (index ?c))
(<= (goes {more} ?a ?c ?b ?c) (succ ?a ?b) (index ?c))
(<= (goes {left} ?c ?a ?c ?b) (succ ?b ?a) (index ?c))
(<= (goes {right} ?c ?a ?c ?b) (succ ?a ?b) (index ?c))
(<= (legal robot (go ?way)) (true (at ?a ?b)) (goes ?way ?a ?b ?c ?d))
(<= (next (at ?c ?d)) (does robot (go ?way)) (true (at ?a ?b)) (goes ?way ?a ?b ?c ?d))
(<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)))
(<= (next (step ?m)) (true (step ?n)) (count ?n ?m))
(<= terminal (true (step 6)))
(<= (goal robot 100) (true (at 1 1)))
(<= (goal robot 0) (not (true (at 1 1))))
"""


@pytest.mark.parametrize(
    ("words", "corners"),
    [
        # Rows come first and are counted from the top, as in a maze.
        ("north south west east", ((0, 0), (4, 0), (0, -4))),
        # Columns come first, and rows are counted from below.
        ("west east south north", ((0, 0), (0, 4), (4, 0))),
        # The same, but that up is where the second coordinate falls.
        ("left right up down", ((0, 0), (0, -4), (4, 0))),
        # Letters say it where there are all four.
        ("n s w e", ((0, 0), (4, 0), (0, -4))),
        # Other words say nothing.
        ("ping pong hop hip", ((0, 0), (0, 4), (4, 0))),
    ],
)
def test_a_board_lies_as_the_words_of_its_moves_say(
    words: str, corners: tuple[tuple[int, int], ...]
) -> None:
    names = dict(zip(("less", "more", "left", "right"), words.split(), strict=True))
    board = draw(_WALK.format(**names)).board
    found = [board.spots[key] for key in (("1", "1"), ("1", "5"), ("5", "1"))]
    assert tuple((spot.x, spot.y) for spot in found) == corners
    edge = min(spot.x for spot in board.spots.values()), min(s.y for s in board.spots.values())
    assert all(edge[0] - c.x == 0.75 or edge[1] - c.y == 0.75 for c in board.captions)


def test_relations_say_it_where_nothing_moves() -> None:
    rules = """
    (role x) (row 1) (row 2) (row 3)
    (up 2 1) (up 3 2) (next 1 2) (next 2 3)
    (<= (init (cell ?a ?b empty)) (row ?a) (row ?b))
    (<= (legal x (mark ?a ?b)) (true (cell ?a ?b empty)))
    (<= (next (cell ?a ?b x)) (does x (mark ?a ?b)))
    (<= (next (cell ?a ?b ?v)) (true (cell ?a ?b ?v)) (not (does x (mark ?a ?b))))
    (<= open (true (cell ?a ?b empty)))
    (<= terminal (not open))
    (goal x 100)
    """
    rules = rules.replace("(next 1 2) (next 2 3)", "(succ 1 2) (succ 2 3)")
    of = rules.replace("(up 2 1) (up 3 2)", "(down_of 2 1) (down_of 3 2)")
    assert draw(of).board.spots == draw(rules).board.spots
    board = draw(rules).board
    assert [(board.spots["1", row].x, board.spots["1", row].y) for row in "123"] == [
        (0, 0),
        (0, -1),
        (0, -2),
    ]


@pytest.mark.parametrize(
    ("rows", "columns", "corner"),
    [("r", "c", (2, -1)), ("row", "col", (2, -1)), ("a", "b", (1, 2))],
)
def test_names_of_rows_and_columns_say_it_where_no_word_does(
    rows: str, columns: str, corner: tuple[int, int]
) -> None:
    rules = f"""
    (role x) (row {rows}1) (row {rows}2) (row {rows}3)
    (col {columns}1) (col {columns}2) (col {columns}3)
    (<= (init (cell ?a ?b empty)) (row ?a) (col ?b))
    (<= (legal x (mark ?a ?b)) (true (cell ?a ?b empty)))
    (<= (next (cell ?a ?b x)) (does x (mark ?a ?b)))
    (<= (next (cell ?a ?b ?v)) (true (cell ?a ?b ?v)) (not (does x (mark ?a ?b))))
    (<= open (true (cell ?a ?b empty)))
    (<= terminal (not open))
    (goal x 100)
    """
    spot = draw(rules).board.spots[f"{rows}2", f"{columns}3"]
    assert (spot.x, spot.y) == corner


def test_numbers_without_an_owner_are_digits() -> None:
    rules = """
    (role solver) (index 1) (index 2) (index 3) (succ 1 2) (succ 2 3)
    (init (cell 1 1 2 plain)) (init (cell 1 2 2 plain)) (init (cell 1 3 1 plain))
    (init (cell 2 1 3 plain)) (init (cell 2 2 1 plain)) (init (cell 2 3 1 plain))
    (init (cell 3 1 3 plain)) (init (cell 3 2 2 plain)) (init (cell 3 3 3 plain))
    (<= (legal solver (shade ?x ?y)) (true (cell ?x ?y ?n plain)))
    (<= (next (cell ?x ?y ?n shaded)) (does solver (shade ?x ?y)) (true (cell ?x ?y ?n plain)))
    (<= (next (cell ?x ?y ?n ?s)) (true (cell ?x ?y ?n ?s)) (not (does solver (shade ?x ?y))))
    (<= open (true (cell ?x ?y ?n plain)))
    (<= terminal (not open))
    (goal solver 100)
    """
    drawn = draw(rules)
    (form,) = {form for form, _ in drawn.looks.contents}
    looks = [drawn.looks.of(form, (digit, "plain")) for digit in "123"]
    assert [(look.label, look.tone) for look in looks] == [(d, "plain") for d in "123"]
