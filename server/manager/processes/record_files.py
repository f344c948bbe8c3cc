"""Reads the files of records. Errors do not name the file, whose path is nothing for browsers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from ggp.errors import RecordError, TournamentError
from ggp.match import MatchRecord, MatchSummary
from ggp.server.manager.processes.questions import RecordPlace

__all__ = ["read_placed", "read_record", "read_stored", "read_summary", "told_of"]

T = TypeVar("T")

_log = logging.getLogger(__name__)


def read_record(path: Path | str) -> MatchRecord:
    """Read a record. Raises `OSError`, `RecordError`."""
    return _read(MatchRecord.read, path)


def read_summary(path: Path | str) -> MatchSummary:
    """Read what a list of records shows of one. Raises `OSError`, `RecordError`."""
    return _read(MatchSummary.read, path)


def read_placed(place: RecordPlace) -> MatchRecord:
    """Read a record from its file, or a match from the folder of its tournament.

    Raises:
        OSError: the file cannot be read.
        RecordError: it is no record.
        TournamentError: the tournament cannot be read, or has no such match.
    """
    if place.match is not None:
        return read_stored(place.path, place.match)
    return read_record(place.path)


def read_stored(folder: Path | str, match: str) -> MatchRecord:
    """Read the record of a match of the tournament in a folder.

    Raises:
        RecordError: it is no record.
        TournamentError: the tournament cannot be read, or has no such match.
    """
    from ggp.tournament import Store  # needs libraries that the manager does not need otherwise

    try:
        with closing(Store.open(Path(folder))) as store:
            text = store.record(match)
    except TournamentError as error:
        _log.warning("%s", error)
        raise TournamentError("the tournament cannot be read now") from None
    if text is None:
        raise TournamentError(f"there is no match {match}")
    return MatchRecord.from_json(text)


def told_of(record: MatchRecord) -> dict[str, Any]:
    """Return what a page shows of a record, as JSON values."""
    return {
        "match_id": record.match_id,
        "game_url": record.game_meta_url,
        "players": list(record.player_names),
        "start_clock": record.start_clock,
        "play_clock": record.play_clock,
        "start_time": record.start_time,
        "completed": record.is_completed,
        "states": [list(map(str, facts)) for facts in record.states],
        "moves": [list(map(str, joint_move)) for joint_move in record.moves],
        "errors": [list(errors) for errors in record.errors],
        "search": [list(map(_thought, search)) for search in record.search],
        "start_search": list(map(_thought, record.start_search)),
        "state_times": list(record.state_times),
        "people": [role for role, human in enumerate(record.is_player_human) if human],
        "aborted": record.is_aborted,
        "gave_up": record.gave_up,
        "goals": list(record.goal_values),
    }


def _thought(info: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return what a player thought, if a page can show it: a record may contain anything."""
    if info is None:
        return None
    numbers = [info.get(name, 0) for name in ("depth", "nodes", "seconds", "simulations")]
    variation = info.get("variation", [])
    is_shown = (
        isinstance(info.get("value"), int | float | None)
        and all(isinstance(number, int | float) for number in numbers)
        and isinstance(variation, list)
        and all(isinstance(joint_move, list) for joint_move in variation)
        and all(isinstance(move, str) for joint_move in variation for move in joint_move)
    )
    return info if is_shown else None


def _read(read: Callable[[Path | str], T], path: Path | str) -> T:
    try:
        return read(path)
    except RecordError as error:
        raise RecordError(str(error).removeprefix(f"{path}: ")) from None
