"""Measures our random playouts and those of another system in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.peers.systems import Peer, Turn
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["Comparison", "Side", "compare"]

# Seconds and bytes that compiling a game may take.
_PATIENCE, _MEMORY = 600.0, 8 << 30
# No program takes larger numbers of games.
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Side:
    """What one of the two has played."""

    #: Random games a second, the median of the rounds.
    playouts: float
    #: Moves of a game, on average.
    moves: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A game in two systems. The ratios are ours / theirs, medians of the rounds' ratios."""

    game: str
    system: str
    ours: Side
    theirs: Side
    #: Of random games a second.
    playouts_ratio: float
    #: Of moves a second.
    moves_ratio: float


def compare(
    rules: Path, peer: Peer, *, game: str, system: str, steps: int, seconds: float, rounds: int
) -> Comparison:
    """Measure a game in both systems, one after the other in each round.

    Args:
        rules: our rulesheet.
        peer: the other system.
        game: the name for the table.
        system: the other one's.
        steps: how many of our moves are one of theirs.
        seconds: the length of our turns; the other system's are at least half as long.
        rounds: how often each has its turn.

    Raises:
        GgpError: the game cannot be compiled, or the other system does not play it.
        SourceError: the rulesheet cannot be read.
    """
    games = _games(peer, seconds=seconds / 2)
    with open_reasoner(
        Description.load(rules), kind="compiled", time_limit=_PATIENCE, memory_limit=_MEMORY
    ) as reasoner:
        assert isinstance(reasoner, CompiledReasoner)
        start, seeds = reasoner.kernel.initial(), count()

        def play() -> Turn:
            began = time.perf_counter()
            made = reasoner.random_playouts.play(start, seed=next(seeds), seconds=seconds)
            return Turn(made.count, made.steps / steps, time.perf_counter() - began)

        play()
        turns = [(play(), peer.play(games)) for _ in range(rounds)]
    ours, theirs = zip(*turns, strict=True)
    return Comparison(
        game=game,
        system=system,
        ours=_side(ours),
        theirs=_side(theirs),
        playouts_ratio=median(_playouts(own) / _playouts(other) for own, other in turns),
        moves_ratio=median(_moves(own) / _moves(other) for own, other in turns),
    )


def _games(peer: Peer, *, seconds: float) -> int:
    """Return how many games another system plays in a time, or in one up to twice as long."""
    games = 1
    while (turn := peer.play(games)).seconds < seconds:
        games *= 2
        if games > _MOST:
            raise GgpError(f"it says that {turn.games:,} games take {turn.seconds:g} s")
    return games


def _side(turns: tuple[Turn, ...]) -> Side:
    games = sum(turn.games for turn in turns)
    return Side(median(map(_playouts, turns)), sum(turn.moves for turn in turns) / games)


def _playouts(turn: Turn) -> float:
    return turn.games / turn.seconds


def _moves(turn: Turn) -> float:
    return turn.moves / turn.seconds
