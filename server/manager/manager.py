"""The state that the pages of one manager share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.server.manager.drafts import Drafts
from ggp.server.manager.games import Game, Games
from ggp.server.manager.matches import Match, Matches
from ggp.server.manager.players import Choice, installed_players
from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.records import Record, Records

__all__ = ["Manager"]


@dataclass(frozen=True)
class Manager:
    """The games, players, matches, records, drafts and child processes of a manager."""

    games: Games
    players: tuple[Choice, ...]
    guides: Guides
    matches: Matches
    records: Records
    analyses: Analyses
    drafts: Drafts

    @classmethod
    def open(cls, *, bundled: Sequence[Path], folder: Path) -> Manager:
        """Prepare a manager.

        Args:
            bundled: the rulesheets that it offers.
            folder: the folder for records and uploaded games.
        """
        analyses = Analyses()
        return cls(
            Games(bundled, folder / "games"),
            installed_players(),
            Guides(),
            Matches(folder),
            Records(folder),
            analyses,
            Drafts(analyses),
        )

    def close(self) -> None:
        """End all child processes."""
        self.matches.close()
        self.analyses.close()
        self.guides.close()
        self.drafts.close()

    def ask(self, game: Game, **request: Any) -> dict[str, Any]:
        """Return the answer of a game's guide. Raises `GuideError`."""
        return self.guides.ask(
            game.id, lambda: {"text": game.text, "drawing": game.drawing}, request
        )

    # Records, whose game may be unknown

    def read(self, record: Record) -> dict[str, Any]:
        """Return the contents of a record, with the id of its game and its first mistake.

        Raises:
            GuideError: the record cannot be read.
        """
        request = {"path": str(record.path), "version": record.version}
        told = self.guides.ask("records", lambda: {"text": None}, {"do": "record", **request})
        game = self.games.at(told["game_url"])
        mistake = None
        if game is not None:
            try:
                mistake = self.ask(game, do="verify", **request)["mistake"]
            except GuideError as error:
                mistake = {"step": 0, "reason": str(error)}
            if mistake and mistake["step"] == 0:
                game = None  # another game, or a scrambled one
        return {**told, "game": game and game.id, "mistake": mistake}

    def ask_about(self, record: Record, **request: Any) -> dict[str, Any]:
        """Ask the guide of a record's game, or one that knows only the record."""
        told = self.read(record)
        game = told["game"] and self.games.find(told["game"])
        if game:
            return self.ask(game, **request)
        line = {"states": told["states"], "moves": told["moves"]}
        name = f"record {record.name} {record.version}"
        return self.guides.ask(name, lambda: {"text": None, "line": line}, request)

    def legal_moves(self, match: Match, step: int, role: int) -> list[str]:
        """Return the legal moves of a role in a state of a match. Raises `GuideError`."""
        scene = self.ask(match.game, do="scene", facts=match.states[step])
        return [each["move"] for each in scene["legal"][role]] if scene["legal"] else []
