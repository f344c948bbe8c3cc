"""Reads the files of records. Errors do not name the file, whose path is nothing for browsers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from ggp.errors import RecordError, TournamentError
from ggp.match import MatchRecord, MatchSummary

__all__ = ["read_record", "read_stored", "read_summary"]

T = TypeVar("T")

_log = logging.getLogger(__name__)


def read_record(path: Path | str) -> MatchRecord:
    """Read a record. Raises `OSError`, `RecordError`."""
    return _read(MatchRecord.read, path)


def read_summary(path: Path | str) -> MatchSummary:
    """Read what a list of records shows of one. Raises `OSError`, `RecordError`."""
    return _read(MatchSummary.read, path)


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


def _read(read: Callable[[Path | str], T], path: Path | str) -> T:
    try:
        return read(path)
    except RecordError as error:
        raise RecordError(str(error).removeprefix(f"{path}: ")) from None
