"""The profiles and pictures of all games, worked out in the background and kept in files."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from ggp.files import replace_file
from ggp.server.manager.games import ListedGame
from ggp.server.manager.places import Overloaded
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.processes.questions import Profile
from ggp.workers.worker import Start, spawn

__all__ = ["Profiles"]

#: Changes when pictures of the same rules come out in another way.
_VERSION = 3
#: The looks at a game whose board gets better: the first time and, after all other games, the
#: second time. The seconds between two of them.
_LOOKS, _MORE_LOOKS, _PAUSE = 5, 60, 1.0
#: How often a game is tried that cannot be worked out.
_TRIES = 3
#: How many keys of games are remembered.
_MAX_KEYS = 1000


class Profiles:
    """What the games are like. For any thread; no request waits for a game to be worked out."""

    def __init__(self, folder: Path, *, start: Start = spawn) -> None:
        """Take the folder for the files, which need not exist yet, and what starts processes."""
        self._folder = folder
        self._lock = Lock()
        #: The games that are not known, then those whose board was not found to its end.
        self._wanted: deque[tuple[str, ListedGame]] = deque()
        self._unsettled: deque[tuple[str, ListedGame]] = deque()
        self._known: dict[str, dict[str, Any]] = {}
        #: How often a game could not be worked out: on a busy machine it may be, the next time.
        self._failures: Counter[str] = Counter()
        self._news, self._is_closed = Event(), Event()
        self._guides = Guides(room=1, start=start)
        self._thread: Thread | None = None

    def of(self, game: ListedGame) -> dict[str, Any] | None:
        """Return the profile of a game, with its picture as `svg`; None as long as it is unknown.

        A game that is not known is worked out in the background, if `of_all` was called.
        """
        return self._find(_key(game))

    def of_all(self, games: Iterable[ListedGame]) -> tuple[dict[str, dict[str, Any]], int]:
        """Return the profiles that are known, by the ids of the games, and have the others found.

        Returns:
            The profiles, and how many are being worked out.
        """
        found: dict[str, dict[str, Any]] = {}
        wanted: deque[tuple[str, ListedGame]] = deque()
        for game in games:
            key = _key(game)
            if (profile := self._find(key)) is not None:
                found[game.id] = profile
            elif self._failures[key] < _TRIES:
                wanted.append((key, game))
        with self._lock:
            self._wanted = wanted
            if wanted and self._thread is None and not self._is_closed.is_set():
                self._thread = Thread(target=self._work, daemon=True, name="profiles")
                self._thread.start()
        self._news.set()
        return found, len(wanted)

    def close(self) -> None:
        """End the work."""
        self._is_closed.set()
        self._news.set()
        self._guides.close()
        if self._thread is not None:
            self._thread.join()

    def _find(self, key: str) -> dict[str, Any] | None:
        with self._lock:
            if key in self._known:
                return self._known[key]
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads(self._path(key).read_text(encoding="utf-8"))
            with self._lock:
                self._known[key] = found
            return found
        return None

    def _work(self) -> None:
        while not self._is_closed.is_set():
            with self._lock:
                while self._wanted and self._wanted[0][0] in self._known:
                    self._wanted.popleft()  # it was worked out while a page asked
                looks = _LOOKS if self._wanted else _MORE_LOOKS
                tasks = self._wanted or self._unsettled
                task = tasks.popleft() if tasks else None
            if task is None:
                self._news.wait()
                self._news.clear()
                continue
            try:
                is_settled = self._look(*task, looks)
            except (GuideError, Overloaded, OSError):
                self._failures[task[0]] += 1
                continue
            if not is_settled and looks == _LOOKS:
                self._unsettled.append(task)

    def _look(self, key: str, game: ListedGame, looks: int) -> bool:
        """Note the profile of a game, several times while its guide finds the board.

        Returns:
            Whether it stays as it is; it is kept in a file then.

        Raises:
            GuideError: the game cannot be drawn.
            Overloaded: too much is asked at once.
        """
        for _ in range(looks):
            found = self._guides.ask(key, game.for_guide, Profile())
            with self._lock:
                self._known[key] = found
            if found["is_settled"]:
                with suppress(OSError):  # it is worked out again by the next manager
                    self._folder.mkdir(parents=True, exist_ok=True)
                    replace_file(self._path(key), json.dumps(found))
                return True
            if self._is_closed.wait(_PAUSE):
                break
        return False

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _key(game: ListedGame) -> str:
    with suppress(OSError):
        return _hashed(game, game.version)
    return "gone"


@lru_cache(maxsize=_MAX_KEYS)
def _hashed(game: ListedGame, _version: object) -> str:
    """Return the key of the rules and the drawing. The home page asks for those of all games."""
    told = f"{_VERSION}\0{game.text}\0{game.drawing}"
    return hashlib.sha256(told.encode()).hexdigest()[:24]
