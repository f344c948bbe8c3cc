"""The games that have the same rules here and in OpenSpiel.

Role number i is OpenSpiel's player number i. A function translates the text of each of OpenSpiel's
actions to those of its steps: the moves that it consists of here, one in most games. A player's
only step is its only move, whatever their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ggp.gdl.bundled import find_game

__all__ = ["GAMES", "Matched", "Steps", "matched", "rulesheet"]

#: The texts of the moves that are one of OpenSpiel's actions, one after the other.
Steps: TypeAlias = tuple[str, ...]

_FOLDER = Path(__file__).parents[1] / "rules"


@dataclass(frozen=True, slots=True)
class Matched:
    """A game of ours, and the same game in OpenSpiel."""

    #: The name of a bundled game, or of a rulesheet in the arena's folder.
    rules: str
    #: What `pyspiel.load_game` loads.
    openspiel: str
    #: Translates the text of an action to those of its steps.
    moves: Callable[[str], Steps]
    #: The number of steps of each action. A role that does not act passes in all of them.
    steps: int = 1

    @property
    def path(self) -> Path:
        """The path of the rulesheet."""
        own = _FOLDER / f"{self.rules}.kif"
        return own if own.exists() else find_game(self.rules)


def _numbers(text: str) -> list[int]:
    """Return the numbers in a text; a letter stands for its place in the alphabet.

    >>> _numbers("b7c6*"), _numbers("(7, 10)")
    ([2, 7, 3, 6], [7, 10])
    """
    found = re.findall(r"[a-z]|\d+", text)
    return [ord(each) - ord("a") + 1 if each.isalpha() else int(each) for each in found]


def _drop(text: str) -> Steps:
    return (f"(drop {int(text[1:]) + 1})",)


def _square(text: str) -> Steps:
    row, column = _numbers(text[1:])
    return (f"(place {column + 1} {row + 1})",)


def _place(text: str) -> Steps:
    return ("(place {} {})".format(*_numbers(text)),)


def _place_and_turn(text: str) -> Steps:
    """Translate `c2w`: the quadrant is turned in a step of its own."""
    return (*_place(text[:2]), f"(turn {text[2]})")


def _move(text: str) -> Steps:
    return ("(move {} {} {} {})".format(*_numbers(text)),)


def _advance(text: str, *, rows: int) -> Steps:
    """Turn the board: OpenSpiel's first player comes from the last row."""
    column1, row1, column2, row2 = _numbers(text)
    return (f"(move {column1} {rows + 1 - row1} {column2} {rows + 1 - row2})",)


def _choose(text: str) -> Steps:
    return ("(choose {} {})".format(*_numbers(text[text.index("(") :])),)


def _choose_or_move(text: str) -> Steps:
    """Translate `Point 4` and `Move 6 -> 7`."""
    points = " ".join(re.findall(r"\d+", text))
    return (f"(move {points})" if text.startswith("Move") else f"(choose {points})",)


def _draw(text: str) -> Steps:
    """Translate `P1(h,0,1)`; the bundled game names its lines from left to right, row by row."""
    _, orientation, row, column = re.split(r"[(,)]", text)[:4]
    rows = {"h": ("ab", "fg", "kl"), "v": ("cde", "hij")}
    return (f"(draw {rows[orientation][int(row)][int(column)]})",)


#: By name.
GAMES = {
    "tic_tac_toe": Matched("tictactoe", "tic_tac_toe", _square),
    "connect_four": Matched("connectfour", "connect_four", _drop),
    "breakthrough": Matched("breakthrough", "breakthrough", partial(_advance, rows=8)),
    "breakthrough6x6": Matched(
        "breakthrough6x6", "breakthrough(rows=6,columns=6)", partial(_advance, rows=6)
    ),
    "othello": Matched("othello", "othello", _place),
    "hex": Matched("hex", "hex", _place),
    "pentago": Matched("pentago", "pentago", _place_and_turn, steps=2),
    "checkers": Matched("checkers", "checkers", _move),
    "amazons": Matched("amazons", "amazons", _choose),
    "nine_mens_morris": Matched("nine_mens_morris", "nine_mens_morris", _choose_or_move),
    "y": Matched("y", "y(board_size=11)", _place),
    "clobber": Matched("clobber", "clobber", _move),
    "dots_and_boxes": Matched("dotsandboxes", "dots_and_boxes", _draw),
}


def rulesheet(game: str) -> str:
    """Return the path of the rulesheet of a matched game; other names are returned as they are."""
    return str(GAMES[game].path) if game in GAMES else game


def matched(game: str) -> Matched | None:
    """Return the game of a name that is known in OpenSpiel, or None.

    Args:
        game: the name of a matched game or of its rulesheet.
    """
    by_rules = {each.rules: each for each in GAMES.values()}
    return GAMES.get(game) or by_rules.get(game)
