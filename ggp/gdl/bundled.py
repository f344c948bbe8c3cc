"""The rulesheets and trees that come with the package."""

from __future__ import annotations

import errno
import re
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

__all__ = [
    "bundled_drawings",
    "bundled_games",
    "bundled_trees",
    "drawing_path",
    "find_game",
    "introduction",
    "opening",
]

# In a checkout, a link leads from the package to the folder beside it.
_FOLDER = Path(str(files("ggp"))) / "games"

_COMMENTS = re.compile(r"\s*((?:[ \t]*;[^\n]*(?:\n|$))*)")
_SENTENCE = re.compile(r".*?[.:;](?=\s|$)", re.DOTALL)


def bundled_games() -> list[Path]:
    """Return the rulesheets that come with the package, by name."""
    return sorted(_FOLDER.glob("*.kif"))


def bundled_drawings() -> list[Path]:
    """Return the drawings that lie beside bundled rulesheets, by name."""
    return sorted(_FOLDER.glob("*.json"))


def drawing_path(rules: Path) -> Path:
    """Return the file beside a rulesheet in which its author may declare how to draw the game."""
    return rules.with_suffix(".json")


def bundled_trees() -> list[Path]:
    """Return the trees of the literature that come with the package, by name."""
    return sorted((_FOLDER / "trees").glob("*.tree"))


def find_game(name: Path | str) -> Path:
    """Return the path of a rulesheet or tree, given a path or the bare name of a bundled one.

    A file that is there comes before a bundled game.

    Raises:
        OSError: there is no such file.
    """
    path = Path(name)
    is_folder = path.is_dir()
    if path.exists() and not is_folder:  # raises for a name that is too long
        return path
    is_bare = path.name == str(name)
    bundled = _FOLDER / (path.name if path.suffix == ".kif" else f"{path.name}.kif")
    if is_bare and bundled.is_file():
        return bundled
    tree = _FOLDER / "trees" / (path.name if path.suffix == ".tree" else f"{path.name}.tree")
    if is_bare and tree.is_file():
        return tree
    if is_folder:
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(name))
    near = get_close_matches(path.stem.lower(), _names(), n=1)
    hint = f"did you mean {near[0]}?" if near and is_bare else "`ggp games` lists them"
    raise FileNotFoundError(
        errno.ENOENT, f"no such file, and no bundled game of this name; {hint}", str(name)
    )


def _names() -> list[str]:
    return [path.stem for path in (*bundled_games(), *bundled_trees())]


def opening(text: str) -> list[str]:
    r"""Return the paragraphs of the comment that begins rules; their lines stay.

    The comment of a bundled game is a title, an empty line, and the rules in words.

    >>> opening("; Nim\n;\n; A pile has six\n; toothpicks.\n(role x)")
    ['Nim', 'A pile has six\ntoothpicks.']
    """
    comment = _COMMENTS.match(text)
    lines = [line.strip("; \t\r") for line in comment[1].splitlines()] if comment else []
    parts = "\n".join(lines).split("\n\n")
    return [part.strip() for part in parts if part.strip()]


def introduction(text: str) -> tuple[str, str]:
    r"""Return the title of a game and its first sentence, from the comment that begins the rules.

    >>> introduction("; Nim\n;\n; A pile has six toothpicks. It is x's turn.\\n(role x)")
    ('Nim', 'A pile has six toothpicks.')
    >>> introduction("(role x) ; no comment begins it")
    ('', '')
    """
    title, *words = opening(text) or [""]
    first = _SENTENCE.match("\n\n".join(words))
    sentence = " ".join(first[0][:-1].split()) + "." if first else ""
    return " ".join(title.split()), sentence
