"""Facts with the same value in every play at a turn: above all, those that say whose turn it is.

In most games some facts go round in a short cycle. Where all lanes are at the same point of it,
these facts are constants, and so are others: a step that is even, or the owner of the stone that
was laid at an odd step. Then much of the circuit is not needed, such as the moves of the roles that
wait. So random play has a program for each point of the cycle.

A fact is true, false or unknown. The circuit is followed from the initial state, with all moves
unknown that may be legal. What holds at every point of a cycle of some length is weakened until it
proves itself: if it holds of a state, what it says of the next point holds of all states that
follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit, Literals
from ggp.native.numba_support import Words, nopython, signed

__all__ = ["NO_TURNS", "Turns", "find_turns", "no_turns"]

_Values = NDArray[np.uint8]

#: The longest cycle: a playout waits for half of one before it can start.
_LONGEST = 6
#: What a longer cycle must save, as a part of the gates, for each point that it has more.
_WORTH = 0.02
#: The gates that it takes to choose among the moves, for each that may be legal.
_CHOICE = 8
#: Steps that are followed, and the gates that are computed in all for that, at most.
_STEPS = 256
_WORK = 50_000_000

_FALSE, _TRUE, _UNKNOWN = range(3)


@dataclass(frozen=True, slots=True)
class Turns:
    """The known values at each point of a cycle; the first one is that of the initial state."""

    #: The facts with their values, for each point.
    points: tuple[tuple[tuple[int, bool], ...], ...]
    #: Facts that tell the points apart, because their values are known at each point.
    signs: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return how many points the cycle has: 1 if there is none."""
        return len(self.points)

    def known(self, turn: int) -> dict[int, bool]:
        """Return the value of each fact that is known at a point of the cycle."""
        return dict(self.points[turn])

    def signs_of(self, turn: int) -> dict[int, bool]:
        """Return the values of `signs` at a point of the cycle."""
        known = self.known(turn)
        return {fact: known[fact] for fact in self.signs}

    def has(self, states: Words) -> NDArray[np.bool_]:
        """Return which packed states, uint64[n, words], are as a point of the cycle says."""
        found = np.zeros(len(states), np.bool_)
        for point in self.points:
            wanted, careful = np.zeros((2, 1, states.shape[1]), np.uint64)
            facts = np.array([fact for fact, _ in point], np.int64)
            values = np.array([value for _, value in point], np.uint64)
            places = (facts & 63).astype(np.uint64)
            np.bitwise_or.at(careful[0], facts >> 6, np.uint64(1) << places)
            np.bitwise_or.at(wanted[0], facts >> 6, values << places)
            found |= ((states & careful) == wanted).all(axis=1)
        return found


#: The turns of a game about whose facts nothing is known.
NO_TURNS = Turns(((),))


def no_turns(_: Circuit) -> Turns:
    """Return that no value is known: a player of states that no game reaches needs that."""
    return NO_TURNS


def find_turns(circuit: Circuit) -> Turns:
    """Return the facts with known values by turns, for the cycle that leaves the fewest gates."""
    follower = _Follower(circuit)
    states = [*follower.states()]
    best, least = NO_TURNS, inf
    for length in range(1, min(_LONGEST, len(states)) + 1):
        points = [_common(states[turn::length]) for turn in range(length)]
        if _signs(points) is None:  # what is proved tells no more points apart
            continue
        points = follower.proved(points)
        signs = _signs(points)
        if signs is None:
            continue
        gates = sum(map(follower.gates_left, points, [*points[1:], points[0]])) / length
        cost = gates * (1 + _WORTH * (length - 1))
        if cost < least:
            known = tuple(
                tuple((int(fact), bool(point[fact])) for fact in np.flatnonzero(point != _UNKNOWN))
                for point in points
            )
            best, least = Turns(known, signs), cost
    return best


