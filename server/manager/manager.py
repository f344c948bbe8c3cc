"""All that the pages of one manager share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.server.manager.games import Game, Games
from ggp.server.manager.matches import Match, Matches
from ggp.server.manager.players import Choice, installed_players
from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.records import Record, Records

__all__ = ["Manager"]


@dataclass(frozen=True)
class Manager:
    """Games, players, matches and whoever works for them."""

    games: Games
    players: tuple[Choice, ...]
    guides: Guides
    matches: Matches
    records: Records
    analyses: Analyses

    @classmethod
    def open(cls, *, bundled: Sequence[Path], folder: Path) -> Manager:
        """Prepare a manager.

        Args:
            bundled: the rulesheets that it offers.
            folder: for records, and the games that people bring.
        """
        return cls(
            Games(bundled, folder / "games"),
            installed_players(),
            Guides(),
            Matches(folder),
            Records(folder),
            Analyses(),
        )

    def close(self) -> None:
        """End all processes."""
        self.matches.close()
        self.analyses.close()
        self.guides.close()

    def ask(self, game: Game, **request: Any) -> dict[str, Any]:
        """Ask the guide of a game. Raises `GuideError`."""
        return self.guides.ask(game.id, lambda: {"text": game.text}, request)

    # Records, of which the game may not be known

    def read(self, record: Record) -> dict[str, Any]:
        """Return what a record says, with the id of its game and what is wrong in it.

        Raises:
            GuideError: it cannot be read.
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
                game = None  # it is another game, or one in other words
        return {**told, "game": game and game.id, "mistake": mistake}

    def ask_about(self, record: Record, **request: Any) -> dict[str, Any]:
        """Ask the guide of a record's game, or one that knows the record only."""
        told = self.read(record)
        game = told["game"] and self.games.find(told["game"])
        if game:
            return self.ask(game, **request)
        line = {"states": told["states"], "moves": told["moves"]}
        name = f"record {record.name} {record.version}"
        return self.guides.ask(name, lambda: {"text": None, "line": line}, request)

    def legal_moves(self, match: Match, step: int, role: int) -> list[str]:
        """Return what a role may do in a state of a match. Raises `GuideError`."""
        scene = self.ask(match.game, do="scene", facts=match.states[step])
        return [each["move"] for each in scene["legal"][role]] if scene["legal"] else []
