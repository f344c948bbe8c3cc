"""The installed players with their options, as the pages offer them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib.metadata import entry_points

from ggp.match import option_parameters

__all__ = ["Choice", "installed_players"]

_GROUP = "ggp.players"


@dataclass(frozen=True, slots=True)
class Choice:
    """A player that can be chosen."""

    name: str
    #: The first line of its docstring.
    summary: str
    #: Its options with their defaults, such as ``depth=none``.
    options: tuple[str, ...]


def installed_players() -> tuple[Choice, ...]:
    """Return the players of all packages; one that cannot be loaded is left out."""
    found = []
    for point in sorted(entry_points(group=_GROUP), key=lambda point: point.name):
        try:
            player = point.load()
            parameters = option_parameters(player).values()
        except Exception:  # a player of another package may fail in any way
            continue
        options = tuple(
            f"{p.name}={'none' if p.default is None else p.default}" for p in parameters
        )
        summary = (inspect.getdoc(player) or "").partition("\n")[0]
        found.append(Choice(point.name, summary, options))
    return tuple(found)
