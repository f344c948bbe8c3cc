"""Games small enough to see every state: reasoner and referee walk through all of them together."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from ggp.reasoner import Reasoner, State, open_reasoner
from tests.games import referees
from tests.games.bundled import declared, known_sizes, load

#: A game with more states than the first is walked through by the long tests only; one with more
#: than the second is met by playouts alone.
QUICK, LONG = 10_000, 100_000

SMALL = [
    pytest.param(name, marks=[pytest.mark.long] if size > QUICK else [])
    for name, size in known_sizes().items()
    if size <= LONG
]


class Walk:
    """Visits every state of a game once, and checks each against the referee."""

    def __init__(self, name: str, reasoner: Reasoner) -> None:
        self.reasoner = reasoner
        self.referee = referees.load(name)
        self.paired: dict[State, Hashable] = {}
        self.facts: set[str] = set()
        self.moves: set[tuple[str, str]] = set()

        layer = {reasoner.initial_state(): self.referee.start}
        while layer:
            self.paired |= layer
            layer = self.visit(layer)

    def visit(self, layer: dict[State, Hashable]) -> dict[State, Hashable]:
        """Check the states of a layer; return those after them that are new."""
        fresh: dict[State, Hashable] = {}
        for (state, twin), expansion in zip(
            layer.items(), self.reasoner.expand_all(list(layer)), strict=True
        ):
            self.facts.update(map(str, self.reasoner.facts(state)))
            assert None not in expansion.goals
            assert expansion.terminal == self.referee.is_over(twin)
            if expansion.terminal:
                assert expansion.goals == self.referee.goals(twin)
                continue
            for role, legal, expected in zip(
                self.reasoner.roles, expansion.legal, self.referee.moves(twin), strict=True
            ):
                assert legal
                assert [str(move) for move in legal] == sorted(expected)
                self.moves.update((str(role), str(move)) for move in legal)
            for joint_move, after in zip(expansion.joint_moves, expansion.successors, strict=True):
                expected_after = self.referee.after(twin, tuple(map(str, joint_move)))
                known = self.paired if after in self.paired else fresh
                assert known.setdefault(after, expected_after) == expected_after
        return fresh


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SMALL)
def test_every_state_agrees_with_the_referee_and_the_declarations(name: str) -> None:
    description = load(name)
    with open_reasoner(description) as reasoner:
        walk = Walk(name, reasoner)

    assert len(walk.paired) == len(set(walk.paired.values())) == known_sizes()[name]
    base, inputs = declared(description)
    assert walk.facts == base
    assert walk.moves == inputs
