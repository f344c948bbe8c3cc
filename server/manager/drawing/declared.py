"""The drawing that an author declares in `NAME.json` beside `NAME.kif`.

It says what cannot be found: places of cells, cells that are lines, the labels and colours of
pieces. What it does not mention is drawn as it is found. docs/drawing.md describes its keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, TypeAlias, get_args

from ggp.errors import SourceError, Span
from ggp.gdl import Description
from ggp.server.manager.drawing.finder import find_layout
from ggp.server.manager.drawing.forms import domain_of_facts, name_of
from ggp.server.manager.drawing.layout import Bar, Board, Hand, Kind, Layout, Placing, Shape, Spot
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.pieces import Look, Looks, find_looks
from ggp.server.manager.drawing.play import Line

__all__ = ["Declared", "drawing_mistake", "find_drawing", "read_drawing"]

_Way: TypeAlias = Literal["piece", "wall", "empty"]
_TONES = (
    *("white", "black", "red", "green", "blue", "yellow", "orange", "purple", "teal", "brown"),
    *("pink", "grey", "plain", *map(str, range(1, 9))),
)


def find_drawing(
    description: Description | None, lines: Sequence[Line], declared: str
) -> tuple[Layout, Looks]:
    """Find how to draw a game, except for what its author declares.

    Args:
        description: the rules; None for a record whose rules are not known.
        lines: lines of play.
        declared: the text of `NAME.json`; empty if there is none.

    Raises:
        SourceError: what is declared is no drawing of this game.
    """
    layout = find_layout(description, lines)
    if not declared:
        return layout, find_looks(layout, lines)
    forms = {} if description is None else domain_of_facts(description)
    drawing = read_drawing(declared, "drawing", {form: len(c) for form, c in forms.items()})
    layout = drawing.layout(layout, {form: len(columns) for form, columns in forms.items()})
    return layout, drawing.looks(find_looks(layout, lines))


def drawing_mistake(description: Description | None, declared: str) -> str | None:
    """Return in one line what is wrong with the text of `NAME.json`; None for nothing."""
    forms = {} if description is None else domain_of_facts(description)
    try:
        read_drawing(declared, "drawing", {form: len(columns) for form, columns in forms.items()})
    except SourceError as error:
        return error.one_line()
    return None


@dataclass(frozen=True, slots=True)
class _Fact:
    """The columns of a fact, from 0."""

    cell: tuple[int, ...]
    contents: tuple[int, ...] | None
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Piece:
    label: str | None
    tone: str | None
    way: _Way


@dataclass(frozen=True)
class Declared:
    """A drawing as its file declares it."""

    boards: tuple[tuple[Board, Mapping[str, _Fact]], ...] = ()
    hands: Mapping[str, Hand] = field(default_factory=dict)
    pieces: Mapping[str, _Piece] = field(default_factory=dict)
    #: The names of facts that stand in the table.
    table: frozenset[str] = frozenset()

    def layout(self, found: Layout, forms: Mapping[str, int]) -> Layout:
        """Return the layout with the declared boards and hands instead of the found ones.

        Args:
            found: the layout that was found.
            forms: the number of columns of each form of fact.
        """
        names = (
            {name for _, facts in self.boards for name in facts} | self.hands.keys() | self.table
        )
        placings = [p for p in found.placings if name_of(p.form) not in names]
        borders = [b for b in found.borders if name_of(b.form) not in names]
        stacks = [s for s in found.stacks if name_of(s.form) not in names]
        used = {p.board for p in placings}
        used |= {b.board for b in borders} | {s.board for s in stacks}
        number = {old: new for new, old in enumerate(sorted(used))}
        boards = [board for n, board in enumerate(found.boards) if n in used]
        placings = [replace(p, board=number[p.board]) for p in placings]
        for board, facts in self.boards:
            boards.append(board)
            for form, width in forms.items():
                if fact := facts.get(name_of(form)):
                    others = tuple(i for i in range(width) if i not in fact.cell)
                    contents = others if fact.contents is None else fact.contents
                    placings.append(Placing(form, len(boards) - 1, fact.cell, contents, fact.kind))
        hands = [hand for hand in found.hands if name_of(hand.form) not in names]
        hands += [
            replace(self.hands[name_of(form)], form=form)
            for form in forms
            if name_of(form) in self.hands
        ]
        return replace(
            found,
            boards=tuple(boards),
            placings=tuple(placings),
            borders=tuple(replace(b, board=number[b.board]) for b in borders),
            stacks=tuple(replace(s, board=number[s.board]) for s in stacks),
            hands=tuple(hands),
        )

    def looks(self, found: Looks) -> Looks:
        """Return the looks with the declared labels and tones."""
        contents = dict(found.contents)
        blank = set(found.blank)
        for what in [*found.contents, *found.blank]:
            piece = self.pieces.get(" ".join(what[1]) or name_of(what[0]))
            if piece is None:
                continue
            old = found.of(*what)
            blank.discard(what)
            if piece.way == "empty":
                blank.add(what)
            contents[what] = Look(
                old.label if piece.label is None else piece.label,
                old.tone if piece.tone is None else piece.tone,
                "tile" if piece.way == "wall" else "disc",
            )
        return replace(found, contents=contents, blank=frozenset(blank))


class _Reader:
    """Reads the values of a file, and says where one is wrong."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        try:
            self.top = json.loads(text)
        except json.JSONDecodeError as error:
            raise SourceError(error.msg, span=self._span(error.pos)) from error

    def _span(self, position: int) -> Span:
        line = self._text.count("\n", 0, position) + 1
        start = self._text.rfind("\n", 0, position) + 1
        shown = self._text[start:].partition("\n")[0]
        return Span(self._name, line, position - start + 1, shown)

    def fail(self, path: Sequence[str | int], message: str, hint: str = "") -> NoReturn:
        """Raise an error that points at the last key of a path."""
        position = 0
        for key in path:
            if isinstance(key, str):
                position = max(position, self._text.find(json.dumps(key), position))
        shown = ".".join(map(str, path)) or "the drawing"
        raise SourceError(f"{shown}: {message}", span=self._span(position), hint=hint)

    def record(self, value: Any, path: Sequence[str | int], keys: Iterable[str]) -> dict[str, Any]:
        """Return an object that has no other keys than these."""
        found = self.mapping(value, path)
        known = list(keys)
        for key in found:
            if key not in known:
                self.fail([*path, key], "there is no such key", f"known keys: {', '.join(known)}")
        return found

    def mapping(self, value: Any, path: Sequence[str | int]) -> dict[str, Any]:
        """Return an object."""
        if not isinstance(value, dict):
            self.fail(path, "an object is expected", "such as {}")
        return value

    def items(self, value: Any, path: Sequence[str | int]) -> list[Any]:
        """Return a list."""
        if not isinstance(value, list):
            self.fail(path, "a list is expected", "such as []")
        return value

    def text(self, value: Any, path: Sequence[str | int], allowed: Sequence[str] = ()) -> str:
        """Return a text, one of those that are allowed."""
        if not isinstance(value, str):
            self.fail(path, "a text is expected")
        if allowed and value not in allowed:
            self.fail(path, f"{value} is not known", f"one of {', '.join(allowed)}")
        return value

    def point(self, value: Any, path: Sequence[str | int]) -> tuple[float, float]:
        """Return a place."""
        if (
            not isinstance(value, list)
            or len(value) != 2
            or not all(type(part) in (int, float) for part in value)
        ):
            self.fail(path, "a place is expected", "such as [0, 1]: x to the right, y up")
        return float(value[0]), float(value[1])

    def columns(self, value: Any, path: Sequence[str | int]) -> tuple[int, ...]:
        """Return columns, which count from 1 in the file."""
        found = self.items(value, path)
        if not all(type(part) is int and part > 0 for part in found):
            self.fail(path, "the numbers of columns are expected", "such as [1, 2]")
        return tuple(part - 1 for part in found)


