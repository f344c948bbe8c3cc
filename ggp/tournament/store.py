"""The store of a tournament: one SQLite file, in which a match is complete or missing.

The plan is written once. A match's result and record are one row, written in one transaction when
the match is over. So a process may be killed at any moment: what was finished is there, what was
not is played anew, and nothing counts twice, since the number of a match is the key of its row.
How far the matches in play have come is written from time to time, for spectators only.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ggp.errors import TournamentError
from ggp.match import MatchRecord
from ggp.tournament.plan import Fixture, Plan

__all__ = ["ERRORS", "Result", "Running", "Store"]

#: Errors of players: a late answer, none, an illegal move, an exception in the player's code.
ERRORS = ("TO", "CE", "IL", "EX")

_FILE = "tournament.sqlite"

_TABLES = """
CREATE TABLE IF NOT EXISTS plan (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    plan TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS match (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game INTEGER NOT NULL,
    players TEXT NOT NULL,
    match_id TEXT NOT NULL UNIQUE,
    goals TEXT,
    errors TEXT NOT NULL,
    moves INTEGER NOT NULL,
    remark TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS running (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game INTEGER NOT NULL,
    players TEXT NOT NULL,
    match_id TEXT NOT NULL UNIQUE,
    moves INTEGER NOT NULL,
    record TEXT NOT NULL,
    told REAL NOT NULL
) STRICT;
"""

#: Seconds after which a match that nothing is told of is not running: its process was killed.
_SILENCE = 15.0

_COLUMNS = "number, round, game, players, match_id, goals, errors, moves, remark"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match. Tuples have an entry for each seat, in role order."""

    fixture: Fixture
    match_id: str
    #: None if the match was aborted.
    goals: tuple[int, ...] | None
    #: How often each of `ERRORS` occurred in each seat; those that did not are left out.
    errors: tuple[Mapping[str, int], ...]
    #: How many moves each seat made.
    moves: int
    #: Why the match was aborted, or what is wrong with the goals; empty if all is well.
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """A match that is being played."""

    fixture: Fixture
    match_id: str
    #: How many joint moves have been played.
    moves: int


class Store:
    """The folder of one tournament, for one thread."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self._connection = connection

    @classmethod
    def exists(cls, folder: Path) -> bool:
        """Return whether a folder contains a tournament."""
        if not (folder / _FILE).is_file():
            return False
        connection = _connect(folder)
        try:
            return _read_plan(connection) is not None
        finally:
            connection.close()

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Self:
        """Create a tournament in a folder, which is made if it is missing.

        Raises:
            TournamentError: the plan cannot be played, or the folder has a tournament already.
            OSError: the folder cannot be made.
        """
        plan.check()
        folder.mkdir(parents=True, exist_ok=True)
        connection = _connect(folder)
        try:
            with connection:
                connection.execute("INSERT INTO plan VALUES (1, ?)", (plan.to_json(),))
        except sqlite3.IntegrityError:
            connection.close()
            raise TournamentError(f"{folder} has a tournament already") from None
        return cls(folder, connection, plan)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the tournament in a folder. Raises `TournamentError` if there is none."""
        if not (folder / _FILE).is_file():
            raise TournamentError(f"{folder} has no tournament")
        connection = _connect(folder)
        try:
            plan = _read_plan(connection)
            if plan is None:
                raise TournamentError(f"{folder} has no tournament")
            return cls(folder, connection, Plan.from_json(plan))
        except TournamentError as error:
            connection.close()
            raise TournamentError(f"{folder}: {error}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from playing this tournament; the lock ends with the process.

        Raises:
            TournamentError: another process plays it.
        """
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise TournamentError(f"{self.folder}: another process plays this tournament") from None
        finally:
            os.close(descriptor)

    def add(self, result: Result, record: MatchRecord) -> None:
        """Store a match that is over.

        Raises:
            TournamentError: it is there already, or it cannot be written.
        """
        fixture = result.fixture
        row = (
            fixture.number,
            fixture.round,
            fixture.game,
            json.dumps(fixture.players),
            result.match_id,
            json.dumps(result.goals),
            json.dumps(result.errors),
            result.moves,
            result.remark,
            record.to_json(),
        )
        try:
            with self._connection:
                marks = ", ".join("?" * len(row))
                self._connection.execute(f"INSERT INTO match VALUES ({marks})", row)
                self._connection.execute("DELETE FROM running WHERE number = ?", row[:1])
        except sqlite3.IntegrityError:
            raise TournamentError(f"match {fixture.number} was played already") from None
        except sqlite3.Error as error:  # the disk is full
            raise TournamentError(f"{self.folder / _FILE}: {error}") from None

    def results(self, match_id: str | None = None) -> tuple[Result, ...]:
        """Return the results so far, in the order of the fixtures, or only that of one match."""
        rows = self._select(_COLUMNS, match_id)
        return tuple(
            Result(
                fixture=Fixture(number, round_, game, tuple(json.loads(players))),
                match_id=match_id,
                goals=None if (reached := json.loads(goals)) is None else tuple(reached),
                errors=tuple(json.loads(errors)),
                moves=moves,
                remark=remark,
            )
            for number, round_, game, players, match_id, goals, errors, moves, remark in rows
        )

    def tell(self, records: Iterable[tuple[Fixture, MatchRecord]]) -> None:
        """Tell spectators which matches are being played, with their records so far.

        Raises:
            TournamentError: it cannot be written.
        """
        now = time.time()
        rows = [
            (
                fixture.number,
                fixture.round,
                fixture.game,
                json.dumps(fixture.players),
                record.match_id,
                len(record.moves),
                record.to_json(),
                now,
            )
            for fixture, record in records
        ]
        try:
            with self._connection:
                self._connection.execute("DELETE FROM running")
                self._connection.executemany(
                    "INSERT INTO running VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows
                )
        except sqlite3.Error as error:
            raise TournamentError(f"{self.folder / _FILE}: {error}") from None

    def running(self, match_id: str | None = None) -> tuple[Running, ...]:
        """Return the matches that are being played, or only that with an id."""
        columns = "number, round, game, players, match_id, moves, told"
        since = time.time() - _SILENCE
        return tuple(
            Running(Fixture(number, round_, game, tuple(json.loads(players))), match_id, moves)
            for number, round_, game, players, match_id, moves, told in self._select(
                columns, match_id, table="running"
            )
            if told > since
        )

    def records(self) -> Iterator[tuple[str, str]]:
        """Yield the id and the record, as JSON, of every match, in the order of the fixtures."""
        yield from self._select("match_id, record")

    def record(self, match_id: str) -> str | None:
        """Return the record of a match, as JSON, perhaps so far; None if it has not begun."""
        tables = ("match", "running")
        found = (row for table in tables for row in self._select("record", match_id, table=table))
        return next((str(record) for (record,) in found), None)

    def played(self) -> int:
        """Return the number of matches that are over."""
        return int(next(self._select("count(*)"))[0])

    def _select(
        self, columns: str, match_id: str | None = None, *, table: str = "match"
    ) -> Iterator[tuple[Any, ...]]:
        """Yield columns of all matches, or of one. Raises `TournamentError` if it cannot read."""
        where, values = ("", ()) if match_id is None else ("WHERE match_id = ?", (match_id,))
        query = f"SELECT {columns} FROM {table} {where} ORDER BY number"
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise TournamentError(f"{self.folder / _FILE}: {error}") from None

    def close(self) -> None:
        """Release the file. May be called again."""
        self._connection.close()


def _connect(folder: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(folder / _FILE)
        # Readers and the writer do not wait for each other.
        connection.execute("PRAGMA journal_mode = WAL")
        # A committed match is on the disk even if the machine fails.
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(_TABLES)
    except sqlite3.Error as error:
        raise TournamentError(f"{folder / _FILE}: {error}") from None
    return connection


def _read_plan(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT plan FROM plan").fetchone()
    return row and str(row[0])
