"""What holds in every state that can be reached, proved by induction over the rules.

Three kinds of invariants are looked for (`ggp.search.leaf_values.candidate_invariants`):

- of a group of facts at most one is true, or at least one: (cell 1 1 ?x), (step ?n);
- a sum is the same in every state: over (took ?r ?n) with weight n, less (step ?n) with weight n;
- a clause, such as that the role that has the move has no card on the table.

They are abstract domains in the sense of Cousot and Cousot (1977), the sums that of Karr (1976)
"Affine relationships among variables of a program". We begin with the invariants of all states that
random playouts go through, and ask clingo for a step from a state that satisfies every invariant to
one that does not. What the state after breaks is dropped, and we ask again. When there is no such
step, what is left holds initially, and no step leads out of it. Each time the next state is one
that no set of invariants of these kinds could exclude (the best transformer of Reps, Sagiv and
Yorsh 2004), so nothing is dropped that could have been kept.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ggp.deadline import TimeUp
from ggp.reasoner.compiled import Circuit, answers
from ggp.search.leaf_values.candidate_invariants import (
    Clauses,
    Domain,
    Facts,
    Groups,
    Invariant,
    Sums,
)
from ggp.search.leaf_values.transitions import Transitions

__all__ = ["Invariants", "find_invariants"]

# The number of random playouts made at once, and the steps of each.
_LANES, _STEPS = 32, 48
# Seconds to look for another broken invariant before the rest are tried without the first.
_PATIENCE = 0.1
# The share of the time that is left that goes to all kinds of invariants that are left.
_SHARE = 2 / 3


@dataclass(frozen=True, slots=True)
class Invariants:
    """Laws that every state obeys that can be reached."""

    #: Literals of the transitions that hold where the state before satisfies the invariants.
    assumptions: tuple[int, ...]
    #: Groups of facts of which at most one is true, the largest ones.
    exclusive: tuple[Facts, ...]
    #: The invariants themselves.
    found: tuple[Invariant, ...] = ()


def find_invariants(circuit: Circuit, transitions: Transitions, *, due: float) -> Invariants:
    """Find invariants and prove them.

    Most of the time goes to all kinds together. If that is not enough, the sums are given up, and
    the rest goes to the others in the same manner; groups are the last.

    Raises:
        TimeUp: the deadline, a time of `time.monotonic`, has passed.
    """
    domains: list[Domain[Any]] = [kind(circuit, transitions) for kind in (Groups, Clauses, Sums)]
    for state in _reachable(circuit, due):
        for domain in domains:
            domain.see(state)
    while True:
        now = time.monotonic()
        until = due if len(domains) == 1 else now + _SHARE * (due - now)
        try:
            invariants = _proved(domains, transitions, until)
        except TimeUp:
            if len(domains) == 1:
                raise
            domains.pop()
            continue
        exclusive = [invariant.exclusive for invariant in invariants if invariant.exclusive]
        return Invariants(
            tuple(invariant.before for invariant in invariants),
            tuple(group for group in exclusive if not any(set(group) < set(g) for g in exclusive)),
            tuple(invariants),
        )


def _proved(
    domains: Sequence[Domain[Any]], transitions: Transitions, due: float
) -> list[Invariant]:
    """Show the domains more and more states, until no step leads out of their invariants."""
    while True:
        with transitions.adding():
            invariants = [invariant for domain in domains for invariant in domain.invariants()]
            some_broken = transitions.any_of(invariant.broken for invariant in invariants)
        left = invariants
        assumptions = [some_broken, *(invariant.before for invariant in invariants)]
        for model in transitions.models(assumptions, due=due, patience=_PATIENCE):
            after = transitions.state_after(model)
            for domain in domains:
                domain.see(after)
            left = [invariant for invariant in left if invariant.holds(after)]
            model.context.add_clause([invariant.broken for invariant in left])
        if left is invariants:
            return invariants


def _reachable(circuit: Circuit, due: float) -> list[frozenset[int]]:
    """Return states that random playouts go through, the initial one too. Raises `TimeUp`."""
    chance = random.Random(0)
    initial = frozenset(circuit.initial.tolist())
    found = {initial: None}
    lanes = [initial] * _LANES
    for _ in range(_STEPS):
        if time.monotonic() > due:
            raise TimeUp
        seen = answers(circuit, lanes)
        going = [
            (state, [chance.choice(moves) for moves in answer.legal])
            for state, answer in zip(lanes, seen, strict=True)
            if not answer.terminal and all(answer.legal)
        ]
        if not going:
            break
        stepped = answers(circuit, [state for state, _ in going], [moves for _, moves in going])
        lanes = [answer.successor for answer in stepped]
        found.update(dict.fromkeys(lanes))
        lanes += [initial] * (_LANES - len(lanes))
    return list(found)
