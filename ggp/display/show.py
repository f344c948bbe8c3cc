"""Pictures of what notebooks hold: states of a batch, and records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ggp.batch import Game, States
from ggp.display.picture import Picture, picture_of
from ggp.display.scrubber import scrubber
from ggp.match import MatchRecord, completed
from ggp.printable import figure

__all__ = ["Shown", "scrub", "show", "svg"]

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
    """Return the states of a match side by side, each above the joint move that led to it.

    Args:
        record: the match.
        game: the game that was played.
        most: how many states are shown at most, from the beginning.
    """
    pictures, captions = _drawn(record, game, most)
    return Shown("".join(map(figure, pictures, captions)))


def scrub(record: MatchRecord, game: Game, *, most: int = 1000) -> Shown:
    """Return the states of a match one at a time, with a slider.

    Args:
        record: the match.
        game: the game that was played.
        most: how many states can be shown at most, from the beginning.

    Raises:
        ValueError: the match has no state.
    """
    pictures, captions = _drawn(record, game, most)
    if not pictures:
        raise ValueError("the match has no state to show")
    return Shown(scrubber(pictures, captions))


def _drawn(record: MatchRecord, game: Game, most: int) -> tuple[list[str], list[str]]:
    """Return pictures of the first states, and what is written below each."""
    picture = _picture(game)
    record = completed(record, game.reasoner)
    captions = ["start"]
    captions += [f"{n}. {' '.join(map(str, move))}" for n, move in enumerate(record.moves, 1)]
    if record.goal_values:
        captions[-1] += f", goals {' '.join(map(str, record.goal_values))}"
    pictures = [picture.svg(facts) for facts in record.states[:most]]
    return pictures, captions[: len(pictures)]
