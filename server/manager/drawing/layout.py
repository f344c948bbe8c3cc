"""The layout of a game: its boards, hands and pools, and the columns of its moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ggp.server.manager.drawing.neighbours import Key

__all__ = [
    "Bar",
    "Board",
    "Border",
    "Hand",
    "Join",
    "Layout",
    "Placing",
    "Shape",
    "Spot",
    "Stack",
    "Style",
    "What",
    "card_id",
    "spot_id",
]

#: A piece on a cell, a mark of the cell itself, or a note such as a number.
Kind: TypeAlias = Literal["piece", "mark", "note"]
#: What a fact tells about its cell: its form and the contents.
What: TypeAlias = tuple[str, tuple[str, ...]]
#: A wall between two cells, a line from one to the other, a sign between them, or the contents of a
#: box of four lines.
Style: TypeAlias = Literal["wall", "line", "<", ">", "box"]
#: The ends of a cell that is a line.
Bar: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
Shape: TypeAlias = Literal["square", "hex", "round", "dot", "stack"]


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
    #: The ends of the spots that are lines.
    bars: Mapping[Key, Bar] = field(default_factory=dict)
    #: Lines between cells that are always there.
    lines: tuple[Bar, ...] = ()

    @cached_property
    def numbers(self) -> Mapping[Key, int]:
        """The number of each spot."""
        return {key: number for number, key in enumerate(self.spots)}

    def at(self, key: Key) -> list[Key]:
        """Return the spots of a key: one, none, or all of a layer for a key of its first parts."""
        if len(key) == len(self.axes):
            return [key] if key in self.spots else []
        return [spot for spot in self.spots if spot[: len(key)] == key]


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
    #: The content of which a cell shows only the largest, as of a pile its height; None if all lie
    #: side by side.
    height: int | None = None

    #: The contents of that column from the smallest to the largest.
    heights: tuple[str, ...] = ()
    #: The possible contents according to the rules, if one column tells them; else none.
    possible: tuple[str, ...] = ()

    def rank(self, values: tuple[str, ...]) -> int:
        """Return how high a fact lies in the pile of its cell."""
        value = "" if self.height is None else values[self.height]
        return self.heights.index(value) if value in self.heights else -1

    def key_of(self, values: tuple[str, ...]) -> Key:
        """Return the key of a fact's spot."""
        return tuple(values[column] for column in self.key)

    def contents_of(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """Return the contents of a fact."""
        return tuple(values[column] for column in self.contents)


@dataclass(frozen=True, slots=True)
class Border:
    """How the facts of one form lie between the cells of a board."""

    form: str
    board: int
    #: The columns of a cell.
    first: tuple[int, ...]
    #: The columns of the other cell; None if a direction tells it.
    second: tuple[int, ...] | None
    #: The column of the direction; None if the name of the form has it.
    side: int | None
    contents: tuple[int, ...]
    style: Style
    #: Whether the two cells touch at a corner, which the border crosses.
    is_corner: bool = False

    @property
    def cells(self) -> tuple[int, ...]:
        """The columns that tell where it lies."""
        side = () if self.side is None else (self.side,)
        return (*self.first, *(self.second or ()), *side)

    def contents_of(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """Return the contents of a fact."""
        return tuple(values[column] for column in self.contents)


@dataclass(frozen=True, slots=True)
class Stack:
    """How the facts of one form put things onto each other, or into a line."""

    form: str
    board: int
    #: The column of a thing, and of what is below it; None if a fact names all things of a line.
    thing: int
    below: int | None
    #: The things that can be on the board, from the smallest.
    things: tuple[str, ...]
    #: What names the columns of the board.
    bases: tuple[str, ...]
    #: The form of the facts that tell which things stand on the ground.
    ground: str | None
    #: The forms of the facts that tell which things have nothing on them; the board shows it.
    clear: tuple[str, ...]

    @property
    def is_sized(self) -> bool:
        """Whether numbers in their names tell the sizes of the things."""
        stems = {name.rstrip("0123456789") for name in self.things}
        return len(stems) == 1 and not any(name in stems for name in self.things)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of all facts that the board shows."""
        return (self.form, *self.clear, *(() if self.ground is None else (self.ground,)))


@dataclass(frozen=True, slots=True)
class Join:
    """Two forms of facts that together name the place of a thing."""

    x: str
    y: str
    #: The name of the facts that stand for both.
    name: str


@dataclass(frozen=True, slots=True)
class Hand:
    """Facts of one form as cards, in the hands of their owners or in a common pool."""

    form: str
    #: The column that names the owner; None for a pool.
    owner: int | None
    card: int
    #: Whether its cards lie on the table, such as those of a trick.
    is_table: bool = False


@dataclass(frozen=True)
class Layout:
    """How the states of one game are drawn."""

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    placings: tuple[Placing, ...] = ()
    borders: tuple[Border, ...] = ()
    stacks: tuple[Stack, ...] = ()
    hands: tuple[Hand, ...] = ()
    joins: tuple[Join, ...] = ()
    #: The observed values in the columns of each form of move.
    moves: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    #: The group of each card, such as its suit.
    suits: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the boards as JSON values, with an id for each spot.

        `also` has the ids by which moves name the ground of a stack: a click on any of its spots.
        """
        grounds = {
            (stack.board, base): card_id(base)
            for stack in self.stacks
            for base in stack.bases
            if base not in stack.things
        }
        return {
            "roles": list(self.roles),
            "boards": [
                {
                    "name": board.name,
                    "shape": board.shape,
                    "spots": [
                        {
                            "id": spot_id(number, board, key),
                            "name": s.name,
                            "x": s.x,
                            "y": s.y,
                            **({"bar": board.bars[key]} if key in board.bars else {}),
                            **(
                                {"also": [grounds[number, key[0]]]}
                                if (number, key[0]) in grounds
                                else {}
                            ),
                        }
                        for key, s in board.spots.items()
                    ],
                    "captions": [{"text": c.name, "x": c.x, "y": c.y} for c in board.captions],
                    "lines": list(board.lines),
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
    return f"{number}.{board.numbers[key]}"


def card_id(card: str) -> str:
    """Return the id of a card on the pages; it does not depend on the hand."""
    return f"card {card}"
