"""Level 3: the rows that are left below a state are those that can still come, or more."""

from __future__ import annotations

import random
import time
from functools import reduce
from itertools import product
from operator import or_
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.gdl import Description, GoalVector
from ggp.kif import Symbol, parse_term
from ggp.reasoner import Reasoner, open_reasoner
from ggp.search.leaf_values import Group, LeafValueTable, Link, Possible, RowFilter
from ggp.search.leaf_values.outcomes import Outcomes
from tests.search.leaf_values.leaves_below import leaves_below
from tests.search.maxn.trick_games import ROLES, all_at_once, given_away, in_turn

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[3] / "games"
CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"

#: The bundled games with few enough states to look at all of them.
SMALL = (
    "auction", "centipede", "chomp", "harvest", "hexapawn", "nim", "pirates", "rendezvous",
    "rockpaperscissors", "walk", pytest.param("dotsandboxes", marks=pytest.mark.long),
)  # fmt: skip


def rows_of(table: LeafValueTable, vectors: set[GoalVector]) -> int:
    rows = 0
    for goals in vectors:
        rows |= table.row_of(table.ranks(goals))
    return rows


def enumerate_here(description: Description) -> LeafValueTable:
    """The same as `LeafValueTable.enumerate`, but in this process: it saves a second."""
    circuit = build_circuit(description)
    outcomes = Outcomes(circuit, due=time.monotonic() + 20)
    table = outcomes.table(max_rows=1000)
    if table is None:  # the game never ends
        return LeafValueTable.of(description)
    return [table, *outcomes.links(table)][-1]


def check_all_states(description: Description, *, most: int = 20_000) -> float:
    """Check every state; return how many rows the exact filter leaves on average."""
    table = enumerate_here(description)
    exact = Possible(table)
    wider = [Possible(table, row_filter=name) for name in ("upper", "literal")]
    with open_reasoner(description) as reasoner:
        below = leaves_below(reasoner, most=most)
        assert below is not None
        counts = []
        for state, goals in below.items():
            facts = reasoner.facts(state)
            left = exact(facts)
            assert rows_of(table, goals) & ~left == 0
            for bounded in wider:
                assert left & ~bounded(facts) == 0
                assert bounded(facts) & ~table.everything == 0
            counts.append(left.bit_count())
    return sum(counts) / len(counts)


@pytest.mark.sample(4)
@pytest.mark.parametrize("game", SMALL)
def test_no_leaf_below_any_state_of_a_small_game_is_left_out(game: str) -> None:
    check_all_states(Description.load(GAMES / f"{game}.kif"))


@pytest.mark.long
def test_in_tic_tac_toe_the_board_says_what_can_still_come() -> None:
    # 2.006 of the three results can come from a state, on average over all 5,478.
    assert check_all_states(Description.load(GAMES / "tictactoe.kif")) < 2.02


@pytest.mark.parametrize("game", [all_at_once(2), all_at_once(3), in_turn(2)])
def test_no_leaf_below_any_state_of_a_trick_game_is_left_out(game: str) -> None:
    check_all_states(Description.from_text(game))


def test_tricks_taken_are_not_given_back() -> None:
    # The paper's own example: of three tricks the second role has taken one.
    table = LeafValueTable.enumerate(Description.from_text(in_turn(3)))
    facts = list(map(parse_term, ("(took ann 0)", "(took bob 1)", "(took cid 0)")))
    exact, upper, literal = (
        Possible(table, row_filter=name)(facts) for name in ("exact", "upper", "literal")
    )

    def shares(rows: int) -> list[tuple[int, ...]]:
        return [ranks for number, ranks in enumerate(table.vectors) if rows >> number & 1]

    assert shares(exact) == [(0, 1, 2), (0, 2, 1), (0, 3, 0), (1, 1, 1), (1, 2, 0), (2, 1, 0)]
    # Upper bounds cannot say that bob has at least one. Here a rank is a number of tricks.
    assert shares(upper) == shares(literal) == [
        (0, 1, 2), (0, 2, 1), (0, 3, 0), (1, 0, 2), (1, 1, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0),
    ]  # fmt: skip


def test_a_latch_is_found() -> None:
    table = LeafValueTable.enumerate(
        Description.from_text(
            """
            (role a) (init (turn 1)) (succ 1 2) (succ 2 3) (succ 3 4)
            (legal a sin) (legal a pray)
            (<= (next guilty) (does a sin)) (<= (next guilty) (true guilty))
            (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
            (<= terminal (true (turn 4)))
            (<= (goal a 0) (true guilty)) (<= (goal a 100) (not (true guilty)))
            """
        )
    )
    possible = Possible(table)
    turn = parse_term("(turn 2)")
    assert possible([turn]) == 0b11
    assert possible([turn, Symbol("guilty")]) == 0b01


