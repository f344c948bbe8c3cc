"""The rulesheets of a client: text that it sends, games in one folder, and bundled ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ggp.agents.calls import Refused
from ggp.errors import SourceError
from ggp.files import read_file, replace_file
from ggp.gdl.bundled import bundled_drawings, bundled_games
from ggp.gdl.check import closest
from ggp.kif import Source

__all__ = ["MAX_RULES", "Workspace"]

#: Characters of a rulesheet or a file beside it; games, and files beside them, in the folder.
MAX_RULES, MAX_GAMES, MAX_FILES = 500_000, 200, 400

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
# What `ggp test` compares with, and the drawing of a board.
_BESIDE = re.compile(rf"{_NAME.pattern}((\.[a-z0-9_]{{1,48}})?\.playthrough|\.perft)?\.json")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder with rulesheets, ``NAME.kif``, and files beside them, ``NAME.….json``.

    Nothing outside it is read or written, except that bundled games are read.
    """

    folder: Path

    def rules(self, game: str) -> Source:
        """Return the rules that a client means: rules as text, a saved game, or a bundled one.

        They have the name of a file, such as ``nim.kif``.

        Raises:
            Refused: there is no such game, or the rules are too long.
        """
        if len(game) > MAX_RULES:
            raise Refused(f"rules have at most {MAX_RULES:,} characters")
        if "(" in game:
            return Source(game, "rules.kif")
        name = game.strip()
        path = self.path(name)
        if not path.is_file():
            bundled = {path.stem: path for path in bundled_games()}
            if name not in bundled:
                close = closest(name, [*self.names(), *bundled])
                hint = f"did you mean {close}?" if close else "list_games lists them"
                raise Refused(f"no game is called {name}; {hint}")
            path = bundled[name]
        try:
            return Source.decode(read_file(path, most=4 * MAX_RULES), name=path.name)
        except (OSError, SourceError, ValueError) as error:
            raise Refused(f"{name} cannot be read: {error}") from None

    def names(self) -> list[str]:
        """Return the names of the saved games."""
        return sorted(path.stem for path in self.folder.glob("*.kif") if _NAME.fullmatch(path.stem))

    def files(self) -> list[str]:
        """Return the names of the files beside the saved games."""
        return sorted(
            path.name for path in self.folder.glob("*.json") if _BESIDE.fullmatch(path.name)
        )

    def save(self, name: str, rules: str) -> None:
        """Write a game, in place of the one of its name. Raises `Refused`."""
        path = self.path(name)
        if not rules or len(rules) > MAX_RULES:
            raise Refused(f"rules have between 1 and {MAX_RULES:,} characters")
        if not path.exists() and len(self.names()) >= MAX_GAMES:
            raise Refused(f"{MAX_GAMES} games are saved, and no more can be")
        self._write(path, rules)

    def save_file(self, file: str, text: str) -> None:
        """Write a file beside a game, in place of the one of its name. Raises `Refused`."""
        path = self.beside(file)
        if not path.exists() and len(self.files()) >= MAX_FILES:
            raise Refused(f"{MAX_FILES} files are saved beside games, and no more can be")
        self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, text if text.endswith("\n") else f"{text}\n")
        except (OSError, UnicodeError) as error:
            raise Refused(f"{path.name} cannot be written: {error}") from None

    def file(self, file: str) -> str:
        """Return the text of a file beside a saved game, or a bundled one. Raises `Refused`."""
        path = self.beside(file)
        if not path.exists():
            drawings = {path.name: path for path in bundled_drawings()}
            if file not in drawings:
                close = closest(file, [*self.files(), *drawings])
                hint = f"did you mean {close}?" if close else "read_file without a name lists them"
                raise Refused(f"there is no file {file}; {hint}")
            path = drawings[file]
        try:
            return read_file(path, most=4 * MAX_RULES).decode()
        except (OSError, UnicodeError) as error:
            raise Refused(f"{file} cannot be read: {error}") from None

    def drawing(self, game: str) -> str:
        """Return the drawing that lies beside a game; empty if there is none, or rules are given.

        Raises:
            Refused: it cannot be read.
        """
        name = game.strip()
        is_saved, file = name in self.names(), f"{name}.json"
        there = self.files() if is_saved else [path.name for path in bundled_drawings()]
        return self.file(file) if file in there else ""

    def delete_file(self, file: str) -> None:
        """Remove a file beside a game. Raises `Refused`."""
        try:
            self.beside(file).unlink()
        except OSError as error:
            raise Refused(f"{file} cannot be removed: {error.strerror}") from None

    def beside(self, file: str) -> Path:
        """Return where a file beside a game is. Raises `Refused` if there is none of that name."""
        if not _BESIDE.fullmatch(file):
            raise Refused(
                f"{file[:60]!r} is no file beside a game: these are NAME.playthrough.json, "
                "NAME.WORD.playthrough.json, NAME.perft.json, and the drawing NAME.json"
            )
        return self._no_link(self.folder / file)

    def delete(self, name: str) -> list[str]:
        """Remove a saved game, with what is recorded beside it; return the names of the files.

        Raises:
            Refused: no saved game has this name, or it cannot be removed.
        """
        path = self.saved(name)
        # What `ggp test` records, and a drawing of the board.
        files = [path, *sorted(self.folder.glob(f"{name}.*json"))]
        try:
            for file in files:
                file.unlink()
        except OSError as error:
            raise Refused(f"{name} cannot be removed: {error.strerror}") from None
        return [file.name for file in files]

    def saved(self, name: str) -> Path:
        """Return where a game is that is saved. Raises `Refused`."""
        path = self.path(name)
        if not path.is_file():
            close = closest(name, self.names())
            hint = f"did you mean {close}?" if close else "save_game saves one"
            raise Refused(f"no saved game is called {name}; {hint}")
        return path

    def path(self, name: str) -> Path:
        """Return where a saved game is. Raises `Refused` if the name is not a plain one."""
        if not _NAME.fullmatch(name):
            plain = Path(name.strip().lower().replace("-", "_")).name.removesuffix(".kif")
            hint = f"; write {plain}" if _NAME.fullmatch(plain) else ""
            raise Refused(
                f"{name[:60]!r} is neither rules, which have parentheses, nor the name of a game, "
                "which has up to 48 small letters, digits and _, and begins with a letter" + hint
            )
        return self._no_link(self.folder / f"{name}.kif")

    def _no_link(self, path: Path) -> Path:
        if path.is_symlink():
            raise Refused(f"{path.name} is a link, and links are not followed")
        return path
