"""What a game is like, for a person who looks for one: from its rules and from random play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ggp.gdl import Description
from ggp.match import seats
from ggp.server.manager.drawing.play import Line

__all__ = ["profile_of", "shown_state"]

#: The step of a line whose state is the picture of a game: something has happened by then.
_PICTURED = 8


def profile_of(description: Description, lines: Sequence[Line]) -> dict[str, Any]:
    """Return what a game is like, as JSON values.

    `roles` are the players; `is_hidden` says whether they do not see all; `has_chance` whether
    `random` plays; `is_simultaneous` whether several choose at once; `first` who chooses first;
    `steps` are the fewest and the most joint moves of random matches that came to an end, None if
    none did; `goals` are the values that a player can get.
    """
    players = seats(description)
    played = [number for number, role in enumerate(description.roles) if role in players]
    choices = [
        [number for number in played if len(view[number]) > 1]
        for line in lines
        for view in line.legal
    ]
    first = next((who for who in choices if who), [])
    lengths = [len(line.moves) for line in lines if line.is_over]
    return {
        "roles": list(map(str, players)),
        "is_hidden": description.has_imperfect_information,
        "has_chance": len(players) < len(description.roles),
        "is_simultaneous": any(len(who) > 1 for who in choices),
        "first": [str(description.roles[number]) for number in first],
        "steps": [min(lengths), max(lengths)] if lengths else None,
        "goals": sorted({goal for role in players for goal in description.goal_values[role]}),
    }


def shown_state(lines: Sequence[Line]) -> int:
    """Return the step of the first line that a picture of the game shows."""
    return min(_PICTURED, (len(lines[0].states) - 1) // 2) if lines else 0
