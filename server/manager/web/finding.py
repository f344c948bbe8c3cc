"""Finds the things that URLs name, and refuses invalid requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn

from flask import abort

from ggp.server.manager.games import ListedGame
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.records import Record

if TYPE_CHECKING:
    from ggp.server.manager.tournaments import Tournament

__all__ = ["MAX_STATES", "Finder", "missing", "refuse", "sealed", "state_at"]

#: The limit on states in one question to a guide.
MAX_STATES = 1000


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds things by their names in a URL, or answers 404."""

    manager: Manager

    def game(self, game_id: str) -> ListedGame:
        """Return the game with an id."""
        return self.manager.games.find(game_id) or missing("game", game_id)

    def match(self, match_id: str) -> Match:
        """Return the match with an id."""
        return self.manager.matches.find(match_id) or missing("match", match_id)

    def record(self, name: str) -> Record:
        """Return the record with a name.

        While people play the match, its record has no thoughts; in a game that hides something
        there is no record.
        """
        found = self.manager.find_record(name) or missing("record", name)
        match = self.manager.matches.find(name)
        return found if match is None else sealed(found, match)

    def tournament(self, tournament_id: str) -> Tournament:
        """Return the tournament with an id."""
        found = (each for each in self.manager.tournaments if each.id == tournament_id)
        return next(found, None) or missing("tournament", tournament_id)


def sealed(record: Record, match: Match) -> Record:
    """Return the record of a match as it may be read now, or answer 409."""
    if match.is_decided or not match.has_people:
        return record
    if match.may_hide:
        told = "the rules of this match hide something, or it rests; its record is told later"
        abort(HTTPStatus.CONFLICT, told)
    return replace(record, is_sealed=True)


def missing(kind: str, name: str) -> NoReturn:
    """Answer 404: there is no such thing."""
    abort(HTTPStatus.NOT_FOUND, f"there is no {kind} {name!r:.80}")


def state_at(states: list[list[str]], step: int) -> list[str]:
    """Return the facts of the state after some steps, or answer 404."""
    if step >= len(states):
        abort(HTTPStatus.NOT_FOUND, f"there are {len(states)} states")
    return states[step]


def refuse(message: str) -> NoReturn:
    """Answer 400: the request is invalid, for the reason in the message."""
    abort(HTTPStatus.BAD_REQUEST, message)
