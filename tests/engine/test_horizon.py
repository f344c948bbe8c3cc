"""The engine's estimates of states at the horizon: right on average, and repeatable."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ggp.deadline import Deadline
from ggp.engine.search import EngineSearch
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import State, open_reasoner
from ggp.reasoner.auto import AutoReasoner
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Evaluation, LeafValueTable, Limit
from tests.engine.cutting import cut_in_the_middle
from tests.search.every import by_engine

GAMES = Path(__file__).parents[2] / "games"

#: The key of an empty entry in the memory of playouts.
NOTHING = ~np.uint64(0)


@cache
def graph_of(game: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{game}.kif")))


def engine(
    game: str, algorithm: str = "alphabeta", *, table_bytes: int = 0, **weights: Any
) -> EngineSearch:
    graph = graph_of(game)
    values = LeafValueTable.of(graph.reasoner.description)
    search = by_engine(
        graph,
        algorithm,
        evaluation=Evaluation(leaf_values=values, **{"goals": 0, "playouts": 1} | weights),
        table_bytes=table_bytes,
    )
    assert isinstance(search, EngineSearch)
    return search


def remembered(search: EngineSearch) -> dict[State, tuple[float, ...]]:
    """Return each role's mean goal for the states that were played out."""
    horizon = search._game.horizon
    facts = len(graph_of_search(search).circuit.facts)
    assert facts <= 128
    used = np.flatnonzero((horizon.keys != NOTHING).any(axis=1))
    words = -(-facts // 64)
    ranges: Any = horizon.ranges
    means = ranges["lowest"] + ranges["span"] * horizon.means[used]
    keys = [key.tobytes() for key in horizon.keys[used, :words]]
    return dict(zip(keys, map(tuple, means.tolist()), strict=True))


def graph_of_search(search: EngineSearch) -> CompiledReasoner:
    reasoner = search.graph.reasoner
    assert isinstance(reasoner, CompiledReasoner)
    return reasoner


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("game", "algorithm", "count", "depth"),
    [
        ("connectfour", "alphabeta", 64, 3),
        ("connectfour", "maxn", 512, 2),
        ("tictactoe", "minimax", 128, 2),
        ("triad", "speculative", 64, 2),
        ("tron", "alphabeta", 256, 1),
    ],
)
def test_means_are_those_of_the_reasoners_playouts(
    game: str, algorithm: str, count: int, depth: int
) -> None:
    search = engine(game, algorithm, count=count, steps=1000)
    search.run(limit=Limit(depth=depth))
    reasoner, off = graph_of_search(search), []
    for state, means in list(remembered(search).items())[:200]:
        totals = reasoner.playout_totals(state, count=8192, seed=1)
        off.append([mine - total / 8192 for mine, total in zip(means, totals.goals, strict=True)])
    errors = np.array(off)
    assert len(errors) >= 5
    # a goal between 0 and 100 has a deviation of 50 at most
    assert (np.abs(errors) < 5.5 * 50 / np.sqrt(count)).all()
    assert (np.abs(errors.mean(axis=0)) < 5 * 50 / np.sqrt(count * len(errors)) + 1).all()


@pytest.mark.sample(3)
@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
@pytest.mark.parametrize("game", ["connectfour", "breakthrough", "tron"])
def test_a_search_finds_the_same_again(game: str, algorithm: str) -> None:
    first, second = engine(game, algorithm), engine(game, algorithm)
    for depth in (1, 2):
        once = first.run(limit=Limit(depth=depth))
        assert (once.value, once.move) == (
            (again := second.run(limit=Limit(depth=depth))).value,
            again.move,
        )


