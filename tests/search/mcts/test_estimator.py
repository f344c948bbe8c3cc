"""A tree search by an estimate of its leaves, instead of random playouts."""

from __future__ import annotations

import pytest

from ggp import Description, GameGraph, open_reasoner
from ggp.search import Limit, TreeSearch
from tests.search.every import in_python

#: Five steps to the left or to the right; nothing but an estimate tells early which is better.
WALK = """
(role r) (init (at 0)) (init (step 0)) (legal r left) (legal r right)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (at ?n)) (does r right) (true (at ?m)) (succ ?m ?n))
(<= (next (at ?m)) (does r left) (true (at ?m)))
(<= terminal (true (step 5))) (<= (goal r 50) (true (at ?n)))
"""


@pytest.mark.parametrize("preferred", ["left", "right"])
def test_the_estimate_decides_and_no_playout_is_made(preferred: str) -> None:
    asked = []

    def estimate(graph: GameGraph, node: int, role: int) -> float:
        asked.append(role)
        went_right = sum(str(fact) == "(at 0)" for fact in graph.facts(node)) == 0
        return 60.0 if went_right == (preferred == "right") else 40.0

    with open_reasoner(Description.from_text(WALK), kind="prolog") as reasoner:
        search = in_python(GameGraph(reasoner), TreeSearch, evaluation=estimate, playouts=64)
        result = search.run(limit=Limit(nodes=12))
        assert str(result.move) == preferred
        assert result.simulations == 0
        assert set(asked) == {0}
        visits = {str(move): count for move, count in search.move_visits().items()}
    assert visits[preferred] > sum(visits.values()) / 2
