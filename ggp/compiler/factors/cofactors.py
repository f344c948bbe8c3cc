"""What a fact or a move depends on once it is known what is done: cofactors of the circuit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.straightline import cone
from ggp.deadline import Deadline, TimeUp

__all__ = ["Cofactors", "Function"]

# Functions of more inputs, or of more gates, are compared gate by gate only.
_FEW_INPUTS, _FEW_GATES = 10, 400


@dataclass(frozen=True, slots=True)
class Function:
    """A function of inputs: equal ones have the same values wherever there are few inputs."""

    #: The inputs that it depends on, as nodes, ascending.
    inputs: tuple[int, ...]
    #: Its truth table, or its literal where there are too many inputs.
    values: int
    is_table: bool


class Cofactors:
    """The circuit of the next state and of legal moves, with some inputs set to constants."""

    def __init__(self, circuit: Circuit, *, deadline: Deadline) -> None:
        self._inputs, self._deadline = circuit.inputs, deadline
        self.next, self.legal = circuit.next.tolist(), circuit.legal.tolist()
        nodes = cone(circuit, [*self.next, *self.legal])
        gates = circuit.gates.tolist()
        self._gates = {
            node: (gates[node][0], gates[node][1]) for node in sorted(nodes) if node > self._inputs
        }
        self._uses: dict[int, list[int]] = {}
        for node, (left, right) in self._gates.items():
            self._uses.setdefault(left >> 1, []).append(node)
            self._uses.setdefault(right >> 1, []).append(node)
        self._next_of: dict[int, list[int]] = {}
        for fact, literal in enumerate(self.next):
            self._next_of.setdefault(literal >> 1, []).append(fact)
        self._aig = Aig(circuit.inputs)
        #: Per node of the graph the inputs below it, as bits.
        self._below = [0, *(1 << node for node in range(1, circuit.inputs + 1))]
        self._functions: dict[int, Function] = {}

    def with_constants(self, constants: Mapping[int, bool]) -> list[int]:
        """Return the literal that each node becomes if some input nodes are constants."""
        base = [2 * node for node in range(1 + self._inputs)]
        for node, value in constants.items():
            base[node] = TRUE if value else FALSE
        base += [0] * (max(self._gates, default=0) + 1 - len(base))
        both = self._aig.both
        for count, (node, (left, right)) in enumerate(self._gates.items()):
            base[node] = both(base[left >> 1] ^ left & 1, base[right >> 1] ^ right & 1)
            if not count & 0x3FFF and self._deadline.is_over:
                raise TimeUp
        return base

    def next_after(self, base: Sequence[int], node: int) -> Iterator[tuple[int, int]]:
        """Yield the facts whose next value differs from the base if an input is true instead.

        Each comes with the literal of its next value.
        """
        if self._deadline.is_over:
            raise TimeUp
        changed = {node: TRUE}
        pending = list(self._uses.get(node, ()))
        queued = set(pending)
        heapify(pending)

        def value(literal: int) -> int:
            old = literal >> 1
            return (changed[old] if old in changed else base[old]) ^ literal & 1

        while pending:
            gate = heappop(pending)
            left, right = self._gates[gate]
            literal = self._aig.both(value(left), value(right))
            if literal != base[gate]:
                changed[gate] = literal
                for user in self._uses.get(gate, ()):
                    if user not in queued:
                        queued.add(user)
                        heappush(pending, user)
        for old in changed:
            for fact in self._next_of.get(old, ()):
                yield fact, value(self.next[fact])

    def conjuncts(self, literal: int) -> Iterator[int]:
        """Yield the literals whose AND a literal is."""
        pending = [literal]
        while pending:
            one = pending.pop()
            left, right = self._aig.left[one >> 1], self._aig.right[one >> 1]
            if one & 1 or not (left or right):
                yield one
            else:
                pending += (left, right)

    def function(self, literal: int) -> Function:
        """Return what a literal of the graph computes."""
        found = self._functions.get(literal)
        if found is None:
            found = self._functions[literal] = self._made(literal)
        return found

    def _made(self, literal: int) -> Function:
        left, right, below = self._aig.left, self._aig.right, self._below
        for node in range(len(below), len(left)):
            below.append(below[left[node] >> 1] | below[right[node] >> 1])
        inputs = _bits(below[literal >> 1])
        gates = self._few_gates(literal) if len(inputs) <= _FEW_INPUTS else None
        if gates is None:
            return Function(inputs, literal, is_table=False)
        size = 1 << len(inputs)
        every = (1 << size) - 1
        values = {0: 0} | {node: _projection(place, size) for place, node in enumerate(inputs)}
        for node in gates:
            one, other = left[node], right[node]
            values[node] = (values[one >> 1] ^ (every if one & 1 else 0)) & (
                values[other >> 1] ^ (every if other & 1 else 0)
            )
        table = values[literal >> 1] ^ (every if literal & 1 else 0)
        return _reduced(inputs, table)

    def _few_gates(self, literal: int) -> list[int] | None:
        """Return the gates below a literal in ascending order, or None if there are many."""
        found, pending = set[int](), [literal >> 1]
        while pending:
            node = pending.pop()
            if node > self._inputs and node not in found:
                found.add(node)
                if len(found) > _FEW_GATES:
                    return None
                pending += (self._aig.left[node] >> 1, self._aig.right[node] >> 1)
        return sorted(found)


def _projection(place: int, size: int) -> int:
    """Return the truth table, of `size` rows, of the input at a place."""
    half = 1 << place
    block = ((1 << half) - 1) << half
    return sum(block << start for start in range(0, size, 2 * half))


def _reduced(inputs: tuple[int, ...], table: int) -> Function:
    """Return a function without the inputs on which it does not depend."""
    kept = list(inputs)
    for place in range(len(inputs) - 1, -1, -1):
        size = 1 << len(kept)
        half = 1 << place
        ones = _projection(place, size)
        if (table & ones) >> half == table & (ones >> half):
            rows = (row for row in range(size) if not row >> place & 1)
            table = sum((table >> row & 1) << new for new, row in enumerate(rows))
            del kept[place]
    return Function(tuple(kept), table, is_table=True)


def _bits(mask: int) -> tuple[int, ...]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)
