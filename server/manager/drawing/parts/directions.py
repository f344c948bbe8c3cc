"""Which way up a board is: words such as `north` or `left` say it, in moves and in relations.

Where they say nothing, the names of coordinates may: `r3` is a row, and `c5` a column.

A thing that goes from one cell to another after the move `north` goes up on the page. A static
relation may say the same, as `(north 1 2)` or `(beside east a 1 b 1)` do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from ggp.gdl import Description
from ggp.kif import Symbol, Term, symbols
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Board, Border, Placing, Spot
from ggp.server.manager.drawing.looks.words import DIRECTION_LETTERS, DIRECTIONS, split
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.drawing.relations import Relations

__all__ = ["all_upright"]

#: A step in widths of a cell, to the right and up.
Step: TypeAlias = tuple[float, float]
#: The step that a word tells, and one that was made on the board as it was found.
Told: TypeAlias = tuple[Step, Step]

#: The ways in which a board can lie: the columns of each matrix are where right and up go.
_WAYS = tuple(
    (a, b, c, d)
    for a, b, c, d in (
        (1, 0, 0, 1),
        (1, 0, 0, -1),
        (-1, 0, 0, 1),
        (-1, 0, 0, -1),
        (0, 1, 1, 0),
        (0, 1, -1, 0),
        (0, -1, 1, 0),
        (0, -1, -1, 0),
    )
)
#: Names of rows and of columns, and the way in which rows that come first run down.
_ROW, _COLUMN = re.compile(r"r(?:ow)?_?\d+"), re.compile(r"c(?:ol(?:umn)?)?_?\d+")
_ROWS_DOWN = (0, 1, -1, 0)
#: How many steps must agree: one alone may be that of a thing that is pushed or falls.
_ENOUGH = 2


def all_upright(
    boards: Sequence[Board],
    placings: Sequence[Placing],
    borders: Sequence[Border],
    lines: Sequence[Line],
    description: Description | None,
    relations: Relations,
) -> list[Board]:
    """Return the boards of a game as words say that they lie.

    Walls beside cells have decided it where there are any: they need both cells of each.
    """
    sided = {border.board for border in borders if border.second is None}
    turned = []
    for number, board in enumerate(boards):
        if board.shape == "square" and len(board.axes) == 2 and number not in sided:
            lying = [placing for placing in placings if placing.board == number]
            told = _told_steps(board, lying, lines, description, relations)
            turned.append(_upright(board, told))
        else:
            turned.append(board)
    return turned


def _upright(board: Board, told: Sequence[Told]) -> Board:
    """Return the board as the words say that it lies, or else the names of its coordinates.

    Args:
        board: a board of squares.
        told: what `_told_steps` has found for it.
    """
    if len(told) < _ENOUGH:
        is_row_first = all(map(_ROW.fullmatch, board.axes[0]))
        is_transposed = is_row_first and all(map(_COLUMN.fullmatch, board.axes[1]))
        return _lain(board, _ROWS_DOWN) if is_transposed else board

    def score(way: tuple[int, int, int, int]) -> float:
        return sum(
            word[0] * x + word[1] * y for word, step in told for x, y in [_turned(step, way)]
        )

    best = max(_WAYS, key=score)  # of equals the first, which is the board as it is
    if best == _WAYS[0] or score(best) < score(_WAYS[0]) + _ENOUGH:
        return board
    return _lain(board, best)


def _lain(board: Board, way: tuple[int, int, int, int]) -> Board:
    """Return the board as it lies in one of the ways."""
    spots = {key: _moved(spot, way) for key, spot in board.spots.items()}
    captions = tuple(_beside(_moved(caption, way), spots) for caption in board.captions)
    return replace(board, spots=spots, captions=captions)


def _told_steps(
    board: Board,
    placings: Sequence[Placing],
    lines: Sequence[Line],
    description: Description | None,
    relations: Relations,
) -> list[Told]:
    """Return the steps that words tell, each with the one that was made on a board.

    Args:
        board: the board.
        placings: how facts lie on it.
        lines: lines of play.
        description: the rules; None if they are not known.
        relations: the static relations of the rules.
    """
    letters = _letters(lines)
    seen = [told for line in lines for told in _in_line(board, placings, line, letters)]
    return seen or list(_in_relations(board, description, relations))


def _in_line(
    board: Board, placings: Sequence[Placing], line: Line, letters: Mapping[str, Step]
) -> Iterator[Told]:
    cells = [_places(board, placings, facts) for facts in line.states]
    for joint_move, (before, after) in zip(line.moves, pairwise(cells), strict=False):
        words = [way for move in joint_move if (way := _way(move, letters)) is not None]
        if len(words) != 1:
            continue  # several roles name a direction, and any of them may have moved the thing
        for what in before.keys() & after.keys():
            left, come = before[what] - after[what], after[what] - before[what]
            if len(left) == len(come) == 1:
                (one,), (other,) = left, come
                if step := _step(board, one, other):
                    yield words[0], step


def _places(
    board: Board, placings: Sequence[Placing], facts: Iterable[Term]
) -> dict[tuple[str, tuple[str, ...]], set[Key]]:
    by_form = {placing.form: placing for placing in placings}
    places: dict[tuple[str, tuple[str, ...]], set[Key]] = {}
    for form, values in map(take_apart, facts):
        placing = by_form.get(form)
        if placing is not None and (key := placing.key_of(values)) in board.spots:
            places.setdefault((form, placing.contents_of(values)), set()).add(key)
    return places


def _in_relations(
    board: Board, description: Description | None, relations: Relations
) -> Iterator[Told]:
    if description is None or len(board.axes) != 2:
        return
    for relation in sorted(description.static):
        if not 2 <= relation.arity <= 6 or relation.name in ("init", "next", "input", "goal"):
            continue
        words_of_name = split(relation.name)
        named = next((DIRECTIONS[word] for word in words_of_name if word in DIRECTIONS), None)
        is_of = "of" in words_of_name  # (right_of 2 1): 2 is to the right of 1
        for row in relations.rows(relation):
            values = [str(term) for term in row]
            word = named
            if word is None:
                words = [value for value in values if value.lower() in DIRECTIONS]
                if len(words) != 1:
                    break
                word = DIRECTIONS[words[0].lower()]
                values.remove(words[0])
            if step := _of_row(board, values, word):
                yield word, (-step[0], -step[1]) if is_of else step


def _of_row(board: Board, values: Sequence[str], word: Step) -> Step | None:
    """Return the step of a row that names two cells, or two values of one coordinate."""
    if len(values) == 4:
        one, other = (values[0], values[1]), (values[2], values[3])
        return _step(board, one, other) if {one, other} <= board.spots.keys() else None
    if len(values) != 2 or 0 not in word:
        return None
    # Of both coordinates the one that lies along the word, if both have these values.
    for axis in (0, 1) if word[0] else (1, 0):
        known = board.axes[axis]
        if values[0] in known and values[1] in known:
            away = float(known.index(values[1]) - known.index(values[0]))
            return (away, 0.0) if axis == 0 else (0.0, away)
    return None


def _step(board: Board, one: Key, other: Key) -> Step | None:
    """Return the step between neighbours; None if they are none, as beyond an edge."""
    x = board.spots[other].x - board.spots[one].x
    y = board.spots[other].y - board.spots[one].y
    return (x, y) if 0 < abs(x) + abs(y) <= 2 else None


def _way(move: Term, letters: Mapping[str, Step]) -> Step | None:
    """Return the step that a move tells; None if it tells none, or several."""
    words = [word.lower() for symbol in symbols(move) for word in _words(symbol)]
    found = {DIRECTIONS.get(word) or letters.get(word) for word in words} - {None}
    return found.pop() if len(found) == 1 else None


def _words(symbol: Symbol) -> list[str]:
    return split(symbol.text) or [symbol.text]


def _letters(lines: Sequence[Line]) -> Mapping[str, Step]:
    """Return the letters that stand for directions, if moves have all four of a kind."""
    words = {
        symbol.text.lower()
        for line in lines
        for legal in line.legal
        for moves in legal
        for move in moves
        for symbol in symbols(move)
    }
    for four in ("nsew", "udlr"):
        if set(four) <= words:
            return {letter: DIRECTION_LETTERS[letter] for letter in four}
    return {}


def _turned(step: Step, way: tuple[int, int, int, int]) -> Step:
    a, b, c, d = way
    return a * step[0] + b * step[1], c * step[0] + d * step[1]


def _moved(spot: Spot, way: tuple[int, int, int, int]) -> Spot:
    x, y = _turned((spot.x, spot.y), way)
    return replace(spot, x=x, y=y)


def _beside(caption: Spot, spots: Mapping[Key, Spot]) -> Spot:
    """Return a caption at the left or below, where those of all boards are."""
    xs, ys = [spot.x for spot in spots.values()], [spot.y for spot in spots.values()]
    x = min(xs) - 0.75 if caption.x > max(xs) + 0.5 else caption.x
    y = min(ys) - 0.75 if caption.y > max(ys) + 0.5 else caption.y
    return replace(caption, x=x, y=y)
