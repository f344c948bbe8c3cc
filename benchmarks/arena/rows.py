"""The contests of docs/strength.md: groups of rows that are played and continued by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import click

from benchmarks.arena.contenders import Clock
from benchmarks.arena.contest import Contest
from benchmarks.arena.measuring import Pairing

__all__ = ["GROUPS", "PLAYER", "Group", "Row", "select"]

#: The player whose strength the rows show.
PLAYER = "auto"

# The last commit without tree search, and the last one whose players learn nothing.
_BEFORE = "git:29c11c7"
_UNLEARNED = "git:6313736"

# The most seconds for a move in a quick row, those to prepare, and the share of the row's time that
# the moves are to take: matches differ in length, and other things take time, too.
_SECONDS, _START, _PLANNED = 0.25, 0.1, 0.8


@dataclass(frozen=True, slots=True)
class Row:
    """A contest of the player with another one."""

    game: str
    #: Moves with a choice that a match takes, about; one of several steps counts once.
    length: int
    against: str = "alphabeta"
    #: How often the other has the player's time.
    time: float = 1.0
    matches: int = 100
    #: Seconds for each move of the player, and to prepare for a match, unless others are asked for.
    seconds: float = 0.25
    start: float = 1.0
    clock: Clock = "processor"
    #: What is added to the player's name.
    options: str = ""
    #: Whether the player has one role, and the other all others.
    alone: bool = False
    #: The score that is aimed at.
    aim: float | None = None

    @property
    def name(self) -> str:
        """The name of the row in its group."""
        return Path(self.game).stem

    @property
    def missing(self) -> str | None:
        """What is missing to play it; None if nothing is."""
        if self.against.startswith("openspiel:") and find_spec("pyspiel") is None:
            return "needs ggp[openspiel]"
        if "/" in self.game and not Path(self.game).exists():
            return f"needs {self.game}"
        return None

    def contest(
        self, player: str, *, seconds: float | None = None, start: float | None = None
    ) -> Contest:
        """Return the contest of a player, with other clocks than those of the row if given."""
        against = self.against if self.time == 1 else f"{self.against},time={self.time:g}"
        pairing = Pairing(
            f"{player}{self.options}",
            against,
            self.game,
            seconds=self.seconds if seconds is None else seconds,
            start=self.start if start is None else start,
            clock=self.clock,
            alone=self.alone,
        )
        return Contest(pairing, self.matches)

    def quick(self, player: str, *, share: float) -> Contest:
        """Return the contest over one opening, in about `share` seconds."""
        contest = replace(self.contest(player, seconds=_SECONDS, start=_START), matches=1)
        planned = contest.scoring.matches * self.length * (1 + self.time) / 2
        seconds = min(_SECONDS, float(f"{_PLANNED * share / planned:.2g}"))
        return replace(contest, pairing=replace(contest.pairing, seconds=seconds))


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that belong together."""

    name: str
    #: With the player's name to be filled in.
    title: str
    rows: Sequence[Row]
    #: Whether a quick run plays them.
    is_quick: bool = True

    def named(self) -> dict[str, Row]:
        """Return the rows by their full names."""
        return {f"{self.name}/{row.name}": row for row in self.rows}


# How long matches are: by the first runs.
_LENGTHS = {
    "connect_four": 36, "othello": 60, "pentago": 20, "breakthrough": 55, "hex": 75, "checkers": 75,
    "amazons": 200, "nine_mens_morris": 60,
}  # fmt: skip


def _bot(game: str, *, time: float, aim: float | None, matches: int = 40) -> Row:
    length = _LENGTHS[game]
    return Row(game, length, "openspiel:mcts", time=time, matches=matches, aim=aim)


def _before(game: str, length: int, player: str = "alphabeta") -> Row:
    return Row(game, length, f"{_BEFORE}:{player}", aim=0.6)


# Games of many kinds, with more than two roles, simultaneous moves and cards, with their lengths.
_ALL_KINDS = {
    "breakthrough": 55, "connectfour": 36, "othello": 60, "checkers": 75, "hex": 75,
    "../shared/corpus/amazons.kif": 60, "pentago": 40, "y": 60, "../shared/corpus/3pttc.kif": 25,
    "tron": 40, "spades3": 25,
}  # fmt: skip


def _cold(start: float) -> Group:
    """Return the contests of a player that has seen none of the games, on the wall clock."""

    def row(game: str, length: int) -> Row:
        aims = {"breakthrough": 0.9, "checkers": 0.9, "othello": 0.9}
        return Row(
            game, length, f"{_UNLEARNED}:auto", matches=40, aim=aims.get(game, 0.45),
            start=start, clock="wall", options=":keep=false",
        )  # fmt: skip

    return Group(
        f"cold{start:g}",
        f"{{player}} that learns in a start clock of {start:g} seconds, against one that does not",
        [row(game, length) for game, length in _ALL_KINDS.items()],
        is_quick=False,
    )


def _warm(game: str, aim: float) -> Row:
    return replace(_bot(game, time=50, aim=aim), seconds=0.1)


_OPENSPIEL = "{player} against OpenSpiel's MCTSBot, "

_EASIER = ("connect_four", "othello", "pentago")
_HARDER = ("breakthrough", "hex", "checkers", "amazons")

GROUPS = (
    Group(
        "openspiel10",
        _OPENSPIEL + "which has ten times as long",
        [
            *(_bot(game, time=10, aim=0.9) for game in _EASIER),
            *(_bot(game, time=10, aim=0.75) for game in _HARDER),
        ],
    ),
    _cold(20),
    _cold(60),
    Group(
        "warm",
        "{player} that has learned the games before, against OpenSpiel's MCTSBot, which has fifty "
        "times as long",
        [
            *(_warm(game, 0.9) for game in ("breakthrough", "othello")),
            *(_warm(game, 0.75) for game in ("checkers", "hex", "amazons")),
            _warm("connect_four", 0.6),
        ],
        is_quick=False,
    ),
    Group(
        "before",
        "{player} against the searches by depth, as they were before there was tree search",
        [
            *(_before(game, length) for game, length in _LENGTHS.items()),
            _before("foxandhounds", 30),
            _before("spades300", 100, "maxn"),
            _before("../shared/corpus/3pConnectFour.kif", 35, "maxn"),
            _before("../shared/corpus/cubicup_3player.kif", 35, "maxn"),
        ],
        is_quick=False,
    ),
    Group(
        "alone",
        "one {player} among players of flat Monte Carlo, over all seats",
        [
            Row("triad", 10, "flat", alone=True, matches=99),
            Row("../shared/corpus/3pttc.kif", 25, "flat", alone=True, matches=99, aim=0.6),
        ],
    ),
)


def select(names: Sequence[str]) -> list[Group]:
    """Return the groups with the rows that are named, by themselves or by their group.

    Raises:
        click.UsageError: there is no such row; the message lists what there is.
    """
    known = {name for group in GROUPS for name in (group.name, *group.named())}
    if unknown := set(names) - known:
        groups = ", ".join(group.name for group in GROUPS)
        raise click.UsageError(f"no rows {min(unknown)!r}; groups are {groups}, rows GROUP/GAME")
    found = []
    for group in GROUPS:
        rows = [row for name, row in group.named().items() if {name, group.name} & set(names)]
        if rows:
            found.append(replace(group, rows=rows))
    return found
