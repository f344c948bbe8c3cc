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

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.wide import States, WideCircuit
from ggp.deadline import TimeUp
from ggp.search.leaf_values.candidate_invariants import (
    Clauses,
    Contents,
    Domain,
    Facts,
    Flags,
    Groups,
    Invariant,
    Sums,
)
from ggp.search.leaf_values.program import holds
from ggp.search.leaf_values.transitions import Transitions

#: States in rows, the facts in bits.
Packed: TypeAlias = NDArray[np.uint8]

__all__ = ["InvariantSearch", "Invariants", "Packed"]

# The number of random plays at once, the steps of each from the initial state, and those from a
# state in which a step begins that breaks an invariant.
_LANES, _STEPS, _MORE_STEPS = 256, 128, 8
# The share of the time that plays from the initial state may take.
_PLAYING = 0.15
# Seconds to look for another broken invariant before the rest are tried without the first.
_PATIENCE = 0.1
#: The kinds that hold all invariants.
_ALL: set[type[Domain[Any]]] = {Groups, Clauses, Sums}
# The share of the time left that goes to some kinds of invariants, the first time and again.
_ONE, _ONE_AGAIN = 0.4, 0.9


@dataclass(frozen=True, slots=True)
class Invariants:
    """Laws that every state obeys that can be reached."""

    #: Literals of the transitions that hold where the state before satisfies the invariants.
    assumptions: tuple[int, ...]
    #: Groups of facts of which at most one is true, the largest ones.
    exclusive: tuple[Facts, ...]
    #: The invariants themselves.
    found: tuple[Invariant, ...] = ()


class InvariantSearch:
    """Looks for invariants, and proves them."""

    def __init__(self, circuit: Circuit, transitions: Transitions) -> None:
        """Begin without any.

        Args:
            circuit: the rules, without loops.
            transitions: their steps.
        """
        self._circuit, self._transitions = circuit, transitions
        self._plays = WideCircuit(circuit)
        #: States of random plays from the initial state.
        self._seen: list[States] = []
        #: Their steps: the states before, and those after.
        self.steps: tuple[Packed, Packed]
        self._seed = 0
        self._proved: list[Invariant] = []
        #: The kinds that have been proved together with those before them.
        self._done: set[type[Domain[Any]]] = set()

    @property
    def is_complete(self) -> bool:
        """Whether all invariants have been found that can be."""
        return self._done >= _ALL

    def steps_from(self, starts: States) -> tuple[Packed, Packed]:
        """Return the steps of random plays from states that satisfy all invariants."""
        return _joined([_packed(step) for step in self._walk(starts, _MORE_STEPS)])

    @property
    def invariants(self) -> Invariants:
        """What is proved so far."""
        found = self._proved
        # Even where nothing is proved, no more than one of a single fact is true.
        exclusive = [each.exclusive for each in found if each.exclusive] or [
            (fact,) for fact in range(len(self._circuit.facts))
        ]
        return Invariants(
            tuple(invariant.before for invariant in found),
            tuple(group for group in exclusive if not any(set(group) < set(g) for g in exclusive)),
            tuple(found),
        )

    def run(self, *, due: float) -> None:
        """Go on until all invariants are found, or up to a time of the transitions' clock.

        Flags are quickly proved. Then a part of the time goes to all kinds together; if that is not
        enough, one kind after the other is tried, and those that are proved help with the next. The
        next time most of it goes to all kinds together, with the help of those.
        """
        share = _ONE_AGAIN if self._seen else _ONE
        if not self._seen:
            self._play(due=self._part(_PLAYING, due))
        for kinds in (
            (Flags,),
            (Groups, Clauses, Sums),
            (Contents,),
            (Groups,),
            (Clauses,),
            (Sums,),
        ):
            if not self._done.issuperset(kinds):
                with suppress(TimeUp):
                    self._prove(*kinds, due=self._part(share, due))

    def _play(self, *, due: float) -> None:
        """Gather states of random plays from the initial state."""
        initial = np.zeros((1, len(self._circuit.facts)), bool)
        initial[0, self._circuit.initial] = True
        self._seen.append(initial)
        steps = []
        for step in self._walk(initial, _STEPS):
            self._seen.append(np.unique(step[1], axis=0))
            steps.append(_packed(step))
            if self._transitions.clock() > due:
                break
        self.steps = _joined(steps)

    def _prove(self, *kinds: type[Domain[Any]], due: float) -> None:
        """Prove invariants of some kinds, with the help of those that are proved.

        Raises:
            TimeUp: the deadline has passed; then none is added.
        """
        domains = [kind(self._circuit, self._transitions) for kind in kinds]
        for states in self._seen:
            _show(domains, states)
            if self._transitions.clock() > due:
                raise TimeUp
        while (broken := self._broken(domains, due)) is not None:
            # Plays from there show more states at once than clingo finds one by one.
            for _, after in self._walk(broken, _MORE_STEPS):
                _show(domains, after)
        known = {_key(invariant) for invariant in self._proved}
        found = (invariant for domain in domains for invariant in domain.invariants())
        self._proved += [invariant for invariant in found if _key(invariant) not in known]
        self._done.update(kinds)

    def _broken(self, domains: Sequence[Domain[Any]], due: float) -> States | None:
        """Show the domains states that break their invariants, and return states to play from.

        Those satisfy all invariants so far, and so do the states before the ones that do not: what
        is left of the invariants in the end holds in all that follow. None if there are none.
        """
        made = self._transitions
        with made.adding():
            invariants = [invariant for domain in domains for invariant in domain.invariants()]
            some_broken = made.any_of(invariant.broken for invariant in invariants)
        left = invariants
        assumptions = [some_broken, *(each.before for each in (*self._proved, *invariants))]
        states: list[list[bool]] = []
        for model in made.models(assumptions, due=due, patience=_PATIENCE):
            before, after = (
                [holds(model, literal) for literal in literals]
                for literals in (made.before, made.after)
            )
            states += [before, after]
            facts = frozenset(fact for fact, is_true in enumerate(after) if is_true)
            left = [invariant for invariant in left if invariant.holds(facts)]
            model.context.add_clause([invariant.broken for invariant in left])
        if not states:
            return None
        found = np.array(states)
        _show(domains, found)
        return found

    def _part(self, share: float, due: float) -> float:
        """Return when a share of the time that is left will be over."""
        now = self._transitions.clock()
        return now + share * (due - now)

    def _walk(self, starts: States, steps: int) -> Iterator[tuple[States, States]]:
        self._seed += 1
        return self._plays.walk(starts, lanes=_LANES, steps=steps, seed=self._seed)


def _show(domains: Sequence[Domain[Any]], states: States) -> None:
    for domain in domains if len(states) else ():
        domain.see(states)


def _packed(step: tuple[States, States]) -> tuple[Packed, Packed]:
    before, after = step
    return np.packbits(before, axis=1), np.packbits(after, axis=1)


def _joined(steps: Iterable[tuple[Packed, Packed]]) -> tuple[Packed, Packed]:
    before, after = zip(*steps, strict=True)
    return np.concatenate(before), np.concatenate(after)


def _key(invariant: Invariant) -> Hashable:
    """Return what an invariant says."""
    assert invariant.name is not None
    return invariant.name[1]
