"""The profiles and pictures of all games, worked out in the background and kept in files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from ggp.files import replace_file
from ggp.server.manager.games import Game
from ggp.server.manager.places import Overloaded
from ggp.server.manager.processes.guides import GuideError, Guides

__all__ = ["Profiles"]

#: Changes when pictures of the same rules come out in another way.
_VERSION = 2
#: The looks at a game whose board gets better, and the seconds between two of them.
_LOOKS, _PAUSE = 5, 1.0


class Profiles:
    """What the games are like. For any thread; no request waits for a game to be worked out."""

    def __init__(self, folder: Path) -> None:
        """Take the folder for the files; it need not exist yet."""
        self._folder = folder
        self._lock = Lock()
        self._wanted: list[Game] = []
        self._known: dict[str, dict[str, Any]] = {}
        self._failed: set[str] = set()
        self._news, self._is_closed = Event(), Event()
        self._guides = Guides(room=1)
        self._thread: Thread | None = None

    def of(self, game: Game) -> dict[str, Any] | None:
        """Return the profile of a game, with its picture as `svg`; None as long as it is unknown.

        A game that is not known is worked out in the background, if `want` was called.
        """
        key = _key(game)
        with self._lock:
            if key in self._known:
                return self._known[key]
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads(self._path(key).read_text(encoding="utf-8"))
            with self._lock:
                self._known[key] = found
            return found
        return None

    def want(self, games: Iterable[Game]) -> int:
        """Have the profiles of games worked out; return how many are not known yet."""
        wanted = [game for game in games if self.of(game) is None]
        with self._lock:
            self._wanted = [game for game in wanted if _key(game) not in self._failed]
            left = len(self._wanted)
            if left and self._thread is None and not self._is_closed.is_set():
                self._thread = Thread(target=self._work, daemon=True, name="profiles")
                self._thread.start()
        self._news.set()
        return left

    def close(self) -> None:
        """End the work."""
        self._is_closed.set()
        self._news.set()
        self._guides.close()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._is_closed.is_set():
            with self._lock:
                game = self._wanted.pop(0) if self._wanted else None
            if game is None:
                self._news.wait()
                self._news.clear()
                continue
            key = _key(game)
            try:
                found = self._worked_out(key, game)
            except (GuideError, Overloaded, OSError):
                with self._lock:
                    self._failed.add(key)
                continue
            with self._lock:
                self._known[key] = found
            with suppress(OSError):  # it is worked out again by the next manager
                self._folder.mkdir(parents=True, exist_ok=True)
                replace_file(self._path(key), json.dumps(found))

    def _worked_out(self, key: str, game: Game) -> dict[str, Any]:
        """Return the profile of a game, whose guide may look at it for some seconds.

        Raises:
            GuideError: the game cannot be drawn.
            Overloaded: too much is asked at once.
        """
        for _ in range(_LOOKS):
            found = self._guides.ask(key, partial(_rules_of, game), {"do": "profile"})
            if found["is_settled"] or self._is_closed.wait(_PAUSE):
                break
        return found

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _rules_of(game: Game) -> dict[str, Any]:
    return {"text": game.text, "drawing": game.drawing}


def _key(game: Game) -> str:
    with suppress(OSError):
        told = f"{_VERSION}\0{game.text}\0{game.drawing}"
        return hashlib.sha256(told.encode()).hexdigest()[:24]
    return "gone"
