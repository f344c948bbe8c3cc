"""The layout of a game: its boards, hands and pools, and the columns of its moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ggp.server.manager.drawing.neighbours import Key

__all__ = ["Board", "Hand", "Layout", "Placing", "Spot", "card_id", "spot_id"]

#: A piece on a cell, a mark of the cell itself, or a note such as a number.
Kind: TypeAlias = Literal["piece", "mark", "note"]
Shape: TypeAlias = Literal["square", "hex", "round"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a board; x points to the right and y up, in widths of a cell."""

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Board:
    """Places that belong together."""

    name: str
    shape: Shape
    spots: Mapping[Key, Spot]
    #: The values of each part of a key.
    axes: tuple[tuple[str, ...], ...]
    #: Texts beside the spots, with their places.
    captions: tuple[Spot, ...] = ()
    #: Pairs of spots that a line joins.
    edges: tuple[tuple[Key, Key], ...] = ()


@dataclass(frozen=True, slots=True)
class Placing:
    """How the facts of one form lie on a board."""

    form: str
    #: The number of the board.
    board: int
    #: The columns that give the spot's key, in the order of its parts.
    key: tuple[int, ...]
    #: The columns that tell the contents.
    contents: tuple[int, ...]
    kind: Kind
    #: Whether the contents have an order, as amounts do.
    is_amount: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """Facts of one form as cards, in the hands of their owners or in a common pool."""

    form: str
    #: The column that names the owner; None for a pool.
    owner: int | None
    card: int


@dataclass(frozen=True)
class Layout:
    """How the states of one game are drawn."""

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    placings: tuple[Placing, ...] = ()
    hands: tuple[Hand, ...] = ()
    #: The observed values in the columns of each form of move.
    moves: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    #: The group of each card, such as its suit.
    suits: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the boards as JSON values, with an id for each spot."""
        return {
            "roles": list(self.roles),
            "boards": [
                {
                    "name": board.name,
                    "shape": board.shape,
                    "spots": [
                        {"id": spot_id(number, board, key), "name": s.name, "x": s.x, "y": s.y}
                        for key, s in board.spots.items()
                    ],
                    "captions": [{"text": c.name, "x": c.x, "y": c.y} for c in board.captions],
                    "edges": [
                        [spot_id(number, board, one), spot_id(number, board, other)]
                        for one, other in board.edges
                    ],
                }
                for number, board in enumerate(self.boards)
            ],
        }


def spot_id(number: int, board: Board, key: Key) -> str:
    """Return the id of a spot on the pages."""
    return f"{number}.{list(board.spots).index(key)}"


def card_id(card: str) -> str:
    """Return the id of a card on the pages; it does not depend on the hand."""
    return f"card {card}"
