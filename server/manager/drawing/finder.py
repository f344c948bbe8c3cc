"""Finds the layout of a game: the facts that make boards, hands and pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ggp.gdl import Description
from ggp.server.manager.drawing.axes import axis_of, natural
from ggp.server.manager.drawing.families import Family, families_of, move_columns
from ggp.server.manager.drawing.forms import domain_of_facts
from ggp.server.manager.drawing.grids import Grid, best_grid
from ggp.server.manager.drawing.layout import Board, Hand, Kind, Layout, Placing, Shape, Spot
from ggp.server.manager.drawing.neighbours import Key, hex_shear, neighbours_of, place
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.drawing.relations import Relations

__all__ = ["find_layout"]

#: The gap between two layers of a board, in cells.
_GAP = 0.6
_SQRT_3_HALF = 0.8660254
_MAX_ROW = 60
_FEW = 3
#: Neighbours on a grid are nearer than this.
_FAR = 2


def find_layout(description: Description | None, lines: Sequence[Line]) -> Layout:
    """Find how to draw a game.

    Args:
        description: the rules; None for a record whose rules are not known.
        lines: lines of play, which show how facts behave.
    """
    return _Finder(description, lines).find()


class _Finder:
    def __init__(self, description: Description | None, lines: Sequence[Line]) -> None:
        self._relations = Relations(description)
        domain = {} if description is None else domain_of_facts(description)
        self._families = families_of((facts for line in lines for facts in line.states), domain)
        self._families = [family for family in self._families if any(family.states)]
        self._roles = () if description is None else tuple(map(str, description.roles))
        legal = (m for line in lines for legal in line.legal for moves in legal for m in moves)
        done = (move for line in lines for joint_move in line.moves for move in joint_move)
        self._moves = move_columns([*legal, *done])
        self._boards: list[Board] = []
        self._placings: list[Placing] = []
        self._hands: list[Hand] = []
        self._cards: set[str] = set()
        #: The number of states in each line.
        self._lengths = [len(line.states) for line in lines]

    def find(self) -> Layout:
        self._find_grids(by_spelling=False)
        self._find_hands(dealt=True)
        self._find_graphs()
        self._find_hands(dealt=False)
        self._find_grids(by_spelling=True)
        self._find_rows()
        self._find_pools()
        return Layout(
            self._roles,
            tuple(self._boards),
            tuple(self._placings),
            tuple(self._hands),
            self._moves,
            self._suits(),
        )

    @property
    def _left(self) -> list[Family]:
        """The families without a place so far."""
        placed = {placing.form for placing in self._placings}
        placed |= {hand.form for hand in self._hands}
        return [family for family in self._families if family.form not in placed]

    # Grids

    def _find_grids(self, *, by_spelling: bool) -> None:
        grids = [
            grid
            for family in self._left
            if (
                grid := best_grid(
                    family,
                    roles=frozenset(self._roles),
                    chains=self._relations.chains,
                    moves=self._moves,
                    others=[other for other in self._families if other is not family],
                    by_spelling=by_spelling,
                )
            )
        ]
        # First come grids with contents, then full ones, then those with the most evidence.
        grids = [grid for grid in grids if not self._goes_round(grid)]
        grids.sort(key=lambda g: (bool(g.contents), g.is_full, g.evidence), reverse=True)
        first = len(self._boards)
        sizes: list[Grid] = []
        for grid in grids:
            number = next((n for n, other in enumerate(sizes) if _fits(grid, other)), None)
            if number is None:
                number = len(sizes)
                sizes.append(_widest(grid, grids))
                self._boards.append(self._grid_board(sizes[-1]))
            self._put(grid.family, first + number, grid.key, grid.contents)

    def _goes_round(self, grid: Grid) -> bool:
        """Return whether cells at opposite ends are neighbours, which a graph shows better."""
        if grid.layers or len(grid.contents) + 2 != grid.family.width:
            return False
        places = _places(grid)
        known = neighbours_of(places, self._relations.tables)
        if not known:
            return False
        nearest = min(known, key=len)
        is_far = any(
            max(abs(u - x), abs(v - y)) > _FAR
            for (x, y), (u, v) in ((places[one], places[other]) for one, other in nearest)
        )
        is_sparse = len(nearest) < 1.5 * len(places)
        return is_far and is_sparse and place(list(places), known) is not None

    def _grid_board(self, grid: Grid) -> Board:
        (_, x), (_, y) = grid.x, grid.y
        places = _places(grid)
        if grid.by_spelling:  # only the observed cells exist
            rows = (row for rows in grid.family.states for row in rows)
            seen = {(row[grid.x[0]], row[grid.y[0]]) for row in rows}
            places = {key: at for key, at in places.items() if key in seen}
        shear = 0.0
        if not grid.layers:
            shear = hex_shear(places, neighbours_of(places, self._relations.tables))
        width, height = len(x) + _GAP, len(y) + _GAP
        rise = _SQRT_3_HALF if shear else 1.0
        across = [axis.values for _, axis in grid.layers][-1:] or [("",)]
        up = [axis.values for _, axis in grid.layers][:-1] or [("",)]
        spots: dict[Key, Spot] = {}
        captions: list[Spot] = []
        for j, b in enumerate(up[0]):
            for i, a in enumerate(across[0]):
                layer = tuple(part for part in (b, a) if part)
                if layer:
                    middle = i * width + (len(x) - 1) / 2
                    captions.append(Spot(" ".join(layer), middle, j * height + len(y) - 0.32))
                for (u, v), (p, q) in places.items():
                    name = " ".join((*layer, u, v))
                    spots[(*layer, u, v)] = Spot(
                        name, i * width + p + shear * q, j * height + q * rise
                    )
        if not grid.layers:
            captions += [Spot(a, i - 0.75 * shear, -0.75 * rise) for i, a in enumerate(x.values)]
            captions += [Spot(b, shear * j - 0.75, j * rise) for j, b in enumerate(y.values)]
        axes = tuple(axis.values for axis in grid.axes)
        shape: Shape = "hex" if shear else "square"
        return Board(grid.family.name, shape, spots, axes, tuple(captions))

    def _put(
        self, family: Family, board: int, key: tuple[int, ...], contents: tuple[int, ...]
    ) -> None:
        is_first = not any(placing.board == board for placing in self._placings)
        chains = self._relations.chains
        is_amount = bool(contents) and all(
            axis_of(family.values(i), chains).is_ordered
            and not family.values(i) <= frozenset(self._roles)
            for i in contents
        )
        kind: Kind = "piece"
        if not is_first:
            kind = "note" if is_amount else "piece" if contents else "mark"
        self._placings.append(Placing(family.form, board, key, contents, kind, is_amount))

    # Hands and pools

    def _find_hands(self, *, dealt: bool) -> None:
        """Find hands: a role holds several things at once, and moves name them.

        If `dealt`, only facts count that are all there initially and then disappear, so that
        things that are placed on a board do not count.
        """
        roles = frozenset(self._roles)
        for family in self._left:
            owner = self._owner(family, roles)
            if owner is not None and not (dealt and self._comes(family)):
                is_many = not family.decides((owner,), (1 - owner,))
                values = family.values(1 - owner)
                if (
                    is_many
                    and len(values) > _FEW
                    and not values & roles
                    and self._are_moved(values)
                ):
                    self._hands.append(Hand(family.form, owner, 1 - owner))
                    self._cards |= values
        for family in self._left if self._cards else ():
            owner = self._owner(family, roles)
            if owner is not None and family.seen[1 - owner] <= self._cards:
                self._hands.append(Hand(family.form, owner, 1 - owner))
            elif family.width == 1 and family.seen[0] <= self._cards:
                self._hands.append(Hand(family.form, None, 0))

    def _comes(self, family: Family) -> bool:
        """Return whether any observed fact was missing in the initial state of its line."""
        start = 0
        for states in self._lengths:
            first = set(family.states[start])
            if any(not first.issuperset(rows) for rows in family.states[start : start + states]):
                return True
            start += states
        return False

    def _owner(self, family: Family, roles: frozenset[str]) -> int | None:
        """Return which of two columns names a role; None if there is no such column."""
        if family.width != 2:
            return None
        return next((i for i in (0, 1) if family.seen[i] and family.seen[i] <= roles), None)

    def _are_moved(self, values: frozenset[str]) -> bool:
        """Return whether a form of move names these values, and they are no coordinates."""
        axes = [set(axis) for board in self._boards for axis in board.axes]
        return any(
            len(column) > 1 and column <= values and not any(column <= axis for axis in axes)
            for columns in self._moves.values()
            for column in columns
        )

    def _find_pools(self) -> None:
        for family in self._left:
            if family.width == 1 and family.most >= _FEW and self._are_moved(family.values(0)):
                self._hands.append(Hand(family.form, None, 0))

    def _suits(self) -> dict[str, str]:
        """Return the group of each card, by a relation with two columns that groups all cards."""
        by_form = {family.form: family for family in self._families}
        cards = {card for hand in self._hands for card in by_form[hand.form].values(hand.card)}
        if not cards:
            return {}
        for table in self._relations.tables:
            if len(table[0]) == 2:
                groups = {row[0]: row[1] for row in table}
                kinds = len(set(groups.values()))
                if cards <= groups.keys() and len(table) == len(groups) and 1 < kinds <= 8:
                    return {card: groups[card] for card in cards}
        return {}

    # Boards whose cells have names instead of coordinates

    def _find_graphs(self) -> None:
        for family in sorted(self._left, key=lambda family: (family.width < 2, -family.most)):
            for key in self._keys(family):
                cells: list[Key] = [()]
                for column in key:
                    cells = [
                        (*c, v) for c in cells for v in sorted(family.values(column), key=natural)
                    ]
                contents = tuple(i for i in range(family.width) if i not in key)
                known = self._board_of(cells)
                if known is not None:
                    self._put(family, known, key, contents)
                    break
                found = place(cells, neighbours_of(cells, self._relations.tables))
                if found:
                    points, edges = found
                    spots = {cell: Spot(" ".join(cell), *points[cell]) for cell in cells}
                    axes = tuple(tuple(dict.fromkeys(c[i] for c in cells)) for i in range(len(key)))
                    board = Board(family.name, "round", spots, axes, edges=tuple(sorted(edges)))
                    self._boards.append(board)
                    self._put(family, len(self._boards) - 1, key, contents)
                    break

    def _keys(self, family: Family) -> Iterator[tuple[int, ...]]:
        """Yield the columns that may name the cell of a fact."""
        roles = frozenset(self._roles)
        columns = [
            i
            for i in range(family.width)
            if len(family.values(i)) >= _FEW and not family.values(i) <= roles
        ]
        yield from ((i,) for i in columns if self._is_place(family, i))
        if {0, 1} <= set(columns) and len(family.values(0)) * len(family.values(1)) <= 300:
            yield (0, 1)

    def _is_place(self, family: Family, column: int) -> bool:
        """Return whether a column can be a place: others depend on it, or it has no order."""
        others = tuple(i for i in range(family.width) if i != column)
        if others and family.most > 1:
            return family.decides((column,), others)
        return (
            family.most > 1 or not axis_of(family.values(column), self._relations.chains).is_ordered
        )

    def _board_of(self, cells: Sequence[Key]) -> int | None:
        return next(
            (
                number
                for number, board in enumerate(self._boards)
                if board.shape == "round" and all(cell in board.spots for cell in cells)
            ),
            None,
        )

    def _find_rows(self) -> None:
        roles = frozenset(self._roles)
        for family in self._left:
            if family.width < 2 or family.most < _FEW:
                continue
            for column in range(family.width):
                values = family.values(column)
                others = tuple(i for i in range(family.width) if i != column)
                names = values if len(values) <= 2 * family.most else family.seen[column]
                if values <= roles or not _FEW <= len(names) <= _MAX_ROW:
                    continue
                if family.decides((column,), others):
                    axis = axis_of(names, self._relations.chains)
                    spots: dict[Key, Spot] = {
                        (a,): Spot(a, float(i), 0.0) for i, a in enumerate(axis.values)
                    }
                    captions = tuple(Spot(a, float(i), -0.75) for i, a in enumerate(axis.values))
                    board = Board(family.name, "square", spots, (axis.values,), captions)
                    self._boards.append(board)
                    self._put(family, len(self._boards) - 1, (column,), others)
                    break


def _places(grid: Grid) -> dict[Key, tuple[int, int]]:
    """Return the places of the cells of a layer."""
    (_, x), (_, y) = grid.x, grid.y
    return {(a, b): (i, j) for i, a in enumerate(x.values) for j, b in enumerate(y.values)}


def _fits(grid: Grid, other: Grid) -> bool:
    """Return whether the facts of one grid fit the board of another."""
    if grid is not other and grid.is_always_full and other.is_always_full:
        return False  # two boards: one cell would have two contents, always
    return len(grid.axes) == len(other.axes) and all(
        set(mine.values) <= set(theirs.values)
        for mine, theirs in zip(grid.axes, other.axes, strict=True)
    )


def _widest(grid: Grid, grids: Sequence[Grid]) -> Grid:
    """Return the grid that has room for all that fit with this one."""
    return max(
        (other for other in grids if _fits(grid, other) or other is grid),
        key=lambda other: (len(other.x[1]) * len(other.y[1]), other is grid),
    )