def read_drawing(text: str, name: str, forms: Mapping[str, int]) -> Declared:
    """Read a drawing.

    Args:
        text: the JSON of the file.
        name: the name of the file, for errors.
        forms: the number of columns of each form of fact of the game.

    Raises:
        SourceError: the text is no drawing of this game; the error points at the place.
    """
    reader = _Reader(text, name)
    top = reader.record(reader.top, [], ("boards", "cards", "pieces", "table"))
    widths: dict[str, list[int]] = {}
    for form, width in forms.items():
        widths.setdefault(name_of(form), []).append(width)

    def known(fact: str, path: Sequence[str | int]) -> int:
        if fact not in widths:
            reader.fail(path, f"the game has no fact {fact}", f"it has {', '.join(widths)}")
        return min(widths[fact])

    boards = tuple(
        _board(reader, value, ["boards", n], known)
        for n, value in enumerate(reader.items(top.get("boards", []), ["boards"]))
    )
    hands = {}
    for fact, value in reader.mapping(top.get("cards", {}), ["cards"]).items():
        path = ["cards", fact]
        width = known(fact, path)
        told = reader.record(value, path, ("owner", "card", "table"))
        if not isinstance(told.get("table", False), bool):
            reader.fail([*path, "table"], "true or false is expected")
        columns = [_column(reader, told, key, path, width) for key in ("owner", "card")]
        if columns[1] is None:
            reader.fail(path, "the column of the card is missing", 'such as "card": 2')
        hands[fact] = Hand("", columns[0], columns[1], told.get("table", False))
    pieces = {}
    for contents, value in reader.mapping(top.get("pieces", {}), ["pieces"]).items():
        path = ["pieces", contents]
        told = reader.record(value, path, ("label", "colour", "as"))
        label = reader.text(told["label"], [*path, "label"]) if "label" in told else None
        tone = reader.text(told["colour"], [*path, "colour"], _TONES) if "colour" in told else None
        way: Any = reader.text(told.get("as", "piece"), [*path, "as"], get_args(_Way))
        pieces[contents] = _Piece(label, tone, way)
    table = reader.items(top.get("table", []), ["table"])
    for n, fact in enumerate(table):
        known(reader.text(fact, ["table", n]), ["table", fact])
    return Declared(boards, hands, pieces, frozenset(table))


