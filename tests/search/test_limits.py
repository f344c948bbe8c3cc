"""Searches that may not see everything: depth, nodes, clocks, and the results they leave."""

from __future__ import annotations

import random
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerDied
from ggp.graph import GameGraph
from ggp.recursion import MAX_PLIES
from ggp.search import AlphaBeta, Bounded, Limit, MaxN, Minimax
from tests.search import brute_force
from tests.search.every import TREE_SEARCHES, in_python
from tests.search.tree_game import Spot, TreeGame, TreeReasoner, games, tree

every_algorithm = pytest.mark.parametrize("algorithm", TREE_SEARCHES)


def estimate(node_text: str, role: int) -> float:
    """Any number that depends on the state and the role alone, sometimes the highest goal."""
    return random.Random(f"{node_text} {role}").choice((0, 10, 40, 50, 60, 100))


def evaluation(graph: GameGraph, node: int, role: int) -> float:
    return estimate(graph.state(node).decode(), role)


def chain(length: int) -> TreeGame:
    """One way only, as many joint moves long, with 100 at the end."""
    inner = [Spot((None,), (1,), (i + 1,)) for i in range(length)]
    return TreeGame(("r",), (*inner, Spot((100,), (1,))))


def broad(depth: int) -> TreeGame:
    """Two roles in turn, three moves each, no state twice; goals by chance."""
    generator = random.Random(depth)
    spots = []
    for number in range((3 ** (depth + 1) - 1) // 2):
        goal = generator.randrange(101)
        ply, above = 0, number
        while above:
            ply, above = ply + 1, (above - 1) // 3
        if ply == depth:
            spots.append(Spot((goal, 100 - goal), (1, 1)))
        else:
            choices = (1, 3) if ply % 2 else (3, 1)
            spots.append(Spot((None, None), choices, tuple(3 * number + i for i in (1, 2, 3))))
    return TreeGame(("r", "s"), tuple(spots))


class CutShort(TreeReasoner):
    """Its deadline is cancelled after a number of expansions; then it may die, too."""

    def __init__(self, game: TreeGame, *, after: int, dies: bool = False) -> None:
        super().__init__(game)
        self.deadline = Deadline()
        self.after, self.dies = after, dies

    def expand_all(self, states, *, max_joint_moves=0):  # type: ignore[no-untyped-def]
        if self.expanded >= self.after:
            self.deadline.cancel()
            if self.dies:
                raise ReasonerDied("the reasoner is closed")
        return super().expand_all(states)


@given(
    st.one_of(games(layered=True), games(layered=True, chance=True)),
    st.integers(1, 4),
    st.booleans(),
)
def test_minimax_to_a_depth_estimates_what_lies_there(
    game: TreeGame, depth: int, use_table: bool
) -> None:
    search = in_python(game.graph(), Minimax, evaluation=evaluation, table_size=1000 * use_table)
    highest = search.leaf_values.highest(search.role)
    worths = brute_force.minimax_moves(
        game, 0, search.role, depth, lambda number, role: min(highest, estimate(str(number), role))
    )
    result = search.run(limit=Limit(depth=depth))
    assert result.value == max(worths)
    assert str(result.move) == f"m{worths.index(max(worths))}"
    assert result.depth <= depth
    if result.exact:
        assert result.value == brute_force.minimax(game, 0, search.role)


@given(games(layered=True), st.integers(1, 4))
def test_to_a_depth_all_agree_as_to_the_end(game: TreeGame, depth: int) -> None:
    minimax, bounded, alphabeta = (
        in_python(game.graph(), search, evaluation=evaluation).run(limit=Limit(depth=depth))
        for search in (Minimax, Bounded, AlphaBeta)
    )
    assert minimax.value == bounded.value == alphabeta.value
    assert minimax.move == bounded.move == alphabeta.move
    assert alphabeta.expanded <= bounded.expanded <= minimax.expanded


@every_algorithm
@given(games(), st.integers(1, 4))
def test_exact_results_of_a_limited_search_are_right(
    algorithm: str, game: TreeGame, depth: int
) -> None:
    limited = in_python(game.graph(), algorithm, evaluation=evaluation).run(
        limit=Limit(depth=depth)
    )
    full = in_python(game.graph(), algorithm).run()
    if limited.exact:
        assert limited.value == full.value
    assert limited.exact or limited.depth == depth


@pytest.mark.parametrize("search", [Minimax, Bounded, AlphaBeta])
def test_a_proven_refutation_proves_what_an_estimate_cannot(search: type[Minimax]) -> None:
    # The first answer goes on beyond the horizon; the second takes all, whatever the first does.
    game = tree("r s", ([0, 0], [1, 2], [1, 2]), ([50, 50], [1, 1], [2]), ([0, 100], [1, 1], []))
    game = TreeGame(game.roles, (*game.spots, Spot((100, 0), (1, 1))))
    result = search(game.graph()).run(limit=Limit(depth=1))
    assert (result.value, result.exact) == (0, True)


def test_alpha_beta_needs_no_proof_of_what_it_skips() -> None:
    # The first move is sure of 50. The second meets an estimate first, then a refutation by 20.
    game = tree(
        "r s",
        ([0, 0], [2, 1], [1, 2]),
        ([50, 50], [1, 1], []),
        ([0, 0], [1, 2], [3, 4]),
        ([80, 20], [1, 1], [5]),
        ([20, 80], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    assert AlphaBeta(game.graph()).run(limit=Limit(depth=2)).exact
    assert not Minimax(game.graph()).run(limit=Limit(depth=2)).exact


@every_algorithm
@given(games())
def test_deepening_ends_with_the_proven_value(algorithm: str, game: TreeGame) -> None:
    found = list(in_python(game.graph(), algorithm, evaluation=evaluation).deepen())
    full = in_python(game.graph(), algorithm).run()
    assert found[-1].exact
    assert found[-1].value == full.value
    assert not any(result.exact for result in found[:-1])
    assert [result.expanded for result in found] == sorted(result.expanded for result in found)


@every_algorithm
def test_a_table_makes_deepening_count_states_once(algorithm: str) -> None:
    game = broad(4)
    (*_, last) = in_python(game.graph(), algorithm, classifier="none").deepen()
    once = in_python(game.graph(), algorithm, classifier="none").run()
    assert last.expanded >= once.expanded
    assert last.expanded <= (3**4 - 1) // 2
    assert last.researched > 0
    assert last.goals == once.goals


@pytest.mark.sample(8)
@every_algorithm
@pytest.mark.parametrize("nodes", [1, 5, 20])
def test_no_more_nodes_are_expanded_than_allowed(algorithm: str, nodes: int) -> None:
    game = broad(5)
    for search_once in (True, False):
        search = in_python(game.graph(), algorithm, classifier="none")
        if search_once:
            result = search.run(limit=Limit(nodes=nodes))
        else:
            (*_, result) = search.deepen(limit=Limit(nodes=nodes))
        assert result.expanded + result.researched == nodes
        assert not result.exact
        assert str(result.move) in {"m0", "m1", "m2"}


@every_algorithm
def test_the_best_move_found_in_time_is_the_answer(algorithm: str) -> None:
    # Three moves, and the clock runs out in the third, which is the best.
    game = tree(
        "r",
        ([0], [3], [1, 2, 3]),
        ([20], [1], []),
        ([50], [1], []),
        ([0], [1], [4]),
        ([100], [1], []),
    )
    reasoner = CutShort(game, after=3)
    search = in_python(GameGraph(reasoner), algorithm)
    result = search.run(limit=Limit(deadline=reasoner.deadline))
    assert (result.goals, str(result.move), result.exact) == ((50,), "m1", False)


@every_algorithm
@pytest.mark.parametrize("dies", [False, True])
def test_a_cut_clock_ends_the_search_with_the_last_finished_depth(
    algorithm: str, dies: bool
) -> None:
    game = broad(5)
    reasoner = CutShort(game, after=60, dies=dies)
    results = list(
        in_python(GameGraph(reasoner), algorithm).deepen(limit=Limit(deadline=reasoner.deadline))
    )
    *finished, last = results
    assert 1 <= len(finished) < 5
    assert not last.exact
    assert (last.joint_move, last.goals) == (finished[-1].joint_move, finished[-1].goals)
    assert last.expanded >= finished[-1].expanded


@every_algorithm
def test_a_search_cut_off_at_once_knows_nothing_of_the_one_before(algorithm: str) -> None:
    reasoner = TreeReasoner(broad(2))
    graph = GameGraph(reasoner, max_states=1)
    search = in_python(graph, algorithm)
    assert search.run().move is not None
    deadline = Deadline()
    deadline.cancel()

    def closed(*_: object, **__: object) -> None:
        raise ReasonerDied("the reasoner is closed")

    reasoner.expand_all = closed  # type: ignore[method-assign, assignment]
    result = search.run(limit=Limit(deadline=deadline))
    assert (result.move, result.value) == (None, None)


@every_algorithm
def test_without_any_time_there_is_a_legal_move(algorithm: str) -> None:
    deadline = Deadline()
    deadline.cancel()
    search = in_python(broad(2).graph(), algorithm)
    for result in (
        search.run(limit=Limit(deadline=deadline)),
        *search.deepen(limit=Limit(deadline=deadline)),
    ):
        assert (str(result.move), result.value, result.goals) == ("m0", None, (None, None))
        assert (result.variation, result.exact, result.expanded) == ((), False, 0)


def test_a_reasoner_that_dies_in_time_is_an_error() -> None:
    class Dying(TreeReasoner):
        def expand_all(self, states, *, max_joint_moves=0):  # type: ignore[no-untyped-def]
            if self.expanded > 3:
                raise ReasonerDied("gone")
            return super().expand_all(states)

    with pytest.raises(ReasonerDied):
        AlphaBeta(GameGraph(Dying(broad(3)))).run()


@every_algorithm
def test_a_game_of_several_hundred_joint_moves_is_searched_to_its_end(algorithm: str) -> None:
    before = sys.getrecursionlimit()
    result = in_python(chain(900).graph(max_states=2000), algorithm).run()
    assert (result.goals, result.exact, result.depth) == ((100,), True, 900)
    assert len(result.variation) == 900
    assert sys.getrecursionlimit() == before


def test_beyond_the_deepest_line_there_are_estimates() -> None:
    result = Minimax(chain(MAX_PLIES + 10).graph(max_states=2 * MAX_PLIES)).run()
    assert (result.goals, result.exact, result.depth) == ((50,), False, MAX_PLIES)


def test_searches_in_several_threads_share_the_room_for_recursion() -> None:
    before = sys.getrecursionlimit()
    values: list[float | None] = []

    def search(length: int) -> None:
        values.append(AlphaBeta(chain(length).graph(max_states=2000)).run().value)

    threads = [threading.Thread(target=search, args=(length,)) for length in (900, 30, 700)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [100, 100, 100]
    assert sys.getrecursionlimit() == before


@every_algorithm
def test_a_state_where_a_role_cannot_move_is_the_games_error(algorithm: str) -> None:
    game = TreeGame(("r", "s"), (Spot((0, 0), (1, 1), (1,)), Spot((0, 0), (1, 0), (-1,))))
    with pytest.raises(GameError, match=r"s: no legal move .*\( spot1 \)"):
        in_python(game.graph(), algorithm).run()


def test_estimates_are_whole_vectors_in_maxn() -> None:
    game = broad(3)
    result = in_python(game.graph(), MaxN, evaluation=lambda *place: 10.5 + place[-1]).run(
        limit=Limit(depth=1)
    )
    assert result.goals == (10.5, 11.5)


def test_bounded_takes_an_estimate_that_is_good_enough() -> None:
    search = in_python(broad(3).graph(), Bounded, evaluation=lambda *_: 70, win=60, lose=50)
    result = search.run(limit=Limit(depth=1))
    assert (result.generated, result.value, result.exact) == (1, 70, False)
