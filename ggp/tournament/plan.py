"""The plan of a tournament, fixed before it begins: games, players, and the pairing system."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from ggp.errors import TournamentError
from ggp.gdl import Description
from ggp.kif import Source
from ggp.match import Address, match_stem, seats

__all__ = ["ROUND_ROBIN", "SWISS", "SYSTEMS", "Fixture", "Plan", "PlannedGame"]

#: All players meet in all seats.
ROUND_ROBIN = "round-robin"
#: Each round pairs players with equal results so far.
SWISS = "swiss"
SYSTEMS = (ROUND_ROBIN, SWISS)


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game of the tournament, with the rules as they were when it was planned."""

    name: str
    #: The address of the rules.
    url: str
    rules: str
    #: The number of players: that of the roles other than ``random``.
    seats: int

    @classmethod
    def of(cls, name: str, url: str, description: Description) -> PlannedGame:
        """Make a game from its description."""
        return cls(name, url, description.source.text, len(seats(description)))

    def description(self) -> Description:
        """Return the game's description. Raises `SourceError`."""
        return Description.from_text(Source(self.rules, self.name))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match of the tournament."""

    #: The number of the match in the tournament, from 0.
    number: int
    #: From 0.
    round: int
    #: The index of the game in the plan.
    game: int
    #: The index of each seat's player in the plan, in role order.
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that determines a tournament besides the players' moves."""

    name: str
    system: str
    games: tuple[PlannedGame, ...]
    #: As for `ggp.match.make_participant`. A local player may occur twice; then it plays itself.
    players: tuple[str, ...]
    rounds: int
    #: Seconds to prepare, and for each move.
    start_clock: float
    play_clock: float
    #: Whether the players are sent scrambled rules, with new words in each match.
    scramble: bool
    #: The seed of all random choices.
    seed: int
    #: A match that is not over after this many joint moves is aborted: some games never end.
    max_steps: int = 1000
    #: The kind of reasoner of the referee and of the local players.
    reasoner: str = "auto"

    def check(self) -> None:
        """Raise `TournamentError` if the plan cannot be played, `PlayerError` for a bad URL."""
        if not self.games or not self.players:
            raise TournamentError("a tournament needs games and players")
        if self.system not in SYSTEMS:
            raise TournamentError(f"no system {self.system!r}; there are {', '.join(SYSTEMS)}")
        if self.rounds < 1:
            raise TournamentError("a tournament has at least one round")
        for game in self.games:
            if game.seats == 0:
                raise TournamentError(f"{game.name}: no player can play it: it has no role")
            if game.seats > len(self.players):
                raise TournamentError(
                    f"{game.name} needs {game.seats} players, not {len(self.players)}; the same "
                    "player may be given more than once"
                )
        for name in _repeated(game.name for game in self.games):
            raise TournamentError(f"two games are called {name}")
        for address in _repeated(filter(None, map(Address.parse, self.players))):
            raise TournamentError(f"{address} stands there twice, but plays one role at a time")

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the players, all different.

        Examples:
            >>> Plan(name="cup", system=SWISS, games=(), players=("legal", "random", "legal"),
            ...      rounds=1, start_clock=1, play_clock=1, scramble=False, seed=0).player_names
            ('legal #1', 'random', 'legal #2')
        """
        return tuple(
            f"{player} #{self.players[: index + 1].count(player)}"
            if self.players.count(player) > 1
            else player
            for index, player in enumerate(self.players)
        )

    def match_id(self, fixture: Fixture) -> str:
        """Return the id of a match, the same whenever and wherever it is played.

        So a match that is played again, because its machine failed, takes the place of the first
        also at a player elsewhere.
        """
        key = hashlib.sha256(self.to_json().encode()).hexdigest()[:12]
        return f"{match_stem(self.games[fixture.game].name)}.{key}.{fixture.number}"

    def chance(self, *purpose: object) -> Random:
        """Return a random generator for one purpose, the same in every run."""
        return Random(" ".join(map(str, (self.seed, *purpose))))

    def to_json(self) -> str:
        """Return the plan as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read what `to_json` wrote. Raises `TournamentError`."""
        try:
            fields: dict[str, Any] = json.loads(text)
            games: Sequence[dict[str, Any]] = fields.pop("games")
            return cls(
                games=tuple(PlannedGame(**game) for game in games),
                players=tuple(fields.pop("players")),
                **fields,
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"its plan cannot be read: {error}") from None


def _repeated(values: Iterable[Hashable]) -> list[Hashable]:
    return [value for value, count in Counter(values).items() if count > 1]
