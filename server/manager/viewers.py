"""What a viewer of a match is told: a seat learns nothing of what its opponents are about to do.

A watcher is told everything. The holder of a person's seat is told no thoughts of the players until
the match is over: they show the moves that are planned. Where the rules hide something, a seat is
told its own moves, and no state: it asks for what its role may know, see
`ggp.server.manager.processes.knowledge`. A viewer without a role is told no moves there at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["THOUGHTS", "Seated", "view_of"]

#: The events that tell what a player thinks.
THOUGHTS = frozenset({"info"})


def view_of(key: str) -> str:
    """Return the name under which the holder of a key is shown a match.

    It can stand in a URL: it shows what the seat sees, and is no key to move.
    """
    return hashlib.sha256(f"view {key}".encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Seated:
    """A viewer who is not told all: its roles, and whether the rules hide something."""

    #: Their numbers.
    roles: Collection[int]
    is_hidden: bool = False

    def told(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event, which is no thought, as this viewer is told it while the match lasts."""
        match event["event"]:
            case "ready":
                return {**event, "search": [], "seconds": []}
            case "turn":
                legal = {role: moves for role, moves in event["legal"].items() if self._is(role)}
                choices = self._own(event["choices"]) if self.is_hidden else event["choices"]
                return {**event, "legal": legal, "choices": choices}
            case "answered" if not self._is(event["role"]):
                # How long an opponent thought tells something about its move.
                return {**event, "seconds": None}
            case "move":
                return self._move(event)
            case _:
                return event

    def _move(self, event: dict[str, Any]) -> dict[str, Any]:
        told = {**event, "search": []}
        if self.is_hidden:
            del told["facts"]
            for name, nothing in (("moves", None), ("errors", ""), ("seconds", None)):
                told[name] = self._own(event[name], nothing)
        return told

    def _own(self, each: Sequence[Any], nothing: Any = None) -> list[Any]:
        """Return what belongs to the roles of this viewer, and nothing in place of the others'."""
        return [value if self._is(role) else nothing for role, value in enumerate(each)]

    def _is(self, role: int | str) -> bool:
        return int(role) in self.roles
