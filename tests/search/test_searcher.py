"""The interface of searches: one that is not depth-first serves wherever the others do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ggp.cli import main
from ggp.deadline import Deadline
from ggp.experiments.running.searching import search
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.match import PlayerContext
from ggp.players.deepening import Deepening
from ggp.reasoner import open_reasoner
from ggp.search import (
    ALGORITHMS,
    NO_LIMIT,
    AlphaBeta,
    LeafValueTable,
    Limit,
    Searcher,
    SearchResult,
)
from ggp.server.manager.processes.analyst import find
from tests.search.every import by_engine, in_python

GAMES = Path(__file__).parents[2] / "games"


class Sampler:
    """A search without a horizon: it prefers the last move, more and more firmly."""

    algorithm: ClassVar[str] = "sampler"
    options: ClassVar[frozenset[str]] = frozenset()
    enumerates: ClassVar[bool] = False

    def __init__(self, graph: GameGraph, *, role: int | None = None, **options: Any) -> None:
        self.graph, self.role = graph, role or 0
        self.leaf_values = LeafValueTable.of(graph.reasoner.description)
        self.classifier = options.get("classifier", "none")

    def takes(self, node: int | None = None) -> bool:
        return True

    def run(self, node: int | None = None, limit: Limit = NO_LIMIT) -> SearchResult:
        return list(self.deepen(node, limit))[-1]

    def deepen(
        self, node: int | None = None, limit: Limit = NO_LIMIT, *, first: int = 1
    ) -> Iterator[SearchResult]:
        expansion = self.graph.expansion(self.graph.root if node is None else node)
        *_, last = expansion.joint_moves
        for simulations in (64, 512):
            yield SearchResult(
                algorithm=self.algorithm,
                classifier=self.classifier,
                roles=self.graph.roles,
                role=self.role,
                value=62.5,
                goals=(62.5, 37.5),
                joint_move=last,
                variation=(last,),
                exact=False,
                depth=7,
                expanded=1,
                generated=3,
                researched=0,
                prunes={},
                table_size=0,
                table_hits=0,
                seconds=0.0,
                simulations=simulations,
            )


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it known, under a name for which the command line has a choice."""
    monkeypatch.setitem(ALGORITHMS, "minimax", Sampler)


def test_one_entry_makes_a_search_known_to_solve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--algorithm", "minimax", "--reasoner", "prolog", "--nodes", "9", "--json"]
    monkeypatch.setattr("sys.argv", ["ggp", "solve", "nim", *options])
    with pytest.raises(SystemExit):
        main()
    found = json.loads(capsys.readouterr().out)
    assert found["algorithm"] == "sampler"
    assert found["simulations"] == 512
    assert not found["exact"]


def test_the_experiments_and_the_manager_take_it() -> None:
    description = Description.load(GAMES / "nim.kif")
    with open_reasoner(description, kind="prolog") as reasoner:
        found = search(GameGraph(reasoner), "minimax", engine="reference")
    assert found.simulations == 512
    rules = (GAMES / "nim.kif").read_text(encoding="utf-8")
    task = {"kind": "solve", "rules": rules, "facts": None, "seconds": 20}
    *_, last = find({**task, "algorithm": "minimax", "role": 0}, tell=lambda _: None)
    assert last["simulations"] == 512


class SamplingPlayer(Deepening):
    """Plays by it."""

    search_class = Sampler


def test_a_player_plays_by_it_and_never_asks_for_a_horizon() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="prolog") as reasoner:
        player = SamplingPlayer()
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline())
        state = reasoner.initial_state()
        *_, move = player.moves(state, Deadline())
        assert move == reasoner.view(state).legal[0][-1]


def test_engine_and_reference_return_searchers() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="prolog") as reasoner:
        searcher: Searcher = in_python(GameGraph(reasoner), "maxn", role=1)
        assert searcher.takes()
        assert searcher.algorithm == "maxn"
        assert [result.horizon for result in searcher.deepen(limit=Limit(depth=2))] == [1, 2]


class Optimist(AlphaBeta):
    """Estimates in its own way, which the engine does not know."""

    def estimate(self, node: int) -> float:
        return self.high


def test_a_subclass_is_not_replaced_by_the_engines_search_of_its_base() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="compiled") as reasoner:
        graph = GameGraph(reasoner)
        assert by_engine(graph, Optimist) is None
        assert Optimist(graph).run(limit=Limit(depth=1)).value == 100
