"""The games that can be played: the bundled games, and those that users upload."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ggp.files import update_file
from ggp.gdl.bundled import drawing_path, introduction, opening
from ggp.server.manager.processes.questions import Subject

__all__ = ["MAX_DRAWING", "MAX_RULES", "MAX_STYLE", "Games", "GamesFull", "ListedGame"]

#: Bytes of a rulesheet, of a stylesheet, and of a drawing.
MAX_RULES, MAX_STYLE, MAX_DRAWING = 2_000_000, 200_000, 200_000
_MAX_BROUGHT = 500
_MAX_NAME = 40
#: Characters of a rulesheet in which its opening comment is looked for, and those of it to show.
_OPENING, _MAX_WORDS = 4000, 200
#: The limit on the characters of a title, and what no title has.
_MAX_TITLE, _DECORATION = 48, re.compile(r"[*=#;]|--|:")
_BETWEEN_WORDS = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[a-z]{2})(?=[0-9])|(?<=[A-Z])(?=[A-Z][a-z])|_"
)


class GamesFull(Exception):
    """The limit on uploaded games is reached."""


@dataclass(frozen=True)
class ListedGame:
    """One game and its files."""

    #: One word, which can stand in a URL.
    id: str
    name: str
    path: Path
    #: Whether a user uploaded it.
    is_brought: bool = False

    @property
    def introduction(self) -> tuple[str, str]:
        """The title and the first sentence of the comment that begins the rules, if there are."""
        title, sentence = self._opening.introduction
        return title[:_MAX_WORDS], sentence[:_MAX_WORDS]

    @property
    def title(self) -> str:
        """What a person would call it: the title of that comment, or the words of its name."""
        title = self.introduction[0]
        if title and len(title) <= _MAX_TITLE and not _DECORATION.search(title):
            return title
        return " ".join(_BETWEEN_WORDS.sub(" ", self.name).split()).capitalize()

    @property
    def how_to_play(self) -> list[str]:
        """The paragraphs of that comment, without the title."""
        told = self._opening.paragraphs
        told = told[1:] if told[:1] == [self.introduction[0]] else told
        lines = [line.strip(" *=-#") for part in told for line in (*part.splitlines(), "")]
        return [part.strip() for part in "\n".join(lines).split("\n\n") if part.strip()]

    @property
    def _opening(self) -> _Opening:
        try:
            return _opening(self.path, self.path.stat().st_mtime_ns)
        except OSError:  # it was removed just now
            return _Opening(("", ""), [])

    @property
    def version(self) -> tuple[int, ...]:
        """What changes with the rules or the drawing. Raises `OSError` if the rules are gone."""
        drawing = drawing_path(self.path)
        rules = self.path.stat()
        with suppress(FileNotFoundError):
            return rules.st_mtime_ns, rules.st_size, drawing.stat().st_mtime_ns
        return rules.st_mtime_ns, rules.st_size

    @property
    def text(self) -> str:
        """The text of the rules."""
        return self.path.read_text(encoding="utf-8", errors="replace")

    @property
    def url(self) -> str:
        """The URL of the rules, for records."""
        return self.path.resolve().as_uri()

    @property
    def drawing(self) -> str:
        """The drawing that the author declares, as JSON; empty if there is none."""
        try:
            return drawing_path(self.path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def for_guide(self) -> Subject:
        """Return what the guide of the game is told first."""
        return Subject(self.text, self.drawing)

    @property
    def written_style(self) -> str:
        """The game's stylesheet as its author wrote it, which is not safe; empty without one."""
        try:
            written = self.path.with_suffix(".css").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return written[:MAX_STYLE]


class _Opening(NamedTuple):
    """The comment that begins rules: its title and first sentence, and its paragraphs."""

    introduction: tuple[str, str]
    paragraphs: list[str]


@lru_cache(maxsize=2 * _MAX_BROUGHT)
def _opening(path: Path, _version: int) -> _Opening:
    """Read the comment that begins rules. The home page shows those of all games."""
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_OPENING)
    return _Opening(introduction(text), opening(text))


