"""The loops of a search are compiled once for an installation, not for each game."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ggp.compiler.runtime import loops
from ggp.deadline import Deadline
from ggp.engine import kernels
from ggp.engine.alphabeta import loop as role_loops
from ggp.engine.maxn import loop as maxn_loops
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.native.kernels import KernelSet
from ggp.reasoner.compiled import CompiledReasoner
from tests.search.every import by_engine

#: The next position depends on one of forty moves: the kernel looks the sets up in a table.
CARRYING = """
(role a) (role b)
(init (at 1)) (init (turn a))
(<= (legal ?r (carry ?from ?to)) (true (turn ?r)) (true (at ?from)) (cell ?to))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (at ?to)) (does ?r (carry ?from ?to)))
(<= (next (turn b)) (true (turn a)))
(<= terminal (true (turn b)))
(<= (goal a 100) (true (at 7)))
(<= (goal a 0) (not (true (at 7))))
(goal b 50)
""" + " ".join(f"(cell {number})" for number in range(1, 41))

CHOOSING = """
(role a) (role b)
(init start)
(legal a left) (legal a right) (legal b wait)
(<= (next (done ?m)) (does a ?m))
(<= terminal (true (done ?m)))
(<= (goal a 100) (true (done left)))
(<= (goal a 0) (true (done right)))
(goal b 50)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
def test_games_of_every_kind_are_searched_by_the_same_code(algorithm: str) -> None:
    united = []
    for text, move in ((CARRYING, "(carry 1 7)"), (CHOOSING, "left")):
        reasoner = CompiledReasoner(Description.from_text(text))
        search = by_engine(GameGraph(reasoner, max_states=1000), algorithm)
        assert search is not None
        result = search.run()
        assert result.exact
        assert str(result.move) == move
        united.append(reasoner.kernel.halves.step.sets is not None)
    assert united == [True, False]
    searched_by = role_loops if algorithm == "alphabeta" else maxn_loops
    shared: list[Any] = [searched_by.explore, searched_by.place_root, searched_by.table_move]
    shared += [loops.view_states, loops.step_states]
    assert [len(compiled.signatures) for compiled in shared] == [1] * len(shared)


def test_a_search_is_loaded_without_keeping_a_player_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_load = threading.Event()
    loaded: list[str] = []

    def slow(name: str) -> None:
        may_load.wait()
        loaded.append(name)

    monkeypatch.setattr(kernels, "compile_kernels", slow)
    monkeypatch.setattr(kernels, "_loading", {})
    chosen = kernels.KERNELS["alphabeta"]
    assert not kernels.load(chosen, Deadline(0.0))
    assert not kernels.load(chosen, Deadline.after(0.1))
    may_load.set()
    assert kernels.load(chosen, Deadline())
    assert loaded == ["alphabeta"]


@pytest.mark.parametrize(("one_by_one", "requested"), [(False, 9), (True, 1)])
def test_a_server_has_one_set_compiled_at_a_time(
    monkeypatch: pytest.MonkeyPatch, *, one_by_one: bool, requested: int
) -> None:
    asked = set[str]()

    class Fake:
        def __init__(self, name: str) -> None:
            self.name = name

        def request(self) -> None:
            asked.add(self.name)

        def wait(self, _deadline: Deadline) -> bool:
            asked.add(self.name)
            return False

    names = [name for name, value in vars(kernels).items() if isinstance(value, KernelSet)]
    for name in names:
        monkeypatch.setattr(kernels, name, Fake(name))
    monkeypatch.setattr(kernels, "KERNELS", {name: Fake(name) for name in kernels.KERNELS})
    assert len(names) + len(kernels.KERNELS) == 9
    assert not kernels.warm_up(Deadline(0.0), one_by_one=one_by_one)
    assert len(asked) == requested
