"""Trees written as in the literature, and the games that they are.

`P1[(5,4,1) P2[(0,6,4) (?,?,?)]]` is a choice of the first player between a leaf and a choice of the
second. A leaf has the goals of all players. `x=` before a choice names it, and `x` later on is the
same state again. Text after `;` is a comment.

`maxsum=10` before the tree tells a search that the goals of each leaf are not negative and add up
to 10 (to at most 10, if a leaf that is written down adds up to less), as in the figures of
Sturtevant (IJCAI 2005), and nothing else about the leaves. Without `maxsum` a search knows the
leaves of the tree. (?,?,?) is a leaf whose value no search should need; it counts 0 for each
player.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import comb
from typing import NoReturn

from ggp.errors import KifError
from ggp.gdl import HIGHEST_GOAL, Description
from ggp.gdl.trees import COMMENT, is_tree
from ggp.kif import Source, Symbol
from ggp.search.leaf_values import LeafValue, LeafValueTable

__all__ = ["MAX_NODES", "GameTree", "is_tree", "read_game", "read_tree"]

#: The nodes that a tree may have.
MAX_NODES = 2_000
#: With more players there are too many ways to share a sum.
_MAX_ROWS = 20_000

_TOKEN = re.compile(
    r"(?P<maxsum>maxsum\s*=\s*(?P<sum>\d+))"
    r"|(?:(?P<name>[A-Za-z_]\w*)\s*=\s*)?P(?P<mover>\d+)\s*\["
    r"|\((?P<leaf>[^()\[\]]*)\)"
    r"|(?P<end>\])"
    r"|(?P<again>[A-Za-z_]\w*)"
)

_RULES = """
(<= (legal ?p ?m) (true (at ?n)) (mover ?n ?p) (child ?n ?m ?c))
(<= (legal ?p noop) (true (at ?n)) (mover ?n ?q) (role ?p) (distinct ?p ?q))
(<= (next (at ?c)) (true (at ?n)) (mover ?n ?p) (does ?p ?m) (child ?n ?m ?c))
(<= terminal (true (at ?n)) (leaf ?n))
(<= (goal ?p ?goal) (true (at ?n)) (worth ?n ?p ?goal))
"""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A node at which a player chooses."""

    mover: int
    children: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameTree:
    """A game that is written down as its tree. Node 0 is the root."""

    #: Choices, and the goals of leaves; None for a leaf of which nothing is said.
    nodes: tuple[_Choice | tuple[int, ...] | None, ...]
    players: int
    #: What a search knows of the sums of goals, if that is said.
    maxsum: int | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The players."""
        return tuple(f"P{number}" for number in range(1, self.players + 1))

    def rules(self) -> str:
        """Return the rules of the game in GDL; the moves are m1, m2 and so on."""
        lines = [f"(role {role})" for role in self.roles]
        lines.append("(init (at n0))")
        for number, node in enumerate(self.nodes):
            if isinstance(node, _Choice):
                lines.append(f"(mover n{number} {self.roles[node.mover]})")
                digits = len(str(len(node.children)))  # moves are sorted by their names
                lines += [
                    f"(child n{number} m{place:0{digits}} n{child})"
                    for place, child in enumerate(node.children, 1)
                ]
                continue
            lines.append(f"(leaf n{number})")
            goals = zip(self.roles, node or (), strict=False)
            lines += [f"(worth n{number} {role} {goal})" for role, goal in goals]
        return "\n".join(lines) + _RULES

    def description(self, name: str = "tree") -> Description:
        """Return the game.

        Args:
            name: under which errors mention it.
        """
        return Description.from_text(Source(self.rules(), name))

    def leaf_values(self) -> LeafValueTable:
        """Return the leaf-value table: of the leaves, or of all shares of the sum."""
        rows = set(self._shares()) if self.maxsum is not None else set(self._leaves())
        if self.maxsum is None and None in self.nodes:
            rows.add((0,) * self.players)
        highest = range((self.maxsum or 0) + 1)
        by_role = (
            [tuple(highest)] * self.players
            if self.maxsum is not None
            else [tuple(sorted(set(goals))) for goals in zip(*rows, strict=True)]
        )
        table = LeafValueTable(
            tuple(map(Symbol, self.roles)), tuple(by_role), takes_turns=True, is_complete=True
        )
        found = (LeafValue(table.outcome(row), row, table.ranks(row)) for row in sorted(rows))
        return replace(table, found=tuple(found))

    def _leaves(self) -> Iterator[tuple[int, ...]]:
        return (node for node in self.nodes if isinstance(node, tuple))

    def _shares(self) -> Iterator[tuple[int, ...]]:
        """Yield all goals that add up to the sum, or to less if a leaf does."""
        assert self.maxsum is not None
        total = self.maxsum
        is_constant = all(sum(leaf) == total for leaf in self._leaves())
        for goals in product(range(total + 1), repeat=self.players - 1):
            left = total - sum(goals)
            if left >= 0:
                for last in (left,) if is_constant else range(left + 1):
                    yield (*goals, last)


def read_game(source: Source) -> tuple[Description, LeafValueTable | None]:
    """Read rules, or a tree; of a tree, return what it says of its leaves, too.

    Raises:
        SourceError: the text is neither.
    """
    if not is_tree(source.text):
        return Description.from_text(source), None
    tree = read_tree(source)
    return tree.description(source.name), tree.leaf_values()


def read_tree(source: Source) -> GameTree:
    """Read a tree.

    Raises:
        KifError: it is none, a goal is no number from 0 to 100, or it has too many nodes.
    """
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = COMMENT.sub(lambda found: " " * len(found[0]), source.text)
        self._nodes: list[_Choice | tuple[int, ...] | None] = []
        self._names: dict[str, int] = {}
        #: The choices that are open: number, mover, name, children, place in the text.
        self._open: list[tuple[int, int, str | None, list[int], int]] = []
        self._maxsum: int | None = None
        self._players = 0
        self._is_done = False

    def read(self) -> GameTree:
        place = 0
        while place < len(self._text):
            if self._text[place].isspace():
                place += 1
                continue
            token = _TOKEN.match(self._text, place)
            if token is None:
                self._fail(place, f"a tree has no {self._text[place]!r}", _HINT)
            self._take(token)
            place = token.end()
        if self._open:
            self._fail(self._open[-1][4], "this [ is not closed", "add a ]")
        if not self._is_done:
            self._fail(0, "there is no tree", _HINT)
        self._check_players()
        return GameTree(tuple(self._nodes), self._players, self._maxsum)

    def _take(self, token: re.Match[str]) -> None:
        place = token.start()
        if token["maxsum"]:
            if self._nodes:
                self._fail(place, "maxsum stands before the tree", "move it to the beginning")
            self._maxsum = int(token["sum"])
            if not 0 < self._maxsum <= HIGHEST_GOAL:
                self._fail(place, f"maxsum is from 1 to {HIGHEST_GOAL}", "")
            return
        if self._is_done:
            self._fail(place, "the tree ends before this", "a tree has one root")
        if token["mover"]:
            number = self._add(place, None)
            mover = int(token["mover"])
            if not 1 <= mover <= 9:
                self._fail(place, f"there is no player P{mover}", "players are P1 to P9")
            self._open.append((number, mover - 1, token["name"], [], place))
        elif token["leaf"] is not None:
            self._end_leaf(place, token["leaf"])
        elif token["end"]:
            self._end_choice(place)
        elif token["again"] in self._names and self._open:
            self._open[-1][3].append(self._names[token["again"]])
        else:
            self._fail(
                place,
                f"no choice is named {token['again']!r} before this",
                f"{token['again']}=P1[...] names one",
            )

    def _add(self, place: int, node: tuple[int, ...] | None) -> int:
        if len(self._nodes) >= MAX_NODES:
            self._fail(place, f"a tree may have {MAX_NODES:,} nodes", "")
        self._nodes.append(node)
        number = len(self._nodes) - 1
        if self._open:
            self._open[-1][3].append(number)
        return number

    def _end_leaf(self, place: int, text: str) -> None:
        if not self._open:
            self._fail(place, "a leaf stands in a choice", "write P1[(1,2) (3,4)]")
        parts = [part.strip() for part in text.split(",")]
        players = self._players or len(parts)
        if len(parts) != players or players > 9:
            self._fail(
                place,
                f"{len(parts)} goals; the leaves before have {players}",
                "one for each player",
            )
        self._players = players
        if set(parts) == {"?"}:
            self._add(place, None)
            return
        if not all(part.isascii() and part.isdigit() for part in parts):
            self._fail(place, f"({text}) is no leaf", "goals are whole numbers, or all are ?")
        goals = tuple(map(int, parts))
        if max(goals) > HIGHEST_GOAL:
            self._fail(place, f"a goal is from 0 to {HIGHEST_GOAL}", "")
        if self._maxsum is not None and sum(goals) > self._maxsum:
            self._fail(place, f"{sum(goals)} in all, more than maxsum {self._maxsum}", "")
        self._add(place, goals)

    def _end_choice(self, place: int) -> None:
        if not self._open:
            self._fail(place, "there is no [ for this ]", "")
        number, mover, name, children, opened = self._open.pop()
        if not children:
            self._fail(opened, "a choice has at least one move", "write P1[(1,2) (3,4)]")
        self._nodes[number] = _Choice(mover, tuple(children))
        if name is not None:
            self._names[name] = number
        self._is_done = not self._open

    def _check_players(self) -> None:
        for node in self._nodes:
            if isinstance(node, _Choice) and node.mover >= self._players:
                self._fail(
                    0,
                    f"P{node.mover + 1} chooses, but a leaf has {self._players} goals",
                    "a leaf has one goal for each player",
                )
        if self._maxsum is None:
            return
        others, leaves = self._players - 1, [n for n in self._nodes if isinstance(n, tuple)]
        is_shared = all(sum(leaf) == self._maxsum for leaf in leaves)
        shares = comb(self._maxsum + others + (not is_shared), others + (not is_shared))
        if shares > _MAX_ROWS:
            self._fail(0, f"too many ways to share {self._maxsum} among {self._players}", "")

    def _fail(self, place: int, message: str, hint: str) -> NoReturn:
        span = self._source.span(self._source.position(place))
        raise KifError(message, span=span, hint=hint)


_HINT = "a tree is written as P1[(5,4,1) P2[(0,6,4) (6,4,0)]]"