def _column(
    reader: _Reader, told: Mapping[str, Any], key: str, path: Sequence[str | int], width: int
) -> int | None:
    if key not in told:
        return None
    (column,) = reader.columns([told[key]], [*path, key])
    if column >= width:
        reader.fail([*path, key], f"the fact has {width} columns")
    return column


def _board(
    reader: _Reader, value: Any, path: list[str | int], known: Any
) -> tuple[Board, dict[str, _Fact]]:
    told = reader.record(value, path, ("name", "shape", "cells", "bars", "edges", "texts", "facts"))
    name = reader.text(told.get("name"), [*path, "name"])
    shape: Any = reader.text(told.get("shape", "square"), [*path, "shape"], get_args(Shape)[:3])
    spots: dict[Key, Spot] = {}
    for cell, place in reader.mapping(told.get("cells", {}), [*path, "cells"]).items():
        x, y = reader.point(place, [*path, "cells", cell])
        spots[tuple(cell.split())] = Spot(cell, x, y)
    bars: dict[Key, Bar] = {}
    for cell, ends in reader.mapping(told.get("bars", {}), [*path, "bars"]).items():
        where = [*path, "bars", cell]
        if len(reader.items(ends, where)) != 2:
            reader.fail(where, "two places are expected", "such as [[0, 0], [1, 0]]")
        one, other = (reader.point(end, where) for end in ends)
        key = tuple(cell.split())
        bars[key] = one, other
        spots[key] = Spot(cell, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
    lengths = {len(key) for key in spots}
    if len(lengths) != 1 or lengths == {0}:
        reader.fail(path, "cells are missing, or have names of different lengths")
    edges = []
    for n, pair in enumerate(reader.items(told.get("edges", []), [*path, "edges"])):
        where = [*path, "edges", n]
        keys = [tuple(reader.text(end, where).split()) for end in reader.items(pair, where)]
        if len(keys) != 2 or not all(key in spots for key in keys):
            reader.fail(where, "two cells are expected", 'such as ["a", "b"]')
        edges.append((keys[0], keys[1]))
    texts = reader.mapping(told.get("texts", {}), [*path, "texts"])
    captions = [Spot(t, *reader.point(p, [*path, "texts", t])) for t, p in texts.items()]
    facts = {}
    for fact, columns in reader.mapping(told.get("facts", {}), [*path, "facts"]).items():
        where = [*path, "facts", fact]
        facts[fact] = _fact(reader, columns, where, known(fact, where), lengths.pop())
        lengths.add(len(facts[fact].cell))
    axes = tuple(tuple(dict.fromkeys(key[i] for key in spots)) for i in range(lengths.pop()))
    board = Board(name, shape, spots, axes, tuple(captions), tuple(edges), bars)
    return board, facts


def _fact(reader: _Reader, value: Any, path: list[str | int], width: int, length: int) -> _Fact:
    told = reader.record(value, path, ("cell", "contents", "as"))
    cell = reader.columns(told.get("cell"), [*path, "cell"])
    if len(cell) != length:
        reader.fail([*path, "cell"], f"the names of cells have {length} words, so {length} columns")
    contents = None
    if "contents" in told:
        contents = reader.columns(told["contents"], [*path, "contents"])
    if any(column >= width for column in (*cell, *(contents or ()))):
        reader.fail(path, f"the fact has {width} columns")
    kind: Any = reader.text(told.get("as", "piece"), [*path, "as"], get_args(Kind))
    return _Fact(cell, contents, kind)
