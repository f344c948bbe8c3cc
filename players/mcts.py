"""Plays by Monte-Carlo tree search, which proves values where it can."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.kif import Term
from ggp.match import PossibleStates
from ggp.players.growing import Growing
from ggp.search import ALGORITHMS, LeafValueTable, Limit, SearchResult, TreeOptions

__all__ = ["Mcts"]

# Where the visits are counted: the playouts of each of them, the share of the time for a move that
# the machine code is waited for, and seconds between two looks.
_PLAYOUTS, _WAITING, _TICK = 8, 0.9, 0.02


class Mcts(Growing):
    """Plays the move that a tree search of random playouts visits most."""

    algorithm = ALGORITHMS["mcts"]

    def __init__(
        self,
        *,
        exploration: float = TreeOptions.exploration,
        blend: float = TreeOptions.blend,
        untried: float = TreeOptions.untried,
        ease: float = TreeOptions.ease,
        regret: bool = False,
        playouts: int | None = None,
        simulations: int | None = None,
        threshold: int = 1,
        seed: int = 0,
        threads: int | None = None,
        ponder: bool | None = None,
        **options: Any,
    ) -> None:
        """Configure the player.

        Args:
            exploration: as for `ggp.search.TreeOptions`, like the rest.
            blend: see there.
            untried: see there.
            ease: see there.
            regret: see there.
            playouts: see there.
            simulations: visits of the tree for each move, in place of as many as the clock allows.
                Then the moves depend on the seed, and not on how busy the machine is: there is one
                thread, `playouts` is 8 unless it is given, nothing is searched before the first
                turn and in the others' turns, and a lost position is searched no longer. The start
                clock must be long enough to get the machine code ready. In games of GDL-II, visits
                of information sets, which no other option but `seed` changes.
            threshold: see there.
            seed: see there.
            threads: how many threads search together; None for one on each core that is free when a
                turn begins.
            ponder: as for `Searching`.
            **options: as for `Searching`.

        Raises:
            PlayerError: an option is out of its range.
        """
        if simulations is not None:
            if simulations < 1 or ponder or (threads or 1) > 1:
                raise PlayerError("simulations are at least 1, without ponder and with one thread")
            playouts, threads, ponder = playouts or _PLAYOUTS, 1, False
        super().__init__(ponder=ponder, **options)
        self._simulations, self._seed = simulations, seed
        try:
            self._options = TreeOptions(
                exploration=exploration,
                blend=blend,
                untried=untried,
                ease=ease,
                regret=regret,
                playouts=playouts,
                threshold=threshold,
                seed=seed,
            )
        except ValueError as error:
            raise PlayerError(str(error)) from None
        if threads is not None and threads < 1:
            raise PlayerError("threads must be at least 1")
        self._threads = threads

    def prepare(self, deadline: Deadline) -> None:
        """Search on from the initial state; with `simulations`, only get ready to search."""
        if self._simulations is None:
            super().prepare(deadline)
        else:
            self.context.reasoner.warm_up(deadline)
            self._wait_for_engine(deadline)

    def _leaf_values(self, deadline: Deadline) -> LeafValueTable:
        if self._simulations is None:
            return super()._leaf_values(deadline)
        return LeafValueTable.of(self.context.reasoner.description)  # no matter how long it took

    def _wait_for_engine(self, deadline: Deadline) -> None:
        while not self._has_engine() and not deadline.is_over:
            time.sleep(min(_TICK, deadline.remaining))

    def _best_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        if self._simulations is None:
            return super()._best_among(possible, deadline)
        self.context.reasoner.warm_up(deadline.part(_WAITING))
        limit = Limit(nodes=self._simulations, deadline=deadline)
        return self._in_information_sets(possible, limit, seed=self._seed)

    def _is_lost(self, result: SearchResult, lowest: float) -> bool:
        return self._simulations is None and super()._is_lost(result, lowest)

    def _searched(
        self, node: int, deadline: Deadline, *, is_urgent: bool
    ) -> Iterator[SearchResult]:
        if self._simulations is None:
            yield from super()._searched(node, deadline, is_urgent=is_urgent)
        else:
            self._wait_for_engine(deadline.part(_WAITING))
            yield from self._visited(self._taker(node), node, deadline, self._simulations)
