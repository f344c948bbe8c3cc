"""What the home page lists: the matches that are not over, and the results of those that are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.processes.guides import GuideError

__all__ = ["open_matches", "results"]


def open_matches(manager: Manager) -> list[dict[str, Any]]:
    """Return the matches in play, the latest first, and those that ended without a record.

    A match has its `id`, `game`, `players`, the number of its `steps`, when it `began` (in
    milliseconds since 1970), what it `waits_for` (the names of people; none if that is a secret of
    the match), whether it `rests` (no process referees it until its page is opened), and why it
    `failed`; None if it did not.
    """
    found = ((match, _told(match)) for match in manager.matches)
    return [told for match, told in found if told["failed"] is None or not match.record.exists()]


def _told(match: Match) -> dict[str, Any]:
    players, steps, failed = [seat.spec or seat.kind for seat in match.seats], 0, None
    to_move: set[int] = set()
    for event in match.log:
        match event["event"]:
            case "started":
                players = event["players"]
            case "turn" if not match.may_hide:  # else the rules may hide who can choose
                to_move = set(map(int, event["legal"]))
            case "answered":
                to_move.discard(event["role"])
            case "move":
                steps = event["step"]
                to_move.clear()
            case "finished":
                failed = event["remark"]
                to_move.clear()
    return {
        "id": match.id,
        "game": match.game.name,
        "players": players,
        "steps": steps,
        "began": match.began,
        "rests": not match.is_running and not match.is_over,
        "waits_for": [players[role] for role in sorted(to_move)],
        "failed": failed,
    }


def results(manager: Manager) -> Iterator[dict[str, Any]]:
    """Yield what the table of results shows of each record, the latest first.

    A record has its `name`; `game` (its name), `players`, `goals` (empty if the match was not
    played to its end), `steps` and `time` (in milliseconds since 1970); or else the reason why it
    cannot be read, `error`. Records of matches in play are left out.
    """
    playing = {told["id"] for match in manager.matches if (told := _told(match))["failed"] is None}
    names: dict[str, str] = {}  # of the games, by their addresses
    for record in manager.records:
        if record.name in playing:
            continue
        try:
            told = manager.summary(record)
        except GuideError as error:
            yield {"name": record.name, "error": str(error)}
        except FileNotFoundError:  # it was removed just now
            continue
        else:
            address = told["game_meta_url"]
            if address not in names:
                names[address] = manager.games.name_at(address)
            yield {
                "name": record.name,
                "game": names[address],
                "time": told["start_time"],
                "players": told["player_names"],
                "goals": told["goal_values"] if told["is_completed"] else [],
                "steps": told["steps"],
            }
