"""The games that can be played: those that are bundled, and those that people bring."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ggp.server.manager.web.stylesheet import sanitised

__all__ = ["MAX_RULES", "MAX_STYLE", "Game", "Games", "GamesFull"]

#: Bytes of a rulesheet, and of a stylesheet.
MAX_RULES, MAX_STYLE = 2_000_000, 200_000
_MAX_BROUGHT = 500
_MAX_NAME = 40


class GamesFull(Exception):
    """People have brought as many games as there may be."""


@dataclass(frozen=True)
class Game:
    """One game: what its files hold."""

    #: One word, fit for an address.
    id: str
    name: str
    path: Path

    @property
    def text(self) -> str:
        """The rules, as they were written."""
        return self.path.read_text(encoding="utf-8", errors="replace")

    @property
    def url(self) -> str:
        """Where the rules are, for records."""
        return self.path.resolve().as_uri()

    @property
    def style(self) -> str:
        """The game's own stylesheet, made harmless; empty if it has none."""
        try:
            written = self.path.with_suffix(".css").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return sanitised(written[:MAX_STYLE], scope=".scene")


class Games:
    """Finds games by their id. What people bring is kept in files, under the hash of its text."""

    def __init__(self, bundled: Sequence[Path], folder: Path) -> None:
        """Take the rulesheets that are bundled, and the folder for those that are brought."""
        self._folder = folder
        self._bundled = {path.stem: Game(path.stem, path.stem, path) for path in sorted(bundled)}

    def __iter__(self) -> Iterator[Game]:
        """Yield the games, those that were brought after the others."""
        yield from self._bundled.values()
        for path in sorted(self._folder.glob("*.kif")) if self._folder.is_dir() else ():
            yield self._brought(path)

    def find(self, game_id: str) -> Game | None:
        """Return a game by its id."""
        if game_id in self._bundled:
            return self._bundled[game_id]
        if not re.fullmatch(r"[A-Za-z0-9_-]+\.[0-9a-f]{12}", game_id):
            return None
        path = self._folder / f"{game_id}.kif"
        return self._brought(path) if path.is_file() else None

    def at(self, url: str) -> Game | None:
        """Return the game that a record names: by its file, or else by its name."""
        for game in self:
            if game.url == url:
                return game
        names = [part for part in re.split(r"[/.]", url.lower()) if part]
        return next((g for g in self._bundled.values() if g.name.lower() in names[-4:]), None)

    def add(self, name: str, text: str, style: str = "") -> Game:
        """Keep a game that somebody brings, whatever is in it.

        Args:
            name: what to call it; letters and digits of it are kept.
            text: the rules.
            style: a stylesheet of its own, if it has one.

        Raises:
            GamesFull: there is no more room.
            OSError: it cannot be written.
        """
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:_MAX_NAME] or "game"
        digest = hashlib.sha256(f"{text}\0{style}".encode()).hexdigest()[:12]
        path = self._folder / f"{stem}.{digest}.kif"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            if len(list(self._folder.glob("*.kif"))) >= _MAX_BROUGHT:
                raise GamesFull(f"{self._folder} holds {_MAX_BROUGHT} games; remove some")
            if style:
                path.with_suffix(".css").write_text(style, encoding="utf-8")
            path.write_text(text, encoding="utf-8")
        return self._brought(path)

    def _brought(self, path: Path) -> Game:
        return Game(path.stem, path.stem.rpartition(".")[0], path)
