"""Keeps the tree that a search visits, to be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from ggp.errors import GgpError
from ggp.gdl import RANDOM
from ggp.graph import NodeExpansion
from ggp.kif import Symbol
from ggp.search.classifiers import Number
from ggp.search.transposition_table import Bound, Found
from ggp.search.tree.observer import Cut, Source
from ggp.search.turns import Legal, joint_move, terms

__all__ = ["LARGEST_TREE", "Branch", "Held", "Recorder", "Visit"]

#: A drawing of more nodes than this shows nothing any more.
LARGEST_TREE = 300


class Held(NamedTuple):
    """What those who choose in a node are sure of by the moves seen so far."""

    role: int
    #: At least this for the role; or, `at_most`, no more than this, because the others choose.
    value: Number
    at_most: bool


@dataclass
class Visit:
    """A node that the search came to."""

    node: int
    #: Who has a choice there.
    movers: tuple[Symbol, ...] = ()
    branches: list[Branch] = field(default_factory=list)
    #: What was found, and where it comes from; None where the search was ended before.
    found: Found[Any] | None = None
    source: Source = "searched"
    bound: Bound = Bound.EXACT
    #: What is held there by the last move that was the best so far.
    held: Held | None = None
    #: Why it was cut before any child.
    cut: Cut | None = None
    #: Its place in the order of visits, from 0.
    number: int = 0
    #: What stands below it in a drawing, if that is not to be made of the rest.
    note: str = ""

    @property
    def rule(self) -> str | None:
        """The rule that cut it before any child."""
        return None if self.cut is None else self.cut.rule


@dataclass
class Branch:
    """Joint moves of a node: one that was visited, or those that one rule skipped together."""

    #: The moves of those who have a choice, one text for each joint move.
    moves: tuple[str, ...]
    #: Where it leads to; None if it was skipped.
    child: Visit | None = None
    #: Why it was skipped.
    cut: Cut | None = None
    #: Whether it was pruned before, and is searched again.
    again: bool = False

    @property
    def rule(self) -> str | None:
        """The rule that skipped it."""
        return None if self.cut is None else self.cut.rule


@dataclass
class _Frame:
    """A node whose children are being visited."""

    visit: Visit
    again: bool
    expansion: NodeExpansion | None = None
    #: Numbers of joint moves, in the order of the search, that are still to come.
    order: list[int] = field(default_factory=list)


class Recorder:
    """An observer that keeps what it is told of one search.

    A search visits the joint moves of a state in a fixed order: the moves of the searching role
    first, then the other roles' in their order, chance last.
    """

    def __init__(
        self, roles: Sequence[Symbol], role: int = 0, *, largest: int = LARGEST_TREE
    ) -> None:
        """Prepare to keep a tree.

        Args:
            roles: all of them.
            role: the number of the one to search for.
            largest: how many nodes there may be.
        """
        self.roles = tuple(roles)
        #: The node that the search began with; None before.
        self.root: Visit | None = None
        chance = {i for i, name in enumerate(self.roles) if str(name) == RANDOM}
        others = [i for i in range(len(self.roles)) if i != role and i not in chance]
        self._order = (role, *others, *chance)
        self._largest = largest
        self._visits = 0
        self._frames: list[_Frame] = []

    @property
    def is_full(self) -> bool:
        """Whether there were more nodes than there may be."""
        return self._visits > self._largest

    def new(self, node: int, *, note: str = "") -> Visit:
        """Return one more node of the drawing.

        Raises:
            GgpError: there are too many for a drawing.
        """
        self._visits += 1
        if self._visits > self._largest:
            raise GgpError(
                f"the search visits more than {self._largest} nodes, too many for a drawing: "
                "limit its depth or visits, or begin nearer to the end"
            )
        return Visit(node, number=self._visits - 1, note=note)

    def visit(self, node: int, *, again: bool) -> None:
        """Add a node.

        Raises:
            GgpError: there are too many for a drawing.
        """
        visit = self.new(node)
        if self._frames:
            self._connect(self._frames[-1], node, visit, again=again)
        else:
            self.root = visit
        self._frames.append(_Frame(visit, again))

    def expand(self, expansion: NodeExpansion) -> None:
        """Note what can be done in the node visited last."""
        frame = self._frames[-1]
        frame.expansion, frame.order = expansion, list(self._numbers(expansion.legal))
        choices = zip(self.roles, expansion.legal, strict=True)
        frame.visit.movers = tuple(role for role, moves in choices if len(moves) > 1)

    def hold(self, role: int, value: Number, *, at_most: bool) -> None:
        """Note what is held in the node whose children are being visited."""
        self._frames[-1].visit.held = Held(role, value, at_most)

    def prune(self, cut: Cut, skipped: int) -> None:
        """Add a branch for what is skipped."""
        frame = self._frames[-1]
        if frame.expansion is None:
            frame.visit.cut = cut
            return
        numbers, frame.order = frame.order[:skipped], frame.order[skipped:]
        moves = tuple(_moves(frame.expansion.legal, number) for number in numbers)
        frame.visit.branches.append(Branch(moves, cut=cut))

    def found(self, found: Found[Any], source: Source, bound: Bound) -> None:
        """Note the value of the node that was visited last and has none yet."""
        visit = self._frames.pop().visit
        visit.found, visit.source, visit.bound = found, source, bound

    def _connect(self, frame: _Frame, node: int, child: Visit, *, again: bool) -> None:
        assert frame.expansion is not None
        legal, children = frame.expansion.legal, frame.expansion.children
        is_next = bool(frame.order) and children[frame.order[0]] == node
        is_again = again and not (frame.again and is_next)
        number = children.index(node) if is_again else frame.order.pop(0)
        frame.visit.branches.append(Branch((_moves(legal, number),), child, again=is_again))

    def _numbers(self, legal: Legal) -> Iterator[int]:
        parts = terms(legal)
        return map(sum, product(*(parts[role] for role in self._order)))


def _moves(legal: Legal, number: int) -> str:
    chosen = zip(joint_move(legal, number), legal, strict=True)
    return " ".join(str(move) for move, moves in chosen if len(moves) > 1)
