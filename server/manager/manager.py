"""The state that the pages of one manager share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ggp.server.manager.drafts import Drafts
from ggp.server.manager.games import Games, ListedGame
from ggp.server.manager.matches import Matches
from ggp.server.manager.places import Places
from ggp.server.manager.players import Players
from ggp.server.manager.playing.profiles import Profiles
from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.processes.questions import (
    LineOfPlay,
    Question,
    ReadRecord,
    Style,
    Subject,
    Summarise,
    Verify,
)
from ggp.server.manager.records import Record, Records, without_folder
from ggp.workers.worker import Start, spawn

if TYPE_CHECKING:
    from ggp.server.manager.tournaments import Tournament

__all__ = ["Manager", "Source"]

#: The name of a guide that knows some rules, and what returns them.
Source: TypeAlias = tuple[str, Callable[[], Subject]]


@dataclass(frozen=True)
class Manager:
    """The games, players, matches, records, drafts, tournaments and processes of a manager."""

    games: Games
    players: Players
    guides: Guides
    matches: Matches
    records: Records
    analyses: Analyses
    drafts: Drafts
    places: Places
    profiles: Profiles
    tournaments: tuple[Tournament, ...] = ()

    @classmethod
    def open(
        cls,
        *,
        bundled: Sequence[Path],
        folder: Path,
        tournaments: Sequence[Path] = (),
        players: Players | None = None,
        start: Start = spawn,
    ) -> Manager:
        """Prepare a manager.

        Args:
            bundled: the rulesheets that it offers.
            folder: the folder for records and uploaded games.
            tournaments: the folders of tournaments.
            players: those that visitors can choose; None for all that are installed, anywhere.
            start: starts the processes; a fork server that has loaded `processes.prepared` saves
                each of them a third of a second.

        Raises:
            TournamentError: one of these folders has no tournament.
        """
        shown: tuple[Tournament, ...] = ()
        if tournaments:
            # Ratings need a library that the manager does not need otherwise.
            from ggp.server.manager.tournaments import open_tournaments

            shown = open_tournaments(tournaments)
        analyses, places = Analyses(start=start), Places()
        games = Games(bundled, folder / "games")
        offered = players or Players.open()
        return cls(
            games,
            offered,
            Guides(places=places, start=start),
            Matches(folder, find_game=games.find, players=offered, start=start),
            Records(folder),
            analyses,
            Drafts(analyses, places, start=start),
            places,
            Profiles(folder / "profiles", start=start),
            shown,
        )

    def close(self) -> None:
        """End all child processes."""
        self.matches.close()
        self.analyses.close()
        self.guides.close()
        self.drafts.close()
        self.profiles.close()

    def ask(self, game: ListedGame, question: Question) -> dict[str, Any]:
        """Return the answer of a game's guide. Raises `GuideError`."""
        return self.guides.ask(game.id, game.for_guide, question)

    def style(self, game: ListedGame) -> str:
        """Return the harmless part of a game's stylesheet; empty if it has none.

        Raises:
            GuideError: it takes too long to read.
            Overloaded: too much is asked at once.
        """
        written = game.written_style
        if not written:
            return ""
        return str(self.guides.ask("styles", Subject, Style(written))["style"])

    # Records, whose game may be unknown

    def summary(self, record: Record) -> dict[str, Any]:
        """Return the fields of a record's `MatchSummary`.

        Raises:
            GuideError: the record cannot be read.
            OSError: it is gone.
        """
        return self.guides.ask("records", Subject, Summarise(record.place))

    def find_record(self, name: str) -> Record | None:
        """Return the record with a name, perhaps of a tournament; None if there is none."""
        found: Record | None = self.records.find(name)
        for tournament in self.tournaments:
            found = found or tournament.record(name)
        return found

    def read(self, record: Record) -> dict[str, Any]:
        """Return the contents of a record, with the id of its game and its first mistake.

        `is_judged` says whether its rules are known.

        Raises:
            GuideError: the record cannot be read.
        """
        told = self.guides.ask("records", Subject, ReadRecord(record.place))
        if record.is_sealed:
            told = {**told, "search": [], "start_search": []}
        game = self.games.at(told["game_url"])
        mistake, source = None, self._source(record, game)
        if source is not None and not record.is_growing:
            try:
                mistake = self.guides.ask(*source, Verify(record.place))["mistake"]
            except GuideError as error:
                mistake = {"step": 0, "reason": str(error)}
            if mistake and mistake["step"] == 0 and record.rules is None:
                game = source = None  # another game, or a scrambled one
        return {
            **told,
            "game_url": without_folder(told["game_url"]),
            "game": game and game.id,
            "game_name": self.games.name_at(told["game_url"]),
            "is_judged": source is not None and not record.is_growing,
            "is_growing": record.is_growing,
            "mistake": mistake,
        }

    def ask_about(self, record: Record, question: Question) -> dict[str, Any]:
        """Ask the guide of a record's game, or one that knows only the record."""
        told = self.read(record)
        source = self.source(record, told)
        if source is not None:
            return self.guides.ask(*source, question)
        line = LineOfPlay(told["states"], told["moves"])
        name = f"record {record.name} {record.version}"
        return self.guides.ask(name, lambda: Subject(line=line), question)

    def source(self, record: Record, told: Mapping[str, Any]) -> Source | None:
        """Return where the rules of a record are known; None if nowhere.

        Args:
            record: the record.
            told: what `read` returns for it.
        """
        return self._source(record, told["game"] and self.games.find(told["game"]))

    def _source(self, record: Record, game: ListedGame | None) -> Source | None:
        if record.rules is not None:
            rules = record.rules
            name = f"rules {hashlib.sha256(rules.encode()).hexdigest()}"
            return name, lambda: Subject(rules)
        return None if game is None else (game.id, game.for_guide)
