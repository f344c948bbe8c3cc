"""Checks the inductions of clingo with ABC: another encoding, another solver.

Of an induction the whole argument is checked, invariants and all: that no step leads from a state
that satisfies them to one that breaks them, or in which what was excluded holds after all. Where it
is about the end of the game, each step must also be one of which no play has infinitely many, or
lower the rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ggp.compiler.circuit.circuit import FALSE
from ggp.deadline import Deadline
from ggp.prove.abc import never_holds
from ggp.prove.ends import Ranking
from ggp.prove.machine import GameMachine, Machine
from ggp.search.leaf_values.candidate_invariants import Domain
from ggp.search.leaf_values.invariants import Invariants
from ggp.search.leaf_values.transitions import Steps

__all__ = ["confirms"]


def confirms(
    machine: GameMachine,
    invariants: Invariants,
    excluded: Sequence[int],
    ranking: Ranking | None,
    *,
    deadline: Deadline,
) -> bool:
    """Return whether ABC confirms an induction; False where it does not finish.

    Args:
        machine: the game.
        invariants: what holds in every state, with a name each.
        excluded: literals of the machine that never come true after a step.
        ranking: why every play ends, if that is claimed.
        deadline: when to give up.
    """
    initial = frozenset(machine.circuit.initial.tolist())
    if not all(invariant.holds(initial) for invariant in invariants.found):
        return False
    steps = _Gates(machine)
    before, broken = [], []
    domains: dict[type[Domain[Any]], Domain[Any]] = {}
    for invariant in invariants.found:
        assert invariant.name is not None
        kind, key = invariant.name
        if kind not in domains:
            domains[kind] = kind(machine.circuit, steps)
        made = domains[kind].make(key)
        before.append(made.before)
        broken.append(made.broken)
    broken += steps.after_step(excluded)
    if ranking is not None:
        broken.append(-steps.goes_on(ranking))
    aig = machine.aig
    bad = aig.conjunction([machine.live, *map(_unsigned, before), _unsigned(steps.any_of(broken))])
    every = Machine(aig, [*machine.inputs, *machine.latches, *steps.inputs])
    return never_holds(every, bad, deadline=deadline)


class _Gates(Steps):
    """A step of a machine as gates. The literals are signed: node n is n + 1, or its negative."""

    def __init__(self, machine: GameMachine) -> None:
        self._machine = machine
        self.before = [_signed(literal) for literal in machine.facts]
        self.after = [_signed(literal) for literal in machine.after]
        #: What is chosen in the state after the step.
        self.inputs = [machine.aig.free() >> 1 for _ in machine.inputs]

    def both(self, left: int, right: int) -> int:
        """Return the literal of the AND."""
        return _signed(self._machine.aig.both(_unsigned(left), _unsigned(right)))

    def any_of(self, literals: Iterable[int]) -> int:
        """Return the literal of the OR."""
        return _signed(self._machine.aig.disjunction(map(_unsigned, literals)))

    def at_least(self, bound: int, weights: Iterable[tuple[int, int]]) -> int:
        """Return the literal that the weights of those that hold reach a bound: adders of bits."""
        columns: list[list[int]] = []
        for literal, weight in weights:
            # A negative weight where the literal holds is a positive one where it does not.
            unsigned = _unsigned(literal if weight > 0 else -literal)
            bound -= min(weight, 0)
            for place in range(abs(weight).bit_length()):
                if abs(weight) >> place & 1:
                    columns += [[] for _ in range(place + 1 - len(columns))]
                    columns[place].append(unsigned)
        if bound <= 0:
            return _signed(FALSE ^ 1)
        return _signed(self._reaches(self._added(columns), bound))

    def after_step(self, literals: Iterable[int]) -> list[int]:
        """Return, for literals of a state, those of the state after the step."""
        machine = self._machine
        known: dict[int, int] = {}
        for fact, after in zip(machine.facts, machine.after, strict=True):
            known[fact >> 1] = after ^ fact & 1
        known |= {node: 2 * new for node, new in zip(machine.inputs, self.inputs, strict=True)}
        copied = machine.copy(machine.gates, known)
        return [_signed(copied(literal)) for literal in literals]

    def goes_on(self, ranking: Ranking) -> int:
        """Return the literal that a step is one of which no play has infinitely many."""
        strays, leaves = [], []
        for facts, later in ranking.changes.groups:
            old, new = self._values(facts, self.before), self._values(facts, self.after)
            for value, held in enumerate(old):
                leaves.append(self.both(held, -new[value]))
                strays += [
                    self.both(held, then)
                    for to, then in enumerate(new)
                    if not later[value] >> to & 1
                ]
        terms = [
            (self.both(one, -other), sign * weight)
            for before, after, weight in zip(self.before, self.after, ranking.weights, strict=True)
            if weight  # what changes is little, and whether the rank falls is seen from it alone
            for one, other, sign in ((before, after, 1), (after, before, -1))
        ]
        moves_on = self.any_of([*leaves, self.at_least(1, terms)])
        return self.both(moves_on, -self.any_of(strays))

    def _values(self, facts: Sequence[int], state: Sequence[int]) -> list[int]:
        """Return a literal for each value of a group: one of its facts, or none of them."""
        literals = [state[fact] for fact in facts]
        return [*literals, -self.any_of(literals)]

    def _added(self, columns: list[list[int]]) -> list[int]:
        """Return the bits of the sum of bits with places, the lowest first."""
        machine, bits = self._machine, []
        place = 0
        while place < len(columns):
            column = columns[place]
            while len(column) > 1:
                one, other = column.pop(0), column.pop(0)
                third = column.pop(0) if column else FALSE
                half = machine.differ(one, other)
                column.append(machine.differ(half, third))
                carry = machine.either(machine.aig.both(one, other), machine.aig.both(half, third))
                if place + 1 == len(columns):
                    columns.append([])
                columns[place + 1].append(carry)
            bits.append(column[0] if column else FALSE)
            place += 1
        return bits

    def _reaches(self, bits: Sequence[int], bound: int) -> int:
        """Return the literal that a number is at least a bound."""
        machine, reached = self._machine, FALSE ^ 1  # so far they are equal: it is reached
        if bound >> len(bits):
            return FALSE
        for place, bit in enumerate(bits):
            wanted = bound >> place & 1
            both, either = machine.aig.both(bit, reached), machine.either(bit, reached)
            reached = both if wanted else either
        return reached


def _signed(literal: int) -> int:
    number = (literal >> 1) + 1
    return -number if literal & 1 else number


def _unsigned(literal: int) -> int:
    return 2 * (literal - 1) if literal > 0 else 2 * (-literal - 1) + 1
