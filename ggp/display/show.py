"""Pictures of what notebooks hold: states of a batch, and records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ggp.batch import Game, States
from ggp.display.picture import Picture, picture_of
from ggp.match import MatchRecord
from ggp.printable import figure

__all__ = ["Shown", "show", "svg"]

# Games of which is remembered how they are drawn.
_REMEMBERED = 32


@dataclass(frozen=True, slots=True)
class Shown:
    """HTML that a notebook shows."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


@lru_cache(_REMEMBERED)
def _picture(game: Game) -> Picture:
    return picture_of(game.reasoner)


def svg(states: States) -> str:
    """Return the first of some states as one SVG element. Raises `IndexError` if there is none."""
    return _picture(states.game).svg(states.facts(0))


def show(record: MatchRecord, game: Game, *, most: int = 100) -> Shown:
    """Return the states of a match side by side, each below the joint move that led to it.

    Args:
        record: the match.
        game: the game that was played.
        most: how many states are shown at most, from the beginning.
    """
    picture = _picture(game)
    moves = ["", *(" ".join(map(str, joint_move)) for joint_move in record.moves)]
    figures = [
        figure(picture.svg(facts), f"{number}. {move}" if move else "start")
        for number, (facts, move) in enumerate(zip(record.states, moves, strict=False))
        if number < most
    ]
    return Shown("".join(figures))
