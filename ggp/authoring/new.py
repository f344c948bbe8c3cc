"""What authors begin from: small complete games, with comments that teach, and a player."""

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
from ggp.kif.scrambler import FIXED

__all__ = ["DEFAULT_KIND", "KINDS", "new_game", "new_player", "new_rules"]

#: The kinds of games, each with the names of its roles unless others are given.
KINDS = {
    "turns": ("white", "black"),
    "board": ("white", "black"),
    "pieces": ("white", "black"),
    "cards": ("white", "black"),
    "simultaneous": ("white", "black"),
    "hidden": ("white", "black"),
    "puzzle": ("solver",),
}
#: The kind that takes any number of roles.
DEFAULT_KIND = "turns"

_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_FOLDER = Path(__file__).with_name("kinds")


def new_game(
    path: Path, roles: Sequence[str] | None = None, *, kind: str = DEFAULT_KIND
) -> list[Path]:
    """Write a game, a golden playthrough and perft counts; return the three files.

    Args:
        path: of the rules.
        roles: the names of the roles; None for those of the kind.
        kind: what kind of game, of `KINDS`.

    Raises:
        ValueError: as `new_rules`.
        FileExistsError: one of the files is there already. None is written then.
        OSError: a file cannot be written. None is left then.
        ReasonerError: no reasoner is installed. Only the rules are written then.
    """
    rules = new_rules(path.stem.replace("_", " ").capitalize(), roles, kind=kind)
    files = (path, playthrough_path(path), perft_path(path))
    _check_absent(*files)
    create_file(path, rules)
    try:
        for _ in update(path):
            pass
    except (OSError, KeyboardInterrupt):
        for file in files:
            file.unlink(missing_ok=True)
        raise
    return list(files)


def new_rules(title: str, roles: Sequence[str] | None = None, *, kind: str = DEFAULT_KIND) -> str:
    """Return the rules of a game of a kind; `DEFAULT_KIND` takes any number of roles.

    Raises:
        ValueError: there is no role, or the kind has another number of roles, or two roles have
            one name, or not every player can read a name, or the rules need it for something else.
    """
    roles = KINDS[kind] if roles is None else roles
    template = Template((_FOLDER / f"{kind}.kif").read_text(encoding="utf-8"))
    if kind != DEFAULT_KIND and len(roles) != len(KINDS[kind]):
        plural = "s" * (len(KINDS[kind]) > 1)
        raise ValueError(f"the kind {kind} has {len(KINDS[kind])} role{plural}, not {len(roles)}")
    _check(roles, template)
    if kind != DEFAULT_KIND:
        return _filled(template.substitute(title=title, first=roles[0], second=roles[-1]))
    if len(roles) == 1:
        turns = f"In each step, {roles[0]} takes one or two of them."
    else:
        names = f"{', '.join(roles[:-1])} and {roles[-1]}"
        turns = f"{names} take turns to take one or two of them; {roles[0]} begins."
    story = f"A pile has seven stones. {turns} The player that takes the last stone wins."
    pairs = zip(roles, [*roles[1:], roles[0]], strict=True)
    rules = template.substitute(
        title=title,
        story=f"; {story}",
        first=roles[0],
        roles="\n".join(f"(role {role})" for role in roles),
        follows="\n".join(f"(follows {role} {other})" for role, other in pairs),
    )
    return _filled(rules)


def _filled(rules: str) -> str:
    """Fill the paragraphs of the first comment anew, whose lines have names of any length."""
    comment, _, rest = rules.partition("\n\n")
    paragraphs = comment.replace("\n; ", " ").split("\n;")
    told = [
        textwrap.fill(each.strip("; \n"), 100, initial_indent="; ", subsequent_indent="; ")
        for each in paragraphs
    ]  # fmt: skip
    return "\n;\n".join(told) + f"\n\n{rest}"


def new_player(path: Path) -> str:
    """Write a player in Python; return the name of its class.

    Raises:
        ValueError: the file's name is not that of a module.
        FileExistsError: the file is there already.
        OSError: it cannot be written.
    """
    module = path.stem
    if not _ROLE.fullmatch(module):
        raise ValueError(f"{module!r} is no name of a module: take letters, digits and _")
    _check_absent(path)
    name = "".join(word.capitalize() for word in module.split("_"))
    template = Template((_FOLDER / "player.txt").read_text(encoding="utf-8"))
    title = module.replace("_", " ").capitalize()
    create_file(path, template.substitute(title=title, module=module, name=name))
    return name


def _check_absent(*paths: Path) -> None:
    for path in paths:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "is there already", str(path))


def _check(roles: Sequence[str], template: Template) -> None:
    if not roles:
        raise ValueError("a game needs a role")
    rules = parse(template.safe_substitute(roles="", follows="", first="", second="", story=""))
    words = {symbol.text for term in rules for symbol in symbols(term)} | FIXED
    seen: set[str] = set()
    for role in roles:
        if not _ROLE.fullmatch(role):
            raise ValueError(f"{role!r} is no name of a role: take letters, digits and _")
        if role.lower() in words:
            raise ValueError(f"{role!r} is no name of a role: the rules need this word themselves")
        if role.lower() in seen:
            raise ValueError(f"two roles have the name {role!r}")
        seen.add(role.lower())