def test_facts_that_can_be_undone_narrow_nothing() -> None:
    table = LeafValueTable.enumerate(
        Description.from_text(
            """
            (role a) (init (turn 1)) (succ 1 2) (succ 2 3) (succ 3 4)
            (legal a sin) (legal a repent)
            (<= (next guilty) (does a sin))
            (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
            (<= terminal (true (turn 4)))
            (<= (goal a 0) (true guilty)) (<= (goal a 100) (not (true guilty)))
            """
        )
    )
    assert (len(table), table.links) == (2, ())
    assert Possible(table)([Symbol("guilty")]) == table.everything


def test_at_level_1_everything_stays_possible() -> None:
    table = LeafValueTable.of(Description.load(GAMES / "tictactoe.kif"))
    assert Possible(table)([parse_term("(mark 1 1 x)")]) == table.everything
    assert Possible(table, row_filter="upper")([]) == table.everything
    assert Possible(table, row_filter="literal")([]) == table.everything


def test_links_are_combined() -> None:
    # Two switches that stay on: each forbids another row.
    switches = [Group((Symbol(name),), (0b01, 0b11)) for name in ("p", "q")]
    links = tuple(
        Link((switch,), tuple(((value,), row) for value, row in ending))
        for switch, ending in zip(
            switches, ([(0, 0), (1, 0), (1, 1), (1, 2)], [(0, 1), (1, 0), (1, 1), (1, 2)]),
            strict=True,
        )
    )  # fmt: skip
    table = LeafValueTable((Symbol("a"),), ((0, 50, 100),), links=links)
    possible = Possible(table)
    assert possible([]) == 0b111
    assert possible([Symbol("p")]) == 0b001
    assert possible([Symbol("q"), Symbol("other")]) == 0b010
    assert possible([Symbol("p"), Symbol("q")]) == 0


@pytest.mark.long
def test_the_literal_filter_is_figure_9s() -> None:
    # Each role can get what it has and all that is left, whatever the goals for it.
    points = 6
    table = LeafValueTable.enumerate(Description.from_text(given_away(points)))
    literal = Possible(table, row_filter="literal")
    shares = [share for share in product(range(points + 1), repeat=3) if sum(share) <= points]
    rows = {
        share: table.row_of(table.ranks(tuple(30 - abs(each - 3) for each in share)))
        for share in shares if sum(share) == points
    }  # fmt: skip
    for share in shares:
        facts = [parse_term(f"(has {role} {n})") for role, n in zip(ROLES, share, strict=True)]
        bounds = [has + points - sum(share) for has in share]
        kept = [
            row
            for at_end, row in rows.items()
            if all(has <= bound for has, bound in zip(at_end, bounds, strict=True))
        ]
        assert literal(facts) == reduce(or_, kept)


def test_the_literal_filter_bounds_each_group_from_above() -> None:
    # A field that is taken once, by x or by o, and a counter up to 2 whose facts are in no order.
    field = Group((Symbol("x"), Symbol("o")), (0b001, 0b010, 0b111))
    numbers = Symbol("two"), Symbol("zero"), Symbol("one")
    counter = Group(numbers, (0b0001, 0b0111, 0b0101, 0b0111))
    two, zero, one, empty = 0, 1, 2, 2
    ends = [(0, zero), (0, one), (0, two), (1, zero), (1, one), (empty, zero), (empty, one)]
    link = Link((field, counter), tuple((values, row) for row, values in enumerate(ends)))
    table = LeafValueTable((Symbol("a"),), (tuple(range(len(ends))),), links=(link,))
    exact, literal = Possible(table), Possible(table, row_filter="literal")

    def ends_left(possible: Possible, *facts: str) -> list[tuple[int, int]]:
        rows = possible(map(Symbol, facts))
        return [values for number, values in enumerate(ends) if rows >> number & 1]

    assert ends_left(literal, "zero") == ends
    # What came before x can be said of the end, what excludes x cannot.
    assert ends_left(exact, "x", "zero") == ends[:3]
    assert ends_left(literal, "x", "zero") == [*ends[:3], *ends[5:]]
    # The counter gets to one at most when o is there, although it can count to two.
    assert ends_left(exact, "o", "one") == [(1, one)]
    assert ends_left(literal, "o", "one") == [(1, zero), (1, one), (empty, zero), (empty, one)]


# Games at random: a clock, a counter and three switches, moved by two roles.

