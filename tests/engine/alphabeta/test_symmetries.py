"""Searches that use symmetries find the values that others find, and lines that lead there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine.alphabeta.search import RoleEngine
from ggp.engine.alphabeta.symmetry import image_of, source_of
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Minimax, SearchResult
from tests.search.every import by_engine, in_python
from tests.symmetric_games import Marking, markings

GAMES = Path(__file__).parents[3] / "games"


def graph_of(rules: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.from_text(rules)), max_states=100_000)


def bundled(name: str) -> GameGraph:
    return graph_of((GAMES / f"{name}.kif").read_text(encoding="utf-8"))


def searched(graph: GameGraph, algorithm: str = "alphabeta", **options: Any) -> SearchResult:
    search = by_engine(graph, algorithm, **{"whole_table": True, "symmetric": True, **options})
    assert search is not None
    return search.run()


def leads_to(graph: GameGraph, result: SearchResult) -> tuple[int | None, ...]:
    state = graph.reasoner.initial_state()
    for joint_move in result.variation:
        graph.reasoner.check_legal(state, joint_move)
        state = graph.reasoner.next_state(state, joint_move)
    view = graph.reasoner.view(state)
    assert view.terminal
    return view.goals


def check(graph: GameGraph, role: int, table: int) -> None:
    expected = in_python(graph, Minimax, role=role).run()
    for algorithm in ("minimax", "bounded", "alphabeta"):
        result = searched(graph, algorithm, role=role, table_bytes=table)
        assert (result.value, result.exact) == (expected.value, True)
        assert leads_to(graph, result)[role] == expected.value


@settings(max_examples=3, deadline=None)
@given(markings(cells=5), st.sampled_from([0, 1]), st.sampled_from([1, 512, 1 << 20]))
def test_values_of_random_symmetric_games(game: Marking, role: int, table: int) -> None:
    check(graph_of(game.rules()), role, table)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(markings(), st.sampled_from([0, 1]), st.sampled_from([1, 512, 1 << 20]))
def test_values_of_many_random_symmetric_games(game: Marking, role: int, table: int) -> None:
    check(graph_of(game.rules()), role, table)


@pytest.mark.parametrize("name", ["tictactoe", "hexapawn", "triad", "montyhall", "tron"])
def test_values_of_bundled_games(name: str) -> None:
    graph = bundled(name)
    plain = searched(graph, table_bytes=16 << 20, symmetric=False)
    result = searched(graph, table_bytes=16 << 20)
    assert (result.value, result.exact) == (plain.value, True)
    if name != "montyhall":  # a line ends where chance decides
        assert leads_to(graph, result)[result.role] == result.value


def test_symmetries_save_states() -> None:
    graph = bundled("tictactoe")
    few, many = (
        searched(graph, table_bytes=16 << 20, symmetric=symmetric) for symmetric in (True, False)
    )
    assert few.expanded < many.expanded / 2


@pytest.mark.long
def test_moves_are_mapped_to_the_image_and_back() -> None:
    graph = bundled("tictactoe")
    search = by_engine(graph, AlphaBeta, symmetric=True)
    assert isinstance(search, RoleEngine)
    search.run()
    compiled = graph.reasoner
    assert isinstance(compiled, CompiledReasoner)
    game, stack, moves = search._game, search._stack, compiled.circuit.moves[0]
    # the root is in frame 1 still, with all cells free
    for symmetry in range(1, 1 + len(game.images)):
        for number in range(9):
            image = image_of(game, stack, 1, number, symmetry)
            assert moves[image] == moves[game.images[symmetry - 1, number]]
            assert source_of(game, stack, 1, image, symmetry) == number
    assert image_of(game, stack, 1, 4, 0) == source_of(game, stack, 1, 4, 0) == 4