def test_an_estimate_depends_on_the_state_alone() -> None:
    wide, narrow = engine("connectfour", "minimax"), engine("connectfour", "minimax")
    wide.run(limit=Limit(depth=4))
    known = remembered(wide)
    graph = graph_of("connectfour")
    child = graph.expansion(graph.root).children[3]
    with graph.held(child):
        # from another root, with other siblings, and with an empty memory in each search
        for depth in (3, 2, 3):
            narrow._game.horizon.keys[:] = NOTHING
            narrow.run(child, Limit(depth=depth))
    common = remembered(narrow).keys() & known.keys()
    assert len(common) > 100
    assert all(remembered(narrow)[state] == known[state] for state in common)


def test_a_remembered_state_is_not_played_out_again() -> None:
    search = engine("connectfour", "minimax")
    search.run(limit=Limit(depth=2))
    assert search._stack.counters.played_out > 0
    search.run(limit=Limit(depth=2))
    assert search._stack.counters.played_out == 0


def test_playouts_end_after_the_given_steps() -> None:
    # after one joint move nothing is decided
    assert engine("connectfour", steps=1).run(limit=Limit(depth=1)).value == pytest.approx(50)
    assert engine("connectfour", steps=42).run(limit=Limit(depth=1)).value != pytest.approx(
        50, abs=1
    )


@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
def test_an_estimate_is_never_taken_for_a_proof(algorithm: str) -> None:
    search = engine("connectfour5x5", algorithm)
    for depth in range(1, 6):
        result = search.run(limit=Limit(depth=depth))
        assert result.value is not None
        assert 0 < result.value < 100
        assert not result.exact


def test_weights_are_weighed() -> None:
    parts = [
        engine("connectfour", "minimax", goals=0, mobility=mobility, playouts=playouts)
        for mobility, playouts in ((1, 0), (0, 1), (1, 3))
    ]
    for search in parts:
        search.run(limit=Limit(depth=1))
    # of the only line of depth 1 that the best move ends, all three agree which it is
    mobility, playouts, both = (search.run(limit=Limit(depth=1)).value for search in parts)
    assert None not in (mobility, playouts, both)
    assert both == pytest.approx(0.25 * (mobility or 0) + 0.75 * (playouts or 0))


@pytest.mark.timing
def test_a_search_with_long_playouts_stops_at_once() -> None:
    search = engine("othello6x6", count=512, steps=1000)
    search.run(limit=Limit(depth=1))
    _, late = cut_in_the_middle(search)
    assert late < 1


@pytest.mark.long
def test_the_engine_waits_for_playouts_to_be_compiled() -> None:
    with open_reasoner(Description.load(GAMES / "hexapawn.kif")) as reasoner:
        assert isinstance(reasoner, AutoReasoner)
        graph = GameGraph(reasoner)
        values = LeafValueTable.of(reasoner.description)
        playing = Evaluation(leaf_values=values, playouts=1)
        assert by_engine(graph, "alphabeta", evaluation=playing) is None
        reasoner.warm_up(Deadline())
        assert reasoner.is_settled
        assert by_engine(graph, "alphabeta", evaluation=playing) is not None


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", ["connectfour", "othello6x6", "foxandhounds"])
def test_closing_in_on_the_value_finds_what_one_search_finds(game: str) -> None:
    """Deepening probes bounds, a single search does not; the best move depends on the depth."""
    depths = range(1, 6)
    found = list(with_table(game).deepen(limit=Limit(depth=depths[-1])))
    alone = [with_table(game).run(limit=Limit(depth=depth)) for depth in depths]
    for result, expected in zip(found, alone, strict=True):
        assert (result.value, result.move) == (expected.value, expected.move)
        assert len(result.variation) == len(expected.variation)


def test_closing_in_on_a_value_is_less_work() -> None:
    deepening, plain = with_table("connectfour"), with_table("connectfour")
    *_, result = deepening.deepen(limit=Limit(depth=8))
    work = sum(plain.run(limit=Limit(depth=depth)).expanded for depth in range(1, 9))
    assert result.expanded < work


def with_table(game: str) -> EngineSearch:
    return engine(game, count=64, goals=0.1, table_bytes=16 << 20)
