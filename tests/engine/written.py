"""Tree games written in GDL, so that they can be compiled, and other small games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import LeafValueTable
from tests.search.tree_game import TreeGame, joint_moves

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


def rules(game: TreeGame) -> Iterator[str]:
    yield from (f"(role {role})" for role in game.roles)
    yield "(init (at 0))"
    for number, spot in enumerate(game.spots):
        here = f"(true (at {number}))"
        if not spot.children:
            yield f"(<= terminal {here})"
        for role, goal, choices in zip(game.roles, spot.goals, spot.choices, strict=True):
            if goal is not None:
                yield f"(<= (goal {role} {goal}) {here})"
            yield from (f"(<= (legal {role} m{move}) {here})" for move in range(choices))
        for joint, child in zip(joint_moves(spot), spot.children, strict=False):
            does = (f"(does {role} m{i})" for role, i in zip(game.roles, joint, strict=True))
            yield f"(<= (next (at {child})) {here} {' '.join(does)})"


def compiled(game: TreeGame) -> GameGraph:
    description = Description.from_text("\n".join(rules(game)))
    return GameGraph(CompiledReasoner(description), max_states=10_000)


def choosing(game: TreeGame) -> list[int]:
    """Return the numbers of the roles that are not chance."""
    return [i for i, role in enumerate(game.roles) if role != "random"]


#: The only role has no legal move after `go`, and the game does not end there.
STUCK = """(role r) (init (at 0))
    (<= (legal r go) (true (at 0))) (<= (legal r stay) (true (at 0)))
    (<= (next (at 1)) (does r go)) (<= (next (at 0)) (does r stay)) (<= terminal (true (at 2)))
    (<= (goal r 100) terminal)"""


def counter(bits: int) -> Description:
    """Return a game in which one role counts in binary: 100 after 2 ** bits - 1 joint moves."""
    lines = ["(role r)", "(init (on x))", "(<= (next (on x)) (true (on x)))", "(legal r go)"]
    carried = ""
    for bit in range(bits):
        lines.append(f"(<= (next (on {bit})) (not (true (on {bit}))) {carried})")
        lines += [f"(<= (next (on {bit})) (true (on {bit})) (not (true (on {below}))))"
                  for below in range(bit)]  # fmt: skip
        carried += f" (true (on {bit}))"
    lines += [f"(<= terminal {carried})", f"(<= (goal r 100) {carried})"]
    return Description.from_text("\n".join(lines))


def smallest_of_corpus() -> list[str]:
    """Return the sixty games of the corpus with the shortest rules."""
    if not CORPUS.exists():
        pytest.skip("there is no corpus")
    paths = sorted(CORPUS.glob("*.kif"), key=lambda path: path.stat().st_size)
    return [path.stem for path in paths[:60]]


@cache
def enumerated(text: str) -> tuple[GameGraph, LeafValueTable]:
    """Return a game with a leaf-value table that has links from facts to rows."""
    description = Description.from_text(text)
    table = LeafValueTable.enumerate(description, time_limit=60)
    assert table.links
    return GameGraph(CompiledReasoner(description), max_states=100_000), table
