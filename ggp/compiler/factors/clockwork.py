"""Facts that run like clockwork: whose turn it is, which step it is, whatever the roles do.

States are followed from the initial one with three values: true, false, and unknown. A fact that
is known after each step is clockwork; one that is unknown once stays unknown. So there is one line
of states to follow, which ends in a cycle or with the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.straightline import cone
from ggp.deadline import Deadline, TimeUp

__all__ = ["Clockwork", "clockwork", "possible_moves"]

#: Per node the lanes in which it may be true, and those in which it may be false.
_Rails: TypeAlias = dict[int, tuple[int, int]]

# More states than this are not followed: then no fact is taken for clockwork.
_MOST = 4096


@dataclass(frozen=True, slots=True)
class Clockwork:
    """The facts that do not depend on what is done, and the values that they take together."""

    facts: tuple[int, ...]
    #: Each combination of values that may occur, in the order of `facts`.
    states: tuple[tuple[int, ...], ...]


def clockwork(circuit: Circuit, *, deadline: Deadline) -> Clockwork:
    """Return the clockwork of a game. Raises `TimeUp` if the deadline is over before."""
    initial = set(circuit.initial.tolist())
    known = {fact: int(fact in initial) for fact in range(len(circuit.facts))}
    line, seen = list[dict[int, int]](), set[tuple[tuple[int, int], ...]]()
    follower: _Follower | None = None
    while (state := tuple(known.items())) not in seen:
        if len(line) == _MOST:
            return Clockwork((), ((),))
        if deadline.is_over:
            raise TimeUp
        seen.add(state)
        line.append(known)
        if follower is None or 2 * len(known) < len(follower.facts):
            follower = _Follower(circuit, tuple(known))
        after = follower.step(known)
        if after is None:
            break
        known = after
    states = (tuple(each[fact] for fact in known) for each in line)
    return Clockwork(tuple(known), tuple(dict.fromkeys(states)))


def possible_moves(circuit: Circuit, states: Sequence[Mapping[int, int]]) -> list[list[int]]:
    """Return the moves that may be legal in states of which some facts are known."""
    evaluation = _Evaluation(circuit, circuit.legal.tolist())
    every = (1 << len(states)) - 1
    facts: _Rails = {}
    for fact in states[0] if states else ():
        true = sum(state[fact] << lane for lane, state in enumerate(states))
        facts[circuit.fact_nodes[fact]] = (true, every ^ true)
    rails = evaluation.rails(facts, every)
    lanes = [_may_be(1, rails, literal) for literal in circuit.legal.tolist()]
    return [
        [move for move, held in enumerate(lanes) if held >> lane & 1] for lane in range(len(states))
    ]


class _Follower:
    """Follows some facts of a game from state to state."""

    def __init__(self, circuit: Circuit, facts: tuple[int, ...]) -> None:
        self.facts = facts
        self._circuit, self._roles = circuit, circuit.own_moves
        self._fact_nodes, self._move_nodes = circuit.fact_nodes, circuit.move_nodes
        self._next = circuit.next.tolist()
        self._following = _Evaluation(circuit, (self._next[fact] for fact in facts))
        self._depends_on_moves = self._following.reaches(self._move_nodes)
        self._legal = circuit.legal.tolist() if self._depends_on_moves else []
        self._view = _Evaluation(circuit, [*self._legal, circuit.terminal])

    def step(self, known: Mapping[int, int]) -> dict[int, int] | None:
        """Return which of the known facts are known after a step; None if no step follows."""
        facts = {self._fact_nodes[fact]: (value, 1 - value) for fact, value in known.items()}
        rails = self._view.rails(facts, 1)
        if not _may_be(0, rails, self._circuit.terminal):
            return None
        if not self._depends_on_moves:
            return self._known(known, self._following.rails(facts, 1))
        possible = [_may_be(1, rails, literal) for literal in self._legal]
        roles = [[move for move in own if possible[move]] for own in self._roles]
        result: dict[int, int] = {}
        for own in roles:
            # a lane for each move of this role
            every = (1 << len(own)) - 1
            inputs: _Rails = {
                node: (every * true, every * false) for node, (true, false) in facts.items()
            }
            nodes = self._move_nodes
            inputs |= {
                node: (0, every) for node, can_be in zip(nodes, possible, strict=True) if not can_be
            }
            inputs |= {nodes[other[0]]: (every, 0) for other in roles if len(other) == 1}
            inputs |= {nodes[move]: (1 << lane, every ^ 1 << lane) for lane, move in enumerate(own)}
            result |= self._known(known, self._following.rails(inputs, every))
        return {fact: result[fact] for fact in known if fact in result}

    def _known(self, facts: Iterable[int], rails: _Rails) -> dict[int, int]:
        result = {}
        for fact in facts:
            literal = self._next[fact]
            if not _may_be(1, rails, literal):
                result[fact] = 0
            elif not _may_be(0, rails, literal):
                result[fact] = 1
        return result


class _Evaluation:
    """Evaluates what some literals depend on, where inputs may be unknown."""

    def __init__(self, circuit: Circuit, literals: Iterable[int]) -> None:
        nodes = sorted(cone(circuit, literals))
        latches = {int(node) for loop in circuit.loops for node in loop.latches}
        gates, inputs = circuit.gates.tolist(), circuit.inputs
        self._unknown = [node for node in nodes if node <= inputs or node in latches]
        self._gates = [
            (node, *gates[node]) for node in nodes if node > inputs and node not in latches
        ]

    def reaches(self, inputs: range) -> bool:
        """Return whether the literals depend on one of some inputs."""
        return any(node in inputs for node in self._unknown)

    def rails(self, inputs: _Rails, every: int) -> _Rails:
        """Return the rails of all nodes; `every` has a bit for each lane."""
        rails: _Rails = {0: (0, every)}
        for node in self._unknown:
            rails[node] = inputs.get(node, (every, every))
        for node, left, right in self._gates:
            true, false = rails[left >> 1]
            if left & 1:
                true, false = false, true
            also_true, also_false = rails[right >> 1]
            if right & 1:
                also_true, also_false = also_false, also_true
            rails[node] = true & also_true, false | also_false
        return rails


def _may_be(value: int, rails: _Rails, literal: int) -> int:
    """Return the lanes in which a literal may have a value."""
    return rails[literal >> 1][value == literal & 1]
