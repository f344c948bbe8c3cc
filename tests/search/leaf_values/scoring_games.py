"""Random games in which moves score points, and only the sum of the points matters at the end."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from functools import cached_property

from ggp.compiler.circuit.build import build_circuit
from ggp.gdl import Description
from ggp.search.leaf_values import LeafValueTable
from ggp.search.leaf_values.outcomes import Outcomes
from ggp.search.leaf_values.tally import find_tallies

# With each move the two players score two points together: so no count leaves its range, which the
# invariants of a game can show.
_RULES = """
(role ann) (role bob)
(init (at n0_0)) (init (step 0)) (init (points ann 0)) (init (points bob 0))
(<= (legal ?r (go ?m)) (true (at ?n)) (turn ?n ?r) (way ?n ?m ?to ?k))
(<= (legal ?r noop) (role ?r) (true (at ?n)) (turn ?n ?other) (distinct ?r ?other))
(<= (goes ?to ?k) (true (at ?n)) (turn ?n ?r) (does ?r (go ?m)) (way ?n ?m ?to ?k))
(<= (next (at ?to)) (goes ?to ?k))
(<= (next (step ?new)) (true (step ?old)) (plus ?old 2 ?new))
(<= (next (points ann ?new)) (goes ?to ?k) (true (points ann ?old)) (plus ?old ?k ?new))
(<= (next (points bob ?new)) (goes ?to ?k) (plus ?k ?left 2) (true (points bob ?old))
    (plus ?old ?left ?new))
(<= terminal (true (step {end})))
(<= (goal ?r ?g) (true (points ?r ?n)) (worth ?n ?g))
"""


@dataclass(frozen=True)
class ScoringGame:
    """A graph of layers: from each place one of two players moves to a place of the next layer.

    A seed decides who moves, where moves lead, what they score, and what points are worth.
    """

    seed: int
    layers: int = 5
    width: int = 2
    moves: int = 3
    #: Rules besides; (points ?r ?n) are the points so far, and (at ?n) is the place.
    more: str = ""
    is_falling: bool = False

    @cached_property
    def text(self) -> str:
        """The rulesheet."""
        generator, highest = random.Random(self.seed), 2 * self.layers
        lines = [_RULES.format(end=highest), self.more]
        for layer in range(self.layers):
            for place in range(self.width if layer else 1):
                lines.append(f"(turn n{layer}_{place} {generator.choice(['ann', 'bob'])})")
                for move in range(self.moves):
                    to = generator.randrange(self.width)
                    points = generator.randrange(3)
                    lines.append(f"(way n{layer}_{place} {move} n{layer + 1}_{to} {points})")
        goals = sorted(generator.sample(range(101), highest + 1), reverse=self.is_falling)
        lines += [f"(worth {points} {goal})" for points, goal in enumerate(goals)]
        sums = ((a, b) for a in range(highest + 1) for b in range(3) if a + b <= highest)
        lines += [f"(plus {a} {b} {a + b})" for a, b in sums]
        return "\n".join(lines)

    @cached_property
    def description(self) -> Description:
        """The game."""
        return Description.from_text(self.text)

    @cached_property
    def leaf_values(self) -> LeafValueTable:
        """The table of the game, with its tallies, found in this process: that saves a second."""
        circuit = build_circuit(self.description)
        outcomes = Outcomes(circuit, due=time.monotonic() + 60)
        table = outcomes.table(max_rows=1000)
        assert table is not None
        best = [table, *outcomes.links(table)][-1]
        tallies = find_tallies(circuit, best)
        return replace(best, tallies=tallies if outcomes.always_ends() else ())
