"""The store of a tournament, in which a match is complete or missing.

The plan is written once. A match's result and record are one row, written in one transaction when
the match is over. So a process may be killed at any moment: what was finished is there, what was
not is played anew, and nothing counts twice, since the number of a match is the key of its row.
How far the matches in play have come is written from time to time, for spectators only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Column, Row, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from ggp.errors import TournamentError
from ggp.match import MatchRecord
from ggp.tournament.database import MATCH, PLAN, RUNNING, Database
from ggp.tournament.plan import Fixture, Plan

__all__ = ["ERRORS", "Result", "Running", "Store"]

#: Errors of players: a late answer, none, an illegal move, an exception in the player's code.
ERRORS = ("TO", "CE", "IL", "EX")

#: Seconds after which a match that nothing is told of is not running: its process was killed.
_SILENCE = 15.0


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
    """One tournament, for one thread."""

    def __init__(self, database: Database, plan: Plan) -> None:
        self.folder = database.folder
        self.plan = plan
        self._database = database

    @classmethod
    def exists(cls, folder: Path, server: str | None = None) -> bool:
        """Return whether there is a tournament. Arguments and errors as for `open`."""
        with closing(Database.of(folder, server)) as database:
            return database.plan is not None

    @classmethod
    def create(cls, folder: Path, plan: Plan, server: str | None = None) -> Self:
        """Create a tournament.

        Args:
            folder: gets the file, or the name of the server; it is made if it is missing.
            plan: the plan.
            server: the URL of a database of PostgreSQL; None for a file.

        Raises:
            TournamentError: the plan cannot be played, or there is a tournament already.
            OSError: the folder cannot be made.
        """
        plan.check()
        folder.mkdir(parents=True, exist_ok=True)
        database = Database.of(folder, server)
        try:
            with database.transaction() as connection:
                database.create_tables(connection)
                connection.execute(insert(PLAN).values(only=1, plan=plan.to_json()))
        except IntegrityError:
            database.close()
            raise TournamentError(f"{folder} has a tournament already") from None
        database.name_in_folder()
        return cls(database, plan)

    @classmethod
    def open(cls, folder: Path, server: str | None = None) -> Self:
        """Open a tournament.

        Args:
            folder: the folder of the tournament.
            server: the URL of a database of PostgreSQL that has it; None if the folder says it.

        Raises:
            TournamentError: there is none.
        """
        database = Database.of(folder, server)
        try:
            plan = database.plan
            if plan is None:
                raise TournamentError(f"{folder} has no tournament")
            read = _read(plan, folder)
            database.complete()
            folder.mkdir(parents=True, exist_ok=True)
            database.name_in_folder()
            return cls(database, read)
        except TournamentError:
            database.close()
            raise

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from playing this tournament; the lock ends with the process.

        Raises:
            TournamentError: another process plays it.
        """
        with self._database.locked() as is_ours:
            if not is_ours:
                raise TournamentError(f"{self.folder}: another process plays this tournament")
            yield

    def add(self, result: Result, record: MatchRecord) -> None:
        """Store a match that is over.

        Raises:
            TournamentError: it is there already, or it cannot be written.
        """
        row = {
            **_fixture(result.fixture),
            "match_id": result.match_id,
            "goals": json.dumps(result.goals),
            "errors": json.dumps(result.errors),
            "moves": result.moves,
            "remark": result.remark,
            "record": record.to_json(),
        }
        number = result.fixture.number
        try:
            with self._database.transaction() as connection:
                connection.execute(insert(MATCH).values(row))
                connection.execute(delete(RUNNING).where(RUNNING.c.number == number))
        except IntegrityError:
            raise TournamentError(f"match {number} was played already") from None

    def results(self, match_id: str | None = None) -> tuple[Result, ...]:
        """Return the results so far, in the order of the fixtures, or only that of one match."""
        return tuple(
            Result(
                fixture=_read_fixture(row),
                match_id=row.match_id,
                goals=None if (reached := json.loads(row.goals)) is None else tuple(reached),
                errors=tuple(json.loads(row.errors)),
                moves=row.moves,
                remark=row.remark,
            )
            for row in self._select(*(c for c in MATCH.c if c.name != "record"), match_id=match_id)
        )

    def tell(self, records: Iterable[tuple[Fixture, MatchRecord]]) -> None:
        """Tell spectators which matches are being played, with their records so far.

        Raises:
            TournamentError: it cannot be written.
        """
        now = time.time()
        rows = [
            {
                **_fixture(fixture),
                "match_id": record.match_id,
                "moves": len(record.moves),
                "record": record.to_json(),
                "told": now,
            }
            for fixture, record in records
        ]
        with self._database.transaction() as connection:
            connection.execute(delete(RUNNING))
            if rows:
                connection.execute(insert(RUNNING), rows)

    def running(self, match_id: str | None = None) -> tuple[Running, ...]:
        """Return the matches that are being played, or only that with an id."""
        since = time.time() - _SILENCE
        columns = (column for column in RUNNING.c if column.name != "record")
        return tuple(
            Running(_read_fixture(row), row.match_id, row.moves)
            for row in self._select(*columns, match_id=match_id)
            if row.told > since
        )

    def records(self) -> Iterator[tuple[str, str]]:
        """Yield the id and the record, as JSON, of every match, in the order of the fixtures."""
        for row in self._select(MATCH.c.match_id):
            yield row.match_id, self.record(row.match_id) or ""

    def record(self, match_id: str) -> str | None:
        """Return the record of a match, as JSON, perhaps so far; None if it has not begun."""
        for table in (MATCH, RUNNING):
            for row in self._select(table.c.record, match_id=match_id):
                return str(row.record)
        return None

    def played(self) -> int:
        """Return the number of matches that are over."""
        with self._database.transaction() as connection:
            return connection.scalar(select(func.count()).select_from(MATCH)) or 0

    def close(self) -> None:
        """Release the file or the connection. May be called again."""
        self._database.close()

    def _select(self, *columns: Column[Any], match_id: str | None = None) -> Sequence[Row[Any]]:
        """Return columns of a table, of all matches or of one, in the order of the fixtures.

        Raises:
            TournamentError: it cannot be read.
        """
        table = columns[0].table
        query = select(*columns).order_by(table.c.number)
        if match_id is not None:
            query = query.where(table.c.match_id == match_id)
        with self._database.transaction() as connection:
            return connection.execute(query).all()


def _read(plan: str, folder: Path) -> Plan:
    try:
        return Plan.from_json(plan)
    except TournamentError as error:
        raise TournamentError(f"{folder}: {error}") from None


def _fixture(fixture: Fixture) -> dict[str, Any]:
    return {
        "number": fixture.number,
        "round": fixture.round,
        "game": fixture.game,
        "players": json.dumps(fixture.players),
    }


def _read_fixture(row: Row[Any]) -> Fixture:
    return Fixture(row.number, row.round, row.game, tuple(json.loads(row.players)))
