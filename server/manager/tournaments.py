"""The tournaments that the manager shows, while they are played and afterwards."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from ggp.errors import TournamentError
from ggp.server.manager.processes.questions import RecordPlace
from ggp.server.manager.records import Record
from ggp.tournament import Plan, Result, Running, Standings, Store, standings

__all__ = ["StoredRecord", "Tournament", "open_tournaments"]

_log = logging.getLogger(__name__)


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    """Open a tournament. Raises `TournamentError`, which does not name the folder."""
    try:
        store = Store.open(folder)
        try:
            yield store
        finally:
            store.close()
    except TournamentError as error:
        _log.warning("%s", error)
        raise TournamentError("the tournament cannot be read now") from None


@dataclass(frozen=True, slots=True)
class StoredRecord(Record):
    """The record of a match of a tournament; `path` is the tournament's folder.

    Its name is the id of the match.
    """

    #: The number of joint moves so far if the match is being played; None if it is over.
    moves: int | None = None

    @property
    def is_growing(self) -> bool:
        """Whether the match is being played."""
        return self.moves is not None

    @property
    def version(self) -> str:
        """A text that changes with the record, which one of a match that is over never does."""
        return "1" if self.moves is None else f"after {self.moves}"

    @property
    def place(self) -> RecordPlace:
        """Where a guide finds the record."""
        return RecordPlace(str(self.path), self.version, self.name)

    def data(self) -> bytes:
        """Return the record as JSON. Raises `TournamentError`."""
        with _opened(self.path) as store:
            return (store.record(self.name) or "").encode()


@dataclass
class Tournament:
    """A tournament in its folder. Any thread may call the methods, which raise `TournamentError`.

    The standings are kept until more matches have been played.
    """

    #: One word, which can stand in a URL.
    id: str
    folder: Path
    _lock: Lock = field(default_factory=Lock)
    _kept: tuple[int, Standings, tuple[Result, ...]] | None = None

    def standings(self) -> tuple[Standings, tuple[Result, ...]]:
        """Return the standings now, and the results in the order of the fixtures."""
        with self._lock, _opened(self.folder) as store:
            if self._kept is None or self._kept[0] != store.played():
                results = store.results()
                self._kept = len(results), standings(store.plan, results), results
            return self._kept[1:]

    def progress(self) -> tuple[Plan, int, tuple[Running, ...]]:
        """Return the plan, the number of matches that are over, and those that are being played."""
        with _opened(self.folder) as store:
            return store.plan, store.played(), store.running()

    def record(self, match_id: str) -> StoredRecord | None:
        """Return the record of a match; None if it is not one of the tournament's."""
        with _opened(self.folder) as store:
            games = store.plan.games
            for match in store.running(match_id):
                rules = games[match.fixture.game].rules
                return StoredRecord(match_id, self.folder, rules, self.id, moves=match.moves)
            for result in store.results(match_id):
                rules = games[result.fixture.game].rules
                return StoredRecord(match_id, self.folder, rules, self.id)
        return None


def open_tournaments(folders: Sequence[Path]) -> tuple[Tournament, ...]:
    """Return the tournaments in some folders. Raises `TournamentError` if one has none."""
    found: dict[str, Tournament] = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        Store.open(folder).close()
        word = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name).strip("-") or "tournament"
        number = 1
        while (name := word if number == 1 else f"{word}-{number}") in found:
            number += 1
        found[name] = Tournament(name, folder)
    return tuple(found.values())
