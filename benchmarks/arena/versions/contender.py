"""A player of another version as a contender."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.arena import clock
from benchmarks.arena.contenders import Contender
from benchmarks.arena.position import Position
from benchmarks.arena.versions import child
from benchmarks.arena.versions.checkout import checkout
from ggp.errors import PlayerError
from ggp.kif import Term
from ggp.workers.worker import Worker

__all__ = ["Versioned"]

_numbers = count()


@dataclass(slots=True)
class Versioned(Contender):
    """A player of a commit, in a process with the files of that commit.

    The processor time is that of its process, which serves all matches.
    """

    commit: str
    spec: str
    seed: int
    _number: int = field(init=False)

    def warm_up(self) -> None:
        """Have the process load what all games share, which takes minutes the first time."""
        self._ask("warm_up")

    def prepare(self, position: Position) -> None:
        """Make the player, and give it the time to prepare."""
        self._number = next(_numbers)
        rules = position.reasoner.description.source.text
        times = (self.timing.move / position.steps, self.timing.start, self.timing.clock)
        self._ask("start", self._number, self.spec, self.seed, rules, self.role, times)

    def move(self, position: Position) -> Term:
        """Return the player's move, and note what was spent on it in the other process."""
        facts = [str(fact) for fact in position.reasoner.facts(position.state)]
        text, seconds, nodes, simulations = self._ask("move", self._number, facts)
        self.add_step(position, seconds)
        self.thinking.simulations += simulations
        self.thinking.nodes += nodes
        for move in position.view.legal[self.role]:
            if str(move) == text:
                return move
        raise PlayerError(f"{self.spec} of {self.commit} wants to play {text}, which is not legal")

    def choose(self, position: Position) -> Term:
        """Return the player's move."""
        return self.move(position)

    def stop(self, goals: tuple[int | None, ...]) -> None:
        """Tell the player that the match is over."""
        self._ask("stop", self._number, goals)

    def _ask(self, *message: object) -> Any:
        """Return the answer of the process. Raises `PlayerError`."""
        worker = _process(self.commit)
        worker.send(message)
        try:
            answer, error = worker.receive()
        except EOFError:
            error = "its process ended"
        if error is not None:
            raise PlayerError(f"{self.spec} of {self.commit}: {error}")
        return answer


@cache
def _process(commit: str) -> Worker:
    """Return the process of a version; it ends with this one."""
    files = map(Path, (child.__file__, clock.__file__))
    program, clock_file = map(str, files)
    return Worker(program, str(checkout(commit)), clock_file)
