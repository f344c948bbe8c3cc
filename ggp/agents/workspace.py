"""The rulesheets of a client: text that it sends, games in one folder, and bundled ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ggp.agents.calls import Refused
from ggp.errors import SourceError
from ggp.files import read_file, replace_file
from ggp.gdl.bundled import bundled_games
from ggp.gdl.check import closest
from ggp.kif import Source

__all__ = ["MAX_RULES", "Workspace"]

#: Characters of a rulesheet, and games in the folder.
MAX_RULES, MAX_GAMES = 500_000, 200

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder with rulesheets, ``NAME.kif``. Nothing outside it is read or written."""

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

    def save(self, name: str, rules: str) -> Path:
        """Write a game, in place of the one of its name. Raises `Refused`."""
        path = self.path(name)
        if not rules or len(rules) > MAX_RULES:
            raise Refused(f"rules have between 1 and {MAX_RULES:,} characters")
        if not path.exists() and len(self.names()) >= MAX_GAMES:
            raise Refused(f"{MAX_GAMES} games are saved, and no more can be")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, rules if rules.endswith("\n") else f"{rules}\n")
        except (OSError, UnicodeError) as error:
            raise Refused(f"{name} cannot be written: {error}") from None
        return path

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
        path = self.folder / f"{name}.kif"
        if path.is_symlink():
            raise Refused(f"{name} is a link, and links are not followed")
        return path
