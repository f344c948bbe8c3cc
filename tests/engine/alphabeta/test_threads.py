"""Several threads of the engine on one alpha-beta search."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from ggp.deadline import Deadline
from ggp.engine.alphabeta import helpers
from ggp.engine.alphabeta.explorer import Explorer
from ggp.engine.alphabeta.search import RoleEngine
from ggp.engine.layout import PAUSED, Counters, new_record
from ggp.engine.transposition_table import (
    Table,
    bits_of,
    hash_of,
    new_table,
    pack_entry,
    probe,
    store,
    value_of,
)
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.native.numba_support import nopython
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit
from tests.engine.cutting import cut_in_the_middle
from tests.engine.written import STUCK, compiled
from tests.search.every import by_engine
from tests.search.tree_game import TreeGame, games

GAMES = Path(__file__).parents[3] / "games"


@pytest.fixture(autouse=True)
def _without_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let helpers begin at once: most searches of the tests are over before they would."""
    monkeypatch.setattr(helpers, "PATIENCE", 0.0)


def opened(name: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{name}.kif")), max_states=10_000)


def engine(graph: GameGraph, **options: object) -> RoleEngine:
    found = by_engine(graph, "alphabeta", **options)
    assert isinstance(found, RoleEngine)
    return found


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", ["tictactoe", "hexapawn", "nim", "chomp", "rockpaperscissors"])
def test_threads_prove_what_one_proves(name: str, threads: int) -> None:
    graph = opened(name)
    for role in range(len(graph.roles)):
        one, some = (engine(graph, role=role, threads=count) for count in (1, threads))
        expected, result = one.run(), some.run()
        assert (result.value, result.exact) == (expected.value, expected.exact)
        assert [*some.deepen()][-1].value == expected.value


@pytest.mark.parametrize("table", [4096, 256 << 20])
def test_threads_share_a_long_search(table: int) -> None:
    graph = opened("connectfour5x5")
    results = [
        engine(graph, threads=threads, table_bytes=table).run(limit=Limit(depth=11))
        for threads in (1, 2)
    ]
    assert results[0].value == results[1].value
    assert results[0].move == results[1].move
    assert results[1].horizon == 11


@given(games())
def test_threads_find_the_value_of_random_games(game: TreeGame) -> None:
    graph = compiled(game)
    for role in range(len(graph.roles)):
        expected = engine(graph, role=role).run()
        result = engine(graph, role=role, threads=3, table_bytes=1 << 12).run()
        assert (result.value, result.exact) == (expected.value, expected.exact)


def test_what_a_helper_finds_is_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thread makes no progress; the value and the line are those of the helper."""
    graph = opened("tictactoe")
    expected = engine(graph).run()
    search = engine(graph, threads=2)
    first, explore = search._first, Explorer.explore

    def only_helpers(self: Explorer, table: Table, pause: int) -> int:
        if self is first:
            time.sleep(0.0025)
            return PAUSED
        return explore(self, table, pause)

    monkeypatch.setattr(Explorer, "explore", only_helpers)
    result = search.run(limit=Limit(deadline=Deadline.after(60)))
    assert (result.value, result.exact) == (expected.value, expected.exact)
    assert len(result.variation) == 9
    assert result.expanded > 100


def test_a_search_of_a_number_of_nodes_has_one_thread() -> None:
    results = [
        engine(opened("connectfour"), threads=4).run(limit=Limit(nodes=3000)) for _ in range(2)
    ]
    one, other = ({**result.to_json(), "seconds": 0} for result in results)
    assert one == other
    assert one["expanded"] + one["researched"] == 3000


def test_threads_stop_at_once() -> None:
    search = engine(opened("connectfour"), threads=3)
    result, late = cut_in_the_middle(search)
    assert late < 2
    assert not result.exact
    assert search.run(limit=Limit(nodes=10)).value is None or not search._helpers.are_at_work


def test_a_thread_that_fails_ends_the_search() -> None:
    graph = GameGraph(CompiledReasoner(Description.from_text(STUCK)))
    with pytest.raises(GameError, match="no legal move"):
        engine(graph, threads=3).run()


@nopython
def _stored(table: Table, counters: Counters, key: int, value: float) -> int:
    first, second = np.uint64(key), np.uint64(3 * key)
    packed = pack_entry(1, 1, 1, 1, 1, key)
    return store(table, counters, first, second, hash_of(first, second), packed, bits_of(value))


@nopython
def _known(table: Table, key: int) -> float:
    first, second = np.uint64(key), np.uint64(3 * key)
    slot, _, word = probe(table, first, second, hash_of(first, second))
    return value_of(word) if slot >= 0 else np.nan


def test_an_entry_that_two_threads_wrote_at_once_is_not_found() -> None:
    """Whatever words of one entry meet those of another one, neither is found with the wrong value.

    The table has one bucket, so that all keys are in the same entries.
    """
    table, counters = new_table(1, 1), new_record(Counters)
    written = list[NDArray[np.uint64]]()
    for key, value in ((5, 0.25), (6, 75.0)):
        table.words[:] = 0
        slot = _stored(table, counters, key, value)
        assert _known(table, key) == value
        written.append(table.words[slot].copy())
    for mixture in range(1, 15):
        words = [written[mixture >> word & 1][word] for word in range(4)]
        table.words[:] = 0
        table.words[slot] = words
        for key, value in ((5, 0.25), (6, 75.0)):
            assert np.isnan(_known(table, key)) or _known(table, key) == value


@nopython
def _is_known(table: Table, first: np.uint64, second: np.uint64) -> bool:
    return probe(table, first, second, hash_of(first, second))[0] >= 0


def test_an_entry_that_two_threads_wrote_at_once_is_not_that_of_another_state() -> None:
    """States are their own keys: those that differ in a few facts differ in a few bits."""
    table, counters = new_table(1, 1), new_record(Counters)
    slot = _stored(table, counters, 5, 0.25)
    first, packed = table.words[slot, 0], table.words[slot, 2]
    other = packed ^ np.uint64(4)  # as an entry of the same state that is not proven
    table.words[slot, 2] = other
    assert not _is_known(table, first, np.uint64(15) ^ packed ^ other)
    table.words[slot, 2] = packed
    assert _is_known(table, first, np.uint64(15))
