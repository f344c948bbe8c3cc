"""The matches of a manager: how many are played at once, and which of them wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from threading import RLock
from typing import Any

from ggp.match import new_match_id
from ggp.server.manager.games import ListedGame
from ggp.server.manager.match import Match
from ggp.server.manager.places import Full, visitor
from ggp.server.manager.players import Players
from ggp.server.manager.setup import Seat, Setup, Unfinished
from ggp.workers.worker import Start, spawn

__all__ = ["MatchInProgress", "Matches", "MatchesFull"]

#: Matches in progress, those of them that one visitor began, and matches that are remembered.
_MAX_RUNNING, _MAX_OF_VISITOR, _MAX_KEPT = 12, 8, 50
#: Seconds after which a match that no page follows is paused if it waits for a person and another
#: match needs its place; the same for one that a page follows.
_UNSEEN, _IDLE = 30.0, 3600.0


class MatchesFull(Full):
    """The limit on matches in progress is reached."""


class MatchInProgress(Exception):
    """A match that is being played cannot be forgotten."""


class Matches:
    """The matches of a manager, the latest first. Any thread may call the methods."""

    def __init__(
        self,
        folder: Path,
        *,
        find_game: Callable[[str], ListedGame | None],
        players: Players,
        start: Start = spawn,
    ) -> None:
        """Take up the matches that an earlier manager left unfinished; they are paused.

        Args:
            folder: the folder for the records; the setups of unfinished matches are in a folder
                inside it.
            find_game: returns the game with an id, or None.
            players: those that visitors can choose.
            start: starts their processes.
        """
        self._start = start
        self._folder = folder
        self._players = players
        self._lock = RLock()
        self._unfinished = Unfinished(folder / "unfinished")
        self._matches: dict[str, Match] = {}
        for setup in self._unfinished:
            if (game := find_game(setup.game)) is not None:
                self._add(game, setup)

    def begin(
        self,
        game: ListedGame,
        seats: Sequence[Seat],
        *,
        start_clock: float,
        play_clock: float,
        humans_take_time: bool,
        start: Mapping[str, Any] | None = None,
    ) -> Match:
        """Begin a match; the arguments are those of `Setup`.

        Raises:
            MatchesFull: too many matches are being played.
            OSError: no process can be started, or the folder cannot be written.
        """
        setup = Setup(
            id=new_match_id(game.name),
            game=game.id,
            seats=tuple(seats),
            start_clock=start_clock,
            play_clock=play_clock,
            humans_take_time=humans_take_time,
            start=start,
        )
        with self._lock:
            self._make_room(visitor.get(), idle=_IDLE)
            self._unfinished.keep(setup)
            match = self._add(game, setup)
            match.go_on()
            self._forget_old()
            return match

    def wake(self, match: Match) -> None:
        """Let a match go on if it is paused. Raises `MatchesFull`, `OSError`."""
        if match.is_running or match.is_over:
            return
        with self._lock:
            if not match.is_running:
                self._make_room(match.visitor, idle=inf)  # two forgotten pages must not take turns
                match.go_on()

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
        """End all processes. Matches in progress go on with the next manager."""
        for match in self:
            match.close()
        for match in self:
            match.join()

    def _add(self, game: ListedGame, setup: Setup) -> Match:
        def forget() -> None:
            self._unfinished.forget(setup.id)

        match = Match(
            game,
            setup,
            self._folder,
            players=self._players,
            start=self._start,
            on_over=forget,
        )
        self._matches[setup.id] = match
        return match

    def _forget_old(self) -> None:
        """Forget the oldest matches beyond the limit; their records stay."""
        resting = [match for match in self._matches.values() if not match.is_running]
        resting.sort(key=lambda match: not match.is_over)
        for match in resting[: max(0, len(self._matches) - _MAX_KEPT)]:
            del self._matches[match.id]
            self._unfinished.forget(match.id)

    def _make_room(self, beginner: str, *, idle: float) -> None:
        """Pause a match that waits for a person if as many are played as may be.

        Args:
            beginner: the visitor who has begun the match that needs room.
            idle: seconds after which a match may be paused though a page follows it.
        """
        running = [match for match in self._matches.values() if match.is_running]
        own = [match for match in running if match.visitor == beginner]
        if len(own) >= _MAX_OF_VISITOR:
            running = own
        elif len(running) < _MAX_RUNNING:
            return
        waiting = [match for match in running if _may_be_paused(match, idle)]
        if not waiting:
            raise MatchesFull(f"{len(running)} matches are being played; end one of them first")
        min(waiting, key=lambda match: match.seen).pause()


def _may_be_paused(match: Match, idle: float) -> bool:
    since = match.waits_since
    if since is None:
        return False
    is_unseen = time.monotonic() - match.seen > _UNSEEN
    return is_unseen or time.time() - since > idle
