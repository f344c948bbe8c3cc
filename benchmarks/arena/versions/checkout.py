"""The files of a commit, in a folder of their own."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from ggp.errors import PlayerError

__all__ = ["PREFIX", "checkout", "resolved", "split"]

#: A spec of a player of another version begins with this.
PREFIX = "git:"

_ROOT = Path(__file__).parents[3]
# What a player needs.
_PARTS = ("ggp", "players", "server", "games")


def split(spec: str) -> tuple[str, str]:
    """Return commit and player of a spec. Raises `PlayerError`.

    >>> split("git:HEAD~3:maxn:depth=4")
    ('HEAD~3', 'maxn:depth=4')
    """
    commit, _, player = spec.removeprefix(PREFIX).partition(":")
    if not (commit and player):
        raise PlayerError(f"{spec}: a player of another version is git:COMMIT:PLAYER")
    return commit, player


def resolved(spec: str) -> str:
    """Return the spec with the hash of its commit; other specs are returned as they are.

    Raises:
        PlayerError: there is no such commit.
    """
    if not spec.startswith(PREFIX):
        return spec
    commit, player = split(spec)
    try:
        name = _git("rev-parse", "--verify", "--short=12", f"{commit}^{{commit}}")
    except (OSError, subprocess.CalledProcessError):
        raise PlayerError(f"{spec}: there is no commit {commit!r}") from None
    return f"{PREFIX}{name.decode().strip()}:{player}"


def checkout(commit: str) -> Path:
    """Return a folder with the files of a commit, which is kept for the next time.

    Raises:
        PlayerError: they cannot be had.
    """
    folder = user_cache_path("ggp-versions", appauthor=False) / commit
    if folder.exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            whole = Path(made, commit)
            whole.mkdir()
            archive = _git("archive", commit, *_PARTS)
            subprocess.run(["tar", "-x", "-C", str(whole)], input=archive, check=True)
            with suppress(OSError):  # another process was faster
                whole.rename(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PlayerError(f"the files of {commit} cannot be had: {error}") from None
    return folder


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(_ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout
