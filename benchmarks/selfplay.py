"""Matches between players that differ in one thing, with equal processor time for each move.

Each match begins with some random moves, so that the matches differ. From each such opening, two
players play every division of the roles in which both have a role.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from ggp.deadline import Deadline
from ggp.match import Player, PlayerContext
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["Division", "divisions", "opening"]

# No match is longer than this.
_LONGEST = 200
# Seconds in which a player prepares.
_PREPARING = 0.2


@dataclass(frozen=True, slots=True)
class Division:
    """The result of a match: for each role who played it, and its goal."""

    sides: tuple[str, ...]
    goals: tuple[int, ...]

    def of(self, side: str) -> list[int]:
        """Return the goals of the roles of one side."""
        return [goal for own, goal in zip(self.sides, self.goals, strict=True) if own == side]


def divisions(
    reasoner: CompiledReasoner,
    state: State,
    players: Mapping[str, Callable[[], Player]],
    *,
    seconds: float,
) -> Iterator[Division]:
    """Play on from a state with every division of the roles between two sides.

    Args:
        reasoner: the game.
        state: not terminal.
        players: makes a player of each side.
        seconds: of processor time for each move.
    """
    for sides in product(players, repeat=len(reasoner.roles)):
        if len(set(sides)) == len(players):
            seated = [_seated(reasoner, role, players[side]()) for role, side in enumerate(sides)]
            yield Division(sides, _match(reasoner, state, seated, seconds))


@dataclass(frozen=True, slots=True)
class _Processor(Deadline):
    """A deadline in processor time of this process, whatever else the machine does."""

    seconds: float = 0.0
    began: float = field(default_factory=time.process_time)

    @property
    def remaining(self) -> float:
        return max(0.0, self.began + self.seconds - time.process_time())

    @property
    def is_over(self) -> bool:
        return self.remaining <= 0


def opening(reasoner: CompiledReasoner, generator: random.Random, *, moves: int) -> State:
    """Return a state after some random joint moves, in which the game is not over."""
    while True:
        state = reasoner.initial_state()
        for _ in range(moves):
            view = reasoner.view(state)
            if view.terminal:
                break
            joint_move = [generator.choice(legal) for legal in view.legal]
            state = reasoner.next_state(state, joint_move)
        if not reasoner.is_terminal(state):
            return state


def _seated(reasoner: CompiledReasoner, role: int, player: Player) -> Player:
    player.start(PlayerContext(reasoner.roles[role], reasoner, 0.0), _Processor(seconds=_PREPARING))
    return player


def _match(
    reasoner: CompiledReasoner, state: State, players: Sequence[Player], seconds: float
) -> tuple[int, ...]:
    """Play on from a state, and return the goals; 0 for a missing one."""
    for _ in range(_LONGEST):
        view = reasoner.view(state)
        if view.terminal:
            break
        joint_move = []
        for player in players:
            *_, move = player.moves(state, _Processor(seconds=seconds))
            joint_move.append(move)
        state = reasoner.next_state(state, joint_move)
    return tuple(goal or 0 for goal in reasoner.goals(state))
