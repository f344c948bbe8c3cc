"""The places that a person clicks to make a move.

If the values of a move name cells, the person clicks these one after the other. Otherwise the
person clicks a place that the move changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ggp.gdl import Description
from ggp.kif import Term
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Layout, card_id, spot_id
from ggp.server.manager.drawing.links import links_of

__all__ = ["Clicks", "Step"]

#: The ids of the places of which one is to be clicked.
Step: TypeAlias = tuple[str, ...]

#: The cells that a form of move names: for each step the board, and the column for each part of
#: the key.
_Named: TypeAlias = list[tuple[int, dict[int, int]]]


class Clicks:
    """Returns the places to click for the moves of one game."""

    def __init__(self, layout: Layout, description: Description | None) -> None:
        """Find the columns of each form of move that name cells."""
        self._layout = layout
        self._links = links_of(description)
        self._ids = [
            {key: spot_id(number, board, key) for key in board.spots}
            for number, board in enumerate(layout.boards)
        ]
        self._named = {form: self._find(form) for form in layout.moves}

    def named(self, move: Term, cards: Iterable[str] = ()) -> tuple[Step, ...]:
        """Return the places that a move names, in order; empty if it names none.

        Args:
            move: the move.
            cards: the cards in hands and pools, which can be clicked there.
        """
        form, values = take_apart(move)
        steps: list[Step] = []
        for board, columns in self._named.get(form, ()):
            wanted = {part: values[column] for part, column in columns.items()}
            if len(wanted) == len(self._layout.boards[board].axes):
                key = tuple(wanted[part] for part in sorted(wanted))
                found: Step = (self._ids[board][key],) if key in self._ids[board] else ()
            else:
                found = tuple(
                    name
                    for key, name in self._ids[board].items()
                    if all(key[part] == value for part, value in wanted.items())
                )
            if found:
                steps.append(found)
        if not steps:
            lying = set(cards)
            steps = [(card_id(value),) for value in values if value in lying]
        return tuple(steps)

    def changed(self, added: Iterable[Term], removed: Iterable[Term]) -> Step:
        """Return the places of the added facts, or else of the removed ones."""
        return tuple(self._places(added)) or tuple(self._places(removed))

    def _places(self, facts: Iterable[Term]) -> Iterator[str]:
        placings = {placing.form: placing for placing in self._layout.placings}
        for fact in facts:
            form, values = take_apart(fact)
            if placing := placings.get(form):
                key = tuple(values[column] for column in placing.key)
                if key in self._ids[placing.board]:
                    yield self._ids[placing.board][key]

    def _find(self, form: str) -> _Named:
        columns = self._layout.moves[form]
        named: dict[int, tuple[int, dict[int, int]]] = {}
        taken: set[int] = set()
        for by_links in (True, False):
            for number, board in enumerate(self._layout.boards):
                width = len(board.axes)
                for start in range(len(columns) - width + 1):
                    window = range(start, start + width)
                    if taken.isdisjoint(window):
                        parts = self._parts(form, number, window, by_links=by_links)
                        if parts:
                            named[start] = (number, parts)
                            taken.update(window)
        if not named:
            for column in range(len(columns)):
                for number, board in enumerate(self._layout.boards):
                    part = self._linked(form, column, number)
                    if (
                        part is not None
                        and len(board.axes) > 1
                        and columns[column] <= set(board.axes[part])
                    ):
                        return [(number, {part: column})]
        return [named[start] for start in sorted(named)]

    def _parts(
        self, form: str, number: int, window: Sequence[int], *, by_links: bool
    ) -> dict[int, int] | None:
        """Return the column for each part of a board's key; None if the window does not fit."""
        columns, axes = self._layout.moves[form], self._layout.boards[number].axes
        if by_links:
            linked = {self._linked(form, column, number): column for column in window}
            parts = {part: column for part, column in linked.items() if part is not None}
            if len(parts) < len(axes):
                return None
        else:
            parts = dict(enumerate(window))
            if any(len(columns[column]) < 2 for column in window):
                return None
        fits = all(columns[column] <= set(axes[part]) for part, column in parts.items())
        return parts if fits else None

    def _linked(self, form: str, column: int, number: int) -> int | None:
        """Return the part of a board's key that shares variables with a column of a move."""
        votes: dict[int, int] = {}
        for placing in self._layout.placings:
            if placing.board == number:
                for part, fact_column in enumerate(placing.key):
                    count = self._links[form, column, placing.form, fact_column]
                    votes[part] = votes.get(part, 0) + count
        best = max(votes, key=lambda part: votes[part], default=0)
        return best if votes.get(best) else None
