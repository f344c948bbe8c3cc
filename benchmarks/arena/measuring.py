"""The matches of one opening, as a task that a process measures and a file keeps."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any, cast

from benchmarks.arena.contenders import Clock, Contender, Local, Thinking, Timing
from benchmarks.arena.matches import Division, divisions, opening, played_roles
from benchmarks.arena.openspiel.bot import PREFIX, MctsBot, read_options
from benchmarks.arena.openspiel.games import GAMES, matched, rulesheet
from benchmarks.arena.position import Position
from benchmarks.arena.versions.checkout import PREFIX as GIT
from benchmarks.arena.versions.checkout import split
from benchmarks.arena.versions.contender import Versioned
from ggp.cli.common import load_game
from ggp.errors import PlayerError
from ggp.experiments.running.measuring import Measured, Result, Task, fingerprint, integer
from ggp.gdl import RANDOM, Description
from ggp.match import make_player, with_seed
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["A", "B", "Pairing", "division", "makes", "measure", "roles", "thinking"]

#: The names of the sides.
A, B = "a", "b"

# The most seconds to prepare for the rehearsal of a match: time for what is loaded, not to learn.
_REHEARSAL = 6.0


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which players meet, in which game, and how."""

    a: str
    b: str
    game: str
    #: For each move of each side; its steps share them.
    seconds: float = 0.25
    #: To prepare for a match.
    start: float = 1.0
    clock: Clock = "processor"
    #: Random joint moves before a match.
    opening: int = 2
    #: Whether A has one role in each match.
    alone: bool = False
    seed: int = 1

    def task(self, number: int) -> Task:
        """Return the task to play the matches of an opening."""
        return {
            **asdict(self),
            "rules": fingerprint(_description(self.game).source.text),
            "number": number,
        }

    def check(self) -> None:
        """Raise `PlayerError` unless the players can play this game in the arena."""
        self.check_players()
        self.check_game()

    def check_players(self) -> None:
        """Raise `PlayerError` unless there are such players."""
        for spec in (self.a, self.b):
            makes(spec, self.timing, seed=0)

    def check_game(self) -> None:
        """Raise `PlayerError` unless two players can meet in this game in the arena."""
        if self.is_mirrored and matched(self.game) is None:
            raise PlayerError(f"of OpenSpiel's games, these are known here: {', '.join(GAMES)}")
        if _description(self.game).has_imperfect_information:
            raise PlayerError("the arena shows states to players; use `ggp tournament` for GDL-II")
        if len(roles(self.game)) < 2:
            raise PlayerError("the arena needs a game of two players at least")

    @property
    def is_mirrored(self) -> bool:
        """Whether one of OpenSpiel's bots plays."""
        return any(spec.startswith(PREFIX) for spec in (self.a, self.b))

    @property
    def initial(self) -> Position:
        """The position in which the game begins; its rules are compiled once in a process."""
        return _initial(self.game, is_mirrored=self.is_mirrored)

    @property
    def timing(self) -> Timing:
        """The clocks of the matches."""
        return Timing(self.seconds, self.start, self.clock)


@cache
def _description(game: str) -> Description:
    return load_game(rulesheet(game))


def measure(task: Task) -> Result:
    """Play the matches of an opening."""
    fields = {name: value for name, value in task.items() if name not in ("rules", "number")}
    pairing, number = Pairing(**cast("dict[str, Any]", fields)), integer(task, "number")
    _rehearse(pairing)
    name = f"{pairing.seed} {number}"
    begin = opening(pairing.initial, random.Random(name), moves=pairing.opening)
    # Sides that are the same player must not make the same random choices.
    seeds = random.Random(f"seeds {name}")
    sides = {
        side: makes(spec, pairing.timing, seed=seeds.randrange(1 << 30))
        for side, spec in ((A, pairing.a), (B, pairing.b))
    }
    played = divisions(begin, sides, alone=A if pairing.alone else None, seed=number)
    return {"matches": [asdict(each) for each in played]}


def division(match: dict[str, Any]) -> Division:
    """Return a match of a result."""
    return Division(
        tuple(match["sides"]),
        tuple(match["goals"]),
        match["length"],
        {side: Thinking(**spent) for side, spent in match["thinking"].items()},
    )


def thinking(measured: Iterable[Measured]) -> dict[str, Thinking]:
    """Return what the sides have spent in all matches."""
    found: defaultdict[str, Thinking] = defaultdict(Thinking)
    for done in measured:
        for match in done.result["matches"]:
            for side, spent in match["thinking"].items():
                found[side].add(Thinking(**spent))
    return found


def roles(game: str) -> tuple[str, ...]:
    """Return the names of the roles that players play."""
    return tuple(str(role) for role in _description(game).roles if str(role) != RANDOM)


@cache
def _initial(game: str, *, is_mirrored: bool) -> Position:
    reasoner = CompiledReasoner(_description(game))
    return Position.initial(reasoner, matched(game), is_mirrored=is_mirrored)


def makes(spec: str, timing: Timing, *, seed: int) -> Callable[[], Contender]:
    """Return what makes contenders of a spec. Raises `PlayerError`."""
    if spec.startswith(PREFIX):
        options = read_options(spec)
        if options.seed is None:
            options = replace(options, seed=seed)
        return partial(MctsBot, timing, options)
    if spec.startswith(GIT):
        return partial(Versioned, timing, *split(spec), seed)
    make_player(spec)  # raises here rather than in a match
    return partial(Local, timing, partial(make_player, with_seed(spec, seed)))


@cache
def _rehearse(pairing: Pairing) -> None:
    """Let all that is compiled or loaded only once be there before the first match."""
    position = pairing.initial
    timing = replace(pairing.timing, start=min(pairing.start, _REHEARSAL))
    role = played_roles(position)[0]
    for spec in dict.fromkeys((pairing.a, pairing.b)):
        contender = makes(spec, timing, seed=0)()
        contender.warm_up()
        contender.start(position, role)
        contender.move(position)
        contender.stop(position.view.goals)
