from __future__ import annotations

from ggp.gdl import Description
from ggp.kif import parse
from ggp.match import draw
from ggp.match.board import board_and_rest


def test_a_grid_is_drawn_with_the_second_coordinate_upwards() -> None:
    facts = parse(
        "(control x) (cell 1 1 blank) (cell 1 2 o) (cell 2 1 x) (cell 2 2 blank) (cell 3 1 x)"
    )
    assert draw(facts) == "2 o .\n1 . x x\n  1 2 3"


def test_missing_rows_and_columns_are_shown() -> None:
    assert draw(parse("(at 1 1 king) (at 3 4 rook)")) == (
        "4           rook\n3\n2\n1 king\n     1    2    3"
    )


def test_the_rules_tell_how_large_an_empty_board_is() -> None:
    rules = "(role r) (column a) (column b) (row 1) (row 2) (row 3) (content x) (content o)" + (
        "(<= (next (cell ?x ?y ?c)) (column ?x) (row ?y) (content ?c) (does r (put ?x ?y ?c)))"
        "(<= (legal r (put ?x ?y ?c)) (column ?x) (row ?y) (content ?c))"
        "(<= terminal (true (cell a 1 x))) (goal r 100)"
    )
    possible = Description.from_text(rules).domains.facts
    assert draw(parse("(cell b 2 o)"), possible) == "3\n2   o\n1\n  a b"
    assert draw([], possible) == "3\n2\n1\n  a b"


def test_letters_are_coordinates_and_the_content_may_come_first() -> None:
    assert draw(parse("(on wk a 1) (on bk b 2)")) == "2    bk\n1 wk\n   a  b"


def test_the_largest_relation_is_the_board() -> None:
    facts = parse("(hand 1 1 x) (hand 2 2 x) (cell 1 1 a) (cell 1 2 b) (cell 2 1 c)")
    assert draw(facts) == "2 b\n1 a c\n  1 2"


def test_what_is_no_grid_is_not_drawn() -> None:
    for text in (
        "",
        "(step 1)",
        "(cell 1 1 x)",  # nothing to see
        "(cell 1 1 x) (cell 1 1 y) (cell 2 2 z)",  # two contents in one cell
        "(edge north south x) (edge south north y)",
        "(score 100 200 x) (score 300 400 x)",
    ):
        assert draw(parse(text)) is None


def test_facts_about_a_cell_mark_it() -> None:
    rules = """
    (role r) (init (at king 1 1)) (init (water 2 2)) (init (water 1 1)) (init (step 1))
    (init (bound 1 9)) (index 1) (index 2) (<= (base (at king ?x ?y)) (index ?x) (index ?y))
    (<= (next (at king ?x ?y)) (index ?x) (index ?y))
    (<= (next (water ?x ?y)) (true (water ?x ?y)))
    """
    possible = Description.from_text(rules).domains.facts
    facts = parse("(at king 1 1) (water 2 2) (water 1 1) (step 1) (bound 1 9)")
    board, rest = board_and_rest(facts, possible)
    assert board == "2                 water\n1 king+water\n           1          2"
    assert list(map(str, rest)) == ["(step 1)", "(bound 1 9)"]


def test_compound_contents_are_told_apart_alike_in_all_states() -> None:
    rules = """
    (role r) (index 1) (index 2) (side north) (side south) (piece runner) (piece guard)
    (<= (base (cell ?x ?y (man ?s ?p))) (index ?x) (index ?y) (side ?s) (piece ?p))
    (<= (base (cell ?x ?y empty)) (index ?x) (index ?y))
    """
    possible = Description.from_text(rules).domains.facts
    facts = parse("(cell 1 1 (man north runner)) (cell 2 1 (man north guard)) (cell 1 2 empty)")
    legend = "ng = (man north guard), nr = (man north runner)"
    assert draw(facts, possible) == f"2  .\n1 nr ng\n   1  2\n{legend}"
    assert draw(facts) == f"2  .\n1 nr ng\n   1  2\n{legend}"
    assert draw(facts[1:], possible) == "2  .\n1    ng\n   1  2\nng = (man north guard)"


def test_contents_that_begin_alike_are_told_apart() -> None:
    facts = parse("(cell 1 1 whitequeen) (cell 2 1 whiteking) (cell 2 2 whiteknight)")
    assert draw(facts) == (
        "2        white2\n1 whiteq white1\n       1      2\n"
        "white1 = whiteking, white2 = whiteknight"
    )
    facts = parse("(cell 1 1 (pawn white)) (cell 2 1 (king white)) (cell 2 2 w)")
    assert draw(facts) == "2     w\n1 pw kw\n   1  2\nkw = (king white), pw = (pawn white)"
