"""Random puzzles in GDL, with what puzzles have: a clock, and facts that do not matter."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import strategies as st

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled.reasoner import CompiledReasoner
from tests.engine.written import rules
from tests.search.tree_game import TreeGame, games

__all__ = ["puzzles", "written"]


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[TreeGame, str]:
    """A game of one role, which may come back to where it was, and rules that are added to it."""
    game = draw(st.one_of(games(roles=(1,)), games(roles=(1,), cyclic=True)))
    lines = [*_noise()] if draw(st.booleans()) else []
    if (kind := draw(st.sampled_from(["none", "limit", "goal", "wheel"]))) != "none":
        lines += _clock(kind, random.Random(draw(st.integers(0, 2**32))))
    return game, "\n".join(lines)


def written(game: TreeGame, more: str = "") -> GameGraph:
    description = Description.from_text("\n".join([*rules(game), more]))
    return GameGraph(CompiledReasoner(description), max_states=100_000)


def _noise() -> Iterator[str]:
    """Notes what was done, which nothing asks for."""
    yield "(<= (next (done ?m)) (does r0 ?m))"
    yield "(<= (next (done ?m)) (true (done ?m)))"


def _clock(kind: str, generator: random.Random) -> Iterator[str]:
    """Counts the steps: up to a limit that ends the game, or round and round."""
    last = generator.randint(1, 8)
    yield "(init (step 0))"
    yield "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
    yield from (f"(succ {number} {number + 1})" for number in range(last))
    if kind == "wheel":
        yield f"(succ {last} 0)"
    if kind in ("limit", "goal"):
        yield f"(<= terminal (true (step {last})))"
    if kind in ("goal", "wheel"):
        # one more way to the highest goal, at a certain time
        spot, step = generator.randint(0, 6), generator.randint(0, last)
        yield f"(<= (goal r0 100) (true (at {spot})) (true (step {step})))"
        yield f"(<= terminal (true (at {spot})) (true (step {step})))"
