"""Facts that go round in a short cycle, whatever the roles do: in most games, whose turn it is.

Where all lanes are at the same point of the cycle, these facts are constants, and much of the
circuit is not needed: the moves of the other roles, for example. So random play has a program for
each point of the cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.reasoner.compiled.circuit.circuit import Circuit
from ggp.reasoner.compiled.numba_support import Words

__all__ = ["NO_TURNS", "Turns", "find_turns"]

#: The longest cycle: a playout waits for half of one before it can start.
_LONGEST = 6
#: A fact is no part of a cycle if its next value needs more nodes than this.
_MOST_NODES = 64


@dataclass(frozen=True, slots=True)
class Turns:
    """The facts of a cycle, and the values that they take together."""

    facts: tuple[int, ...]
    #: The values at each point of the cycle, in the order of `facts`; the first are those of the
    #: initial state.
    values: tuple[tuple[bool, ...], ...]

    def __len__(self) -> int:
        """Return how many points the cycle has: 1 if there is none."""
        return len(self.values)

    def known(self, turn: int) -> dict[int, bool]:
        """Return the value of each fact at a point of the cycle."""
        return dict(zip(self.facts, self.values[turn], strict=True))

    def has(self, states: Words) -> NDArray[np.bool_]:
        """Return which packed states, uint64[n, words], are at a point of the cycle."""
        facts = np.array(self.facts, np.int64)
        bits = states[:, facts >> 6] >> (facts & 63).astype(np.uint64) & np.uint64(1)
        values = np.array(self.values, np.uint64).reshape(len(self.values), len(facts))
        found: NDArray[np.bool_] = (bits[:, None] == values[None]).all(axis=2).any(axis=1)
        return found


#: The cycle of a game that has none.
NO_TURNS = Turns((), ((),))


def find_turns(circuit: Circuit) -> Turns:
    """Return the shortest of the cycles that the most facts go through, from the first state on."""
    cones = _independent(circuit)
    needed = {fact: cone.facts for fact, cone in cones.items()}
    initial = set(circuit.initial.tolist())
    states = [{fact: fact in initial for fact in cones}]
    for _ in range(_LONGEST):
        states.append({fact: cone.value(states[-1]) for fact, cone in cones.items()})
    best = NO_TURNS
    for length in range(2, _LONGEST + 1):
        held = _closed({f: needed[f] for f in cones if states[length][f] == states[0][f]})
        if len(held) > len(best.facts):
            facts = tuple(sorted(held))
            best = Turns(facts, tuple(tuple(s[f] for f in facts) for s in states[:length]))
    return best


@dataclass(frozen=True, slots=True)
class _Cone:
    """What the next value of a fact is computed from."""

    literal: int
    facts: frozenset[int]
    #: Gates, each with its operands, in the order in which they are computed.
    gates: tuple[tuple[int, int, int], ...]

    def value(self, state: Mapping[int, bool]) -> bool:
        """Return the next value of the fact."""
        values: dict[int, bool] = {0: False, **{1 + fact: state[fact] for fact in self.facts}}
        for node, x, y in self.gates:
            values[node] = (values[x >> 1] ^ bool(x & 1)) and (values[y >> 1] ^ bool(y & 1))
        return values[self.literal >> 1] ^ bool(self.literal & 1)


def _independent(circuit: Circuit) -> dict[int, _Cone]:
    """Return the facts whose next values depend on no moves, now or later."""
    latches = {int(node) for loop in circuit.loops for node in loop.latches}
    cones = {
        fact: cone
        for fact, literal in enumerate(circuit.next.tolist())
        if (cone := _cone(circuit, latches, literal)) is not None
    }
    return {fact: cones[fact] for fact in _closed({f: c.facts for f, c in cones.items()})}


def _cone(circuit: Circuit, latches: Collection[int], literal: int) -> _Cone | None:
    """Return what a literal is computed from; None if that is a move, a loop, or much."""
    seen, stack = {0}, [literal >> 1]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if len(circuit.facts) < node <= circuit.inputs or node in latches:
            return None
        if len(seen) > _MOST_NODES:
            return None
        seen.add(node)
        if node > circuit.inputs:
            stack += [int(operand) >> 1 for operand in circuit.gates[node]]
    facts = frozenset(node - 1 for node in seen if 0 < node <= len(circuit.facts))
    inner = sorted(node for node in seen if node > circuit.inputs)
    gates = ((n, int(circuit.gates[n][0]), int(circuit.gates[n][1])) for n in inner)
    return _Cone(literal, facts, tuple(gates))


def _closed(needed: Mapping[int, Collection[int]]) -> set[int]:
    """Return the facts that need only each other."""
    held = set(needed)
    while wrong := {fact for fact in held if not held.issuperset(needed[fact])}:
        held -= wrong
    return held
