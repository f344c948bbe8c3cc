"""Words of English in the symbols of games: colours, chess men, empty cells, walls, directions.

They decide only how something looks. Where things lie is found by how facts behave.
"""

from __future__ import annotations

import re

from ggp.kif import Symbol, Term

__all__ = [
    "ARROWS",
    "CHESS",
    "CHESS_LETTERS",
    "COLOUR_LETTERS",
    "DIRECTIONS",
    "DIRECTION_LETTERS",
    "EMPTY",
    "SIDES",
    "SOLID",
    "TONES",
    "is_pass",
    "says_empty",
    "says_solid",
    "split",
]

#: The tones of words for colours. A game with other words gets numbered tones.
TONES = {
    **{tone: tone for tone in ("white", "black", "red", "green", "blue", "yellow", "orange")},
    **{tone: tone for tone in ("purple", "teal", "brown", "pink", "grey")},
    **{"magenta": "purple", "cyan": "teal", "gray": "grey", "gold": "yellow", "light": "white"},
    **{"dark": "black", "violet": "purple", "silver": "grey"},
}
#: The colours that one letter stands for, as in `wp` and `bp`.
COLOUR_LETTERS = {"w": "white", "b": "black", "r": "red", "g": "green", "y": "yellow"}
CHESS = {
    **{"king": "\u265a", "queen": "\u265b", "rook": "\u265c", "bishop": "\u265d"},
    **{"knight": "\u265e", "pawn": "\u265f"},
}
CHESS_LETTERS = {
    "k": "king",
    "q": "queen",
    "r": "rook",
    "b": "bishop",
    "n": "knight",
    "p": "pawn",
}
#: The words that rulesheets write as the contents of an empty cell.
EMPTY = frozenset(
    (
        "blank",
        "empty",
        "none",
        "nil",
        "free",
        "vacant",
        "nothing",
        "clear",
        "unoccupied",
        "unmarked",
        "nobody",
        "space",
        "off",
        "null",
    )
)
#: The steps that words for directions tell, to the right and up.
DIRECTIONS = {
    **dict.fromkeys(("north", "up", "upward", "upwards"), (0, 1)),
    **dict.fromkeys(("south", "down", "downward", "downwards"), (0, -1)),
    **dict.fromkeys(("east", "right"), (1, 0)),
    **dict.fromkeys(("west", "left"), (-1, 0)),
    **{"northeast": (1, 1), "northwest": (-1, 1), "southeast": (1, -1), "southwest": (-1, -1)},
}
#: Words for the sides of a cell, with the steps beyond them.
SIDES = {word: step for word, step in DIRECTIONS.items() if 0 in step} | {
    **dict.fromkeys(("above", "top"), (0, 1)),
    **dict.fromkeys(("below", "bottom"), (0, -1)),
}
_COMPASS = {
    **{"n": "north", "s": "south", "e": "east", "w": "west"},
    **{"ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest"},
}
#: The letters that stand for these words, where several of them do.
DIRECTION_LETTERS = {
    letter: DIRECTIONS[word]
    for letter, word in {**_COMPASS, "u": "up", "d": "down", "r": "right", "l": "left"}.items()
    if len(letter) == 1
}
_ARROW = {
    **{(0, 1): "\u2191", (0, -1): "\u2193", (1, 0): "\u2192", (-1, 0): "\u2190"},
    **{(1, 1): "\u2197", (-1, 1): "\u2196", (1, -1): "\u2198", (-1, -1): "\u2199"},
}
#: The arrows of words for directions.
ARROWS = {word: _ARROW[step] for word, step in DIRECTIONS.items()} | {
    short: _ARROW[DIRECTIONS[word]] for short, word in _COMPASS.items()
}
SOLID = frozenset(
    (
        "wall",
        "block",
        "blocked",
        "blocker",
        "dirt",
        "ground",
        "rock",
        "obstacle",
        "border",
        "fence",
        "brick",
        "water",
    )
)
#: Moves that leave the turn to the others.
_PASSES = frozenset(("noop", "pass", "skip", "wait", "nothing", "none", "null", "stay", "idle"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def split(text: str) -> list[str]:
    """Return the words of a symbol, in lower case.

    >>> split("whiteKnight_2")
    ['white', 'knight', '2']
    """
    return [word.lower() for word in _WORD.findall(text)]


def says_empty(word: str) -> bool:
    """Return whether a symbol begins with a word for empty.

    >>> says_empty("emptyCell"), says_empty("x")
    (True, False)
    """
    return split(word)[:1] != [] and split(word)[0] in EMPTY


def says_solid(name: str) -> bool:
    """Return whether the name of facts has a word for a wall in it.

    >>> says_solid("innerWall"), says_solid("target")
    (True, False)
    """
    return any(word in SOLID or word.removesuffix("s") in SOLID for word in split(name))


def is_pass(move: Term) -> bool:
    """Return whether a move says that a player does nothing.

    >>> is_pass(Symbol("noop")), is_pass(Symbol("north"))
    (True, False)
    """
    return isinstance(move, Symbol) and move.text.lower() in _PASSES
