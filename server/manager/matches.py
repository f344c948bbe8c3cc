"""The matches of a manager: each has a process that referees it, and a log of its events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Condition, Lock, Timer
from typing import Any

from ggp.match import new_match_id
from ggp.server.manager.games import Game
from ggp.server.manager.processes.children import Child, Message

__all__ = ["Match", "MatchInProgress", "Matches", "MatchesFull", "Seat"]

_MODULE = "ggp.server.manager.processes.match_worker"
#: Bytes of address space for the referee, without its reasoner's and its players' processes.
_MEMORY = 3 << 30
#: Seconds that an aborted match gets to end by itself.
_FAREWELL = 6.0
#: Matches in progress, and matches that are remembered.
_MAX_RUNNING, _MAX_KEPT = 8, 50


class MatchesFull(Exception):
    """The limit on matches in progress is reached."""


class MatchInProgress(Exception):
    """A match that is being played cannot be forgotten."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The player of a role: `kind` is ``human``, ``url`` or ``player``."""

    kind: str
    #: The player's name with its options, its URL, or a person's name.
    spec: str = ""


class Match:
    """One match. Its log only grows; a viewer waits for the next event."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        *,
        start_clock: float,
        play_clock: float,
        humans_take_time: bool,
        folder: Path,
    ) -> None:
        """Begin the match. Raises `OSError` if no process can be started."""
        self.game = game
        self.seats = tuple(seats)
        self.play_clock = play_clock
        self.humans_take_time = humans_take_time
        self.id = new_match_id(game.name)
        self.record = folder / f"{self.id}.json"
        self._changed = Condition()
        #: None in place of an event that a later one has replaced.
        self._log: list[Message | None] = []
        #: The index of the latest search info of each role.
        self._infos: dict[int, int] = {}
        self._is_over = False
        self._child = Child(_MODULE, memory=_MEMORY, on_message=self._take, on_end=self._end)
        self._child.send(
            {
                "rules": game.text,
                "match_id": self.id,
                "start_clock": start_clock,
                "play_clock": play_clock,
                "players": [asdict(seat) for seat in seats],
                "humans_take_time": humans_take_time,
                "game_url": game.url,
                "record": str(self.record),
            }
        )

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._is_over

    @property
    def states(self) -> list[list[str]]:
        """The facts of each state so far."""
        with self._changed:
            return [event["facts"] for event in self._log if event and "facts" in event]

    def events(self, after: int, *, timeout: float) -> tuple[list[Message], int, bool]:
        """Return the new events, waiting for one if there is none.

        Args:
            after: the number of events that are known already.
            timeout: seconds to wait at most.

        Returns:
            The events, the number of all events so far, and whether the match is over.
        """
        with self._changed:
            self._changed.wait_for(lambda: len(self._log) > after or self._is_over, timeout)
            news = [event for event in self._log[after:] if event]
            return news, len(self._log), self._is_over

    def make_move(self, role: int, turn: int, move: str) -> None:
        """Make the move of a human player."""
        self._child.send({"do": "move", "role": role, "turn": turn, "move": move})

    def abort(self) -> None:
        """Abort the match; its process gets some seconds to write the record."""
        self._child.send({"do": "abort"})
        timer = Timer(_FAREWELL, self._child.close)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """End the match at once."""
        self._child.close()

    def join(self) -> None:
        """Wait until its process has ended."""
        self._child.join()

    def _take(self, event: Message) -> None:
        with self._changed:
            if event["event"] == "info":
                self._forget_info(event)
            self._log.append({**event, "time": time.time()})
            self._changed.notify_all()

    def _forget_info(self, event: Message) -> None:
        """Drop the role's previous search info if it is of the same turn."""
        number = self._infos.get(event["role"])
        before = None if number is None else self._log[number]
        if number is not None and before and before["turn"] == event["turn"]:
            self._log[number] = None
        self._infos[event["role"]] = len(self._log)

    def _end(self, exit_code: int) -> None:
        with self._changed:
            if not any(event and event["event"] == "finished" for event in self._log):
                remark = "aborted" if exit_code <= 0 else "the referee failed"
                self._log.append(
                    {"event": "finished", "goals": None, "remark": remark, "time": time.time()}
                )
            self._is_over = True
            self._changed.notify_all()


class Matches:
    """The matches of a manager, the latest first. Any thread may call the methods."""

    def __init__(self, folder: Path) -> None:
        """Take the folder for the records."""
        self._folder = folder
        self._lock = Lock()
        self._matches: dict[str, Match] = {}

    def begin(self, game: Game, seats: Sequence[Seat], **options: Any) -> Match:
        """Begin a match; the options are those of `Match`. Raises `MatchesFull`, `OSError`."""
        with self._lock:
            running = [match for match in self._matches.values() if not match.is_over]
            if len(running) >= _MAX_RUNNING:
                raise MatchesFull(f"{_MAX_RUNNING} matches are being played; end one first")
            match = Match(game, seats, folder=self._folder, **options)
            self._matches[match.id] = match
            over = [each for each in self._matches.values() if each.is_over]
            for each in over[: max(0, len(self._matches) - _MAX_KEPT)]:
                del self._matches[each.id]
            return match

    def find(self, match_id: str) -> Match | None:
        """Return the match with an id; None if there is none."""
        return self._matches.get(match_id)

    def forget(self, forgotten: Callable[[Match], bool]) -> None:
        """Forget matches whose record or game is removed.

        Raises:
            MatchInProgress: one of them is still being played.
        """
        with self._lock:
            found = [match for match in self._matches.values() if forgotten(match)]
            if any(not match.is_over for match in found):
                raise MatchInProgress("a match of it is being played; abort it first")
            for match in found:
                del self._matches[match.id]

    def __iter__(self) -> Iterator[Match]:
        """Yield the matches, the latest first."""
        with self._lock:
            return iter(list(self._matches.values())[::-1])

    def close(self) -> None:
        """End all matches."""
        for match in self:
            match.close()
        for match in self:
            match.join()
