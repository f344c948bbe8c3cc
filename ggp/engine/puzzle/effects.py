"""What each move of a puzzle does: which facts it changes, and on which other facts that rests.

The circuit tells the next state for all moves together. Here each move is put into it alone, so
that the gates which say that nothing else is done fold away: what is left are the few facts that
the move may change, each with a literal that tells its next value. In planning these are known as
conditional effects.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.symbolic import Lanes, copies, nodes_below
from ggp.native.numba_support import Words

__all__ = ["Effects", "SharedEffects", "find_effects"]

# The number of steps that the clock is followed, and of literals that are made at once.
_LONGEST, _AT_ONCE = 1000, 1 << 21


@dataclass(frozen=True)
class Effects:
    """A puzzle from a state on, in literals of one graph. Its inputs are the facts' `nodes`.

    Facts whose value is the same for ever, whatever is done, are constants.
    """

    graph: Aig
    #: The node of each fact, which is the same as in the circuit.
    nodes: range
    #: The facts that moves may change, and those of the clock that change by themselves.
    facts: tuple[int, ...]
    clock: frozenset[int]
    #: For each move the literal that tells whether it is legal.
    legal: tuple[int, ...]
    #: For each move the facts that it may change, with the literals that tell their next values.
    changes: tuple[tuple[tuple[int, int], ...], ...]
    #: The literal that tells whether the game is over, and that of each goal. In a state in which
    #: several goals hold, the role has none.
    terminal: int
    goals: dict[int, int]
    #: The same after 0, 1, ... steps, with constants for the clock, as far as it was followed; here
    #: a goal's literal tells whether it is the only one.
    terminal_after: tuple[int, ...]
    goals_after: dict[int, tuple[int, ...]]
    #: Whether the clock stands still from the last of these steps on.
    is_still: bool

    @property
    def is_timeless(self) -> bool:
        """Whether neither what moves do, nor which are legal, rests on the clock."""
        literals = [*self.legal, *(literal for those in self.changes for _, literal in those)]
        return self.nodes_below(literals).isdisjoint(self.nodes[fact] for fact in self.clock)

    def nodes_below(self, literals: Iterable[int]) -> set[int]:
        """Return the nodes of the graph on which literals rest."""
        graph = self.graph
        return nodes_below(literals, graph.left, graph.right, inputs=len(self.nodes))


class SharedEffects:
    """The effects of all moves from a state on, which several strategies need."""

    def __init__(self, puzzle: PackedPuzzle, start: Words) -> None:
        """Prepare to find them; see `find_effects`."""
        self._steps = find_effects(puzzle, start)
        self._is_found, self._effects = False, None

    def find(self) -> Generator[None, None, Effects | None]:
        """Find the effects, with breaks in between, unless that was done."""
        while not self._is_found:
            try:
                next(self._steps)
            except StopIteration as end:
                self._is_found, self._effects = True, end.value
            else:
                yield
        return self._effects

    def now(self) -> Effects | None:
        """Find the effects without a break."""
        for _ in self.find():
            pass
        return self._effects


def find_effects(puzzle: PackedPuzzle, start: Words) -> Generator[None, None, Effects | None]:
    """Find the effects of all moves from a state on, with breaks in between.

    Args:
        puzzle: the game.
        start: the state: uint64[1, words].

    Returns:
        The effects; None if the circuit has loops.
    """
    circuit, kinds = puzzle.circuit, puzzle.kinds
    if circuit.loops:
        return None
    nodes, moves = circuit.fact_nodes, circuit.move_nodes
    clock = sorted(kinds.clock)
    passed, is_still, is_whole = _followed(puzzle, start)
    values = puzzle.values(passed, clock)
    is_constant = (values == values[0]).all(axis=0) & is_whole
    # Facts that do not matter are left out, as if they were false.
    constants = dict.fromkeys(range(len(nodes)), FALSE)
    constants.update({fact: 2 * nodes[fact] for fact in kinds.relevant})
    constants.update({fact: int(values[0, i]) for i, fact in enumerate(clock) if is_constant[i]})

    def facts_in(lanes: int) -> dict[int, Lanes]:
        return {nodes[fact]: np.full(lanes, literal) for fact, literal in constants.items()}

    graph = Aig(len(nodes))
    facts = sorted(kinds.relevant - kinds.clock)
    following = [int(circuit.next[fact]) for fact in facts]
    changes: list[list[tuple[int, int]]] = [[] for _ in moves]
    width = max(16, min(1024, _AT_ONCE // len(circuit.gates)))
    for first in range(0, len(moves), width):
        lanes = min(width, len(moves) - first)
        done = {
            node: np.array(np.arange(first, first + lanes) == move, np.int64)
            for move, node in enumerate(moves)
        }
        made = yield from copies(circuit, graph, following, {**facts_in(lanes), **done}, lanes)
        for fact, literals in zip(facts, made, strict=True):
            for lane in np.flatnonzero(literals != 2 * nodes[fact]).tolist():
                changes[first + lane].append((fact, int(literals[lane])))
    roots = circuit.ends
    known = yield from copies(circuit, graph, [*circuit.legal.tolist(), *roots], facts_in(1), 1)
    ticks = {nodes[fact]: values[:, i].astype(np.int64) for i, fact in enumerate(clock)}
    steps = len(passed)
    ends = yield from copies(circuit, graph, roots, {**facts_in(steps), **ticks}, steps)
    goals = [goal for goal, _ in circuit.goals[0]]
    legal, (terminal, *held) = known[: len(moves)], known[len(moves) :]
    return Effects(
        graph=graph,
        nodes=nodes,
        facts=tuple(facts),
        clock=frozenset(fact for i, fact in enumerate(clock) if not is_constant[i]),
        legal=tuple(int(literals[0]) for literals in legal),
        changes=tuple(map(tuple, changes)),
        terminal=int(terminal[0]),
        goals={goal: int(one[0]) for goal, one in zip(goals, held, strict=False)},
        terminal_after=tuple(ends[0].tolist()),
        goals_after=dict(zip(goals, _alone(graph, ends[1:]), strict=True)),
        is_still=is_still,
    )


def _alone(graph: Aig, goals: Sequence[Lanes]) -> list[tuple[int, ...]]:
    """Return in each lane for each goal but the last the literal that tells that it holds alone."""
    found = []
    for number, literals in enumerate(goals[:-1]):
        others = [other.tolist() for other in (*goals[:number], *goals[number + 1 :])]
        found.append(
            tuple(
                graph.conjunction([literal, *(other ^ 1 for other in rest)])
                for literal, *rest in zip(literals.tolist(), *others, strict=True)
            )
        )
    return found


def _followed(puzzle: PackedPuzzle, start: Words) -> tuple[Words, bool, bool]:
    """Return states after 0, 1, ... steps, until the clock shows what it showed before.

    What else is in the states does not matter. Also return whether it stands still then, and
    whether it was followed that far.
    """
    states, seen, is_whole = [start], set[bytes](), False
    while len(seen) < _LONGEST:
        shown = (states[-1] & puzzle.clock).tobytes()
        if is_whole := shown in seen:
            break
        seen.add(shown)
        states.append(puzzle.step(states[-1], 0))
    is_still = bool(((states[-1] ^ states[-2]) & puzzle.clock == 0).all())
    return np.concatenate(states[:-1]), is_still, is_whole
