"""The leaf-value table: its rows, its ranks, and that no leaf escapes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.gdl import Description
from ggp.kif import Symbol, parse_term
from ggp.reasoner import open_reasoner
from ggp.search import CLASSIFIERS, LeafValue, LeafValueTable

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[3] / "games"
CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"


def table(*goals: tuple[int, ...]) -> LeafValueTable:
    return LeafValueTable(tuple(Symbol(f"r{i}") for i in range(len(goals))), goals)


def values(text: str) -> dict[str, tuple[int, ...]]:
    description = Description.from_text(text)
    return {str(role): goals for role, goals in description.goal_values.items()}


def test_the_rows_are_all_combinations_in_order() -> None:
    made = table((0, 100), (25, 50, 75))
    assert [row.goals for row in made] == [
        (0, 25), (0, 50), (0, 75), (100, 25), (100, 50), (100, 75),
    ]  # fmt: skip
    assert [row.ranks for row in made] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert next(iter(made)) == LeafValue("(goal r0 0) (goal r1 25)", (0, 25), (0, 0))
    assert len(made) == 6


def test_a_goal_that_may_be_missing_makes_rows_of_its_own() -> None:
    roles = (Symbol("a"), Symbol("b"))
    made = LeafValueTable(roles, ((0, 100), (25, 75)), may_miss=frozenset({0, 1}))
    assert [row.ranks for row in made] == [
        (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1),
    ]  # fmt: skip
    assert next(iter(made)) == LeafValue("(goal a 0)", (0, 0), (0, -1))
    assert made.row_of(made.ranks((100, None))) == 0b001000


def test_sets_of_rows_are_bits() -> None:
    made = table((0, 100), (25, 50, 75))
    assert made.everything == 0b111111
    assert made.above(0, -1) == made.everything
    assert made.above(0, 0) == 0b111000
    assert made.above(0, 1) == 0
    assert made.above(1, 0) == 0b110110
    assert made.above(1, 0) & made.above(0, 0) == made.row_of((1, 1)) | made.row_of((1, 2))


@given(
    st.lists(
        st.lists(st.integers(0, 100), min_size=1, max_size=5, unique=True), min_size=1, max_size=3
    )
)
def test_sets_of_rows_are_right_for_every_role_and_rank(goals: list[list[int]]) -> None:
    made = table(*(tuple(sorted(of_role)) for of_role in goals))
    for role, of_role in enumerate(goals):
        for rank in range(-1, len(of_role)):
            above = {i for i, ranks in enumerate(made.vectors) if ranks[role] > rank}
            assert made.above(role, rank) == sum(1 << i for i in above)
    assert [made.row_of(ranks) for ranks in made.vectors] == [1 << i for i in range(len(made))]


def test_a_table_too_large_to_make_has_a_length_and_a_beginning() -> None:
    made = table(*[tuple(range(101))] * 8)
    assert not made.is_enumerated
    assert len(made) == 101**8
    assert next(iter(made)).goals == (0,) * 8
    assert made.maxsum == 800


def test_maxsum_is_the_highest_sum_of_ranks_in_a_row() -> None:
    made = table((0, 33, 50, 100), (0, 100), (10,))
    assert made.maxsum == max(sum(row.ranks) for row in made) == 4


def test_ranks_order_goals_and_a_missing_goal_is_a_zero() -> None:
    made = table((0, 50, 100), (25, 75))
    assert made.ranks((50, 75)) == (1, 1)
    assert made.ranks((None, 25)) == (0, 0)
    assert made.ranks((None, None)) == (0, -1)


@pytest.mark.parametrize(
    ("goals", "constant"), [([(50,), (50,)], True), ([(0, 100), (50,)], False)]
)
def test_the_sum_is_constant_if_no_row_differs(
    goals: list[tuple[int, ...]], constant: bool
) -> None:
    made = table(*goals)
    assert made.constant_sum == constant
    assert (len({sum(row.goals) for row in made}) == 1) == constant


def test_only_a_classifier_knows_the_highest_goal() -> None:
    made = table((0, 40))
    assert [made.highest(0, name) for name in CLASSIFIERS] == [100, 40, 40, 40, 40]


@pytest.mark.parametrize(
    ("rules", "may_miss"),
    [
        ("(goal a 50)", set()),
        ("(<= (goal a 50) (true over))", {0}),
        ("(goal a 50) (<= (goal a win) (true over))", {0}),
        ("(goal a 50) (<= (goal ?r 50) (role ?r) (true over))", {0}),
        ("(goal a 50) (goal a 60)", {0}),
    ],
)
def test_only_a_goal_without_a_condition_is_never_missing(rules: str, may_miss: set[int]) -> None:
    made = LeafValueTable.of(Description.from_text(f"(role a) {rules}"))
    assert made.may_miss == may_miss


def test_a_role_without_a_goal_rule_gets_nothing() -> None:
    made = LeafValueTable.of(Description.from_text("(role a) (role random) (goal a 50)"))
    assert made.goals == ((50,), (0,))


def test_goals_are_read_from_the_rules() -> None:
    assert values(
        """
        (role a) (role b)
        (goal a 100)
        (<= (goal ?r 50) (true draw))
        (<= (goal ?r 0) (other ?r a))
        (other b a)
        """
    ) == {"a": (50, 100), "b": (0, 50)}


def test_goals_that_are_computed_are_followed_to_where_they_come_from() -> None:
    # Through a function, a chain of relations, and two sources that must agree.
    assert values(
        """
        (role a)
        (init (score 0))
        (<= (next (score ?n)) (does a (bid ?m)) (points ?m ?n))
        (<= (next (score ?n)) (true (score ?n)) (not (does a pass)))
        (points low 30) (points high 70) (points never 90)
        (<= (legal a (bid ?m)) (known ?m))
        (known low) (known high)
        (<= (goal a ?n) (true (score ?n)))
        (<= (goal a ?n) (even ?n) (odd ?n))
        (even 20) (even 40) (odd 20) (odd 33)
        """
    ) == {"a": (0, 20, 30, 70, 90)}


def test_a_goal_that_may_be_anything_may_be_every_number() -> None:
    assert values("(role a) (<= (goal a ?n) (not (true (used ?n))))") == {"a": tuple(range(101))}


def test_terms_that_grow_forever_are_given_up() -> None:
    text = """
        (role a) (init (s 10)) (<= (next (s ?x)) (true ?x))
        (<= (goal a ?n) (true (s ?n)))
        """
    assert 10 in values(text)["a"]


@pytest.mark.parametrize(
    ("fact", "possible"),
    [("(score 30)", True), ("(score 31)", False), ("score", False), ("done", True)],
)
def test_facts_that_can_never_be_true_are_known(fact: str, possible: bool) -> None:
    description = Description.from_text("(role a) (init (score 30)) (<= (next done) (does a go))")
    assert description.domains.facts.admits(parse_term(fact)) == possible


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", sorted(GAMES.glob("*.kif")), ids=lambda path: path.stem)
def test_no_playout_ends_with_goals_outside_the_table(path: Path) -> None:
    description = Description.load(path)
    _check_playouts(description, count=20)


@pytest.mark.long
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_no_playout_of_a_real_rulesheet_ends_with_goals_outside_the_table() -> None:
    paths = sorted(CORPUS.glob("*.kif"))
    assert paths
    for path in paths:
        _check_playouts(Description.load(path), count=3)


def _check_playouts(description: Description, *, count: int) -> None:
    made = LeafValueTable.of(description)
    facts = description.domains.facts
    with open_reasoner(description) as reasoner:
        start = reasoner.initial_state()
        assert all(facts.admits(fact) for fact in reasoner.facts(start))
        for playout in reasoner.playouts(start, count=count, seed=1, max_steps=200):
            assert made.row_of(made.ranks(playout.goals))
