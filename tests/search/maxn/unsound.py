"""Rules that look right and are wrong: each leaves out something that the kernel takes care of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import ClassVar

from ggp.search import MaxN, Shallow, Speculative
from ggp.search.classifiers import LowerBounds, Number, Path, PrunedValue, Rows
from ggp.search.leaf_values import Classifier
from ggp.search.maxn import JointChoice, Value
from ggp.search.transposition_table import Entry, Found


class Deep(MaxN):
    """Sound: the bounds of the whole path."""

    algorithm = "deep"
    filtered: ClassVar[frozenset[Classifier]] = frozenset({"lvt"})

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:
        return (own,) if inside else (*path, own)


class Lazy(Speculative):
    """Sound: still hands down the bounds above when the best value lies in their box."""

    def handed(self, path: Path, own: tuple[int, Number], *, inside: bool, last: bool) -> Path:
        return super().handed(path, own, inside=False, last=last)


class ForgetsTheBest(Shallow):
    """Cuts though the best value so far lies in the box: Figure 9's test alone."""

    def is_cut(self, joint: JointChoice, path: Path, *, inside: bool) -> bool:
        return super().is_cut(joint, path, inside=False)


class ReturnsTheBest(ForgetsTheBest):
    """And says that the value of what it cut is the best so far."""

    def pruned(
        self, best: Found[Value] | None, others: Rows, bounds: LowerBounds, *, proven: bool
    ) -> Found[Value]:
        return best or super().pruned(best, others, bounds, proven=proven)


class ForgetsThePruned:
    """Takes no pruned child for one that might be preferred."""

    def rivals(
        self, pruned: Mapping[int, PrunedValue], chooser: int, held: Number, best_option: int
    ) -> dict[int, PrunedValue]:
        return {}


class SpeculativeOnly(ForgetsThePruned, Speculative):
    pass


class LazyOnly(ForgetsThePruned, Lazy):
    pass


class DeepOnly(ForgetsThePruned, Deep):
    pass


class ForgetsTies(Speculative):
    """Searches a pruned child to the left of the best again only for more, not for as much."""

    def rivals(
        self, pruned: Mapping[int, PrunedValue], chooser: int, held: Number, best_option: int
    ) -> dict[int, PrunedValue]:
        return super().rivals(pruned, chooser, held, -1)


class LazyForgetsTies(ForgetsTies, Lazy):
    pass


class CountsTwice(Deep):
    """Adds up the bounds of all choices on the path, though some are of the same player."""

    def is_cut(self, joint: JointChoice, path: Path, *, inside: bool) -> bool:
        goals = self.leaf_values.goals
        bounds = [bisect_right(goals[role], held) - 1 for role, held in path if held >= 0]
        return bool(not inside and bounds and sum(bounds) >= self.leaf_values.maxsum)


class HoldsZero(Deep):
    """Holds 0 before anything is resolved, as if that had been offered."""

    nothing = 0


class StoresTheBest(Shallow):
    """Keeps the best value of a pruned state in the table as if it were the state's."""

    _cut: Found[Value] | None = None

    def pruned(
        self, best: Found[Value] | None, others: Rows, bounds: LowerBounds, *, proven: bool
    ) -> Found[Value]:
        self._cut = best
        return super().pruned(best, others, bounds, proven=proven)

    def store(self, node: int, entry: Entry[Value]) -> Found[Value]:
        if self._cut is not None and isinstance(entry.found.value, PrunedValue):
            super().store(node, entry._replace(found=self._cut))
        else:
            super().store(node, entry)
        self._cut = None
        return entry.found
