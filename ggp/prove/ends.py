"""Whether every play of a game ends.

A game has finitely many states, so a play that does not end comes back to a state of its own. Three
things show that none does: facts that never return, a rank that falls, and a machine that remembers
a state of its play and never sees it again.

The rank is a sum of weights of the facts that are true. Where steps are known that it must fall
in, weights are found by the perceptron rule (Rosenblatt 1958), which finds them if there are any;
clingo looks for a step in which the rank does not fall, until there is none, as in the
counterexample-guided synthesis of Solar-Lezama et al. (2006) "Combinatorial sketching for finite
programs", ASPLOS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice

import numpy as np
from clingo import Model
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.deadline import Deadline, TimeUp
from ggp.kif import Compound
from ggp.prove.machine import GameMachine
from ggp.search.leaf_values.outcomes import Changes, Outcomes
from ggp.search.leaf_values.program import holds

__all__ = ["Ranking", "find_ranking", "returns"]

# Rounds of the perceptron over all steps that are known, and the largest weight.
_ROUNDS, _MAX_WEIGHT = 2_000, 10**6
# More features than this take too long.
_MAX_FEATURES = 3_000
# How many steps in which the rank does not fall are looked for at once, and how many seconds for
# each but the first.
_STEPS, _PATIENCE = 10, 0.05


def returns(machine: GameMachine) -> int:
    """Return the literal that a state of the play has come back, as a machine that remembers one.

    From liveness to safety: Biere, Artho and Schuppan (2002) "Liveness checking as safety
    checking", FMICS.
    """
    remembers = machine.latch()
    now = machine.aig.both(machine.input(), remembers ^ 1)
    machine.drive(remembers, machine.either(remembers, now))
    changed = []
    for fact in machine.facts:
        kept = machine.latch()
        machine.drive(kept, machine.choose(now, fact, kept))
        changed.append(machine.differ(kept, fact))
    same = machine.aig.disjunction(changed) ^ 1
    return machine.aig.conjunction([remembers, same, machine.live])


@dataclass(frozen=True, slots=True)
class Ranking:
    """Why every play ends: each step is one of which no play has infinitely many, or a rank falls.

    The rank is the sum of the weights of the facts that are true.
    """

    changes: Changes
    weights: tuple[int, ...]

    def longest(self, initial: Collection[int]) -> int | None:
        """Return a number of steps that no play exceeds; None where steps rest on the rank.

        Each step changes at least one group. A group changes at most as often as the longest chain
        of its values is long. Larger groups come first, and a group whose facts are all in those
        already counted is left out: each of its changes is a change of another group, too.

        Args:
            initial: the facts of the initial state.
        """
        if any(self.weights):
            return None
        steps, counted = 0, set[int]()
        for group, later in sorted(self.changes.groups, key=lambda found: -len(found[0])):
            if not counted.issuperset(group):
                counted.update(group)
                first = next((v for v, fact in enumerate(group) if fact in initial), len(group))
                steps += _longest_chain(later, first)
        return steps


def _longest_chain(later: Sequence[int], first: int) -> int:
    """Return how often a value can change, none of which returns, by what may come after each."""

    @cache
    def longest(value: int) -> int:
        after = (new for new in range(len(later)) if new != value and later[value] >> new & 1)
        return max((1 + longest(new) for new in after), default=0)

    # What can come after a value can come after those before it: the values with the least after
    # them come first, so that the recursion is never deep.
    for value in sorted(range(len(later)), key=lambda value: later[value].bit_count()):
        longest(value)
    return longest(first)


def find_ranking(circuit: Circuit, outcomes: Outcomes, *, deadline: Deadline) -> Ranking | None:
    """Return why every play ends; None if that is not seen.

    Raises:
        TimeUp: the time was not enough.
    """
    made = outcomes.transitions
    # Counters of steps are quickly asked for, and often enough.
    for_good = outcomes.changes_for_good(due=deadline.due, are_all=False)
    stays = [*outcomes.invariants.assumptions, -for_good.some]
    if not any(True for _ in made.models(stays, due=deadline.due)):
        return Ranking(for_good, (0,) * len(circuit.facts))
    for_good = outcomes.changes_for_good(due=deadline.due)
    features = _features(circuit)
    stays = [*outcomes.invariants.assumptions, -for_good.some]
    if features.shape[1] > _MAX_FEATURES:
        features = np.zeros((len(circuit.facts), 0), np.int64)
    with made.adding():
        changes = [
            (made.both(-before, after), made.both(before, -after))
            for before, after in zip(made.before, made.after, strict=True)
        ]
    weights = np.zeros(features.shape[1], np.int64)
    steps: list[NDArray[np.int64]] = []
    while True:
        rank = (features @ weights).tolist()
        with made.adding():
            terms = [
                (literal, -weight * sign)
                for weight, both in zip(rank, changes, strict=True)
                if weight
                for literal, sign in zip(both, (1, -1), strict=True)
            ]
            falls = made.at_least(1, terms)
        new = []
        with closing(made.models([*stays, -falls], due=deadline.due, patience=_PATIENCE)) as models:
            for model in islice(models, _STEPS):
                true = [literal for both in changes for literal in both if holds(model, literal)]
                new.append(_change(model, changes) @ features)
                model.context.add_clause([-literal for literal in true])  # another kind of step
        if deadline.is_over:
            raise TimeUp
        if not new:
            return Ranking(for_good, tuple(rank))
        steps += new
        found = _weights(np.unique(np.array(steps), axis=0))
        if found is None:
            return None
        weights = found


def _features(circuit: Circuit) -> NDArray[np.int64]:
    """Return for each fact which constants it has, alone and in pairs, and in which places."""
    columns: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, fact in enumerate(circuit.facts):
        if not isinstance(fact, Compound):
            columns[str(fact),].append(number)
            continue
        places = [(place, str(term)) for place, term in enumerate(fact.arguments)]
        for size in (0, 1, 2):
            for chosen in combinations(places, size):
                columns[fact.name, len(places), *chosen].append(number)
    distinct = {tuple(facts): None for facts in columns.values()}
    matrix = np.zeros((len(circuit.facts), len(distinct)), np.int64)
    for column, facts in enumerate(distinct):
        matrix[list(facts), column] = 1
    return matrix


def _change(model: Model, changes: list[tuple[int, int]]) -> NDArray[np.int64]:
    """Return for each fact 1 if it comes true in a step, -1 if it ceases to be, else 0."""
    return np.array([holds(model, comes) - holds(model, goes) for comes, goes in changes], np.int64)


def _weights(steps: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return weights with which each step is negative, None if the perceptron finds none."""
    weights = np.zeros(steps.shape[1], np.int64)
    for _ in range(_ROUNDS):
        wrong = steps[steps @ weights >= 0]
        if not len(wrong):
            return weights
        weights -= wrong.sum(axis=0)
        divisor = np.gcd.reduce(weights)
        if divisor > 1:
            weights //= divisor
        if np.abs(weights).max() > _MAX_WEIGHT:
            return None
    return None
