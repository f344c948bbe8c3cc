"""A search step by step: what it does, in words, and what it knows of each node by then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ggp.graph import NodeExpansion
from ggp.search.classifiers import Number, PrunedValue
from ggp.search.transposition_table import Bound, Found
from ggp.search.tree.observer import Cut, Source
from ggp.search.tree.reasons import SIGNS, Reasons, written
from ggp.search.tree.recorder import Recorder, Visit

__all__ = ["Kind", "Step", "Steps"]

#: The search comes to a node; finds a better move there; skips moves; or is done with the node.
Kind: TypeAlias = Literal["visit", "hold", "cut", "value"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search."""

    kind: Kind
    #: The number of the node, in the order of visits.
    node: int
    #: The moves that lead from the root to the node.
    line: tuple[str, ...]
    #: What the search does, in words.
    text: str
    #: What stands in the node, and below it, from now on; empty for what does not change.
    label: str = ""
    note: str = ""
    #: For a cut the place of the branch among those of its node; None if it was before any child.
    branch: int | None = None
    rule: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the step as JSON values."""
        return {
            "kind": self.kind,
            "node": self.node,
            "line": list(self.line),
            "text": self.text,
            "label": self.label,
            "note": self.note,
            "branch": self.branch,
            "rule": self.rule,
        }


class Steps:
    """An observer that writes down each step of one search, and keeps the tree for a drawing."""

    def __init__(self, recorder: Recorder, reasons: Reasons, *, of_all: bool) -> None:
        """Prepare for a search.

        Args:
            recorder: keeps the tree.
            reasons: describes bounds and cuts.
            of_all: whether values are vectors, one goal for each role, as in max-n.
        """
        self.recorder = recorder
        self.steps: list[Step] = []
        self._reasons, self._of_all = reasons, of_all
        self._path: list[tuple[Visit, tuple[str, ...]]] = []
        self._roles = tuple(map(str, recorder.roles))

    def visit(self, node: int, *, again: bool) -> None:
        """Go to a node."""
        self.recorder.visit(node, again=again)
        visit, is_again = self.recorder.root, False
        line: tuple[str, ...] = ()
        assert visit is not None
        if self._path:
            parent, before = self._path[-1]
            branch = parent.branches[-1]
            assert branch.child is not None
            visit, is_again = branch.child, branch.again
            line = (*before, " ".join(branch.moves) or "-")
        self._path.append((visit, line))
        if is_again:
            self._add("visit", "was skipped, and may be preferred after all: it is searched again")

    def expand(self, expansion: NodeExpansion) -> None:
        """Begin with the moves of a node."""
        self.recorder.expand(expansion)
        counts = {
            str(role): len(moves)
            for role, moves in zip(self.recorder.roles, expansion.legal, strict=True)
            if len(moves) > 1
        }
        movers = " and ".join(counts)
        if len(counts) > 1:
            choices = ", ".join(f"{role} among {count}" for role, count in counts.items())
            text = f"several roles choose: {choices} moves"
        elif counts:
            text = f"{movers} chooses among {counts[movers]} moves"
        else:
            text = "only one move"
        self._add("visit", text, note=movers)

    def hold(self, role: int, value: Number, *, at_most: bool) -> None:
        """A move is the best so far."""
        self.recorder.hold(role, value, at_most=at_most)
        visit, _ = self._path[-1]
        assert visit.held is not None
        bounds = self._reasons.bounds(visit.held, of_all=self._of_all)
        move = " ".join(visit.branches[-1].moves)
        movers = " ".join(map(str, visit.movers))
        verb = "is left" if at_most else "has"
        text = f"{self._roles[role]} {verb} {written(value)} by {move}: {bounds}"
        self._add("hold", text, label=bounds, note=f"{movers} {bounds}".strip())

    def prune(self, cut: Cut, skipped: int) -> None:
        """Skip moves."""
        self.recorder.prune(cut, skipped)
        visit, _ = self._path[-1]
        why = f"{cut.rule}: {self._reasons.why(cut)}"
        if visit.cut is not None:
            self._add("cut", f"not searched, {why}", note=cut.rule, rule=cut.rule)
            return
        moves = ", ".join(visit.branches[-1].moves)
        place = len(visit.branches) - 1
        self._add("cut", f"skips {moves}, {why}", branch=place, rule=cut.rule)

    def found(self, found: Found[Any], source: Source, bound: Bound) -> None:
        """Be done with a node."""
        self.recorder.found(found, source, bound)
        value = found.value
        if isinstance(value, PrunedValue):
            visit, _ = self._path[-1]
            label = "" if visit.held else "pruned"  # its bounds stand there
            self._add(
                "value", "is abandoned: none of its possible values matters above", label=label
            )
        else:
            sign, text = SIGNS[bound], written(value)
            kinds = {"leaf": "a leaf: ", "estimate": "an estimate: ", "table": "from the table: "}
            self._add("value", f"{kinds.get(source, '')}{sign}{text}", label=sign + text)
        self._path.pop()

    def _add(self, kind: Kind, text: str, **more: Any) -> None:
        visit, line = self._path[-1]
        where = " ".join(line) or "root"
        self.steps.append(Step(kind, visit.number, line, f"{where}: {text}", **more))
