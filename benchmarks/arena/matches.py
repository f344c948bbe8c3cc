"""Matches from openings, with every division of the roles between two sides.

Each match begins with some random moves, so that the matches differ. From each such opening, two
sides play every division of the roles in which both have a role.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

from benchmarks.arena.contenders import Contender, Local, Thinking, Timing
from benchmarks.arena.position import Position
from ggp.errors import GameError, PlayerError
from ggp.gdl import RANDOM
from ggp.match import Player

__all__ = ["Division", "divisions", "local", "opening", "played_roles"]

# No match is longer than this.
_LONGEST = 2000
# A shorter opening is tried when this many have ended the game.
_ATTEMPTS = 1000


@dataclass(frozen=True, slots=True)
class Division:
    """The result of a match: for each role that is played by a side, which one, and its goal."""

    sides: tuple[str, ...]
    goals: tuple[int, ...]
    #: Joint moves after the opening, each step by itself.
    length: int
    #: By side, what it has spent on its moves.
    thinking: Mapping[str, Thinking]

    def of(self, side: str) -> list[int]:
        """Return the goals of the roles of one side."""
        return [goal for own, goal in zip(self.sides, self.goals, strict=True) if own == side]


def local(make: Callable[[], Player], *, seconds: float) -> Callable[[], Contender]:
    """Return what makes contenders of a player of this framework.

    Args:
        make: makes the player.
        seconds: of processor time for each move.
    """
    return partial(Local, Timing(seconds), make)


def played_roles(position: Position) -> list[int]:
    """Return the numbers of the roles that players play: all but chance."""
    return [n for n, role in enumerate(position.reasoner.roles) if str(role) != RANDOM]


def opening(position: Position, generator: random.Random, *, moves: int) -> Position:
    """Return a position after some random joint moves, in which the game is not over.

    A move is made with all its steps. There are fewer moves where the game seems to be over sooner.

    Raises:
        GameError: the game is over before the first move.
    """
    for count in range(moves, 0, -1):
        for _ in range(_ATTEMPTS):
            found = _after_random_moves(position, generator, count * position.steps)
            if not found.view.terminal:
                return found
    if position.view.terminal:
        raise GameError("the game is over before the first move")
    return position


def _after_random_moves(position: Position, generator: random.Random, count: int) -> Position:
    """Return a position after some random joint moves; the game may be over after fewer."""
    for _ in range(count):
        if position.view.terminal:
            break
        position = position.after([generator.choice(legal) for legal in position.view.legal])
    return position


def divisions(
    position: Position,
    sides: Mapping[str, Callable[[], Contender]],
    *,
    alone: str | None = None,
    seed: int = 0,
) -> Iterator[Division]:
    """Play on from a position with every division of the roles between two sides.

    Args:
        position: not terminal.
        sides: by name, what makes a contender of each side.
        alone: the side that has one role in each match; None for all divisions.
        seed: of the moves of chance.

    Raises:
        PlayerError: a player wants to make an illegal move.
    """
    roles = played_roles(position)
    for seated in product(sides, repeat=len(roles)):
        if len(set(seated)) == len(sides) and (alone is None or seated.count(alone) == 1):
            contenders = {role: sides[side]() for role, side in zip(roles, seated, strict=True)}
            generator = random.Random(f"{seed} {seated}")
            end, length = _match(position, contenders, generator)
            goals = end.view.goals
            thinking: defaultdict[str, Thinking] = defaultdict(Thinking)
            for role, side in zip(roles, seated, strict=True):
                contenders[role].stop(goals)
                thinking[side].add(contenders[role].thinking)
            # a missing goal counts as 0
            yield Division(
                seated, tuple(goals[role] or 0 for role in roles), length, dict(thinking)
            )


def _match(
    position: Position, contenders: Mapping[int, Contender], generator: random.Random
) -> tuple[Position, int]:
    """Play on from a position; return the last one, and how many joint moves lead to it."""
    for role, contender in contenders.items():
        contender.start(position, role)
    for length in range(_LONGEST):
        if position.view.terminal:
            return position, length
        joint_move = []
        for role, legal in enumerate(position.view.legal):
            if role in contenders:
                move = contenders[role].move(position)
                if move not in legal:
                    name = position.reasoner.roles[role]
                    raise PlayerError(f"{name} wants to play {move}, which is not legal")
            else:
                move = generator.choice(legal)
            joint_move.append(move)
        position = position.after(joint_move)
    return position, _LONGEST
