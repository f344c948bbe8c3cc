"""What a searched node is known to be worth, and why a branch is cut, in words and numbers.

The numbers are those of the literature's figures: a node at which P2 holds 6 of a sum of 10 is
(<=4, >=6, <=4), and the bounds by which a branch is cut are (5, 6, -) (Sturtevant, IJCAI 2005,
Figures 4 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf

from ggp.kif import Symbol
from ggp.search.classifiers import ANY, LinearTest, LowerBounds, Number
from ggp.search.leaf_values import Classifier, LeafValueTable
from ggp.search.transposition_table import Bound
from ggp.search.tree.observer import Cut
from ggp.search.tree.recorder import Held

__all__ = ["SIGNS", "Reasons", "written"]

_LEAST, _MOST = "there is no less", "there is no more"
_AT_LEAST, _AT_MOST, _NONE = "\u2265", "\u2264", "\u2013"
#: What stands before a value, by what it says of that of a node.
SIGNS = {Bound.EXACT: "", Bound.LOWER: f"{_AT_LEAST} ", Bound.UPPER: f"{_AT_MOST} "}


def written(value: object) -> str:
    """Return a value: (5, 4, 1) for a vector, 5 for a number.

    >>> written((5, 0.25)), written(7.0)
    ('(5, 0.25)', '7')
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))})"
    return _number(value)


class Reasons:
    """Describes bounds and cuts of one search."""

    def __init__(
        self,
        roles: Sequence[Symbol],
        leaf_values: LeafValueTable,
        classifier: Classifier,
        role: int,
    ) -> None:
        """Take what the search knows.

        Args:
            roles: all of them.
            leaf_values: the table of the search.
            classifier: the classifier that decides in it.
            role: the number of the one that is searched for.
        """
        self._roles, self._role = tuple(map(str, roles)), role
        self._table, self._classifier = leaf_values, classifier
        self._linear = LinearTest(leaf_values, sum_only=True)

    def bounds(self, held: Held, *, of_all: bool) -> str:
        """Return the bounds of the value of a node by what is held there.

        Args:
            held: who holds what.
            of_all: whether the value is a vector, one goal for each role.
        """
        if not of_all:
            return f"{_AT_MOST if held.at_most else _AT_LEAST} {_number(held.value)}"
        limits = [inf] * len(self._roles)
        if self._classifier != "hull" and self._table.is_enumerated:
            rows = self._rows_of(held)
            limits = [self._table.highest_in(rows, role) for role in range(len(self._roles))]
        parts = [
            f"{_AT_LEAST}{_number(held.value)}"
            if role == held.role
            else ("" if isinf(limit) else f"{_AT_MOST}{_number(limit)}")
            for role, limit in enumerate(limits)
        ]
        return f"({', '.join(parts)})"

    def why(self, cut: Cut) -> str:
        """Return why joint moves are skipped, in a sentence without its end."""
        if cut.window is not None:
            return self._limited(cut, *cut.window)
        if cut.rule == "immediate":
            role, value = next((i, x) for i, x in enumerate(cut.held) if x > -inf)
            what = "here" if self._is_filtered(cut) else "in any leaf"
            return f"{self._roles[role]} holds {_number(value)}, and can get no more {what}"
        return f"bounds {self._vector(cut.held)}: {self._nothing_above(cut)}"

    # Max-n

    def _nothing_above(self, cut: Cut) -> str:
        more = " and ".join(
            f"{role} more than {_number(floor)}"
            for role, floor in zip(self._roles, cut.held, strict=True)
            if floor > -inf
        )
        if self._classifier == "hull":
            return f"no mean of possible leaves gives {more}"
        if sums := self._sums(cut.held):
            return f"{sums}, so no leaf gives {more}"
        here = "below here " if self._is_filtered(cut) else ""
        return f"no row of the leaf-value table {here}gives {more}"

    def _is_filtered(self, cut: Cut) -> bool:
        """Return whether fewer rows than all are possible below the node of a cut."""
        return cut.possible not in (ANY, self._table.everything)

    def _sums(self, held: LowerBounds) -> str:
        """Return that the bounds add up to maxsum, if they do."""
        if self._linear.within(ANY, held):
            return ""
        ranks = [max(rank, 0) for rank in self._linear.ranks(held) if rank > -2]
        goals = [floor for floor in held if floor > -inf]
        kind = "" if list(goals) == ranks else "the ranks "
        return f"{kind}{' + '.join(map(str, ranks))} \u2265 maxsum {self._table.maxsum}"

    def _rows_of(self, held: Held) -> int:
        """Return the rows that give the role what it holds, or more."""
        goals = self._table.goals[held.role]
        return self._table.above(held.role, sum(goal < held.value for goal in goals) - 1)

    @staticmethod
    def _vector(held: LowerBounds) -> str:
        return f"({', '.join(_NONE if floor == -inf else _number(floor) for floor in held)})"

    # One role

    def _limited(self, cut: Cut, low: Number, high: Number) -> str:
        role, value, reached = self._roles[self._role], _number(cut.value), cut.value
        assert reached is not None
        if cut.rule in ("alpha", "lose"):
            limit = f"{role} has {_number(low)} elsewhere"
            if cut.rule == "lose":
                limit = f"{_number(low)} is bad enough"
            return f"this reply leaves {role} {value}, and {limit if reached <= low else _LEAST}"
        if cut.rule in ("beta", "win"):
            limit = f"the others limit it to {_number(high)} elsewhere"
            if cut.rule == "win":
                limit = f"{_number(high)} is good enough"
            is_most = reached >= self._table.highest(self._role)
            return f"this move gets {role} {value}, and {_MOST if is_most else limit}"
        return f"{role} can get no more than {value} below here"


def _number(value: object) -> str:
    return "?" if value is None else f"{float(value):.4g}"  # type: ignore[arg-type]
