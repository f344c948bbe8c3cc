"""Owners, labels, and empty cells."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

from ggp.kif import parse_term
from ggp.server.manager.drawing.layout import Board, Layout, Placing, Spot
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.pieces import Looks, find_looks
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.drawing.scene import scene_of
from tests.manager.drawn import draw

SIZE = 4
CELLS = [(str(x), str(y)) for x, y in product(range(SIZE), repeat=2)]


def seen(
    roles: tuple[str, ...], *states: dict[tuple[str, str], str], rest: str = ""
) -> tuple[Layout, Looks]:
    """The looks on a board of 4x4, whose cells hold the given words, or else `rest`."""
    spots: dict[Key, Spot] = {
        key: Spot(" ".join(key), float(key[0]), float(key[1])) for key in CELLS
    }
    axis = tuple(map(str, range(SIZE)))
    layout = Layout(
        roles,
        (Board("cell", "square", spots, (axis, axis)),),
        (Placing("(cell ? ? ?)", 0, (0, 1), (2,), "piece"),),
    )
    told = tuple(
        tuple(
            parse_term(f"(cell {x} {y} {state.get((x, y), rest)})")
            for x, y in CELLS
            if state.get((x, y), rest)
        )
        for state in states
    )
    return layout, find_looks(layout, [Line(told, ())])


def looks(words: str, roles: tuple[str, ...], rest: str = "") -> dict[str, tuple[str, str]]:
    """The label and the tone of words in the cells of a board."""
    state = dict(zip(CELLS, words.split(), strict=False))
    _, found = seen(roles, state, rest=rest)
    return {what[1][0]: (look.label, look.tone) for what, look in found.contents.items()}


def test_the_first_letter_names_the_owner_and_the_rest_the_kind() -> None:
    found = looks("np nk sp sk", ("north", "south"))
    assert {found[word][1] for word in ("np", "nk")} == {"1"}
    assert {found[word][1] for word in ("sp", "sk")} == {"2"}
    assert found["np"][0] == found["sp"][0] == "p"


def test_chess_men_have_their_glyphs_and_colours() -> None:
    found = looks("wk wn wra bk bn bra", ("white", "black"))
    assert found["wk"] == ("\u265a", "white")
    assert found["bk"] == ("\u265a", "black")
    assert found["wn"] == ("\u265e", "white")
    assert looks("whiteRook blackKing", ("white", "black"))["whiteRook"] == ("\u265c", "white")
    # some words name a man in full
    mixed = looks("wk wn bk bn white_pawn black_queen", ("white", "black"))
    assert (mixed["wk"][0], mixed["white_pawn"][0]) == ("\u265a", "\u265f")


def test_what_another_fact_names_does_not_take_the_glyphs_of_chess_men() -> None:
    layout, _ = seen(("white", "black"), {})
    marks = Placing("(mark ? ? ?)", 0, (0, 1), (2,), "piece")
    words = ["wk", "wn", "bk", "bn"]
    state = [parse_term(f"(cell 0 {y} {word})") for y, word in enumerate(words)]
    state.append(parse_term("(mark 3 3 danger)"))
    both = replace(layout, placings=(*layout.placings, marks))
    found = find_looks(both, [Line((tuple(state),), ())])
    labels = {what[1][0]: look.label for what, look in found.contents.items()}
    assert labels["wk"] == "\u265a"
    assert labels["danger"] not in ("\u265a", "\u265e")


def test_what_has_no_owner_does_not_look_like_an_owner() -> None:
    found = looks("red blue flag", ("red", "blue"))
    assert found["flag"][1] not in ("1", "2", "6", "red", "blue")


def test_no_two_labels_on_a_board_are_alike() -> None:
    found = looks("disc1 disc2 discard disk pawn prawn", ("a", "b"))
    labels = [label for label, _ in found.values()]
    assert len(set(labels)) == len(labels)


def empty(states: list[dict[tuple[str, str], str]], rest: str = "") -> set[str]:
    _, found = seen(("x", "o"), *states, rest=rest)
    return {contents[0] for _, contents in found.blank}


def test_a_word_for_empty_is_empty_however_few_cells_have_it() -> None:
    assert empty([{("1", "1"): "empty"}], rest="peg") == {"empty"}


def test_what_fills_most_cells_of_a_full_board_is_empty() -> None:
    assert empty([{("0", "0"): "k"}, {("0", "1"): "k"}], rest="z") == {"z"}


def test_what_never_moves_is_a_wall_and_not_empty() -> None:
    wall = {key: "w" for key in CELLS if key[0] != "0"}
    states = [{**wall, ("0", str(n % 2)): "me", ("0", str(2 + n % 2)): "you"} for n in range(40)]
    layout, _ = seen(("x", "o"), *states, rest="q")
    told = [
        Line(
            tuple(
                tuple(parse_term(f"(cell {x} {y} {state.get((x, y), 'q')})") for x, y in CELLS)
                for state in part
            ),
            (),
        )
        for part in (states[:10], states[10:20], states[20:])
    ]
    found = find_looks(layout, told)
    assert {contents[0] for _, contents in found.blank} == {"q"}
    assert found.contents["(cell ? ? ?)", ("w",)].shape == "tile"


def test_a_fact_that_names_only_the_owner_gives_its_piece_the_tone() -> None:
    spots: dict[Key, Spot] = {(str(n),): Spot(str(n), float(n), 0.0) for n in range(3)}
    layout = Layout(
        ("red", "black"),
        (Board("spot", "round", spots, (("0", "1", "2"),)),),
        (
            Placing("(stone ? ?)", 0, (0,), (1,), "piece", is_amount=True),
            Placing("(owner ? ?)", 0, (0,), (1,), "piece"),
        ),
    )
    facts = [parse_term(text) for text in ("(stone 0 5)", "(owner 0 red)", "(stone 1 2)")]
    found = find_looks(layout, [Line((tuple(facts),), ())])
    cells = scene_of(facts, layout, found)["cells"]
    assert [(item["label"], item["tone"]) for item in cells["0.0"]] == [("5", "red")]
    assert cells["0.1"][0]["tone"] == "plain"


def test_pieces_that_random_play_does_not_show_are_told_apart_too() -> None:
    spots: dict[Key, Spot] = {(str(n),): Spot(str(n), float(n), 0.0) for n in range(3)}
    possible = ("bk", "bp", "wk", "wp")
    layout = Layout(
        ("white", "black"),
        (Board("cell", "square", spots, (("0", "1", "2"),)),),
        (Placing("(cell ? ?)", 0, (0,), (1,), "piece", possible=possible),),
    )
    facts = tuple(parse_term(text) for text in ("(cell 0 wp)", "(cell 2 bp)"))
    found = find_looks(layout, [Line((facts,), ())])
    assert found.of("(cell ? ?)", ("wk",)).tone == "white"
    assert found.of("(cell ? ?)", ("wk",)).label != found.of("(cell ? ?)", ("wp",)).label


#: Two riders on five by five cells leave trails, and eat what lies there; the border is a trail.
RIDERS = """
(role red) (role blue)
(i 0) (i 1) (i 2) (i 3) (i 4) (next_to 0 1) (next_to 1 2) (next_to 2 3) (next_to 3 4)
(init (rider red 1 1)) (init (rider blue 3 3))
(<= (init (cell 0 ?y v)) (i ?y)) (<= (init (cell 4 ?y v)) (i ?y))
(<= (init (food ?x 2 seed)) (i ?x) (distinct ?x 0) (distinct ?x 4))
(init (food 1 3 seed)) (init (food 3 1 seed))
(legal red up) (legal red across) (legal blue down) (legal blue back)
(<= (next (rider red ?x ?z)) (does red up) (true (rider red ?x ?y)) (next_to ?y ?z))
(<= (next (rider red ?z ?y)) (does red across) (true (rider red ?x ?y)) (next_to ?x ?z))
(<= (next (rider blue ?x ?z)) (does blue down) (true (rider blue ?x ?y)) (next_to ?z ?y))
(<= (next (rider blue ?z ?y)) (does blue back) (true (rider blue ?x ?y)) (next_to ?z ?x))
(<= (next (cell ?x ?y v)) (true (cell ?x ?y v)))
(<= (next (cell ?x ?y v)) (true (rider ?p ?x ?y)))
(<= taken (true (rider red 4 ?y)))
(<= (at ?x ?y) (true (rider ?p ?x ?y)))
(<= (next (food ?x ?y seed)) (true (food ?x ?y seed)) (not (at ?x ?y)))
(<= terminal (true (rider red 4 ?y))) (<= terminal (true (rider red ?x 4)))
(<= terminal (true (rider blue 0 ?y))) (<= terminal (true (rider blue ?x 0)))
(goal red 50) (goal blue 50)
"""


def test_what_pieces_leave_behind_is_a_wall_and_what_they_pick_up_a_dot() -> None:
    drawn = draw(RIDERS)
    trail = drawn.looks.of("(cell ? ? ?)", ("v",))
    seed = drawn.looks.of("(food ? ? ?)", ("seed",))
    assert (trail.shape, trail.label) == ("tile", "")
    assert (seed.label, seed.tone) == ("\u2022", "plain")
    assert drawn.looks.of("(rider ? ? ?)", ("red",)).tone == "red"


def test_forms_that_tell_only_an_owner_are_kinds() -> None:
    rules = re.sub(r"\(food (\S+) (\S+) seed\)", r"(ship blue \1 \2)", RIDERS)
    looks = draw(rules).looks
    assert looks.of("(rider ? ? ?)", ("red",)).label == "r"
    assert looks.of("(ship ? ? ?)", ("blue",)).label == "s"
    assert looks.of("(ship ? ? ?)", ("blue",)).tone == "blue"


def test_holes_that_are_filled_are_empty() -> None:
    peg = """
    (role p) (i 1) (i 2) (i 3) (i 4) (after 1 2) (after 2 3) (after 3 4)
    (<= (init (cell ?x ?y peg)) (i ?x) (i ?y) (distinct ?x 2))
    (<= (init (cell 2 ?y peg)) (i ?y) (distinct ?y 2)) (init (cell 2 2 hole)) (init (n 1))
    (<= (legal p (move ?x ?y ?u ?v)) (true (cell ?x ?y peg)) (true (cell ?u ?v hole)))
    (<= (next (cell ?x ?y hole)) (does p (move ?x ?y ?u ?v)))
    (<= (next (cell ?u ?v peg)) (does p (move ?x ?y ?u ?v)))
    (<= (moved ?x ?y) (does p (move ?x ?y ?u ?v))) (<= (moved ?u ?v) (does p (move ?x ?y ?u ?v)))
    (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (moved ?x ?y)))
    (<= (next (n ?m)) (true (n ?k)) (after ?k ?m)) (<= terminal (true (n 4))) (goal p 50)
    """
    looks = draw(peg).looks
    assert looks.blank == {("(cell ? ? ?)", ("hole",))}
    assert looks.of("(cell ? ? ?)", ("peg",)).shape == "disc"
