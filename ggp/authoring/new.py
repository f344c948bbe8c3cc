"""A game to begin from: small, complete, and with comments that teach the language."""

from __future__ import annotations

import errno
import os
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from string import Template

from ggp.authoring.regression import perft_path, playthrough_path, update
from ggp.files import create_file
from ggp.kif import parse, symbols
from ggp.kif.scrambler import KEYWORDS

__all__ = ["DEFAULT_ROLES", "new_game", "new_rules"]

DEFAULT_ROLES = ("white", "black")

_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TEMPLATE = Path(__file__).with_name("new_game.kif")


def new_game(path: Path, roles: Sequence[str] = DEFAULT_ROLES) -> list[Path]:
    """Write a game, a golden playthrough and perft counts; return the three files.

    Raises:
        ValueError: as `new_rules`.
        FileExistsError: one of the files is there already. None is written then.
        OSError: a file cannot be written. None is left then.
        ReasonerError: no reasoner is installed. Only the rules are written then.
    """
    rules = new_rules(path.stem.replace("_", " ").capitalize(), roles)
    files = (path, playthrough_path(path), perft_path(path))
    for file in files:
        if os.path.lexists(file):
            raise FileExistsError(errno.EEXIST, "is there already", str(file))
    create_file(path, rules)
    try:
        for _ in update(path):
            pass
    except (OSError, KeyboardInterrupt):
        for file in files:
            file.unlink(missing_ok=True)
        raise
    return list(files)


def new_rules(title: str, roles: Sequence[str] = DEFAULT_ROLES) -> str:
    """Return the rules of a game of turns, for any number of roles.

    Raises:
        ValueError: there is no role, or two roles have one name, or a name is none that every
            player can read, or the rules need it for something else.
    """
    template = Template(_TEMPLATE.read_text(encoding="utf-8"))
    _check(roles, template)
    if len(roles) == 1:
        turns = f"In each step, {roles[0]} takes one or two of them."
    else:
        names = f"{', '.join(roles[:-1])} and {roles[-1]}"
        turns = f"{names} take turns to take one or two of them; {roles[0]} begins."
    story = f"A pile has seven stones. {turns} The player that takes the last stone wins."
    pairs = zip(roles, [*roles[1:], roles[0]], strict=True)
    return template.substitute(
        title=title,
        story=textwrap.fill(story, 100, initial_indent="; ", subsequent_indent="; "),
        first=roles[0],
        roles="\n".join(f"(role {role})" for role in roles),
        follows="\n".join(f"(follows {role} {other})" for role, other in pairs),
    )


def _check(roles: Sequence[str], template: Template) -> None:
    if not roles:
        raise ValueError("a game needs a role")
    rules = parse(template.safe_substitute(roles="", follows="", first="", story=""))
    words = {symbol.text for term in rules for symbol in symbols(term)} | KEYWORDS
    seen: set[str] = set()
    for role in roles:
        if not _ROLE.fullmatch(role):
            raise ValueError(f"{role!r} is no name of a role: take letters, digits and _")
        if role.lower() in words:
            raise ValueError(f"{role!r} is no name of a role: the rules need this word themselves")
        if role.lower() in seen:
            raise ValueError(f"two roles have the name {role!r}")
        seen.add(role.lower())