class Games:
    """Finds games by their id. Uploaded games are files, named by the hash of their text."""

    def __init__(self, bundled: Sequence[Path], folder: Path) -> None:
        """Take the bundled rulesheets, and the folder for uploaded ones."""
        self._folder = folder
        self._bundled = {
            path.stem: ListedGame(path.stem, path.stem, path) for path in sorted(bundled)
        }

    def __iter__(self) -> Iterator[ListedGame]:
        """Yield the bundled games, then the uploaded ones."""
        yield from self._bundled.values()
        for path in sorted(self._folder.glob("*.kif")) if self._folder.is_dir() else ():
            yield self._brought(path)

    def find(self, game_id: str) -> ListedGame | None:
        """Return the game with an id; None if there is none."""
        if game_id in self._bundled:
            return self._bundled[game_id]
        if not re.fullmatch(r"[A-Za-z0-9_-]+\.[0-9a-f]{12}", game_id):
            return None
        path = self._folder / f"{game_id}.kif"
        return self._brought(path) if path.is_file() else None

    def at(self, url: str) -> ListedGame | None:
        """Return the game that a record names, found by its URL or else by its name."""
        for game in self:
            if game.url == url:
                return game
        # A record that was downloaded from a manager names the file, and not its folder.
        if (brought := self.find(url.rpartition("/")[2].removesuffix(".kif"))) is not None:
            return brought
        names = [part for part in re.split(r"[/.]", url.lower()) if part]
        return next((g for g in self._bundled.values() if g.name.lower() in names[-4:]), None)

    def name_at(self, url: str) -> str:
        """Return the name of the game that a record names, which need not be known here."""
        game = self.at(url)
        if game is not None:
            return game.name
        parts = [part for part in url.split("/") if part]
        # ggp.org has versions at the end: http://games.ggp.org/base/games/chess/v0/
        if len(parts) > 1 and re.fullmatch(r"v[0-9]+", parts[-1]):
            parts.pop()
        return parts[-1].removesuffix(".kif") if parts else ""

    def add(self, name: str, text: str, *, style: str = "", drawing: str = "") -> ListedGame:
        """Store a game that a user uploads, without parsing it.

        Args:
            name: its name, of which only letters, digits, hyphens and underscores are kept.
            text: the rules.
            style: its stylesheet; empty if it has none.
            drawing: its drawing, as JSON; empty if it has none.

        Raises:
            GamesFull: the limit on uploaded games is reached.
            OSError: the files cannot be written. The game is not there then.
        """
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:_MAX_NAME] or "game"
        told = "\0".join([text, style, *filter(None, [drawing])])
        digest = hashlib.sha256(told.encode()).hexdigest()[:12]
        path = self._folder / f"{stem}.{digest}.kif"
        self._folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() and len(list(self._folder.glob("*.kif"))) >= _MAX_BROUGHT:
            raise GamesFull(f"there are {_MAX_BROUGHT} uploaded games; remove some")
        # The rules are the last, because a game is there when they are.
        beside = {path.with_suffix(".css"): style, drawing_path(path): drawing}
        try:
            for file, content in {**beside, path: text}.items():
                if content:
                    update_file(file, content)
        except BaseException:
            if not path.exists():
                for file in beside:
                    file.unlink(missing_ok=True)
            raise
        return self._brought(path)

    def remove(self, game: ListedGame) -> None:
        """Remove an uploaded game with its stylesheet and its drawing.

        Raises:
            ValueError: the game is a bundled one.
            OSError: the files cannot be removed.
        """
        if not game.is_brought:
            raise ValueError(f"{game.name} comes with the program")
        for suffix in (".kif", ".css", ".json"):
            game.path.with_suffix(suffix).unlink(missing_ok=True)

    def _brought(self, path: Path) -> ListedGame:
        return ListedGame(path.stem, path.stem.rpartition(".")[0], path, is_brought=True)
