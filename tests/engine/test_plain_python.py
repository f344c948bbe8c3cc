"""All that is compiled runs as plain Python, too, for a debugger, and finds the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

#: Learns a game, searches it with each engine, and prints what was found.
PROGRAM = """
import json

from ggp import Deadline, Game
from ggp.engine import KNOWN, Resources, engine_search
from ggp.graph import GameGraph
from ggp.learning import Learner, LearningSettings, SelfPlaySettings
from ggp.search import ALGORITHMS, Evaluation, LeafValueTable, Limit

settings = LearningSettings(
    hidden=32, samples=256, enough=50, batch=16, selfplay=SelfPlaySettings(lanes=16)
)
found = {}
with Game.load("hexapawn") as game:
    learner = Learner(game.reasoner.kernel, settings=settings)
    learner.learn(deadline=Deadline(), plies=300)
    found["weights"] = learner.net.weights[:8].tolist()
    leaf_values = LeafValueTable.of(game.reasoner.description)
    evaluation = Evaluation(leaf_values=leaf_values, net=learner.net)
    for name in KNOWN:
        if name == "planner":
            continue
        given = {"win": 60, "lose": 40} if name == "bounded" else {}
        limit = Limit(depth=3) if ALGORITHMS[name].takes_depth else Limit(nodes=20)
        options = ALGORITHMS[name].options(evaluation=evaluation, **given)
        resources = Resources(table_bytes=1 << 16)
        search = engine_search(GameGraph(game.reasoner), name, options, resources)
        result = search.run(limit=limit)
        found[name] = [result.goals, str(result.move), result.expanded, result.exact]
print(json.dumps(found))
"""


def found(*, compiled: bool) -> dict[str, Any]:
    """Return what the program finds. It says nothing else."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0" if compiled else "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_kernels_find_the_same_in_plain_python() -> None:
    plain, compiled = found(compiled=False), found(compiled=True)
    for mine, theirs in zip(plain.pop("weights"), compiled.pop("weights"), strict=True):
        assert mine == pytest.approx(theirs, abs=2)
    assert plain == compiled
