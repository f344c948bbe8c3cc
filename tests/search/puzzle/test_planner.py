"""The planner's reference: breadth-first search over any reasoner."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.deadline import Deadline
from ggp.errors import GameError, GgpError, TooManyJointMoves
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from ggp.search import Limit, Minimax, Planner
from tests.search import brute_force
from tests.search.every import in_python
from tests.search.puzzle.replay import leads_to_its_value
from tests.search.test_limits import CutShort, chain
from tests.search.tree_game import Spot, TreeGame, TreeReasoner, games, tree

GAMES = Path(__file__).parents[3] / "games"

puzzles = st.one_of(games(roles=(1,)), games(roles=(1,), cyclic=True))


@given(games(roles=(1,)))
def test_it_finds_what_minimax_finds(game: TreeGame) -> None:
    graph = game.graph()
    result, minimax = Planner(graph).run(), Minimax(graph).run()
    assert (result.value, result.exact) == (minimax.value, True)
    leads_to_its_value(graph, result)


@given(games(roles=(1,), cyclic=True))
def test_plays_without_end_count_as_nothing(game: TreeGame) -> None:
    graph = game.graph()
    result = Planner(graph).run()
    assert (result.value, result.exact) == (brute_force.endless_minimax(game, 0)[0], True)
    leads_to_its_value(graph, result)


@given(puzzles, st.integers(1, 4))
def test_to_a_depth_the_best_plan_within_it_is_found(game: TreeGame, depth: int) -> None:
    graph = game.graph()
    limited, full = Planner(graph).run(limit=Limit(depth=depth)), Planner(graph).run()
    assert len(limited.variation) <= depth
    assert (limited.value or 0) <= (full.value or 0)
    assert limited.exact or limited.horizon == depth
    if limited.exact or len(full.variation) <= depth:
        assert (limited.value or 0) == full.value
    leads_to_its_value(graph, limited)


def test_states_that_are_too_large_are_left_out() -> None:
    class Crowded(TreeReasoner):
        def expand_all(self, states, *, max_joint_moves=0):  # type: ignore[no-untyped-def]
            if b"2" in states:
                raise TooManyJointMoves("9,999,999 joint moves in one state")
            return super().expand_all(states)

    game = tree("r", ([0], [2], [1, 2]), ([60], [1], []), ([0], [1], [3]), ([100], [1], []))
    result = Planner(GameGraph(Crowded(game))).run()
    assert (result.value, result.exact) == (60, False)


@given(puzzles, st.integers(1, 10))
def test_with_few_expansions_nothing_is_claimed_that_is_not_so(game: TreeGame, nodes: int) -> None:
    graph = game.graph()
    for result in Planner(graph).deepen(limit=Limit(nodes=nodes)):
        assert result.expanded <= nodes
        leads_to_its_value(graph, result)
        if result.exact:
            assert result.value == Planner(graph).run().value


@given(puzzles)
def test_each_result_is_better_than_the_one_before(game: TreeGame) -> None:
    *before, last = Planner(game.graph()).deepen()
    values = [result.value or 0 for result in before]
    assert values == sorted(set(values))
    assert not any(result.exact for result in before)
    assert last.exact
    assert not values or (last.value or 0) >= values[-1]


def test_the_plan_is_the_shortest() -> None:
    with open_reasoner(Description.load(GAMES / "walk.kif")) as reasoner:
        result = Planner(GameGraph(reasoner)).run()
        assert (result.value, result.exact, len(result.variation)) == (100, True, 14)
        assert result.expanded <= 63


def test_the_rest_of_a_plan_is_known() -> None:
    graph = chain(50).graph()
    planner = Planner(graph)
    assert planner.run().expanded == 50
    for step in range(1, 51):
        result = planner.run(graph.node(str(step).encode()))
        assert (result.value, result.exact, result.expanded) == (100, True, 0)
        assert len(result.variation) == 50 - step


def test_the_rest_of_a_plan_that_is_not_proven_is_a_beginning() -> None:
    # 50 at once, or 80 after a detour.
    game = tree(
        "r", ([0], [2], [1, 2]), ([50], [1], []), ([0], [1], [3]), ([0], [2], [4, 5]),
        ([80], [1], []), ([100], [1], []),
    )  # fmt: skip
    reasoner = CutShort(game, after=6)
    planner = Planner(GameGraph(reasoner))
    cut = planner.run(limit=Limit(nodes=3, deadline=reasoner.deadline))
    assert (cut.value, cut.exact) == (50, False)
    elsewhere = planner.run(planner.graph.node(b"3"), Limit(nodes=1))
    assert (elsewhere.value, elsewhere.exact) == (None, False)


def test_a_state_in_which_the_role_cannot_move_leads_nowhere() -> None:
    game = tree("r", ([0], [2], [1, 2]), ([20], [1], []), ([0], [1], [3]))
    game = TreeGame(game.roles, (*game.spots, Spot((100,), (0,), (-1,))))
    graph = game.graph()
    result = Planner(graph).run()
    assert (result.value, result.exact) == (20, True)
    with pytest.raises(GameError, match=r"r: no legal move .*\( spot3 \)"):
        Planner(graph).run(graph.node(b"3"))


def test_the_end_of_the_game_needs_no_move() -> None:
    graph = tree("r", ([0], [1], [1]), ([80], [1], [])).graph()
    result = Planner(graph).run(graph.node(b"1"))
    assert (result.value, result.move, result.exact) == (80, None, True)


def test_no_more_states_are_remembered_than_allowed() -> None:
    result = Planner(chain(500).graph(), table_size=100).run()
    assert (result.value, result.exact) == (None, False)
    assert result.table_size <= 100 + 64
    assert str(result.move) == "m0"


def test_without_time_there_is_no_plan() -> None:
    deadline = Deadline()
    deadline.cancel()
    result = Planner(chain(3).graph()).run(limit=Limit(deadline=deadline))
    assert (result.value, result.variation, result.exact, result.expanded) == (None, (), False, 0)


def test_a_reasoner_that_is_closed_at_the_deadline_ends_the_search() -> None:
    reasoner = CutShort(chain(500), after=100, dies=True)
    result = Planner(GameGraph(reasoner)).run(limit=Limit(deadline=reasoner.deadline))
    assert (result.value, result.exact) == (None, False)
    assert result.expanded >= 64


def test_goals_outside_the_range_prove_nothing() -> None:
    graph = tree("r", ([0], [2], [1, 2]), ([120], [1], []), ([20], [1], [])).graph()
    assert not Planner(graph).run().exact


@pytest.mark.parametrize("roles", ["r s", "r random"])
def test_other_games_are_refused(roles: str) -> None:
    graph = GameGraph(TreeReasoner(tree(roles, ([0, 0], [1, 1], []))))
    with pytest.raises(ValueError, match="planner solves games of one role; the roles are r,"):
        in_python(graph, "planner")


def test_what_makes_no_sense_is_refused() -> None:
    graph = chain(1).graph()
    with pytest.raises(GgpError, match="estimates nothing"):
        in_python(graph, Planner, evaluation=lambda *_: 1.0)
    with pytest.raises(ValueError, match="table"):
        Planner(graph, table_size=0)
    with pytest.raises(ValueError, match="no such role"):
        in_python(graph, Planner, role=1)
