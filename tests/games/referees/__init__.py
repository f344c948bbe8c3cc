"""Referees: a second implementation of the bundled games, written by hand in Python.

Each game's referee is the module of its name. It keeps its states in a form of its own and shares
nothing with the rulesheet but the spelling of the moves.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

State = TypeVar("State", bound=Hashable)

#: The moves of each role, as printed KIF.
Moves: TypeAlias = tuple[list[str], ...]


class Referee(ABC, Generic[State]):
    """The rules of one game. Roles are numbered from 0, in the rulesheet's order."""

    start: State

    @abstractmethod
    def moves(self, state: State) -> Moves:
        """Return the legal moves of every role, in a state that is not over."""

    @abstractmethod
    def after(self, state: State, joint_move: tuple[str, ...]) -> State:
        """Return the state after one legal move of every role."""

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Return whether the game has ended."""

    @abstractmethod
    def goals(self, state: State) -> tuple[int, ...]:
        """Return the goals in a state that is over."""


def folders() -> dict[str, str]:
    """The subfolder of each referee, by the game's name."""
    paths = Path(__file__).parent.glob("*/*.py")
    return {path.stem: path.parent.name for path in paths if path.stem != "__init__"}


def load(name: str) -> Referee[Any]:
    referee = import_module(f"{__name__}.{folders()[name]}.{name}").referee
    assert isinstance(referee, Referee)
    return referee


def in_turn(player: int, moves: Iterable[str], players: int = 2) -> Moves:
    """The moves where only one player has a choice."""
    return tuple(list(moves) if other == player else ["noop"] for other in range(players))


def the_move(joint_move: tuple[str, ...]) -> str:
    """The one move that is no noop."""
    (move,) = (move for move in joint_move if move != "noop")
    return move


def numbers(move: str) -> list[int]:
    """The numbers in a move: [1, 2] for ``(place 1 2)``."""
    return [int(digits) for digits in re.findall(r"\d+", move)]


def win_lose_draw(mine: int, others: int) -> tuple[int, int]:
    """The goals of two players of whom the one with more has won."""
    if mine == others:
        return 50, 50
    return (100, 0) if mine > others else (0, 100)
