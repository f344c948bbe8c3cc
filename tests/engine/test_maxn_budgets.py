"""The limits of the engine's max-n, its results within them, and means over chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.engine.maxn.search import MaxNEngine
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.recursion import MAX_PLIES
from ggp.search import Limit, MaxN, SearchResult
from tests.engine.cutting import cut_in_the_middle
from tests.engine.written import compiled, counter
from tests.search.every import by_engine, in_python
from tests.search.tree_game import Spot, TreeGame, tree

GAMES = Path(__file__).parents[2] / "games"


def opened(name: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{name}.kif")), max_states=10_000)


def engine(graph: GameGraph, algorithm: str = "speculative", **options: object) -> MaxNEngine:
    found = by_engine(graph, algorithm, **options)
    assert isinstance(found, MaxNEngine)
    return found


@pytest.mark.parametrize("nodes", [1, 2, 100, 5000])
def test_no_more_nodes_are_expanded_than_allowed(nodes: int) -> None:
    search = engine(opened("triad"), table_bytes=0)
    for result in (
        search.run(limit=Limit(nodes=nodes)),
        *list(search.deepen(limit=Limit(nodes=nodes)))[-1:],
    ):
        assert result.expanded + result.researched == nodes
        assert not result.exact
        assert result.move is not None


def test_a_cancelled_deadline_stops_the_search_at_once() -> None:
    search = engine(opened("connectfour"))
    result, late = cut_in_the_middle(search)
    assert late < 1
    assert not result.exact
    assert result.expanded > 1000
    assert result.variation[0] == result.joint_move


def test_without_any_time_there_is_a_legal_move() -> None:
    deadline = Deadline()
    deadline.cancel()
    search = engine(opened("connectfour"))
    for result in (
        search.run(limit=Limit(deadline=deadline)),
        *search.deepen(limit=Limit(deadline=deadline)),
    ):
        assert (str(result.move), result.value, result.expanded) == ("(drop 1)", None, 0)
        assert (result.variation, result.exact) == ((), False)


def test_progress_is_reported_with_the_best_so_far() -> None:
    reports: list[SearchResult] = []
    search = engine(opened("connectfour"), "maxn", progress=reports.append)
    search.run(limit=Limit(deadline=Deadline.after(0.6)))
    assert [report.expanded for report in reports] == sorted({r.expanded for r in reports})
    assert reports
    assert not any(report.exact for report in reports)


@pytest.mark.parametrize("depth", [None, 4])
def test_a_known_result_is_not_searched_again(depth: int | None) -> None:
    search = engine(opened("triad"), "speculative")
    first, again = search.run(limit=Limit(depth=depth)), search.run(limit=Limit(depth=depth))
    assert first.expanded > 0
    assert (again.expanded, again.table_hits, again.goals) == (0, 1, first.goals)
    assert again.variation[0] == first.variation[0]


@pytest.mark.parametrize("size", [1, 512, 1 << 14])
def test_a_table_takes_no_more_than_it_may(size: int) -> None:
    search = engine(opened("pirates"), table_bytes=size)
    result = search.run()
    assert (result.goals, result.exact) == ((80, 0, 20), True)
    assert len(result.variation) == 2
    assert result.table_size <= max(4, size // 48)


def test_a_table_that_fills_gets_all_its_memory_once() -> None:
    search = engine(opened("connectfour5x5"), "maxn", table_bytes=32 << 20)
    result = search.run(limit=Limit(nodes=1_000_000))
    assert result.table_size > (4 << 20) // 48 // 8
    assert result.researched < result.expanded / 10


def test_lines_of_a_thousand_joint_moves_are_searched_to_their_end() -> None:
    graph = GameGraph(CompiledReasoner(counter(10)))
    result = engine(graph, table_bytes=0).run()
    assert (result.goals, result.exact, result.depth) == ((100,), True, 1023)
    assert len(result.variation) == 1023


def test_beyond_the_deepest_line_all_values_are_zero() -> None:
    graph = GameGraph(CompiledReasoner(counter(12)), max_states=5000)
    result = engine(graph, "maxn").run()
    assert (result.goals, result.exact, result.depth) == ((0,), False, MAX_PLIES)


def test_a_state_where_a_role_cannot_move_is_the_games_error() -> None:
    spots = (Spot((0, 0), (1, 2), (2, 1)), Spot((0, 0), (1, 0), (-1,)), Spot((50, 50), (1, 1)))
    with pytest.raises(GameError, match=r"s: no legal move .*\( \(at 1\) \)"):
        engine(compiled(TreeGame(("r", "s"), spots)), "maxn", classifier="none").run()


def test_many_joint_moves_take_several_passes() -> None:
    roles = "".join(f"(role r{i})(<= (legal r{i} ?m) (move ?m))" for i in range(3))
    moves = "".join(f"(move {i})" for i in range(6))
    text = f"""{roles}{moves}(<= terminal (true (done ?a ?b ?c))) (init on)
        (<= (next (done ?a ?b ?c)) (does r0 ?a) (does r1 ?b) (does r2 ?c))
        (<= (goal r0 100) (true (done 5 ?x ?x))) (<= (goal r1 70) (true (done ?x ?x ?y)))
        (<= (goal r0 50) (true (done 5 ?x ?y)) (distinct ?x ?y))
        (<= (goal r2 60) (true (done ?x ?y ?x)))"""
    graph = GameGraph(CompiledReasoner(Description.from_text(text)))
    expected = in_python(graph, MaxN, table_size=0, classifier="none").run()
    for words in (1, 4, 8):
        result = engine(graph, "maxn", classifier="none", words=words, table_bytes=0).run()
        assert (result.goals, result.joint_move) == (expected.goals, expected.joint_move)
        assert (result.generated, expected.generated) == (216, 216)


def test_equal_means_are_equal_in_whatever_order_they_are_added_up() -> None:
    """Two dice of three in a row have the mean of one die of nine: the first move is taken."""
    goals = [0, 10, 20, 30, 50, 60, 70, 80, 90]
    leaves = [((goal, 0), (1, 1), ()) for goal in goals]
    mixed = [goals[i] for i in (8, 0, 7, 1, 6, 2, 5, 3, 4)]
    dice = [
        ((0, 0), (1, 3), [5 + goals.index(goal) for goal in mixed[i : i + 3]]) for i in (0, 3, 6)
    ]
    at_once = ((0, 0), (1, 9), [5 + i for i in range(9)])
    for nested in (True, False):
        first = (14, 1) if nested else (1, 14)
        spots = [((0, 0), (2, 1), first), at_once, *dice, *leaves, ((0, 0), (1, 3), (2, 3, 4))]
        graph = compiled(tree("r random", *spots))
        for rule in ("maxn", "speculative"):
            result, expected = engine(graph, rule).run(), in_python(graph, rule).run()
            assert (result.goals, result.exact) == (expected.goals, True)
            assert result.variation == expected.variation
            assert str(result.move) == "m0"
