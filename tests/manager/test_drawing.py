"""Boards, hands and pieces are found by the behaviour of facts, not by their names."""

from __future__ import annotations

import pytest

from ggp.kif import Symbol, parse_term
from ggp.server.manager.drawing.finder import find_layout
from ggp.server.manager.drawing.layout import Layout
from ggp.server.manager.drawing.pieces import role_tones
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.drawing.scene import cards_of, scene_of
from tests.manager import sheets
from tests.manager.drawn import GAMES, draw, draw_bundled, scrambled, texts

pytestmark = pytest.mark.usefixtures("forked")

# Columns, rows and shape of the boards of bundled games.
GRIDS = {
    "tictactoe": (3, 3),
    "connectfour": (7, 6),
    "connectfour5x5": (5, 5),
    "breakthrough": (8, 8),
    "chomp": (4, 3),
    "eightpuzzle": (3, 3),
    "foxandhounds": (8, 8),
    "hexapawn": (3, 3),
    "lightsout": (3, 3),
    "othello6x6": (6, 6),
    "rendezvous": (3, 3),
    "tron": (6, 6),
    "walk": (8, 8),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", GRIDS)
def test_a_board_game_has_the_board_of_its_comment(name: str) -> None:
    board = draw_bundled(name).board
    assert board.shape == "square"
    assert tuple(map(len, board.axes)) == GRIDS[name]
    assert len(board.spots) == GRIDS[name][0] * GRIDS[name][1]


@pytest.mark.parametrize(
    "name", ["auction", "centipede", "harvest", "nim", "pirates", "rockpaperscissors"]
)
def test_a_game_without_a_board_has_none(name: str) -> None:
    assert draw_bundled(name).layout.boards == ()


def shape(layout: Layout) -> object:
    """The parts of a layout that do not depend on words."""
    boards = [
        (board.shape, [len(axis) for axis in board.axes], len(board.spots), len(board.edges))
        for board in layout.boards
    ]
    placings = sorted((p.board, p.key, p.contents, p.kind, p.is_amount) for p in layout.placings)
    return boards, placings, sorted((hand.owner or 0, hand.card) for hand in layout.hands)


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", sorted(GAMES.glob("*.kif")), ids=lambda path: path.stem)
def test_a_scrambled_game_is_drawn_alike_and_clicked_alike(path: object) -> None:
    name = getattr(path, "stem", "")
    plain = draw_bundled(name)
    description, scrambler = scrambled(plain.description, 3)
    other = draw(description)
    assert shape(other.layout) == shape(plain.layout)
    moves = {move for line in plain.lines for legal in line.legal for of in legal for move in of}
    shared = {scrambler.scramble(move) for move in moves} & {
        move for line in other.lines for legal in line.legal for of in legal for move in of
    }
    for move in sorted(shared, key=str):
        plain_steps = plain.named(str(scrambler.unscramble(move)))
        scrambled_steps = [[len(step)] for step in other.named(str(move))]
        assert scrambled_steps == [[len(step)] for step in plain_steps], move


def test_coordinates_are_in_the_order_of_the_rules_where_they_are_no_numbers() -> None:
    text = sheets.TURNED_ROUND
    for letter, word in zip("abcd", ["z8", "z7", "z6", "z5"], strict=True):
        text = text.replace(f" {letter})", f" {word})").replace(
            f"(after {letter} ", f"(after {word} "
        )
    # Backwards by spelling, forwards by the relation.
    axes = [axis for axis in draw(text).board.axes if len(axis) == 4]
    assert axes == [("z8", "z7", "z6", "z5")]


def test_a_board_may_name_its_contents_first_and_is_clicked_by_either_order() -> None:
    drawn = draw(sheets.TURNED_ROUND)
    assert tuple(map(len, drawn.board.axes)) == (3, 4)
    (placing,) = drawn.layout.placings
    assert (placing.key, placing.contents) == ((1, 2), (0,))
    assert drawn.named("(mark c 2)") == [["2 c"]]


def test_contents_that_fill_the_initial_board_are_blank() -> None:
    drawn = draw(sheets.TURNED_ROUND)
    assert drawn.looks.blank == {("(holds ? ? ?)", ("nothing",))}
    shown = drawn.shown("(holds x 1 a)\n(holds nothing 2 a)")
    assert shown["1 a"] == ["x"]


def test_six_neighbours_make_hexagons() -> None:
    drawn = draw(sheets.HEX)
    board = drawn.board
    assert board.shape == "hex"
    places = {spot.name: (spot.x, spot.y) for spot in board.spots.values()}

    def distance(one: str, other: str) -> float:
        (x, y), (u, v) = places[one], places[other]
        return float(((x - u) ** 2 + (y - v) ** 2) ** 0.5)

    neighbours = ["b 3", "b 1", "a 2", "c 2", "a 3", "c 1"]
    assert [round(distance("b 2", other), 6) for other in neighbours] == [1.0] * 6
    assert sum(distance("b 2", other) < 1.1 for other in places if other != "b 2") == 6


def test_cells_that_have_only_neighbours_are_placed_by_them() -> None:
    board = draw_bundled("triad").board
    assert (board.shape, len(board.spots), len(board.edges)) == ("round", 10, 18)
    lengths = []
    for one, other in board.edges:
        a, b = board.spots[one], board.spots[other]
        lengths.append(((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5)
    assert max(lengths) < 1.25 * min(lengths)  # the triangle of its comment
    assert max(board.spots.values(), key=lambda spot: spot.y).name == "1"


def test_lines_that_belong_to_boxes_are_near_each_other() -> None:
    board = draw_bundled("dotsandboxes").board
    assert (board.shape, len(board.spots)) == ("round", 12)


def test_a_row_of_places_with_amounts() -> None:
    drawn = draw(sheets.ROW)
    (placing,) = drawn.layout.placings
    assert placing.is_amount
    assert [spot.name for spot in drawn.board.spots.values()] == ["p1", "p2", "p3", "p4"]
    assert [spot.y for spot in drawn.board.spots.values()] == [0.0] * 4
    assert drawn.named("(take p3)") == [["p3"]]


def test_cards_lie_in_hands_by_owner_and_suit() -> None:
    drawn = draw(sheets.CARDS)
    assert drawn.layout.boards == ()
    assert [(hand.form, hand.owner, hand.card) for hand in drawn.layout.hands] == [
        ("(holding ? ?)", 0, 1),
        ("(lying ? ?)", 0, 1),
    ]
    facts = drawn.lines[0].states[0]
    hands = scene_of(facts, drawn.layout, drawn.looks)["hands"]
    assert [(hand["owner"], [card["text"] for card in hand["cards"]]) for hand in hands] == [
        ("north", ["k1", "k2", "m3", "m4"]),
        ("south", ["k3", "k4", "m1", "m2"]),
    ]
    tones = {card["text"][0]: card["tone"] for hand in hands for card in hand["cards"]}
    assert tones == {"k": "1", "m": "2"}
    cards = cards_of(facts, drawn.layout)
    assert drawn.clicks.named(parse_term("(play k1)"), cards) == (("card k1",),)


@pytest.mark.parametrize("name", ["hearts3", "spades3", "spades300", "spades4", "ohhell3"])
def test_the_bundled_card_games_are_hands(name: str) -> None:
    layout = draw_bundled(name).layout
    assert layout.boards == ()
    assert layout.hands[0].form == "(hand ? ?)"
    assert len(set(layout.suits.values())) > 1


def test_a_move_is_clicked_from_here_to_there() -> None:
    assert draw_bundled("breakthrough").named("(move 4 2 5 3)") == [["4 2"], ["5 3"]]


def test_a_move_that_names_a_column_is_clicked_anywhere_in_it() -> None:
    assert draw_bundled("connectfour").named("(drop 3)") == [[f"3 {row}" for row in range(1, 7)]]


def test_a_move_that_names_nothing_is_clicked_where_it_changes_something() -> None:
    drawn = draw_bundled("rendezvous")
    here, there = parse_term("(at anna 1 1)"), parse_term("(at anna 2 1)")
    spots = list(drawn.board.spots)
    assert drawn.clicks.changed([there], [here]) == (f"0.{spots.index(('2', '1'))}",)
    assert drawn.clicks.changed([], [here]) == (f"0.{spots.index(('1', '1'))}",)


def test_pieces_are_told_apart_by_letters_and_by_the_tones_of_their_roles() -> None:
    looks = draw_bundled("breakthrough").looks
    assert {look.tone for look in looks.contents.values()} == {"white", "black"}
    noughts = draw_bundled("tictactoe")
    tones = dict(zip(noughts.layout.roles, role_tones(noughts.layout.roles), strict=True))
    assert {c[1][0]: (k.label, k.tone) for c, k in noughts.looks.contents.items()} == {
        role: (role, tones[role]) for role in ("x", "o")
    }


def test_a_piece_that_one_role_places_has_the_tone_of_the_role() -> None:
    text = sheets.TURNED_ROUND.replace("(thing x) (thing o)", "(thing cross) (thing nought)")
    text = text.replace(
        "(<= (next (holds ?who ?line ?file)) (does ?who (mark ?file ?line)))",
        "(<= (next (holds cross ?line ?file)) (does x (mark ?file ?line)))"
        "(<= (next (holds nought ?line ?file)) (does o (mark ?file ?line)))",
    )
    looks = draw(text).looks
    by_name = {contents[0]: look.tone for (_, contents), look in looks.contents.items()}
    assert by_name == {"cross": "1", "nought": "2"}


def test_a_record_is_drawn_without_rules() -> None:
    drawn = draw_bundled("connectfour")
    line = drawn.lines[0]
    bare = Line(line.states, line.moves)
    layout = find_layout(None, [bare])
    (board,) = layout.boards
    assert (board.shape, board.name) == ("square", "disc")
    columns = {values[0] for facts in line.states for values in _discs(texts(facts))}
    assert set(board.axes[0]) >= columns


def _discs(facts: list[str]) -> list[list[str]]:
    return [fact.strip("()").split()[1:] for fact in facts if fact.startswith("(disc")]


def test_facts_that_have_no_place_stand_in_the_table() -> None:
    drawn = draw_bundled("nim")
    scene = scene_of(drawn.lines[0].states[0], drawn.layout, drawn.looks)
    assert scene["cells"] == {}
    assert [(part["name"], part["rows"]) for part in scene["table"]] == [
        ("control", [["first"]]),
        ("pile", [["6"]]),
    ]


def test_a_large_table_is_cut_and_says_so() -> None:
    facts = [parse_term(f"(seen {n})") for n in range(250)]
    (part,) = scene_of([*facts, Symbol("over")], Layout(()), draw_bundled("nim").looks)["table"][:1]
    assert (len(part["rows"]), part["more"]) == (200, 50)


def test_facts_beside_the_board_are_not_lost() -> None:
    drawn = draw_bundled("tictactoe")
    scene = scene_of([parse_term("(mark 9 9 x)")], drawn.layout, drawn.looks)
    assert scene["table"][0]["rows"] == [["9", "9", "x"]]


#: Pieces walk on a board; where there is none, the content is one word.
WALKERS = """
(role north) (role south) (index 1) (index 2) (index 3) (near 1 2) (near 2 1) (near 2 3) (near 3 2)
(init (cell 1 1 (piece south king))) (init (cell 3 3 (piece north king))) (init (control north))
(init (cell 2 1 (piece south page))) (<= (init (cell ?x 2 %s)) (index ?x))
(init (cell 3 1 %s)) (init (cell 1 3 %s)) (init (cell 2 3 %s))
(<= (legal ?r (go ?x ?y ?z)) (true (control ?r)) (near ?y ?z)
    (true (cell ?x ?y (piece ?r ?p))) (true (cell ?x ?z %s)))
(<= (legal ?r noop) (role ?r))
(<= (next (cell ?x ?z ?c)) (does ?r (go ?x ?y ?z)) (true (cell ?x ?y ?c)))
(<= (next (cell ?x ?y %s)) (does ?r (go ?x ?y ?z)))
(<= (touched ?x ?y) (does ?r (go ?x ?y ?z))) (<= (touched ?x ?z) (does ?r (go ?x ?y ?z)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (touched ?x ?y)))
(<= (next (control north)) (true (control south)))
(<= (next (control south)) (true (control north)))
(<= terminal (true (cell ?x 3 (piece south king)))) (goal north 50) (goal south 50)
"""


@pytest.mark.parametrize("word", ["empty", "blank", "b", "zz"])
def test_one_word_beside_terms_is_blank(word: str) -> None:
    drawn = draw(WALKERS.replace("%s", word))
    assert drawn.looks.blank == {("(cell ? ? ?)", (word,))}
