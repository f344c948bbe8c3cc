"""Finds the layout of a game: the facts that make boards, hands and pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ggp.gdl import Description
from ggp.server.manager.drawing.axes import axis_of, natural
from ggp.server.manager.drawing.families import Family, families_of, is_thing, move_columns
from ggp.server.manager.drawing.forms import declared_facts, domain_of_facts, take_apart
from ggp.server.manager.drawing.grids import Grid, best_grid, fits, height_of, widest
from ggp.server.manager.drawing.layout import (
    Board,
    Border,
    Hand,
    Kind,
    Layout,
    Placing,
    Stack,
)
from ggp.server.manager.drawing.links import NO_STEPS, steps_of
from ggp.server.manager.drawing.looks.cards import groups_of
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.parts.borders import (
    candidates,
    dotted,
    lies_on,
    matches,
    style_of,
)
from ggp.server.manager.drawing.parts.clues import clues
from ggp.server.manager.drawing.parts.directions import all_upright
from ggp.server.manager.drawing.parts.graphs import (
    graph_board,
    has_cells,
    pits_board,
    row_board,
)
from ggp.server.manager.drawing.parts.joins import find_joins, joined_lines
from ggp.server.manager.drawing.parts.sets import board_of_sets, sets
from ggp.server.manager.drawing.parts.squares import (
    cycle_of,
    divided,
    existing_cells,
    goes_round,
    grid_board,
    ring_board,
    transposed,
)
from ggp.server.manager.drawing.parts.stacks import find_line, find_stack
from ggp.server.manager.drawing.play import Line, first_choice
from ggp.server.manager.drawing.relations import Relations

__all__ = ["find_layout"]

_MAX_ROW = 24
_FEW = 3
#: At least one in this many cells of a board is used in random play.
_RARELY = 4
#: More facts of a form than these are no board.
_MAX_FACTS = 2000
#: More kinds of contents than these cannot be told apart by short labels.
_MAX_KINDS = 40


def find_layout(description: Description | None, lines: Sequence[Line]) -> Layout:
    """Find how to draw a game.

    Args:
        description: the rules; None for a record whose rules are not known.
        lines: lines of play, which show how facts behave.
    """
    return _Finder(description, lines).find()


class _Finder:
    def __init__(self, description: Description | None, lines: Sequence[Line]) -> None:
        self._description = description
        self._relations = Relations(description)
        self._steps = steps_of(description)
        domain = {} if description is None else domain_of_facts(description, self._relations)
        self._declared = {} if description is None else declared_facts(self._relations)
        found = families_of((facts for line in lines for facts in line.states), domain)
        self._joins = tuple(find_joins(found, self._relations.chains))
        self._lines = lines = joined_lines(lines, self._joins)
        domain = {form: columns for form, columns in domain.items() if not self._is_joined(form)}
        self._families = families_of((facts for line in lines for facts in line.states), domain)
        self._families = [f for f in self._families if 0 < f.most <= _MAX_FACTS]
        self._roles = () if description is None else tuple(map(str, description.roles))
        legal = (m for line in lines for legal in line.legal for moves in legal for m in moves)
        done = (move for line in lines for joint_move in line.moves for move in joint_move)
        #: The moves of the initial state.
        self._first_moves = {
            move for line in lines for moves in line.legal[:1] for legal in moves for move in legal
        }
        self._moves = move_columns([*legal, *done])
        self._boards: list[Board] = []
        self._placings: list[Placing] = []
        self._borders: list[Border] = []
        self._stacks: list[Stack] = []
        self._hands: list[Hand] = []
        self._cards: set[str] = set()
        #: The families that may be borders between cells, by their forms.
        self._pairings = {
            pairing.form: pairing
            for pairing in candidates(
                self._families, self._relations.chains, frozenset(self._roles)
            )
        }
        #: The number of states in each line.
        self._lengths = [len(line.states) for line in lines]
        self._dealt = [first_choice(line, self._roles) for line in lines]

    def find(self) -> Layout:
        self._find_lines()
        self._find_stacks()
        self._find_grids(by_spelling=False)
        self._find_borders()
        self._find_layer_marks()
        self._find_sets()
        self._find_hands(dealt=True)
        self._find_graphs()
        self._find_hands(dealt=False)
        self._find_grids(by_spelling=True)
        self._find_rows()
        self._find_pools()
        found = self._boards, self._placings, self._borders
        self._boards = all_upright(*found, self._lines, self._description, self._relations)
        return Layout(
            self._roles,
            tuple(
                divided(board, (p for p in self._placings if p.board == number))
                for number, board in enumerate(self._boards)
            ),
            tuple(self._placings),
            tuple(self._borders),
            tuple(self._stacks),
            tuple(self._hands),
            self._joins,
            self._moves,
            self._suits(),
        )

    def _is_joined(self, form: str) -> bool:
        return any(form in (join.x, join.y) for join in self._joins)

    @property
    def _left(self) -> list[Family]:
        """The families without a place so far."""
        placed = {placing.form for placing in self._placings}
        placed |= {hand.form for hand in self._hands}
        placed |= {form for stack in self._stacks for form in stack.forms}
        placed |= {border.form for border in self._borders} | self._pairings.keys()
        return [family for family in self._families if family.form not in placed]

    # Grids

    def _grid(self, family: Family, *, by_spelling: bool = False) -> Grid | None:
        """Return the most likely grid of a family, if it has enough evidence."""
        chains = self._relations.chains
        sides = [pairing for pairing in self._pairings.values() if pairing.side is not None]
        return best_grid(
            family,
            roles=frozenset(self._roles),
            chains=chains,
            moves=self._moves,
            others=[other for other in self._families if other is not family],
            by_spelling=by_spelling,
            sizes=[pairing.axes(chains) for pairing in sides],
            steps=self._steps.get(family.form, NO_STEPS),
        )

    def _find_grids(self, *, by_spelling: bool) -> None:
        grids = [
            grid for family in self._left if (grid := self._grid(family, by_spelling=by_spelling))
        ]
        round_ones = [grid for grid in grids if goes_round(grid, self._relations.tables)]
        for grid in round_ones:
            if board := ring_board(grid, self._relations.tables):
                self._boards.append(board)
                self._put(grid.family, len(self._boards) - 1, grid.key, grid.contents)
        grids = [grid for grid in grids if grid not in round_ones]
        grids.sort(key=lambda grid: grid.rank, reverse=True)
        first = len(self._boards)
        sizes: list[Grid] = []
        for grid in grids:
            if not grid.contents:
                self._find_layer_marks()  # now that the boards with contents stand
            is_marked = any(p.form == grid.family.form for p in self._placings)
            if is_marked or self._fills_box(grid):
                continue
            number = next((n for n, other in enumerate(sizes) if fits(grid, other)), None)
            if number is None:
                number = len(sizes)
                sizes.append(widest(grid, grids))
                existing = self._existing(sizes[-1], grids)
                self._boards.append(grid_board(sizes[-1], self._relations.tables, existing))
                self._add_clues(grid, first + number)
            self._put(grid.family, first + number, grid.key, grid.contents)

    def _add_clues(self, grid: Grid, number: int) -> None:
        board, form = self._boards[number], grid.family.form
        if self._description is not None and board.shape == "square" and not grid.layers:
            found = clues(board, form, grid.key, self._description, self._relations)
            self._boards[number] = replace(board, captions=(*board.captions, *found))

    def _find_layer_marks(self) -> None:
        """Mark a layer of a board, if a fact without contents names one, such as the next board."""
        for family in self._left:
            for number, board in enumerate(self._boards):
                layers = board.axes[: family.width]
                if (
                    family.most == 1
                    and 0 < family.width == len(board.axes) - 2
                    and all(
                        len(v) > 1 and v <= set(a) for v, a in zip(family.seen, layers, strict=True)
                    )
                ):
                    key = tuple(range(family.width))
                    self._placings.append(Placing(family.form, number, key, (), "mark"))
                    break

    def _fills_box(self, grid: Grid) -> bool:
        """Put the facts of a grid into the boxes between the lines of a board, if there is one."""
        for number, board in enumerate(self._boards):
            axes = zip(grid.axes, board.axes, strict=False)
            if (
                board.shape == "dot"
                and len(grid.axes) == len(board.axes)
                and grid.contents
                and all(set(mine.values) <= set(theirs) for mine, theirs in axes)
            ):
                form = grid.family.form
                border = Border(form, number, grid.key, None, None, grid.contents, "box")
                self._borders.append(border)
                return True
        return False

    def _existing(self, grid: Grid, grids: Sequence[Grid]) -> frozenset[Key]:
        """Return the cells of a grid that exist, for all facts that lie on its board."""
        named = {
            (row[other.x[0]], row[other.y[0]])
            for other in grids
            if other is not grid and fits(other, grid)
            for rows in other.family.states
            for row in rows
        }
        declared = self._declared.get(grid.family.form, frozenset())
        pairs = {
            pair
            for move in ([] if grid.family.states[0] else self._first_moves)
            for pair in pairwise(take_apart(move)[1])
            if set(pair) <= {*grid.x[1].values, *grid.y[1].values}
        }
        return existing_cells(
            grid,
            declared,
            named=frozenset(named),
            marked=frozenset(pairs),
            tables=self._relations.tables,
        )

    def _find_lines(self) -> None:
        """Find boards of dots: facts join neighbours, and no other facts lie on these."""
        chains = self._relations.chains
        for pairing in self._pairings.values():
            if pairing.second is None or pairing.is_corner:
                continue
            axes = [set(axis.values) for axis in pairing.axes(chains)]
            others = (grid for family in self._left if (grid := self._grid(family)))
            if any([set(axis.values) for axis in grid.axes] == axes for grid in others):
                continue
            self._boards.append(dotted(pairing, chains))
            self._borders.append(pairing.on(len(self._boards) - 1, "line"))
        for border in self._borders:
            del self._pairings[border.form]

    def _find_stacks(self) -> None:
        for family in self._left:
            others = [other for other in self._left if other is not family]
            number = len(self._boards)
            if found := find_line(family, number) or find_stack(family, others, number):
                board, stack = found
                self._boards.append(board)
                self._stacks.append(stack)

    def _find_sets(self) -> None:
        for group in sets(self._left, frozenset(self._roles)):
            number = len(self._boards)
            self._boards.append(board_of_sets(group, self._relations.tables))
            for family in group:
                key = tuple(range(family.width))
                self._placings.append(Placing(family.form, number, key, (), "piece"))

    def _find_borders(self) -> None:
        """Find the facts that lie between the cells of a board."""
        for form, pairing in self._pairings.items():
            number = next((n for n, b in enumerate(self._boards) if lies_on(pairing, b)), None)
            if number is None:
                continue
            style = style_of(form)
            if style != "wall":  # it has a cell on either side
                turned = transposed(self._boards[number])
                if matches(pairing, turned) >= matches(pairing, self._boards[number]):
                    self._boards[number] = turned
            self._borders.append(pairing.on(number, style))
        self._pairings.clear()
        self._find_grids(by_spelling=False)  # those that are no borders

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
            has_kind = bool(contents) or is_thing(family, self._boards[board].shape, self._lengths)
            kind = "note" if is_amount else "piece" if has_kind else "mark"
        height = height_of(family, key, chains)
        heights = () if height is None else axis_of(family.values(height), chains).values
        possible = sorted(family.values(contents[0])) if len(contents) == 1 else []
        if len(possible) > _MAX_KINDS:
            possible = []
        self._placings.append(
            Placing(
                family.form,
                board,
                key,
                contents,
                kind,
                is_amount,
                height,
                heights,
                tuple(possible),
            )
        )

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
                is_table = family.decides((owner,), (1 - owner,)) and self._comes(family)
                self._hands.append(Hand(family.form, owner, 1 - owner, is_table))
            elif family.width == 1 and family.seen[0] <= self._cards:
                self._hands.append(Hand(family.form, None, 0, self._comes(family)))

    def _comes(self, family: Family) -> bool:
        """Return whether any observed fact was missing when its line had been dealt."""
        start = 0
        for states, dealt in zip(self._lengths, self._dealt, strict=True):
            played = family.states[start + dealt : start + states]
            if any(not set(played[0]).issuperset(rows) for rows in played):
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
        return groups_of(cards, self._relations.tables)

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
                if key == (0,) and family.values(0) <= self._pieces:
                    continue
                if self._are_coordinates(cells) or family.reach(key) * _RARELY < len(cells):
                    continue
                tables = self._relations.tables
                board = pits_board(family.name, cells, tables) if len(key) == 1 else None
                board = board or graph_board(family.name, cells, tables)
                if board is not None:
                    self._boards.append(board)
                    self._put(family, len(self._boards) - 1, key, contents)
                    break

    @property
    def _pieces(self) -> frozenset[str]:
        """What lies on boards; facts about that stand in the table."""
        by_form = {family.form: family for family in self._families}
        columns = ((p.form, column) for p in self._placings for column in p.contents)
        return frozenset(value for form, i in columns for value in by_form[form].seen[i])

    def _are_coordinates(self, cells: Sequence[Key]) -> bool:
        """Return whether words are coordinates of a board that is already known."""
        known = {value for board in self._boards for axis in board.axes for value in axis}
        return all(value in known for cell in cells for value in cell)

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
        values = family.values(column)
        return (
            family.most > 1
            or not axis_of(values, self._relations.chains).is_ordered
            or bool(cycle_of(sorted(values), self._relations.tables))
        )

    def _board_of(self, cells: Sequence[Key]) -> int | None:
        return next((n for n, board in enumerate(self._boards) if has_cells(board, cells)), None)

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
                if names <= self._pieces or family.distinct((column,)) * _RARELY < len(names):
                    continue
                if family.decides((column,), others):
                    axis = axis_of(names, self._relations.chains)
                    board = row_board(family.name, axis.values)
                    self._boards.append(board)
                    self._put(family, len(self._boards) - 1, (column,), others)
                    break
