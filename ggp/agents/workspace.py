"""The rulesheets of a client: text that it sends, games in one folder, and bundled ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ggp.agents.calls import Refused
from ggp.errors import SourceError
from ggp.files import read_file, replace_file
from ggp.gdl.bundled import bundled_games
from ggp.kif import Source

__all__ = ["MAX_RULES", "Workspace"]

#: Characters of a rulesheet, and games in the folder.
MAX_RULES, MAX_GAMES = 500_000, 200

_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder with rulesheets, ``NAME.kif``. Nothing outside it is read or written."""

    folder: Path

    def rules(self, game: str) -> str:
        """Return the rules that a client means: rules as text, a saved game, or a bundled one.

        Raises:
            Refused: there is no such game, or the rules are too long.
        """
        if len(game) > MAX_RULES:
            raise Refused(f"rules have at most {MAX_RULES:,} characters")
        if "(" in game:
            return game
        name = game.strip()
        path = self.path(name)
        if not path.is_file():
            bundled = {path.stem: path for path in bundled_games()}
            if name not in bundled:
                raise Refused(f"no game is called {name}; list_games lists them")
            path = bundled[name]
        try:
            return Source.decode(read_file(path, most=4 * MAX_RULES), name=path.name).text
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

    def path(self, name: str) -> Path:
        """Return where a saved game is. Raises `Refused` if the name is not a plain one."""
        if not _NAME.fullmatch(name):
            raise Refused(
                "a game's name has up to 48 small letters, digits and _, and begins with a letter; "
                "rules as text have parentheses"
            )
        path = self.folder / f"{name}.kif"
        if path.is_symlink():
            raise Refused(f"{name} is a link, and links are not followed")
        return path
