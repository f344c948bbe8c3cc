"""What plays a role in a match, and how much time it takes for that."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from benchmarks.arena.clock import ProcessorDeadline
from benchmarks.arena.position import Position
from ggp.deadline import Deadline, TimeUp
from ggp.engine.kernels import KERNELS, load, warm_up
from ggp.kif import Term
from ggp.match import Player, PlayerContext, SearchInfo
from ggp.workers.cores import limited

__all__ = ["Clock", "Contender", "Local", "Thinking", "Timing"]

#: Processor time of all threads together, or wall-clock time.
Clock: TypeAlias = Literal["processor", "wall"]

_DEADLINES: dict[Clock, type[Deadline]] = {"processor": ProcessorDeadline, "wall": Deadline}
_NOW: dict[Clock, Callable[[], float]] = {
    "processor": time.process_time,
    "wall": time.perf_counter,
}

# What a player thinks that does not report it.
_SILENT = SearchInfo(None)


@dataclass(frozen=True, slots=True)
class Timing:
    """The clocks of a match, in seconds."""

    #: For each move; its steps share the time equally.
    move: float
    #: To prepare for the match.
    start: float = 0.2
    clock: Clock = "processor"

    def deadline(self, seconds: float) -> Deadline:
        """Return the deadline that is `seconds` from now."""
        return _DEADLINES[self.clock].after(seconds)

    def cores(self) -> AbstractContextManager[None]:
        """Limit what the players of this process may use to what the clock is fair to.

        Threads that wait for each other take processor time, too.
        """
        return limited(1) if self.clock == "processor" else nullcontext()

    def now(self) -> float:
        """Return the time of the clock."""
        return _NOW[self.clock]()


@dataclass(slots=True)
class Thinking:
    """What a side has spent on its moves, those without a choice left out.

    A move counts once, with the seconds of all its steps.
    """

    moves: int = 0
    seconds: float = 0.0
    #: Seconds for the longest move.
    longest: float = 0.0
    #: Random playouts and states searched, as far as the players say.
    simulations: int = 0
    nodes: int = 0

    def add(self, other: Thinking) -> None:
        """Add what was spent elsewhere."""
        for name, value in asdict(other).items():
            if name != "longest":
                setattr(self, name, getattr(self, name) + value)
        self.longest = max(self.longest, other.longest)

    @property
    def per_move(self) -> float | None:
        """Seconds for a move on average; None without any."""
        return self.seconds / self.moves if self.moves else None

    def to_json(self) -> dict[str, Any]:
        """Return what was spent as JSON values, with the mean seconds for a move."""
        return {**asdict(self), "seconds_per_move": self.per_move}


@dataclass(slots=True)
class Contender(ABC):
    """Plays one role in one match."""

    timing: Timing
    thinking: Thinking = field(default_factory=Thinking, init=False)
    role: int = field(default=0, init=False)
    # Of the move whose steps are made: seconds so far, and whether there was a choice.
    _spent: float = field(default=0.0, init=False)
    _has_choice: bool = field(default=False, init=False)

    def warm_up(self) -> None:  # noqa: B027 - optional
        """Load and compile what is loaded and compiled only once."""

    def start(self, position: Position, role: int) -> None:
        """Prepare for a match from this position."""
        self.role = role
        self.prepare(position)

    def move(self, position: Position) -> Term:
        """Return a legal move, and note what was spent on it."""
        began = self.timing.now()
        move = self.choose(position)
        self.add_step(position, self.timing.now() - began)
        return move

    def add_step(self, position: Position, seconds: float) -> None:
        """Add the seconds of a step; the last one completes a move."""
        if position.step == 0:
            self._spent, self._has_choice = 0.0, False
        self._spent += seconds
        self._has_choice |= len(position.view.legal[self.role]) > 1
        if position.step == position.steps - 1 and self._has_choice:
            self.thinking.add(Thinking(1, self._spent, self._spent))

    @abstractmethod
    def prepare(self, position: Position) -> None:
        """Prepare for a match in which the contender has its role."""

    @abstractmethod
    def choose(self, position: Position) -> Term:
        """Return a legal move."""

    def stop(self, goals: tuple[int | None, ...]) -> None:  # noqa: B027 - optional
        """Release what the match has taken."""


@dataclass(slots=True)
class Local(Contender):
    """A player of this framework, in this process."""

    make: Callable[[], Player]
    _player: Player = field(init=False)
    _info: SearchInfo = field(default=_SILENT, init=False)

    def warm_up(self) -> None:
        """Load the functions that all games share."""
        warm_up(Deadline())
        for kernels in set(KERNELS.values()):
            load(kernels, Deadline())

    def prepare(self, position: Position) -> None:
        """Make the player, and give it the time to prepare."""
        self._player = self.make()
        reasoner, seconds = position.reasoner, self.timing.move / position.steps
        context = PlayerContext(reasoner.roles[self.role], reasoner, seconds, self._note)
        with suppress(TimeUp), self.timing.cores():
            self._player.start(context, self.timing.deadline(self.timing.start))

    def choose(self, position: Position) -> Term:
        """Return the last move that the player yields in time; if there is none, the first."""
        self._info = _SILENT
        deadline = self.timing.deadline(self.timing.move / position.steps)
        chosen = position.view.legal[self.role][0]
        with suppress(TimeUp), self.timing.cores():
            for move in self._player.moves(position.state, deadline):
                chosen = move
                deadline.check()
        self.thinking.nodes += self._info.nodes
        self.thinking.simulations += self._info.simulations or 0
        return chosen

    def stop(self, goals: tuple[int | None, ...]) -> None:
        """Tell the player that the match is over."""
        self._player.stop(goals)

    def _note(self, info: SearchInfo) -> None:
        self._info = info