FACTS = ("p", "q", "r", "(n 1)", "(n 2)", "(m 0)", "(m 1)", "(m 2)")
CLOCK = """
    (role a) (role b) (legal a x) (legal a y) (legal b x) (legal b y) (up 0 1) (up 1 2) (up 2 3)
    (init (n 0)) (<= (next (n ?k)) (true (n ?i)) (up ?i ?k)) (<= terminal (true (n 3)))
    (init (m 0))
    """
literals = st.tuples(st.sampled_from(("(true {})", "(not (true {}))")), st.sampled_from(FACTS)).map(
    lambda parts: parts[0].format(parts[1])
)
few_literals = st.lists(literals, min_size=1, max_size=2).map(" ".join)
deeds = st.sampled_from(("(does a x)", "(does b x)", "(does a y)", "(not (does b y))"))
switched = st.tuples(st.sampled_from("pqr"), deeds, st.one_of(st.just(""), literals)).map(
    lambda parts: f"(<= (next {parts[0]}) {parts[1]} {parts[2]})"
)
kept = st.tuples(st.sampled_from("pqr"), st.one_of(st.just(""), deeds)).map(
    lambda parts: f"(<= (next {parts[0]}) (true {parts[0]}) {parts[1]})"
)
counted = st.sampled_from(
    (
        "(<= (next (m ?k)) (true (m ?i)) (up ?i ?k) (does a x)) "
        "(<= (next (m ?i)) (true (m ?i)) (not (does a x)))",
        "(<= (next (m ?k)) (true (m ?i)) (up ?i ?k)) (<= (next (m 1)) (true (m 3)))",
        "(<= (next (m ?k)) (does b y) (true (m ?i)) (up ?k ?i)) (<= (next (m 2)) (does b x))",
        "(<= (next (m ?i)) (true (m ?i))) (<= (next (m 2)) (true p))",
    )
)
goal_rules = st.tuples(st.sampled_from("ab"), st.sampled_from((0, 10, 50, 100)), few_literals).map(
    lambda parts: f"(<= (goal {parts[0]} {parts[1]}) {parts[2]})"
)
ended = few_literals.map("(<= terminal {})".format)
random_games = st.tuples(
    st.sampled_from(("", "(init p)")),
    counted,
    st.lists(switched, min_size=1, max_size=4).map(" ".join),
    st.lists(kept, min_size=1, max_size=4).map(" ".join),
    st.lists(goal_rules, min_size=3, max_size=8).map(" ".join),
    st.one_of(st.just(""), st.just(""), ended),
).map(lambda parts: "\n".join([CLOCK, *parts]))


@pytest.mark.long
@settings(max_examples=settings().max_examples // 3)
@given(random_games)
def test_no_leaf_below_any_state_of_a_random_game_is_left_out(text: str) -> None:
    check_all_states(Description.from_text(text))


@pytest.mark.long
@settings(max_examples=500, deadline=None)
@given(random_games)
def test_no_leaf_below_any_state_of_many_random_games_is_left_out(text: str) -> None:
    check_all_states(Description.from_text(text))


# Real games


def check_playouts(reasoner: Reasoner, table: LeafValueTable, *, count: int, steps: int) -> None:
    chance = random.Random(1)
    filters = [Possible(table, row_filter=name) for name in get_args(RowFilter)]
    for _ in range(count):
        state, path = reasoner.initial_state(), []
        for _ in range(steps):
            path.append(state)
            view = reasoner.view(state)
            if view.terminal:
                row = table.row_of(table.ranks(view.goals))
                for passed in map(reasoner.facts, path):
                    assert all(possible(passed) & row for possible in filters)
            if view.terminal or not all(view.legal):
                break
            state = reasoner.next_state(state, [chance.choice(moves) for moves in view.legal])


@pytest.mark.long
@pytest.mark.parametrize("game", ["connectfour5x5", "foxandhounds", "triad", "tron"])
def test_no_playout_of_a_larger_game_ends_outside_what_was_possible(game: str) -> None:
    description = Description.load(GAMES / f"{game}.kif")
    table = LeafValueTable.enumerate(description, time_limit=10)
    with open_reasoner(description) as reasoner:
        check_playouts(reasoner, table, count=10, steps=200)


@pytest.mark.long
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.kif")), ids=lambda path: path.stem)
def test_no_playout_of_a_real_game_ends_outside_what_was_possible(path: Path) -> None:
    description = Description.load(path)
    table = LeafValueTable.enumerate(description, time_limit=10)
    if not table.is_enumerated:
        pytest.skip("the table has too many rows")
    with open_reasoner(description) as reasoner:
        check_playouts(reasoner, table, count=10, steps=100)
