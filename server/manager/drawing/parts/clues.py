"""Clues beside the rows and columns of a board, such as those of a nonogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ggp.gdl import Description, arguments_of
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Board, Spot
from ggp.server.manager.drawing.looks.words import split
from ggp.server.manager.drawing.relations import Relations

__all__ = ["clues"]

_ROWS, _COLUMNS = frozenset({"row", "rows"}), frozenset({"col", "cols", "column", "columns"})
_STEP = 0.55


def clues(
    board: Board, form: str, key: tuple[int, ...], description: Description, relations: Relations
) -> Iterator[Spot]:
    """Yield the numbers beside a board that two static relations give for its rows and columns.

    Args:
        board: a board of squares.
        form: the form of facts that lie on it.
        key: the columns of the facts that name its cells.
        description: the rules, whose variables tell which column of the facts is the row.
        relations: the static relations.
    """
    tables = {
        kind: found for kind in (_ROWS, _COLUMNS) if (found := _table(kind, description, relations))
    }
    if len(tables) < 2 or len(key) != 2:
        return
    names = [_names(description, form, column) for column in key]
    is_turned = bool(names[0] & _ROWS) and not names[0] & _COLUMNS
    across, down = (_ROWS, _COLUMNS) if is_turned else (_COLUMNS, _ROWS)
    right = max(spot.x for spot in board.spots.values())
    top = max(spot.y for spot in board.spots.values())
    for n, value in enumerate(board.axes[0]):
        for place, number in enumerate(reversed(tables[across].get(value, []))):
            yield Spot(number, float(n), top + 0.75 + _STEP * place)
    for n, value in enumerate(board.axes[1]):
        for place, number in enumerate(tables[down].get(value, [])):
            yield Spot(number, right + 0.75 + _STEP * place, float(n))


def _table(
    kind: frozenset[str], description: Description, relations: Relations
) -> Mapping[str, list[str]]:
    """Return the numbers of each row, in their order, by a relation with three columns."""
    for relation in sorted(description.static):
        if relation.arity == 3 and kind & set(split(relation.name)):
            rows = sorted(tuple(map(str, row)) for row in relations.rows(relation))
            if rows and all(word.isdecimal() for row in rows for word in row[1:]):
                found: dict[str, list[str]] = {}
                for line, _, number in sorted(rows, key=lambda row: (row[0], int(row[1]))):
                    found.setdefault(line, []).append(number)
                return found
    return {}


def _names(description: Description, form: str, column: int) -> set[str]:
    """Return the words in the names of the variables in a column of facts."""
    found: set[str] = set()
    for rule in description.rules:
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            for fact in arguments_of(atom)[:1]:
                told, values = take_apart(fact)
                if told == form and values[column].startswith("?"):
                    found |= set(split(values[column]))
    return found
