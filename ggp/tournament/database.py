"""The database of a tournament: an SQLite file in its folder, or a schema of a PostgreSQL server.

All that differs between the two is here.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Double,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    func,
    inspect,
    make_url,
    select,
)
from sqlalchemy.dialects.sqlite import REAL
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.schema import CreateSchema

from ggp.deadline import Deadline
from ggp.errors import TournamentError
from ggp.files import locked, read_file, update_file

__all__ = ["MATCH", "PLAN", "RUNNING", "Database"]

_FILE = "tournament.sqlite"
#: The file in the folder of a tournament that says which server has it.
_ELSEWHERE = "database.url"
#: Bytes of the longest URL there.
_MAX_URL = 10_000
#: Bytes of a name in PostgreSQL.
_LONGEST = 63
#: Seconds in which a file that others use is tried, and between two attempts.
_PATIENCE, _PAUSE = 20.0, 0.02

_tables = MetaData()


def _integer(name: str, **options: Any) -> Column[int]:
    return Column(name, Integer, autoincrement=False, nullable=False, **options)


def _text(name: str, **options: Any) -> Column[str]:
    return Column(name, Text, **{"nullable": False, **options})


def _match() -> list[Column[Any]]:
    """Return the columns that say which match it is."""
    return [
        _integer("number", primary_key=True),
        _integer("round"),
        _integer("game"),
        _text("players"),
        _text("match_id", unique=True),
    ]


PLAN = Table(
    "plan",
    _tables,
    _integer("only", primary_key=True),
    _text("plan"),
    CheckConstraint('"only" = 1'),
    sqlite_strict=True,
)
MATCH = Table(
    "match",
    _tables,
    *_match(),
    _text("goals", nullable=True),
    _text("errors"),
    _integer("moves"),
    _text("remark"),
    _text("record"),
    sqlite_strict=True,
)
RUNNING = Table(
    "running",
    _tables,
    *_match(),
    _integer("moves"),
    _text("record"),
    Column("told", Double().with_variant(REAL(), "sqlite"), nullable=False),
    sqlite_strict=True,
)


@dataclass(frozen=True)
class Database:
    """Where a tournament is kept. No connection is made before one is needed."""

    folder: Path
    #: The URL of a PostgreSQL server's database; None for a file in the folder.
    server: str | None = None

    @classmethod
    def of(cls, folder: Path, server: str | None = None) -> Database:
        """Return the database of a folder: the given one, or that which the folder names.

        Raises:
            TournamentError: the URL is none of PostgreSQL, or the folder names another one.
        """
        named = None
        if (folder / _ELSEWHERE).is_file():
            named = _named(folder / _ELSEWHERE)
        if server is None:
            return cls(folder, named)
        _check_url(server)
        if named not in (None, _without_password(server)):
            raise TournamentError(f"{folder} has its tournament at {named}")
        if named is None and (folder / _FILE).is_file():
            raise TournamentError(f"{folder} has its tournament in {_FILE}")
        if len(folder.resolve().name.encode()) > _LONGEST:
            raise TournamentError(f"{folder}: its name has more than {_LONGEST} bytes")
        return cls(folder, server)

    def __str__(self) -> str:
        if self.server is None:
            return str(self.folder / _FILE)
        return f"{_without_password(self.server)}, schema {self._schema}"

    @property
    def has_file(self) -> bool:
        """Whether the file is there; on a server, a look has to say."""
        return self.server is not None or (self.folder / _FILE).is_file()

    @property
    def _schema(self) -> str | None:
        return None if self.server is None else self.folder.resolve().name

    @cached_property
    def _engine(self) -> Engine:
        if self.server is None:
            engine = create_engine(f"sqlite:///{self.folder / _FILE}")
            event.listen(engine, "connect", _prepare)
            return engine
        url = make_url(self.server).set(drivername="postgresql+psycopg")
        # A server or a machine between that has forgotten the connection is noticed.
        alive = {"keepalives_idle": "30", "keepalives_count": "4", "connect_timeout": "20"}
        engine = create_engine(
            url.update_query_dict({**alive, **dict(url.query)}), pool_pre_ping=True
        )
        return engine.execution_options(schema_translate_map={None: self._schema})

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a connection; what is done there is done as a whole, or not at all.

        Raises:
            TournamentError: the database cannot be reached, or does not do it. `IntegrityError`
                passes, for callers who know what it means.
        """
        with self.explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the database, but for `IntegrityError`, into `TournamentError`."""
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise TournamentError(f"{self}: {reason}") from None

    @property
    def plan(self) -> str | None:
        """The plan of the tournament that is kept here; None if there is none."""
        if not self.has_file:
            return None
        with self.transaction() as connection:
            if not inspect(connection).has_table(PLAN.name, schema=self._schema):
                return None
            return connection.scalar(select(PLAN.c.plan))

    def create_tables(self, connection: Connection) -> None:
        """Create what is missing of the tables."""
        if self._schema is not None:
            connection.execute(CreateSchema(self._schema, if_not_exists=True))
        _tables.create_all(connection)

    def complete(self) -> None:
        """Create tables in a file that an earlier version made, which lacked some."""
        if self.server is None:
            with self.transaction() as connection:
                _tables.create_all(connection)

    def name_in_folder(self) -> None:
        """Let the folder say which server has its tournament. Raises `OSError`."""
        if self.server is not None:
            text = f"{_without_password(self.server)}\n"
            update_file(self.folder / _ELSEWHERE, text)

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Yield whether no other process has the lock, which ends with this process."""
        if self.server is None:
            with locked(self.folder) as is_ours:
                yield is_ours
            return
        key = func.hashtext("ggp tournament"), func.hashtext(self._schema)
        with self.explained(), self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            try:
                yield bool(connection.scalar(select(func.pg_try_advisory_lock(*key))))
            finally:
                with suppress(SQLAlchemyError):  # a connection that was lost has no lock
                    connection.execute(select(func.pg_advisory_unlock_all()))

    def close(self) -> None:
        """Release the file or the connections. May be called again."""
        self._engine.dispose()


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    # Readers and the writer do not wait for each other. Where two processes set the mode of a new
    # file at the same moment, SQLite refuses one of them at once.
    deadline = Deadline.after(_PATIENCE)
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:
            if deadline.is_over:
                raise
            time.sleep(_PAUSE)
    # A committed match is on the disk even if the machine fails.
    connection.execute("PRAGMA synchronous = FULL")


def _named(path: Path) -> str:
    """Return the URL in a file. Raises `TournamentError` if there is none."""
    try:
        named = read_file(path, most=_MAX_URL, is_regular=True).decode().strip()
        _check_url(named)
    except OSError as error:
        raise TournamentError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, TournamentError):
        raise TournamentError(f"{path} holds no URL of a database") from None
    return named


def _check_url(text: str) -> None:
    """Raise `TournamentError` if a text is not the URL of a PostgreSQL server's database."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        url = None
    if url is None or url.get_backend_name() != "postgresql":
        raise TournamentError(f"{text} is not a URL like postgresql://user@host/database")


def _without_password(server: str) -> str:
    """Return a URL for people and files; PGPASSWORD or ~/.pgpass has the password."""
    return make_url(server).set(password=None).render_as_string()
