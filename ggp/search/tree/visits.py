"""A tree search visit by visit: which line it takes, what it finds, and what is proven by then."""

from __future__ import annotations

from collections.abc import Sequence

from ggp.errors import GgpError
from ggp.graph import GameGraph
from ggp.search.mcts.node import Node
from ggp.search.transposition_table import Found
from ggp.search.tree.reasons import written
from ggp.search.tree.recorder import Branch, Recorder, Visit
from ggp.search.tree.steps import Kind, Step

__all__ = ["Visits"]


class Visits:
    """An observer that writes down each visit, and keeps the tree for a drawing.

    A state that several lines lead to is one node of the search, and a node of the drawing for each
    of the lines.
    """

    def __init__(self, graph: GameGraph, recorder: Recorder) -> None:
        """Prepare for a search of a graph; the recorder keeps the tree."""
        self.recorder = recorder
        self.steps: list[Step] = []
        self._graph, self._roles = graph, tuple(map(str, graph.roles))
        #: The branches of which it was said that they get no visits, by node and place.
        self._aside: set[tuple[int, int]] = set()
        self._visits = 0

    def visited(
        self,
        path: Sequence[tuple[Node, int]],
        leaf: Node,
        values: Sequence[float] | None,
        playouts: int,
    ) -> None:
        """Write down a visit, from the leaf back to the root."""
        self._visits += 1
        line = [self._root_visit(path[0][0] if path else leaf)]
        for node, number in path:
            self._grow(line[-1], node)
            child = line[-1].branches[number].child
            assert child is not None
            line.append(child)
        moves = tuple(each.branches[n].moves[0] for each, (_, n) in zip(line, path, strict=False))
        self._grow(line[-1], leaf)
        what = "proven" if values is None else f"{playouts} playouts" if playouts else "estimated"
        value = written(tuple(leaf.lower if values is None else values))
        self._add("visit", line[-1], leaf, moves, f"visit {self._visits}, {what}: {value}")
        for place in reversed(range(len(path))):
            node, drawn, before = path[place][0], line[place], moves[:place]
            self._add("hold", drawn, node, before, self._told(node))
            self._say_aside(drawn, node, before)

    def finished(self, root: Node, number: int | None) -> None:
        """Write down what has been found. Raises `GgpError` if that is nothing."""
        if number is None:
            raise GgpError("there is nothing to step through: the game is over")
        drawn = self._root_visit(root)
        self._grow(drawn, root)
        move = drawn.branches[number].moves[0]
        self._add("value", drawn, root, (), f"{move} is the move; {self._told(root)}")

    def _root_visit(self, root: Node) -> Visit:
        if self.recorder.root is None:
            self.recorder.root = self._new(root)
        return self.recorder.root

    # What is written down

    def _told(self, node: Node) -> str:
        times = f"{node.visits} visit{'s' * (node.visits != 1)}"
        return f"{times}, on average {written(tuple(node.means))}; {self._bounds(node)}"

    def _bounds(self, node: Node) -> str:
        """Return what is proven of a node."""
        if node.is_proven:
            return f"proven {written(tuple(node.lower))}"
        if (mover := node.mover) is None or not node.children:
            return "nothing proven" if node.visits else "not visited"
        low, high = written(node.lower[mover]), written(node.upper[mover])
        return f"{self._roles[mover]} {low} to {high}"

    def _say_aside(self, drawn: Visit, node: Node, line: tuple[str, ...]) -> None:
        """Say which moves get no visits any more."""
        if (mover := node.mover) is None:
            return
        role, held = self._roles[mover], node.lower[mover]
        for place, child in enumerate(node.children):
            if node.is_aside(child) and (drawn.number, place) not in self._aside:
                self._aside.add((drawn.number, place))
                move, most = drawn.branches[place].moves[0], written(child.upper[mover])
                text = f"no visits to {move}: {role} gets {most} there at most"
                self._add("cut", drawn, node, line, f"{text}, and {written(held)} elsewhere")

    def _add(self, kind: Kind, drawn: Visit, node: Node, line: tuple[str, ...], text: str) -> None:
        value = tuple(node.lower if node.is_proven else node.means)
        drawn.found = Found(value, proven=node.is_proven)
        movers = " ".join(map(str, drawn.movers))
        known = "proven" if node.is_proven else self._bounds(node)  # the value stands above
        drawn.note = f"{movers} {node.visits}x, {known}".strip()
        where = " ".join(line) or "root"
        label = written(value)
        self.steps.append(
            Step(kind, drawn.number, line, f"{where}: {text}", label=label, note=drawn.note)
        )

    def _grow(self, drawn: Visit, node: Node) -> None:
        """Draw the children of a node that has been expanded."""
        if drawn.branches or not node.children:
            return
        choosers = [role for role, size in enumerate(node.sizes) if size > 1]
        drawn.movers = tuple(self._graph.roles[role] for role in choosers)
        for joint_move, child in zip(node.joint_moves, node.children, strict=True):
            move = " ".join(str(joint_move[role]) for role in choosers) or "-"
            drawn.branches.append(Branch((move,), self._new(child)))

    def _new(self, node: Node) -> Visit:
        made = self.recorder.new(self._graph.node(node.state), note="not visited")
        if node.is_proven:
            made.found, made.note = Found(tuple(node.lower), proven=True), "proven"
        return made
