"""OpenSpiel's Monte-Carlo tree search as a contender."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from benchmarks.arena.contenders import Contender
from benchmarks.arena.openspiel.mirror import Mirror, require_openspiel
from benchmarks.arena.position import Position
from ggp.errors import GgpError, PlayerError
from ggp.kif import Term
from ggp.match import keyword_options

__all__ = ["BOTS", "PREFIX", "MctsBot", "MctsOptions", "read_options"]

#: A spec of one of OpenSpiel's bots begins with this.
PREFIX = "openspiel:"

# The number of simulations by which a calibration begins, by which it grows, and the share of the
# time for a move from which a search tells how fast the bot is.
_FEWEST, _GROWTH, _SHARE = 16, 4, 0.1
# What a move took more or less than its time is made up for in the next ones, up to this share.
_MOST_CREDIT = 0.5


@dataclass(frozen=True, slots=True)
class MctsOptions:
    """The options of `openspiel:mcts`."""

    #: For each move; None for as many as fit in the time.
    simulations: int | None = None
    #: How often the bot has the time of a move.
    time: float = 1.0
    #: Whether it proves wins and losses in its tree (MCTS-Solver).
    solve: bool = True
    #: UCT's exploration constant; this is the one of OpenSpiel's examples.
    uct_c: float = 2.0
    #: Random playouts from each leaf.
    rollouts: int = 1
    #: Megabytes of the tree, which is pruned beyond that.
    memory: int = 2000
    seed: int | None = None


#: The bots by name.
BOTS = {"mcts": MctsOptions}


def read_options(spec: str) -> MctsOptions:
    """Read a spec such as `openspiel:mcts,simulations=1000`.

    Raises:
        PlayerError: there is no such bot or option, or OpenSpiel is not installed.
    """
    name, _, options = spec.removeprefix(PREFIX).partition(",")
    if name not in BOTS:
        raise PlayerError(f"{spec}: OpenSpiel's bots are {', '.join(BOTS)}")
    try:
        found = MctsOptions(**keyword_options(BOTS[name], options))
    except PlayerError as error:
        raise PlayerError(f"{spec}: {error}") from None
    if found.time <= 0 or (found.simulations or 2) < 2 or min(found.rollouts, found.memory) < 1:
        raise PlayerError(f"{spec}: time, rollouts and memory must be positive, simulations 2")
    require_openspiel()
    return found


@dataclass(slots=True)
class MctsBot(Contender):
    """`pyspiel.MCTSBot` with random rollouts, all of it in C++.

    The bot has no clock in processor time, so it gets a number of simulations: as many as its last
    search would have made in the time. Before its first move, searches of more and more simulations
    measure that, in the time to prepare. What a move took more or less is made up for in the next
    ones, so that the mean is right; a search that ends early because it has proven the result
    saves nothing up. Each move begins with an empty tree, as the bot always does. If one of its
    actions consists of several steps, the bot chooses it in all of its time at the first one.
    """

    options: MctsOptions
    #: Simulations a second.
    _rate: float = field(default=0.0, init=False)
    #: Seconds that were left over.
    _credit: float = field(default=0.0, init=False)
    #: The action of which the steps are made.
    _action: int = field(default=0, init=False)
    _generator: random.Random = field(init=False)

    def prepare(self, position: Position) -> None:
        """Measure how many simulations fit in a second."""
        self._generator = random.Random(self.options.seed)
        if self.options.simulations is None:
            count, seconds = _FEWEST, 0.0
            while seconds < _SHARE * self._seconds:
                _, made, seconds = self._search(_mirror(position), count)
                if made < count:
                    break  # proven: it does not matter how fast the bot is
                count *= _GROWTH

    def choose(self, position: Position) -> Term:
        """Return the next step of the action that the bot prefers.

        Where the bot has only one action, or is at a later step, it need not search.
        """
        mirror = _mirror(position)
        if mirror.role != self.role:
            return position.view.legal[self.role][0]
        moves = mirror.moves(position.view)
        if not mirror.made:
            self._action = next(iter(moves)) if len(moves) == 1 else self._preferred(mirror)
        return moves[self._action][self.role]

    def _preferred(self, mirror: Mirror) -> int:
        """Search for the time of a move, and return the preferred action."""
        count = self.options.simulations
        if count is None:
            count = max(2, round(self._rate * (self._seconds + self._credit)))
        action, made, seconds = self._search(mirror, count)
        self.thinking.simulations += made
        if made == count:
            credit = self._credit + self._seconds - seconds
            limit = _MOST_CREDIT * self._seconds
            self._credit = min(limit, max(-limit, credit))
        return action

    @property
    def _seconds(self) -> float:
        return self.options.time * self.timing.move

    def _search(self, mirror: Mirror, count: int) -> tuple[int, int, float]:
        """Return the preferred action, the number of simulations made, and their seconds."""
        import pyspiel

        options, began = self.options, self.timing.now()
        seeds = [self._generator.randrange(1 << 30) for _ in range(2)]
        bot: Any = pyspiel.MCTSBot(
            mirror.state.get_game(),
            pyspiel.RandomRolloutEvaluator(options.rollouts, seeds[0]),
            options.uct_c,
            count,
            options.memory,
            options.solve,
            seeds[1],
            False,  # says nothing
        )
        root = bot.mcts_search(mirror.state)
        action, made = root.best_child().action, root.explore_count
        del root  # takes its time, too
        seconds = self.timing.now() - began
        if seconds > _SHARE * self._seconds or not self._rate:
            self._rate = made / max(seconds, 1e-9)
        return action, made, seconds


def _mirror(position: Position) -> Mirror:
    if position.mirror is None:
        raise GgpError("OpenSpiel does not know this game")
    return position.mirror
