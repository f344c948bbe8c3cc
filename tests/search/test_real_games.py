"""The searches on real games, played by the Prolog reasoner: what theory says of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import parse_term
from ggp.reasoner import Reasoner, open_reasoner
from ggp.search import AlphaBeta, Bounded, Limit, MaxN, Minimax, SearchResult
from tests.graph.books import check_books
from tests.search.every import TREE_SEARCHES, in_python

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"

#: Two roles that share 100 and take turns, or a single role: there all algorithms must agree.
VALUES = {
    "tictactoe": (50, 50),
    "nim": (100, 0),
    "chomp": (100, 0),
    "hexapawn": (0, 100),
    "dotsandboxes": (100, 0),
    "lightsout": (100,),
}


_REASONERS = ExitStack()


@pytest.fixture(scope="module", autouse=True)
def reasoners() -> Iterator[None]:
    """Close the reasoners of the graphs at the end."""
    with _REASONERS:
        yield


@cache
def graph(game: str) -> GameGraph:
    """The graph that all searches of a game share, so that each state is expanded only once."""
    reasoner = open_reasoner(Description.load(GAMES / f"{game}.kif"))
    return GameGraph(_REASONERS.enter_context(reasoner), max_states=100_000)


@cache
def solved(game: str, algorithm: str) -> SearchResult:
    found: SearchResult = in_python(graph(game), algorithm).run()
    return found


def solve_nim(reasoner: Reasoner, pile: int, algorithm: str) -> SearchResult:
    graph = GameGraph(reasoner)
    facts = (parse_term("(control first)"), parse_term(f"(pile {pile})"))
    found: SearchResult = in_python(graph, algorithm).run(graph.node(reasoner.state_of(facts)))
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
@pytest.mark.parametrize("game", list(VALUES))
def test_all_agree_on_value_and_move(game: str, algorithm: str) -> None:
    result, minimax = solved(game, algorithm), solved(game, "minimax")
    assert result.goals == VALUES[game]
    assert result.exact
    assert result.move == minimax.move


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", list(VALUES))
def test_each_expands_no_more_than_the_simpler_one(game: str) -> None:
    alphabeta, bounded, minimax = (
        solved(game, algorithm) for algorithm in ("alphabeta", "bounded", "minimax")
    )
    assert alphabeta.expanded <= bounded.expanded <= minimax.expanded


def test_minimax_sees_all_of_tic_tac_toe() -> None:
    # 5,478 states, 958 of them terminal; 16,167 moves in the others.
    result = solved("tictactoe", "minimax")
    assert (result.expanded, result.generated, result.depth) == (4520, 16167, 9)


@pytest.mark.sample(3)
@pytest.mark.parametrize("algorithm", TREE_SEARCHES)
def test_nim_is_lost_where_one_more_than_fours_are_left(algorithm: str) -> None:
    # The role that takes the last one loses: leave 1, or 5.
    with open_reasoner(Description.load(GAMES / "nim.kif")) as reasoner:
        for pile in range(1, 7):
            result = solve_nim(reasoner, pile, algorithm)
            assert result.value == (0 if pile % 4 == 1 else 100)
            if pile % 4 != 1:
                assert str(result.move) == f"(take {(pile - 1) % 4})"


def test_no_move_is_safe_when_hands_are_read() -> None:
    # Rock, paper, scissors: the role that is bound first loses.
    description = Description.load(GAMES / "rockpaperscissors.kif")
    with open_reasoner(description) as reasoner:
        for search in (Minimax, Bounded, AlphaBeta, MaxN):
            for role in (0, 1):
                assert in_python(GameGraph(reasoner), search, role=role).run().value == 0


def test_a_walk_that_need_not_end_is_solved() -> None:
    with open_reasoner(Description.load(GAMES / "walk.kif")) as reasoner:
        for search in (Minimax, Bounded, AlphaBeta):
            result = search(GameGraph(reasoner)).run()
            assert (result.value, result.exact) == (100, True)
            assert result.expanded <= 63
        *_, result = AlphaBeta(GameGraph(reasoner)).deepen()
        assert (result.value, result.depth, len(result.variation)) == (100, 14, 14)


def test_a_search_in_little_memory_finds_the_same() -> None:
    with open_reasoner(Description.load(GAMES / "hexapawn.kif")) as reasoner:
        graph = GameGraph(reasoner, max_states=10)
        result = AlphaBeta(graph, table_size=10).run()
        check_books(graph)
        assert graph.evictions > 0
    assert (result.goals, result.move) == (VALUES["hexapawn"], solved("hexapawn", "alphabeta").move)


@pytest.mark.timing
def test_a_clock_stops_the_search_of_a_large_game() -> None:
    with open_reasoner(Description.load(GAMES / "connectfour.kif")) as reasoner:
        *_, result = AlphaBeta(GameGraph(reasoner)).deepen(
            limit=Limit(deadline=Deadline.after(1.0))
        )
    assert not result.exact
    assert result.depth >= 2
    assert result.seconds < 5
    assert str(result.move) in {f"(drop {column})" for column in range(1, 8)}
