"""The engine's planner finds what the reference and minimax find, and its plans can be played."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.deadline import Deadline
from ggp.engine.puzzle.search import PlannerEngine
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit, Minimax, Planner, SearchResult
from tests.engine.puzzle.test_effects import corridor, fields
from tests.engine.puzzle.written import of_rules, puzzles, rules_of_facts, written
from tests.engine.written import counter
from tests.search.every import by_engine
from tests.search.puzzle.replay import leads_to_its_value
from tests.search.tree_game import TreeGame, games, tree

GAMES = Path(__file__).parents[3] / "games"

few = settings(max_examples=settings().max_examples // 3)


def planner(graph: GameGraph, *, table_bytes: int = 64 << 20) -> PlannerEngine:
    made = by_engine(graph, "planner", table_bytes=table_bytes)
    assert isinstance(made, PlannerEngine)
    return made


def opened(game: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{game}.kif")))


@few
@given(games(roles=(1,)))
def test_it_finds_what_minimax_finds(game: TreeGame) -> None:
    graph = written(game)
    result, minimax = planner(graph).run(), Minimax(graph).run()
    assert (result.value, result.exact) == (minimax.value, True)
    leads_to_its_value(graph, result)


@few
@given(puzzles())
def test_it_finds_what_the_reference_finds(puzzle: tuple[TreeGame, str]) -> None:
    graph = written(*puzzle)
    result, reference = planner(graph).run(), Planner(graph).run()
    assert (result.value, result.exact) == (reference.value, reference.exact)
    leads_to_its_value(graph, result)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(puzzles())
def test_it_finds_what_the_reference_finds_in_many_puzzles(puzzle: tuple[TreeGame, str]) -> None:
    graph = written(*puzzle)
    result, reference = planner(graph).run(), Planner(graph).run()
    assert (result.value, result.exact) == (reference.value, reference.exact)
    leads_to_its_value(graph, result)


@few
@given(puzzles(), st.integers(1, 5), st.integers(1, 20))
def test_within_limits_nothing_is_claimed_that_is_not_so(
    puzzle: tuple[TreeGame, str], depth: int, nodes: int
) -> None:
    graph = written(*puzzle)
    value = Planner(graph).run().value or 0
    every: tuple[dict[str, Any], ...] = ({"depth": depth}, {"nodes": nodes})
    for limits in (*every, {"depth": depth, "nodes": nodes}):
        search = planner(graph)
        for result in search.deepen(limit=Limit(**limits)):
            assert result.expanded <= limits.get("nodes", 10**9)
            assert len(result.variation) <= limits.get("depth", 10**9)
            assert (result.value or 0) == value if result.exact else (result.value or 0) <= value
            leads_to_its_value(graph, result)
        if limits == {"nodes": nodes}:
            # the same search goes on where it was
            assert search.run().value == value


def test_facts_that_nothing_asks_for_make_no_states() -> None:
    # Ten times one of two moves, which are all noted; only the number of left ones counts.
    steps = "".join(f"(succ {number} {number + 1})" for number in range(10))
    rules = f"""
    (role r) (init (step 0)) (init (left 0)) (legal r left) (legal r right) {steps}
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 10)))
    (<= (next (left ?n)) (does r left) (true (left ?m)) (succ ?m ?n))
    (<= (next (left ?m)) (does r right) (true (left ?m)))
    (<= (next (noted ?n ?m)) (does r ?m) (true (step ?n)))
    (<= (next (noted ?n ?m)) (true (noted ?n ?m)))
    (<= (goal r 100) (true (left 10))) (<= (goal r 0) (not (true (left 10))))
    """
    graph = GameGraph(CompiledReasoner(Description.from_text(rules)))
    result, reference = planner(graph).run(), Planner(graph).run()
    assert result.value == reference.value == 100
    # the strategies take turns by time, and another than the one that proves may see some states
    assert sum(range(11)) <= result.expanded < 2 * sum(range(11))
    assert reference.expanded == 2**10 - 1


@pytest.mark.parametrize("game", ["eightpuzzle", "lightsout", "walk"])
def test_the_bundled_puzzles_are_solved(game: str) -> None:
    graph = opened(game)
    result = planner(graph).run()
    assert (result.value, result.exact, result.engine) == (100, True, "compiled")
    leads_to_its_value(graph, result)


@few
@given(rules_of_facts())
def test_puzzles_of_many_facts_are_solved(rules: str) -> None:
    graph = of_rules(rules)
    result, reference = planner(graph).run(), Planner(graph).run()
    assert (result.value, result.exact) == (reference.value, True)
    leads_to_its_value(graph, result)


def waiting(length: int) -> str:
    """One of ten moves is right at each step, and the goal is to make no other until the end."""
    steps = "".join(f"(succ {step} {step + 1})" for step in range(length))
    moves = "".join(f"(move m{number}) " for number in range(10))
    return f"""
    (role r) (init (step 0)) {steps} {moves} (<= (legal r ?m) (move ?m))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step {length})))
    (<= (next lost) (true lost)) (<= (next lost) (does r ?m) (distinct ?m m7))
    (<= (next (noted ?n ?m)) (does r ?m) (true (step ?n)))
    (<= (next (noted ?n ?m)) (true (noted ?n ?m)))
    (<= (goal r 100) (not (true lost))) (<= (goal r 0) (true lost))
    """


@pytest.mark.long
def test_what_no_search_sees_all_of_is_solved() -> None:
    # numbers into fields, in any order; a long way; and a clock that must run down
    for rules in (fields(30, 30), corridor(300), waiting(300)):
        graph = of_rules(rules)
        result = planner(graph).run()
        assert (result.value, result.exact) == (100, True)
        leads_to_its_value(graph, result)


def test_the_rest_of_a_plan_is_known() -> None:
    graph = opened("eightpuzzle")
    search = planner(graph)
    variation = search.run().variation
    state = graph.reasoner.initial_state()
    assert variation
    for place, joint_move in enumerate(variation):
        state = graph.reasoner.next_state(state, joint_move)
        result = search.run(graph.node(state))
        assert (result.value, result.exact, result.expanded) == (100, True, 0)
        assert result.variation == variation[place + 1 :]


def test_beside_the_plan_the_search_begins_anew() -> None:
    graph = opened("lightsout")
    search = planner(graph)
    assert search.run().exact
    state = graph.reasoner.initial_state()
    for move in graph.reasoner.view(state).legal[0]:
        after = graph.reasoner.next_state(state, [move])
        result = search.run(graph.node(after))
        assert (result.value, result.exact) == (100, True)
        leads_to_its_value(graph, result, after)


def test_a_search_goes_on_where_the_limit_ended_it() -> None:
    graph = opened("eightpuzzle")
    search, results = planner(graph), list[SearchResult]()
    while not (result := search.run(limit=Limit(nodes=5000))).exact:
        assert result.value in (None, 0)
        results.append(result)
    assert 3 < len(results) < 100
    assert (result.value, result.expanded <= 5000) == (100, True)


@pytest.mark.long
def test_a_counter_of_many_steps_is_followed_to_its_end() -> None:
    graph = GameGraph(CompiledReasoner(counter(12)))
    result = planner(graph).run()
    assert (result.value, result.exact, len(result.variation)) == (100, True, 4095)


def test_too_little_memory_ends_the_search() -> None:
    result = planner(opened("eightpuzzle"), table_bytes=1).run()
    assert (result.value, result.exact, result.move is None) == (None, False, False)


def test_without_time_there_is_a_legal_move() -> None:
    deadline = Deadline()
    deadline.cancel()
    result = planner(opened("lightsout")).run(limit=Limit(deadline=deadline))
    assert (result.value, result.variation, result.exact) == (None, (), False)
    assert str(result.move) == "(press 1 1)"


@pytest.mark.timing
def test_the_deadline_ends_the_search() -> None:
    search = planner(opened("eightpuzzle"))
    search.run(limit=Limit(nodes=1))
    for seconds in (0.001, 0.01, 0.02):
        began = time.monotonic()
        search.run(limit=Limit(deadline=Deadline.after(seconds)))
        assert time.monotonic() - began < seconds + 0.1


def test_a_role_that_cannot_move_is_the_games_error() -> None:
    rules = """
    (role r) (init a) (<= (next a) (true a)) (<= (legal r m) (true b)) (<= (next b) (true a))
    (<= terminal (true c))
    """
    graph = GameGraph(CompiledReasoner(Description.from_text(rules)))
    with pytest.raises(GameError, match=r"r: no legal move .*\( a \)"):
        planner(graph).run()


def test_other_games_and_no_memory_are_refused() -> None:
    with pytest.raises(ValueError, match="planner solves games of one role"):
        by_engine(opened("nim"), "planner")
    with pytest.raises(ValueError, match="table"):
        by_engine(opened("walk"), "planner", table_bytes=0)


def test_goals_outside_the_range_are_left_to_the_reference() -> None:
    graph = written(tree("r", ([0], [2], [1, 2]), ([120], [1], []), ([20], [1], [])))
    assert by_engine(graph, "planner") is None
