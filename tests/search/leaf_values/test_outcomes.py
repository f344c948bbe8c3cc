"""Level 2: the goals that a game can end with, and no more than the rules allow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.search.leaf_values import LeafValueTable
from ggp.workers.worker import Worker
from tests.search.maxn.trick_games import all_at_once, in_turn

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[3] / "games"


def enumerate_text(text: str, *, time_limit: float = 60.0) -> LeafValueTable:
    return LeafValueTable.enumerate(Description.from_text(text), time_limit=time_limit)


def goals_of(table: LeafValueTable) -> list[tuple[int, ...]]:
    return [row.goals for row in table]


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [all_at_once, in_turn])
@pytest.mark.parametrize("tricks", [2, 3, 5, 9])
def test_three_roles_share_the_tricks_in_every_way(game: Callable[[int], str], tricks: int) -> None:
    table = enumerate_text(game(tricks))
    shares = [(a, b, tricks - a - b) for a in range(tricks + 1) for b in range(tricks + 1 - a)]
    assert table.level == 2
    assert len(table) == (tricks + 1) * (tricks + 2) // 2
    assert table.vectors == tuple(shares)
    assert (table.maxsum, table.constant_sum) == (tricks, True)
    assert [row.outcome for row in table] == [
        " ".join(
            f"({fact} {role} {count})"
            for fact, counts in (("took", share), ("goal", [10 * n for n in share]))
            for role, count in zip(("ann", "bob", "cid"), counts, strict=True)
        )
        for share in shares
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", ["tictactoe", "connectfour", "dotsandboxes", "auction"])
def test_games_of_two_are_known_to_be_of_constant_sum(game: str) -> None:
    table = LeafValueTable.enumerate(Description.load(GAMES / f"{game}.kif"), time_limit=60)
    assert goals_of(table) == [(0, 100), (50, 50), (100, 0)]
    assert table.constant_sum


def test_ranks_are_those_of_goals_that_are_left() -> None:
    table = enumerate_text(
        """
        (role a) (init (on 1)) (legal a go) (<= (next (on 2)) (true (on 1)))
        (<= (next (on 1)) (true (on 2))) (<= terminal (true (on 2)))
        (<= (goal a 10) (true (on 1))) (<= (goal a 20) (true (on 3))) (<= (goal a 30) (true (on 2)))
        """
    )
    assert table.goals == ((30,),)
    assert table.vectors == ((0,),)
    assert table.highest(0, "linear") == 30


def test_a_goal_that_is_missing_or_double_counts_as_a_zero() -> None:
    table = enumerate_text(
        """
        (role a) (role b) (init start) (legal a left) (legal a right) (legal b noop)
        (<= (next left) (does a left)) (<= (next right) (does a right))
        (<= terminal (true left)) (<= terminal (true right))
        (<= (goal a 40) (true left)) (<= (goal b 10) (true left))
        (<= (goal a 50) (true right)) (<= (goal b 10) (true right)) (<= (goal b 20) (true right))
        """
    )
    assert goals_of(table) == [(40, 10), (50, 0)]
    assert [row.outcome for row in table] == [
        "left (goal a 40) (goal b 10)",
        "right (goal a 50)",
    ]
    assert table.row_of(table.ranks((50, None))) == 0b10


def test_two_goals_count_as_none_even_if_only_one_is_a_number() -> None:
    table = enumerate_text(
        """
        (role a) (init start) (legal a go) (<= (next over) (does a go)) (<= terminal (true over))
        (goal a 40) (<= (goal a win) (true over))
        """
    )
    assert goals_of(table) == [(0,)]


def test_a_game_that_is_over_at_once_has_one_row() -> None:
    table = enumerate_text(
        """
        (role a) (init (on 1)) (legal a go) (<= (next (on 2)) (true (on 1)))
        (<= terminal (true (on ?x))) (<= (goal a 10) (true (on 1))) (<= (goal a 20) (true (on 2)))
        """
    )
    assert goals_of(table) == [(10,)]


def test_moves_that_no_role_may_make_lead_nowhere() -> None:
    table = enumerate_text(
        """
        (role a) (role b) (init start) (legal a left) (legal b left) (legal b right)
        (<= (next same) (does a ?m) (does b ?m)) (<= (next other) (does b right))
        (<= terminal (not (true start))) (<= (goal a 100) (true same)) (<= (goal b 0) (true same))
        (<= (goal a 0) (true other)) (<= (goal b 100) (true other))
        """
    )
    assert goals_of(table) == [(0, 100), (100, 0)]


CANNOT = {
    "it never ends": """
        (role a) (init on) (legal a go) (<= (next on) (true on))
        (<= terminal (true off)) (<= (goal a 0) (true on)) (<= (goal a 100) (true off))
        """,
    "it cannot be grounded": """
        (role a) (init (n 0)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n (s (s 0))))) (<= (goal a 0) (true (n ?x)))
        """,
    "rules rest on themselves": """
        (role a) (init (edge 1 2)) (legal a go) (legal a stay)
        (<= (next (edge 2 3)) (does a go)) (<= (next (edge 3 1)) (does a stay))
        (<= (next (edge 1 2)) (does a go)) (<= (next (edge 2 1)) (does a stay))
        (<= (path ?x ?y) (true (edge ?x ?y)))
        (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= terminal (path 1 3)) (<= (goal a 0) (not (path 1 3))) (<= (goal a 100) (path 1 3))
        """,
}


@pytest.mark.parametrize("text", CANNOT.values(), ids=CANNOT)
def test_level_1_is_handed_over_where(text: str) -> None:
    description = Description.from_text(text)
    table = LeafValueTable.enumerate(description, time_limit=5)
    expected = replace(LeafValueTable.of(description), is_complete=True)
    assert replace(table, takes_turns=False) == expected


def test_level_1_is_handed_over_where_there_would_be_too_many_rows() -> None:
    description = Description.from_text(all_at_once(3))
    table = LeafValueTable.enumerate(description, max_rows=9)
    assert (table.level, len(table)) == (1, 64)


@pytest.fixture
def _nothing_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("_nothing_kept")
def test_level_1_is_handed_over_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    # one that is forked has much of what it needs
    monkeypatch.setattr("ggp.search.leaf_values.enumeration.Worker", Worker)
    description = Description.from_text(all_at_once(3))
    assert LeafValueTable.enumerate(description, memory_limit=32 << 20).level == 1


@pytest.mark.usefixtures("_nothing_kept")
def test_level_1_is_handed_over_when_time_is_up() -> None:
    description = Description.from_text(all_at_once(3))
    assert LeafValueTable.enumerate(description, time_limit=0.01).level == 1


@pytest.mark.long
def test_hopeless_rules_do_not_hang_it() -> None:
    cells = " ".join(f"(init (cell {n} b)) (number {n})" for n in range(60))
    text = f"""
        (role a) {cells}
        (<= (legal a (mark ?x)) (true (cell ?x b)))
        (<= (next (cell ?x m)) (does a (mark ?x)))
        (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (not (does a (mark ?x))))
        (<= (six ?a ?b ?c ?d ?e ?f) (true (cell ?a m)) (true (cell ?b m)) (true (cell ?c m))
            (true (cell ?d m)) (true (cell ?e m)) (true (cell ?f m)) (distinct ?a ?b))
        (<= terminal (six ?a ?b ?c ?d ?e ?f))
        (<= (goal a 100) (six ?a ?b ?c ?d ?e ?f) (distinct ?c ?d) (distinct ?e ?f))
        (<= (goal a 0) (true (cell ?x b)))
        """
    begun = time.monotonic()
    enumerate_text(text, time_limit=1.0)
    assert time.monotonic() - begun < 20


def test_it_can_be_cut_short() -> None:
    deadline = Deadline()
    cutter = threading.Timer(0.5, deadline.cancel)
    cutter.start()
    description = Description.load(GAMES / "othello6x6.kif")
    begun = time.monotonic()
    LeafValueTable.enumerate(description, time_limit=300, deadline=deadline)
    cutter.join()
    assert time.monotonic() - begun < 60


@pytest.mark.long
def test_that_roles_take_turns_is_proved_or_not_claimed() -> None:
    assert LeafValueTable.enumerate(Description.load("tictactoe"), time_limit=60).takes_turns
    assert not LeafValueTable.enumerate(Description.load("tron"), time_limit=60).takes_turns
    # there are too many rows for a table of level 2
    table = LeafValueTable.enumerate(Description.load("tictactoe"), time_limit=60, max_rows=1)
    assert (table.level, table.takes_turns) == (1, True)
