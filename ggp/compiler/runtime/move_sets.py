"""Sets of moves: what a step asks of the moves done is mostly whether one of a set was done.

That disjunction can be had from a table instead of from gates. In a game with many moves it takes
far less time.
"""

from __future__ import annotations

from dataclasses import dataclass

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.straightline import cone
from ggp.native.numba_support import Words, words_of

__all__ = ["MoveSets", "move_sets"]

#: To look up a set takes as long as about this number of gates,
_GATES = 20
#: and a table may take this number of bytes.
_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class MoveSets:
    """Disjunctions of moves, which together are all that a step needs to know of the moves done."""

    #: The literals of the circuit that say whether a move of the set was done.
    literals: list[int]
    #: uint64[moves, ceil(literals / 64)]: the sets that each move is in, packed.
    table: Words


def move_sets(circuit: Circuit) -> MoveSets | None:
    """Return the sets of moves that the next state depends on, if that saves time; else None."""
    gates = circuit.gates.tolist()
    wanted = circuit.next.tolist()
    moves = circuit.move_nodes
    needed = sorted(cone(circuit, wanted, range(moves.stop)))
    # a move is a set; so is a gate that is false where one of two sets has a move that was done
    literal_of = {node: 2 * node for node in moves}
    for node in needed:
        left, right = (literal ^ 1 for literal in gates[node])
        if left == literal_of.get(left >> 1) and right == literal_of.get(right >> 1):
            literal_of[node] = 2 * node + 1
    asked = {literal >> 1 for literal in wanted}
    asked |= {x >> 1 for node in needed if node not in literal_of for x in gates[node]}
    asked |= {
        int(driver) >> 1
        for loop in circuit.loops
        for latch, driver in zip(loop.latches, loop.drivers, strict=True)
        if int(latch) in needed
    }
    asked &= literal_of.keys()
    saved = sum(node in literal_of for node in needed)
    columns = max(1, -(-len(asked) // 64))
    if saved < _GATES * len(asked) or len(moves) * columns * 8 > _LARGEST:
        return None
    sets = dict.fromkeys(literal_of, 0)
    for number, node in enumerate(sorted(asked)):
        sets[node] = 1 << number
    for node in reversed(needed):
        if node in sets:
            for literal in gates[node]:
                sets[literal >> 1] |= sets[node]
    packed = (sets[node].to_bytes(8 * columns, "little") for node in moves)
    table = words_of(*packed).reshape(len(moves), columns)
    return MoveSets([literal_of[node] for node in sorted(asked)], table)
