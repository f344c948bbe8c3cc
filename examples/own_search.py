"""A search of your own: it plays at random after each move, and prefers the best mean.

Every command takes it, from the root of the project:

    ggp solve nim --algorithm examples.own_search:Sampled --option rounds=50
    ggp match nim searching:algorithm=examples.own_search:Sampled random

`python examples/own_search.py` searches from Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ggp import Description, open_reasoner
from ggp.graph import GameGraph
from ggp.search import NO_LIMIT, Limit, SearchOptions, SearchResult, WithoutHorizon

__all__ = ["Sampled", "SampledOptions"]


@dataclass(frozen=True, kw_only=True)
class SampledOptions(SearchOptions):
    """The options of `Sampled`."""

    #: How often each joint move is tried.
    rounds: int = 20


class Sampled(WithoutHorizon):
    """Looks one joint move ahead; the others are thought to reply at random, too."""

    algorithm = "sampled"
    options = SampledOptions

    def __init__(
        self,
        graph: GameGraph,
        options: SampledOptions | None = None,
        *,
        table_size: int = 0,  # noqa: ARG002
    ) -> None:
        """Prepare to search; nothing is remembered, so that the size of a table is not used."""
        self.graph, self._asked = graph, SampledOptions.of(options)
        self.settings = self._asked.resolve(graph, self.algorithm)
        self.leaf_values = self.settings.leaf_values

    def takes(self, node: int | None = None) -> bool:  # noqa: ARG002
        """Return True: it can search every node."""
        return True

    def deepen(
        self,
        node: int | None = None,
        limit: Limit = NO_LIMIT,
        *,
        first: int = 1,  # noqa: ARG002
    ) -> Iterator[SearchResult]:
        """Yield the best joint move so far, after each round."""
        graph, role = self.graph, self.settings.role
        with graph.held(graph.root if node is None else node) as expansion:
            states = [graph.state(child) for child in expansion.children]
        totals = dict.fromkeys(expansion.joint_moves, 0.0)
        for count in range(1, self._asked.rounds + 1):
            for seed, (move, state) in enumerate(zip(totals, states, strict=True), count * 1000):
                totals[move] += graph.reasoner.playout_totals(state, count=1, seed=seed).goals[role]
            best = max(totals, key=totals.__getitem__, default=None)
            value = totals[best] / count if best else expansion.goals[role] or 0
            yield SearchResult(
                algorithm=self.algorithm,
                classifier=self.settings.classifier,
                roles=graph.roles,
                role=role,
                value=value,
                goals=tuple(value if each == role else None for each in range(len(graph.roles))),
                joint_move=best,
                variation=(best,) if best else (),
                exact=expansion.terminal,
                depth=1,
                simulations=count * len(totals),
            )
            if limit.deadline.is_over or count == limit.nodes or not totals:
                return


def main() -> None:
    """Search the beginning of nim."""
    with open_reasoner(Description.load("nim")) as reasoner:
        result = Sampled(GameGraph(reasoner)).run()
        print(f"best move: {result.move}, on average {result.value:.0f}")


if __name__ == "__main__":
    main()
