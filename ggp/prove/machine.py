"""A game as a machine of latches and gates, in the form that hardware model checkers read.

The latches hold the state: one for each base fact. The inputs choose a legal move for each role:
whatever the inputs are, what is done is legal, so a run of the machine is a play of the game. The
state stands still where the game is over, or where a role has no legal move.

All latches are false at the start: the latch of a fact that is true initially holds its negation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.search.leaf_values.gates import copier

__all__ = ["GameMachine", "Machine"]


@dataclass
class Machine:
    """Latches, inputs and gates; a *literal* is one of `aig`."""

    aig: Aig = field(default_factory=lambda: Aig(0))
    #: Nodes whose value is free in each step.
    inputs: list[int] = field(default_factory=list)
    #: Nodes that are false at first, each with the literal of its next value.
    latches: dict[int, int] = field(default_factory=dict)

    def input(self) -> int:
        """Return the literal of a new input."""
        literal = self.aig.free()
        self.inputs.append(literal >> 1)
        return literal

    def latch(self) -> int:
        """Return the literal of a new latch, which stays false until it is driven."""
        literal = self.aig.free()
        self.latches[literal >> 1] = FALSE
        return literal

    def drive(self, latch: int, following: int) -> None:
        """Give a latch its next value. The latch may be given by its negation."""
        self.latches[latch >> 1] = following ^ latch & 1

    def either(self, left: int, right: int) -> int:
        """Return the literal of `left or right`."""
        return self.aig.both(left ^ 1, right ^ 1) ^ 1

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """Return the literal of `then if condition else otherwise`."""
        return self.either(self.aig.both(condition, then), self.aig.both(condition ^ 1, otherwise))

    def differ(self, left: int, right: int) -> int:
        """Return the literal of `left != right`."""
        return self.choose(left, right ^ 1, right)

    def two_of(self, literals: Iterable[int]) -> int:
        """Return the literal that holds when at least two of these do."""
        one = two = FALSE
        for literal in literals:
            two = self.either(two, self.aig.both(one, literal))
            one = self.either(one, literal)
        return two

    @property
    def gates(self) -> list[tuple[int, int]]:
        """The two input literals of each node."""
        return list(zip(self.aig.left, self.aig.right, strict=True))

    def copy(self, gates: Sequence[Sequence[int]], known: dict[int, int]) -> Callable[[int], int]:
        """Return what gives the machine's literal for one of a graph.

        Args:
            gates: the two input literals of each of the graph's nodes.
            known: the machine's literals for the nodes without inputs, but for the constant.
        """
        known[0] = FALSE
        return copier(gates, known, both=self.aig.both, negated=lambda literal: literal ^ 1)

    def aiger(self, bad: int) -> bytes:
        """Return the machine as binary AIGER, with one output: the literal `bad`.

        Format: Biere (2007) "The AIGER and-inverter graph (AIG) format". All inputs and latches
        are written, in their order; a latch that the output does not depend on stays false.
        """
        aig, latches = self.aig, list(self.latches)
        number = {0: 0}
        for node in (*self.inputs, *latches):
            number[node] = len(number)
        first = len(number)

        def renumbered(literal: int) -> int:
            return 2 * number[literal >> 1] + (literal & 1)

        pending = [bad >> 1]
        seen = set[int]()
        while pending:
            node = pending.pop()
            if node not in seen:
                seen.add(node)
                if node in self.latches:
                    pending.append(self.latches[node] >> 1)
                elif node not in number:
                    pending += (aig.left[node] >> 1, aig.right[node] >> 1)
        needed = seen.difference(number)
        for node in sorted(needed):  # a gate comes after its operands
            number[node] = len(number)
        gates = bytearray()
        for place, node in enumerate(sorted(needed), start=first):
            low, high = sorted((renumbered(aig.left[node]), renumbered(aig.right[node])))
            _append(gates, 2 * place - high)
            _append(gates, high - low)
        header = f"aig {len(number) - 1} {len(self.inputs)} {len(latches)} 1 {len(needed)}"
        following = (self.latches[node] if node in seen else FALSE for node in latches)
        lines = [header, *(str(renumbered(literal)) for literal in following)]
        return "\n".join([*lines, str(renumbered(bad)), ""]).encode() + bytes(gates)


class GameMachine(Machine):
    """The machine of a game. Its literals follow the circuit's numbers of facts and moves."""

    def __init__(self, circuit: Circuit) -> None:
        """Make the machine of a circuit without loops."""
        super().__init__()
        assert not circuit.loops
        self.circuit = circuit
        initial = set(circuit.initial.tolist())
        #: For each fact the literal that it is true,
        self.facts = [self.latch() ^ (fact in initial) for fact in range(len(circuit.facts))]
        look = self.looking_at(self.facts)
        #: for each role and move the literal that it is legal,
        self.legal = circuit.by_role([look(literal) for literal in circuit.legal.tolist()])
        #: that the game is over,
        self.terminal = look(circuit.terminal)
        #: for each role the goals that it may have, each with its literal,
        self.goals = self.goals_in(look)
        #: and that something holds as a goal that is none.
        self.bad_goals = [look(literal) for literal in circuit.bad_goals.tolist()]
        #: For each role the literal that it has no legal move.
        self.stuck = [self.aig.disjunction(moves) ^ 1 for moves in self.legal]
        #: That a step is made: the game is not over, and each role has a move.
        self.live = self.aig.conjunction([self.terminal ^ 1, *(stuck ^ 1 for stuck in self.stuck)])
        #: For each role and move the literal that it is done.
        self.done = [self._choice(moves) for moves in self.legal]
        if not self.inputs:  # a run is as long as its inputs
            self.input()
        step = self._copied(self.facts, [literal for moves in self.done for literal in moves])
        #: For each fact the literal that it is true after the step.
        self.after = [
            self.choose(self.live, step(literal), fact)
            for fact, literal in zip(self.facts, circuit.next.tolist(), strict=True)
        ]
        for fact, after in zip(self.facts, self.after, strict=True):
            self.drive(fact, after)

    def looking_at(self, facts: Sequence[int]) -> Callable[[int], int]:
        """Return what gives the literal of the circuit's view of a state, no move being made.

        Args:
            facts: for each fact the literal that it is true there.
        """
        return self._copied(facts, [FALSE] * len(self.circuit.legal))

    def goals_in(self, look: Callable[[int], int]) -> list[list[tuple[int, int]]]:
        """Return for each role the goals that it may have, each with its literal."""
        return [[(goal, look(literal)) for goal, literal in held] for held in self.circuit.goals]

    def _copied(self, facts: Sequence[int], moves: Sequence[int]) -> Callable[[int], int]:
        """Return what gives the literal of the circuit for these facts and moves."""
        known = dict(enumerate([*facts, *moves], start=1))
        return self.copy(self.circuit.gates.tolist(), known)

    def _choice(self, legal: Sequence[int]) -> list[int]:
        """Return for each move the literal that it is done: one legal move, if there is any.

        The moves are the leaves of a binary tree. At a node the input of its level says which
        way to go, unless only one of them leads to a legal move. So every legal move is done for
        some inputs.
        """
        done = [FALSE] * len(legal)
        if not legal:
            return done
        bits = [self.input() for _ in range((len(legal) - 1).bit_length())]

        def some(first: int, last: int) -> int:
            return self.aig.disjunction(legal[first:last])

        pending = [(0, len(legal), 0, some(0, len(legal)))]
        while pending:
            first, last, level, here = pending.pop()
            if last - first == 1:
                done[first] = here
                continue
            middle = (first + last + 1) // 2
            right = self.aig.both(
                some(middle, last), self.either(bits[level], some(first, middle) ^ 1)
            )
            pending.append((first, middle, level + 1, self.aig.both(here, right ^ 1)))
            pending.append((middle, last, level + 1, self.aig.both(here, right)))
        return done


def _append(data: bytearray, number: int) -> None:
    """Append a number in seven bits a byte, the lowest first."""
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
