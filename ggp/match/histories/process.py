"""The process in which histories are looked for: grounding cannot be interrupted, only killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ggp.closing import Closing
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term, to_kif
from ggp.match.histories.turn import Turn
from ggp.workers.child import Owner, run
from ggp.workers.worker import DEVNULL, Process, Streams, Worker, fork, spawn

__all__ = ["HistoryProcess", "main", "prepare_histories"]

_is_prepared = False


@dataclass(frozen=True, slots=True)
class _Draw:
    """A request to draw states until there are enough, or until time is up."""

    number: int
    count: int
    due: float


class HistoryProcess(Closing):
    """Draws states to which the match may have led; see `ggp.match.histories.histories`."""

    def __init__(
        self,
        game: PerceivedGame,
        role: Symbol,
        *,
        seed: int = 0,
        memory_limit: int | None = None,
    ) -> None:
        """Start the process, which takes nearly nothing until it is told of a turn.

        It is forked where `prepare_histories` was called before: a new Python takes half a second
        of a processor to load what is needed.

        Args:
            game: the game whose states contain the role's percepts.
            role: the role.
            seed: of what is drawn.
            memory_limit: bytes that the process may use; None for no limit.

        Raises:
            OSError: no process can be started.
        """
        self._worker = Worker(
            __name__,
            to_kif(game.description.terms),
            game.name.text,
            role.text,
            seed,
            memory_limit=memory_limit,
            streams=(DEVNULL, DEVNULL, DEVNULL),
            start=_start,
        )
        self._draws = 0

    def advance(self, turn: Turn) -> None:
        """Tell of a turn in which the match went on, without waiting."""
        self._worker.post(turn)

    def draw(self, count: int, deadline: Deadline) -> Iterator[tuple[Term, ...]]:
        """Yield the facts of up to `count` states, as far as they are found before the deadline.

        A state may come several times. None comes where no history agrees.

        Raises:
            EOFError: the process has ended, such as where the rules cannot be grounded.
            TimeUp: the deadline is over.
        """
        self._draws += 1
        self._worker.post(_Draw(self._draws, count, deadline.due))
        while True:
            number, facts = self._worker.receive(deadline)
            if number != self._draws:
                continue  # it was asked for earlier, and came too late
            if facts is None:
                return
            yield facts

    def close(self) -> None:
        """End the process. May be called again."""
        self._worker.close()


def prepare_histories() -> None:
    """Load what is needed into this process, so that others can be forked from it."""
    global _is_prepared  # noqa: PLW0603 - a process has it loaded or not
    import ggp.match.histories.histories  # noqa: F401

    _is_prepared = True


def _start(program: str, descriptor: int, streams: Streams) -> Process:
    if not _is_prepared:
        return spawn(program, descriptor, streams)
    with Path(os.devnull).open("r+b") as nowhere:
        silent = (nowhere.fileno(),) * 3
        return fork(descriptor, silent, partial(run, program=main))


def main(owner: Owner, rules: str, percept: str, role: str, seed: int) -> None:
    """Follow a match, and draw states when asked to."""
    from ggp.match.histories.histories import Histories

    request = owner.receive()
    game = PerceivedGame(Description.from_text(rules), Symbol(percept))
    histories = Histories(game, Symbol(role), seed=seed)
    while True:
        if isinstance(request, Turn):
            histories.advance(request)
        else:
            with suppress(TimeUp, GameError):
                for _ in range(request.count):
                    owner.send((request.number, histories.draw(Deadline(request.due))))
            owner.send((request.number, None))
        request = owner.receive()