class _Follower:
    """Computes which facts get known values from those of a state, whatever is done."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        #: The value of each node in the state that `after` was asked for last.
        self._values = np.full(len(circuit.gates), _UNKNOWN, np.uint8)
        self._values[0] = _FALSE
        self._needed = np.zeros(len(circuit.gates), np.uint8)
        # what a loop computes is unknown
        self._latches = np.zeros(len(circuit.gates), np.bool_)
        for loop in circuit.loops:
            self._latches[loop.latches] = True
        drivers = [loop.drivers for loop in circuit.loops]
        self._drivers = np.concatenate([np.empty(0, np.int32), *drivers])

    def states(self) -> Iterator[_Values]:
        """Yield the known values of the first state, the second one and so on."""
        state = np.zeros(len(self.circuit.facts), np.uint8)
        state[self.circuit.initial] = _TRUE
        seen: set[bytes] = set()
        for _ in range(min(_STEPS, max(2 * _LONGEST, _WORK // len(self.circuit.gates)))):
            yield state
            if (state == _UNKNOWN).all():
                break
            seen.add(state.tobytes())
            state = self.after(state)

    def after(self, state: _Values) -> _Values:
        """Return the known values after a state with some known values."""
        circuit, facts, nodes = self.circuit, self.circuit.fact_nodes, self.circuit.move_nodes
        moves = self._values[nodes.start : nodes.stop]
        self._values[facts.start : facts.stop] = state
        moves[:] = _UNKNOWN
        self._evaluate()
        done = self._value_of(circuit.legal)
        done[done == _TRUE] = _UNKNOWN
        for own in circuit.own_moves:
            possible = own.start + np.flatnonzero(done[own.start : own.stop] != _FALSE)
            if len(possible) == 1:
                done[possible] = _TRUE
        if (done != _UNKNOWN).any():
            moves[:] = done
            self._evaluate()
        return self._value_of(circuit.next)

    def _evaluate(self) -> None:
        _evaluate(self.circuit.gates, 1 + self.circuit.inputs, self._latches, self._values)

    def _value_of(self, literals: Literals) -> _Values:
        values: _Values = self._values[literals >> 1]
        values ^= (literals & 1).astype(np.uint8) * (values != _UNKNOWN)
        return values

    def proved(self, points: Sequence[_Values]) -> list[_Values]:
        """Weaken what is said of each point until it follows from the point before."""
        points = [*points]
        steady = 0
        turn = 0
        while steady < len(points):
            following = (turn + 1) % len(points)
            weaker = _common([points[following], self.after(points[turn])])
            steady = steady + 1 if (weaker == points[following]).all() else 0
            points[following] = weaker
            turn = following
        return points

    def gates_left(self, point: _Values, following: _Values) -> int:
        """Return how many gates are neither constant nor equal to an operand, and needed.

        They include those that choose among the moves.
        """
        circuit = self.circuit
        self.after(point)
        self._needed[:] = 0
        roots = [
            circuit.next[following == _UNKNOWN], circuit.legal, circuit.ends, self._drivers,
        ]  # fmt: skip
        self._needed[np.concatenate(roots).astype(np.int64) >> 1] = 1
        gates = _count(circuit.gates, 1 + circuit.inputs, self._values, self._needed)
        return gates + _CHOICE * int((self._value_of(circuit.legal) != _FALSE).sum())


def _common(states: Sequence[_Values]) -> _Values:
    """Return the values that all states share, of one state at least."""
    first, *others = states
    result = first.copy()
    for other in others:
        result[result != other] = _UNKNOWN
    return result


def _signs(points: Sequence[_Values]) -> tuple[int, ...] | None:
    """Return few facts, known at all points, that tell all points apart; None if none do."""
    rows = np.array(points)
    everywhere = np.flatnonzero((rows != _UNKNOWN).all(axis=0) & (rows != rows[0]).any(axis=0))
    signs: list[int] = []

    def groups(facts: list[int]) -> int:
        return len({*map(bytes, rows[:, facts])})

    while groups(signs) < len(points):
        if not len(everywhere):
            return None
        best = max(everywhere.tolist(), key=lambda fact: groups([*signs, fact]))
        if groups([*signs, best]) == groups(signs):
            return None
        signs.append(best)
    return tuple(signs)


@nopython
def _evaluate(gates: Literals, begin: int, latches: NDArray[np.bool_], values: _Values) -> None:
    """Compute the values of the gates from `begin` on, each after those that it reads."""
    for node in range(begin, len(gates)):
        if latches[node]:
            continue
        x, y = _value(values, gates[node, 0]), _value(values, gates[node, 1])
        if _FALSE in (x, y):
            values[node] = _FALSE
        else:
            values[node] = max(x, y)


@nopython
def _value(values: _Values, literal: int) -> int:
    value = signed(values[literal >> 1])
    return value if value == _UNKNOWN else value ^ (literal & 1)


@nopython
def _count(gates: Literals, begin: int, values: _Values, needed: _Values) -> int:
    """Return how many unknown gates with two unknown operands are needed, and note which."""
    count = 0
    for node in range(len(gates) - 1, begin - 1, -1):
        if needed[node] and values[node] == _UNKNOWN:
            x, y = gates[node, 0] >> 1, gates[node, 1] >> 1
            needed[x] = needed[y] = 1
            if values[x] == _UNKNOWN and values[y] == _UNKNOWN:
                count += 1
    return count
