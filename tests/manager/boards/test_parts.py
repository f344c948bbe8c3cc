"""Borders, stacks, rings, rows and layers are found by how facts behave."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest

from ggp.kif import parse_term
from ggp.server.manager.drawing.axes import Axis
from ggp.server.manager.drawing.clicks import Clicks
from ggp.server.manager.drawing.families import families_of
from ggp.server.manager.drawing.finder import find_layout
from ggp.server.manager.drawing.grids import Grid
from ggp.server.manager.drawing.layout import Board, Layout, Placing, Spot
from ggp.server.manager.drawing.looks.boards import board_looks
from ggp.server.manager.drawing.neighbours import Key, place
from ggp.server.manager.drawing.parts.graphs import graph_board, pits_board, square_of_lines
from ggp.server.manager.drawing.parts.sets import board_of_sets, sets
from ggp.server.manager.drawing.parts.squares import divided, ring_board
from ggp.server.manager.drawing.pieces import find_looks
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.drawing.scene import cards_of, scene_of
from tests.manager.drawn import draw


def line(*states: str) -> Line:
    """A line of play of states, each a text of facts such as ``at a 1, step 1``."""
    read = [tuple(parse_term(f"({fact})") for fact in state.split(",")) for state in states]
    return Line(tuple(read), ())


def drawn(*states: str) -> tuple[Layout, list[dict[str, Any]]]:
    """The layout that is found without rules, and how each of the states looks."""
    played = line(*states)
    layout = find_layout(None, [played])
    looks = find_looks(layout, [played])
    return layout, [scene_of(facts, layout, looks) for facts in played.states]


def board_of(size: int, contents: str = "b") -> str:
    """Facts for all cells of a square board."""
    pairs = product(range(1, size + 1), repeat=2)
    return ", ".join(f"cell {x} {y} {contents}" for x, y in pairs)


def test_a_fact_with_a_direction_is_a_wall_between_cells() -> None:
    walls = "wall 1 1 east, wall 2 2 north, wall 0 3 east"
    layout, (scene, _) = drawn(f"{board_of(3)}, {walls}", f"{board_of(3, 'x')}, {walls}")
    (board,) = layout.boards
    assert len(board.spots) == 9
    assert [(each["from"], each["to"]) for each in scene["borders"]] == [
        ([0.0, 0.0], [1.0, 0.0]),
        ([1.0, 1.0], [1.0, 2.0]),
        ([-1.0, 2.0], [0.0, 2.0]),
    ]
    assert {each["style"] for each in scene["borders"]} == {"wall"}


def test_signs_lie_between_two_cells_and_tell_which_coordinate_is_the_row() -> None:
    signs = "cell_lt_right 4 1, cell_lt_right 1 3, cell_gt_below 1 4"
    layout, (scene, _) = drawn(f"{board_of(4)}, {signs}", f"{board_of(4, '2')}, {signs}")
    (board,) = layout.boards
    assert (board.spots["4", "1"].x, board.spots["4", "1"].y) == (0, -3)
    assert sorted((each["style"], *each["to"]) for each in scene["borders"]) == [
        ("<", 1.0, -3.0),
        ("<", 3.0, 0.0),
        (">", 3.0, -1.0),
    ]


def test_facts_that_join_neighbours_are_lines_between_dots() -> None:
    layout, scenes = drawn(
        "control a", "line 1 1 1 2, line 2 1 3 1, line 2 2 2 3, line 3 1 3 2, box 1 1 x, box 2 2 o"
    )
    (board,) = layout.boards
    assert (board.shape, len(board.spots)) == ("dot", 9)
    styles = [each["style"] for each in scenes[1]["borders"]]
    assert (styles.count("line"), styles.count("box")) == (4, 2)


def test_things_on_each_other_are_stacks_which_moves_name() -> None:
    first = "on c a, table a, table b, clear b, clear c"
    layout, (scene, after) = drawn(first, "table a, on b c, on c a, clear b")
    (board,) = layout.boards
    assert (board.shape, layout.hands) == ("stack", ())
    ids = {f"0.{n}": key for n, key in enumerate(board.spots)}
    places = {items[0]["text"]: ids[spot] for spot, items in after["cells"].items()}
    assert places == {"a": ("a", "1"), "c": ("a", "2"), "b": ("a", "3")}
    assert scene["table"] == []
    facts = line(first).states[0]
    clicks = Clicks(layout, None).named(parse_term("(put b c)"), cards_of(facts, layout))
    assert clicks == (("card b",), ("card c",))


def test_a_fact_that_names_all_things_in_their_order_is_a_line_of_them() -> None:
    _, (first, second) = drawn("order p3 p1 p4 p2", "order p4 p1 p3 p2")
    texts = [[items[0]["text"] for items in each["cells"].values()] for each in (first, second)]
    assert texts == [["p3", "p1", "p4", "p2"], ["p4", "p1", "p3", "p2"]]


def test_a_cell_shows_the_top_of_its_pile() -> None:
    ground = [f"cube {x} {y} 0 ground" for x, y in product(range(4), repeat=2)]
    high = [*ground, "cube 1 2 1 red", "cube 1 2 2 blue", "cube 3 3 1 red"]
    _, (_, scene) = drawn(", ".join(ground), ", ".join(high))
    shown = [i["text"] for items in scene["cells"].values() for i in items if not i["blank"]]
    assert sorted(text for text in shown if "ground" not in text) == ["1 red", "2 blue"]


def test_two_families_with_alike_names_that_disagree_have_a_board_each() -> None:
    cells = [f"cell_{game} {x} {y}" for game in "ab" for x in "123" for y in "123"]
    marks = ", ".join(f"{cell} {'xo'[n % 2]}" for n, cell in enumerate(cells))
    layout, _ = drawn("control x", marks)
    assert [board.name for board in layout.boards] == ["cell_a", "cell_b"]


def test_facts_of_several_forms_about_the_same_places_are_what_these_hold() -> None:
    lamps = (frozenset("pqr"),)
    states = line("off p, off q, off r", "off p, on q, off r").states
    families = families_of(states, {"(off ?)": lamps, "(on ?)": lamps})
    (group,) = sets(families, frozenset())
    assert [family.name for family in group] == ["off", "on"]
    assert [spot.name for spot in board_of_sets(group, ()).spots.values()] == ["p", "q", "r"]
    both = line("off p, off q, off r", "off p, on p, off r").states
    assert not list(sets(families_of(both, {"(off ?)": lamps, "(on ?)": lamps}), frozenset()))


def test_four_layers_stand_in_two_rows() -> None:
    cells = [
        f"cell {q} {x} {y} {'rb'[n % 2]}"
        for n, (q, x, y) in enumerate(product(range(1, 5), range(1, 4), range(1, 4)))
    ]
    layout, _ = drawn("control red", ", ".join(cells))
    (board,) = layout.boards
    xs, ys = ({round(getattr(spot, axis), 1) for spot in board.spots.values()} for axis in "xy")
    assert (len(xs), len(ys)) == (6, 6)


def test_a_coordinate_that_goes_round_makes_rings() -> None:
    ways = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
    rings = ("inner", "outer")
    around = tuple(zip(ways, (*ways[1:], ways[0]), strict=True))
    near = tuple((r, a, r, b) for r in rings for a, b in around)
    near += tuple(("inner", a, "outer", a) for a in ("n", "e", "s", "w"))
    facts = [[parse_term(f"(pit {r} {a} empty)") for r in rings for a in ways]]
    (family,) = families_of(facts, {})
    grid = Grid(family, (), (0, Axis(rings, True)), (1, Axis(tuple(sorted(ways)), True)), 9, True)
    board = ring_board(grid, [around, near])
    assert board is not None
    places = {key: (spot.x, spot.y) for key, spot in board.spots.items()}
    assert places["outer", "n"] == pytest.approx((0, 2))
    assert places["inner", "se"] == pytest.approx((1, -1))
    assert len(board.edges) == len(near)


def test_rows_of_names_that_are_neighbours_make_a_star() -> None:
    rows = {"a": 1, "b": 2, "c": 3}
    cells = [(f"{row}{n}",) for row, size in rows.items() for n in range(1, size + 1)]
    down = [("a1", "b1"), ("a1", "b2"), *((f"b{n}", f"c{n}") for n in (1, 2)), ("b1", "c2")]
    board = graph_board("cell", cells, [tuple(down), (("b1", "b2"), ("c1", "c2"), ("c2", "c3"))])
    assert board is not None
    assert [board.spots[cell].x for cell in cells] == [0, -0.5, 0.5, -1, 0, 1]


def test_jumps_over_a_neighbour_do_not_break_the_rows_of_a_star() -> None:
    cells = [(f"{row}{n}",) for row, size in zip("abcd", (1, 2, 3, 4), strict=True)
             for n in range(1, size + 1)]  # fmt: skip
    down = tuple((f"{one}{n}", f"{two}{m}") for one, two, size in ("ab1", "bc2", "cd3")
                 for n in range(1, int(size) + 1) for m in (n, n + 1))  # fmt: skip
    over = (("a1", "c1"), ("a1", "c3"), ("b1", "d1"), ("b1", "d3"), ("b2", "d2"), ("b2", "d4"))
    board = graph_board("cell", cells, [down, over])
    assert board is not None
    assert [board.spots[cell].x for cell in cells[-4:]] == [-1.5, -0.5, 0.5, 1.5]
    assert len(board.edges) == len(down)


def test_cells_of_a_graph_are_read_in_the_order_of_their_names() -> None:
    places = {f"{3 * y + x + 1}": (x, y) for x, y in product(range(3), range(4))}
    pairs = tuple(
        (one, other)
        for one, (x, y) in places.items()
        for other, (u, v) in places.items()
        if (u - x, v - y) in ((1, 0), (0, 1))
    )
    found = place([(name,) for name in places], [frozenset(((a,), (b,)) for a, b in pairs)])
    assert found is not None
    points, _ = found
    read = sorted(points, key=lambda cell: (-round(points[cell][1]), points[cell][0]))
    assert [cell for (cell,) in read] == list(places)


def test_pits_that_are_sown_round_are_two_rows_between_their_stores() -> None:
    pits = [f"p{n}" for n in range(1, 9)]
    way = ["home", *pits[:4], "away", *pits[4:]]
    passed = [(a, b) for a, b in zip(way, (*way[1:], way[0]), strict=True)]
    board = pits_board(
        "pit", [(name,) for name in sorted(way)], [(*passed, ("p4", "p5"), ("p8", "p1"))]
    )
    assert board is not None
    rows = {spot.y for spot in board.spots.values()}
    assert len(rows) == 3
    assert board.spots["p1",].x == board.spots["p8",].x


def test_cells_never_overlap() -> None:
    # Two pairs of cells have the same neighbours, so that distances alone cannot part them.
    cells = [(name,) for name in "abcdef"]
    pairs = (("a", "b"), ("a", "c"), ("d", "b"), ("d", "c"), ("d", "e"), ("d", "f"))
    board = graph_board("cell", cells, [pairs])
    assert board is not None
    spots = list(board.spots.values())
    assert len(spots) == len(cells)
    for n, one in enumerate(spots):
        for other in spots[:n]:
            assert (one.x - other.x) ** 2 + (one.y - other.y) ** 2 > 0.5


def test_two_facts_that_tell_x_and_y_are_one_place() -> None:
    rows = [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (5, 5)]
    states = [f"posx car {x}, posy car {y}, posx bus {y}, posy bus {x}" for x, y in rows]
    layout, scenes = drawn(*states)
    (placing,) = layout.placings
    assert (placing.form, placing.key) == ("(pos ? ? ?)", (1, 2))
    spots = {f"0.{n}": spot.name for n, spot in enumerate(layout.boards[0].spots.values())}
    last = {items[0]["text"]: spots[spot] for spot, items in scenes[1]["cells"].items()}
    assert last == {"car": "2 1", "bus": "1 2"}


def test_two_games_one_after_the_other_have_two_boards() -> None:
    small = [f"cell {x} {y} {{}}" for x, y in product("123", "123")]
    large = [f"field {x} {y} {{}}" for x, y in product("1234", "1234")]

    def state(cells: list[str], marked: int) -> str:
        return ", ".join(cell.format("b" if n >= marked else "x") for n, cell in enumerate(cells))

    states = [state(cells, marked) for cells in (small, large) for marked in range(5)]
    layout, _ = drawn(*states)
    assert [tuple(map(len, board.axes)) for board in layout.boards] == [(3, 3), (4, 4)]
    blank = find_looks(layout, [line(*states)]).blank
    assert blank == {(f"({name} ? ? ?)", ("b",)) for name in ("cell", "field")}


def test_the_look_of_a_board_counts_pieces_whose_place_two_facts_tell() -> None:
    steps = [(n, 7 - n) for n in range(1, 7)]  # both stay on the dark cells
    played = line(*(f"posx car {x}, posy car {x}, posx bus {y}, posy bus {y}" for x, y in steps))
    layout = find_layout(None, [played])
    assert len(layout.joins) == 1
    assert board_looks(layout, find_looks(layout, [played]), [played]) == ["dark-0"]


NONOGRAM = """
(role solver) (row 1 1 2) (row 2 1 1) (row 3 1 1) (row 3 2 1) (col 1 1 3) (col 2 1 1) (col 3 1 1)
(index 1) (index 2) (index 3) (succ 1 2) (succ 2 3)
(<= (legal solver (mark ?col ?row)) (index ?col) (index ?row) (not (true (marked ?col ?row))))
(<= (next (marked ?col ?row)) (does solver (mark ?col ?row)))
(<= (next (marked ?col ?row)) (true (marked ?col ?row)))
(<= terminal (true (marked 3 3)))
(goal solver 100)
"""


def test_static_numbers_of_rows_and_columns_are_clues_beside_the_board() -> None:
    board = draw(NONOGRAM).board
    beside = {
        (round(c.x, 2), round(c.y, 2)): c.name for c in board.captions if c.y > 2.5 or c.x > 2.5
    }
    assert beside[0, 2.75] == "3"
    assert [beside[x, 2] for x in (2.75, 3.3)] == ["1", "1"]


def test_nine_cells_on_eight_lines_of_three_are_a_square() -> None:
    # Three numbers that sum to 15, as in the magic square.
    numbers = range(1, 10)
    lines = [c for c in combinations(numbers, 3) if sum(c) == 15]
    table = tuple(tuple(map(str, line)) for line in lines)
    points = square_of_lines([(str(n),) for n in numbers], [table])
    assert points is not None
    rows = [{int(c[0]) for c, (_, y) in points.items() if y == -row} for row in range(3)]
    columns = [{int(c[0]) for c, (x, _) in points.items() if x == column} for column in range(3)]
    assert {sum(line) for line in (*rows, *columns)} == {15}
    assert points["5",] == (1, -1)


def test_digits_on_nine_by_nine_cells_are_divided_as_a_sudoku() -> None:
    axis = tuple(map(str, range(1, 10)))
    spots: dict[Key, Spot] = {
        (a, b): Spot(f"{a} {b}", float(a), float(b)) for a, b in product(axis, repeat=2)
    }
    board = Board("mark", "square", spots, (axis, axis))
    digits = Placing("(mark ? ? ?)", 0, (0, 1), (2,), "piece", possible=("blank", *axis))
    assert len(divided(board, [digits]).lines) == 4
    assert divided(board, [replace(digits, possible=("x", "o"))]).lines == ()


def test_columns_of_three_four_five_four_three_cells_are_a_hexagon() -> None:
    cells = [(x, y) for x, size in enumerate((3, 4, 5, 4, 3)) for y in range(size)]
    facts = ", ".join(f"cell {x} {y} {'rb'[n % 2]}" for n, (x, y) in enumerate(cells))
    layout, _ = drawn(facts, facts.replace(" r", " b"))
    (board,) = layout.boards
    assert board.shape == "hex"
    spots = list(board.spots.values())
    middle = board.spots["2", "2"]
    near = [s for s in spots if 0.9 < ((s.x - middle.x) ** 2 + (s.y - middle.y) ** 2) ** 0.5 < 1.1]
    assert (len(spots), len(near)) == (19, 6)


def test_a_fact_that_names_one_of_nine_boards_marks_it() -> None:
    cells = list(product(range(1, 4), repeat=4))
    big = ", ".join(f"mark {a} {b} {c} {d} {'xo'[n % 2]}" for n, (a, b, c, d) in enumerate(cells))
    small = ", ".join(f"won {a} {b} {'xo'[a % 2]}" for a, b in product(range(1, 4), repeat=2))
    layout, scenes = drawn(
        "control x", *(f"{big}, {small}, next {n} {n}, over" for n in range(1, 4))
    )
    (placing,) = (p for p in layout.placings if p.form == "(next ? ?)")
    assert len(layout.boards[placing.board].axes) == 4
    marked = [i for items in scenes[1]["cells"].values() for i in items if i["kind"] == "mark"]
    assert len(marked) == 9


def test_numbers_of_things_that_go_from_cell_to_cell_are_boards_of_their_own() -> None:
    drawn = draw(
        """
        (role snake) (plus 1 2) (plus 2 3) (plus 3 4)
        (init (cell 1 1 1 head)) (init (cell 2 1 1 head)) (init (n 1))
        (<= (legal snake (up ?i)) (true (cell ?i ?x ?y head)) (plus ?y ?z))
        (<= (legal snake (right ?i)) (true (cell ?i ?x ?y head)) (plus ?x ?z))
        (<= (goes ?i) (does snake (up ?i))) (<= (goes ?i) (does snake (right ?i)))
        (<= (next (cell ?i ?x ?z head)) (true (cell ?i ?x ?y head)) (does snake (up ?i))
            (plus ?y ?z))
        (<= (next (cell ?i ?z ?y head)) (true (cell ?i ?x ?y head)) (does snake (right ?i))
            (plus ?x ?z))
        (<= (next (cell ?i ?x ?y head)) (true (cell ?i ?x ?y head)) (not (goes ?i)))
        (<= (next (cell ?i ?x ?y body)) (true (cell ?i ?x ?y head)) (goes ?i))
        (<= (next (cell ?i ?x ?y body)) (true (cell ?i ?x ?y body)))
        (<= (next (n ?m)) (true (n ?k)) (plus ?k ?m)) (<= terminal (true (n 4))) (goal snake 50)
        """
    )
    (placing,) = drawn.layout.placings
    assert (placing.key, placing.contents) == ((0, 1, 2), (3,))
    assert [len(axis) for axis in drawn.board.axes] == [2, 4, 4]


def test_a_cell_without_neighbours_stands_beside_the_graph() -> None:
    drawn = draw(
        """
        (role p) (colour red) (colour blue) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (land a) (land b) (land c) (land d) (land isle)
        (near a b) (near b c) (near c d) (near d a) (near a c)
        (init (n 1)) (<= (done ?x) (true (paint ?x ?c)))
        (<= (legal p (put ?x ?c)) (land ?x) (colour ?c) (not (done ?x)))
        (<= (next (paint ?x ?c)) (does p (put ?x ?c)))
        (<= (next (paint ?x ?c)) (true (paint ?x ?c)))
        (<= (next (n ?m)) (true (n ?k)) (succ ?k ?m)) (<= terminal (true (n 5))) (goal p 50)
        """
    )
    places = {spot.name: spot.y for spot in drawn.board.spots.values()}
    assert (drawn.board.shape, len(drawn.board.edges)) == ("round", 5)
    assert places["isle"] < min(y for name, y in places.items() if name != "isle")
