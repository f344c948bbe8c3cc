"""Laws that the states of a game may obey, as far as the states that were seen tell.

Each kind of invariant is a domain: it is shown states, and says which invariants of its kind hold
in all of them. `ggp.search.leaf_values.invariants` then proves what it can.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.wide import States
from ggp.kif import Compound, Symbol, Term
from ggp.search.leaf_values.linear import constant_sums, independent_columns, with_fewer_terms
from ggp.search.leaf_values.transitions import Steps

__all__ = ["Clauses", "Contents", "Domain", "Facts", "Flags", "Groups", "Invariant", "Sums"]

#: Facts by their number in the circuit.
Facts: TypeAlias = tuple[int, ...]
#: The facts that are true, by number.
State: TypeAlias = frozenset[int]
#: The numbers of facts of one form, each with the constants in its places.
Family: TypeAlias = list[tuple[int, tuple[str, ...]]]

Key = TypeVar("Key", bound=Hashable)

# How many states are looked at in one batch.
_AT_ONCE = 512
# Facts with more places than this are grouped by single places and all places only.
_MAX_PLACES = 4
# Clauses have three literals at most, over no more predicates than this.
_MAX_PREDICATES = 16
_MAX_LITERALS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Invariant:
    """An invariant, and what it says of a step."""

    holds: Callable[[State], bool]
    #: The literal that the state before obeys it.
    before: int
    #: The literal that the state after breaks it, if the state before satisfies all invariants.
    broken: int
    #: The group of which it says that at most one is true, if it does.
    exclusive: Facts = ()
    #: Its kind and its key, with which `Domain.make` makes it again.
    name: tuple[type[Domain[Any]], Hashable] | None = None


class Domain(ABC, Generic[Key]):
    """The invariants of one kind. An invariant is known by its key."""

    def __init__(self, circuit: Circuit, transitions: Steps) -> None:
        """Begin without having seen a state."""
        self.circuit = circuit
        self.transitions = transitions
        self._made: dict[Key, Invariant] = {}

    @abstractmethod
    def see(self, states: States) -> None:
        """Take states into account."""

    @abstractmethod
    def keys(self) -> Iterable[Key]:
        """Return the invariants that hold in all states that were seen."""

    @abstractmethod
    def make(self, key: Key) -> Invariant:
        """Put an invariant into the program. Within `Transitions.adding`."""

    def invariants(self) -> list[Invariant]:
        """Return the invariants that hold in all states that were seen, in the program."""
        found = []
        for key in self.keys():
            if key not in self._made:
                self._made[key] = replace(self.make(key), name=(type(self), key))
            found.append(self._made[key])
        return found


class Groups(Domain[tuple[Facts, bool]]):
    """Of a group of facts at most one is true, or (True in the key) at least one.

    A group are facts that differ in some places only, such as (cell 1 1 ?x).
    """

    def __init__(self, circuit: Circuit, transitions: Steps) -> None:
        super().__init__(circuit, transitions)
        self._groups = list(dict.fromkeys(self._made_of(_families(circuit.facts).values())))
        self._facts = np.array([fact for group in self._groups for fact in group], np.int64)
        self._starts = np.cumsum([0, *map(len, self._groups[:-1])])
        #: For each group the least and the largest number of its facts that were true at once.
        self._least = np.full(len(self._groups), len(circuit.facts))
        self._most = np.zeros(len(self._groups), np.int64)

    def _made_of(self, families: Iterable[Family]) -> Iterator[Facts]:
        """Yield all groups of facts that differ only in some of their places, and single facts."""
        for family in families:
            places = range(len(family[0][1]))
            sizes = places if len(places) <= _MAX_PLACES else (0, len(places) - 1)
            for size in sizes:
                for varying in combinations(places, size + 1):
                    yield from _differing(family, varying)
            yield from ((fact,) for fact, _ in family)

    def see(self, states: States) -> None:
        """Take states into account."""
        if not self._groups:
            return
        for first in range(0, len(states), _AT_ONCE):
            members = states[first : first + _AT_ONCE, self._facts]
            counts = np.add.reduceat(members, self._starts, axis=1, dtype=np.int32)
            self._least = np.minimum(self._least, counts.min(axis=0))
            self._most = np.maximum(self._most, counts.max(axis=0))

    def keys(self) -> Iterator[tuple[Facts, bool]]:
        """Yield the invariants that hold in all states that were seen."""
        for group, least, most in zip(self._groups, self._least, self._most, strict=True):
            if most <= 1:
                yield group, False
            if least >= 1:
                yield group, True

    def make(self, key: tuple[Facts, bool]) -> Invariant:
        """Put an invariant into the program."""
        group, at_least_one = key
        made = self.transitions

        def obeyed(state: Sequence[int]) -> int:
            terms = [(state[fact], 1) for fact in group]
            return made.at_least(1, terms) if at_least_one else -made.at_least(2, terms)

        return Invariant(
            lambda state: _obeys(key, state),
            obeyed(made.before),
            -obeyed(made.after),
            () if at_least_one else group,
        )


class Flags(Groups):
    """The groups of the facts that have one place, such as (control ?role) and (step ?n)."""

    def _made_of(self, families: Iterable[Family]) -> Iterator[Facts]:
        for family in families:
            if len(family[0][1]) == 1:
                yield from _differing(family, (0,))


class Contents(Groups):
    """The groups of facts that differ in a single place, such as (cell 1 1 ?content)."""

    def _made_of(self, families: Iterable[Family]) -> Iterator[Facts]:
        for family in families:
            for place in range(len(family[0][1])):
                yield from _differing(family, (place,))


def _obeys(key: tuple[Facts, bool], state: State) -> bool:
    group, at_least_one = key
    count = len(state.intersection(group))
    return count >= 1 if at_least_one else count <= 1


class Clauses(Domain[tuple[int, ...]]):
    """A clause of up to three literals over predicates: propositions, and which role has something.

    So it may be an invariant that a role that has the move has no card on the table. Predicate
    number p is the literal p + 1 of a key, its negation -(p + 1).
    """

    def __init__(self, circuit: Circuit, transitions: Steps) -> None:
        super().__init__(circuit, transitions)
        roles = {str(role) for role in circuit.roles}
        counted = _counted(circuit, lambda constant: constant in roles)
        self._predicates = counted if len(counted) <= _MAX_PREDICATES else []
        self._seen: dict[tuple[bool, ...], None] = {}

    def see(self, states: States) -> None:
        """Take states into account."""
        if self._predicates:
            columns = [states[:, facts].any(axis=1) for facts in self._predicates]
            found = np.unique(np.column_stack(columns), axis=0)
            self._seen.update(dict.fromkeys(map(tuple, found.tolist())))

    def keys(self) -> Iterator[tuple[int, ...]]:
        """Return the invariants that hold in all states that were seen."""
        everywhere = (1 << len(self._seen)) - 1
        where: dict[int, int] = {}
        for number in range(len(self._predicates)):
            holds = sum(1 << index for index, seen in enumerate(self._seen) if seen[number])
            where[number + 1], where[-number - 1] = holds, everywhere & ~holds
        found: set[tuple[int, ...]] = set()
        for size in range(1, _MAX_LITERALS + 1):
            for predicates in combinations(range(1, len(self._predicates) + 1), size):
                for clause in product(*((p, -p) for p in predicates)):
                    parts = (part for n in range(1, size) for part in combinations(clause, n))
                    union = 0
                    for literal in clause:
                        union |= where[literal]
                    if union == everywhere and found.isdisjoint(parts):
                        found.add(clause)
                        yield clause

    def make(self, key: tuple[int, ...]) -> Invariant:
        """Put an invariant into the program."""
        made = self.transitions

        def obeyed(state: Sequence[int]) -> int:
            return made.any_of(
                sign * made.any_of(state[fact] for fact in facts) for sign, facts in signed
            )

        signed = [(1 if p > 0 else -1, self._predicates[abs(p) - 1]) for p in key]
        return Invariant(
            lambda state: any((sign < 0) == state.isdisjoint(facts) for sign, facts in signed),
            obeyed(made.before),
            -obeyed(made.after),
        )


class Sums(Domain[tuple[tuple[tuple[int, int], ...], int]]):
    """A sum of the weights of those facts that are true is the same in all states.

    A key has the facts with their weights, and the sum. All facts with the same constant in the
    same place have weights in common, so that numbers count, and not what is at which place.
    """

    def __init__(self, circuit: Circuit, transitions: Steps) -> None:
        super().__init__(circuit, transitions)
        columns = _counted(circuit, lambda _: True)
        membership = np.zeros((len(circuit.facts), len(columns)), np.int64)
        for number, facts in enumerate(columns):
            membership[list(facts), number] = 1
        #: The independent columns: the counts of the others follow from these.
        self._counted = membership[:, independent_columns(membership)]
        # Sums of floats are exact as long as they are small, and numpy is quicker with them.
        self._quick = self._counted.astype(np.float64)
        self._points: dict[tuple[int, ...], None] = {}
        self._changes: dict[int, tuple[int, int]] = {}

    def see(self, states: States) -> None:
        """Take states into account."""
        points = np.unique((states.astype(np.float64) @ self._quick).astype(np.int64), axis=0)
        self._points.update(dict.fromkeys(map(tuple, points.tolist())))

    def keys(self) -> Iterator[tuple[tuple[tuple[int, int], ...], int]]:
        """Return the invariants that hold in all states that were seen."""
        found = [
            [*(self._counted @ columns).tolist(), total]
            for columns, total in constant_sums(np.array(list(self._points), np.int64))
        ]
        for *sums, total in with_fewer_terms(np.array(found, np.int64)).tolist() if found else ():
            weights = tuple((fact, weight) for fact, weight in enumerate(sums) if weight)
            if weights:
                yield weights, total

    def make(self, key: tuple[tuple[tuple[int, int], ...], int]) -> Invariant:
        """Put an invariant into the program."""
        weights, total = key
        made = self.transitions
        terms = [(made.before[fact], weight) for fact, weight in weights]
        before = made.both(made.at_least(total, terms), -made.at_least(total + 1, terms))
        # What changes is little, and whether the sum does is seen from it alone.
        changes = [
            (literal, weight * sign)
            for fact, weight in weights
            for literal, sign in zip(self._change(fact), (1, -1), strict=True)
        ]
        opposite = [(literal, -weight) for literal, weight in changes]
        return Invariant(
            lambda state: sum(weight for fact, weight in weights if fact in state) == total,
            before,
            made.any_of([made.at_least(1, changes), made.at_least(1, opposite)]),
        )

    def _change(self, fact: int) -> tuple[int, int]:
        """Return the literals that a fact comes true, and that it ceases to be."""
        if fact not in self._changes:
            made = self.transitions
            before, after = made.before[fact], made.after[fact]
            self._changes[fact] = made.both(-before, after), made.both(before, -after)
        return self._changes[fact]


def _differing(family: Family, varying: Sequence[int]) -> Iterator[Facts]:
    """Yield the groups of facts that differ only in these places."""
    by_rest: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for fact, constants in family:
        rest = tuple(c for i, c in enumerate(constants) if i not in varying)
        by_rest[rest].append(fact)
    yield from map(tuple, by_rest.values())


def _counted(circuit: Circuit, wanted: Callable[[str], bool]) -> list[Facts]:
    """Return the propositions, and the facts with a wanted constant in some place, by the place."""
    found: dict[Facts, None] = {}
    for family in _families(circuit.facts).values():
        by_place: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for fact, constants in family:
            for place in enumerate(constants):
                by_place[place].append(fact)
            if not constants:
                found[fact,] = None
        for (_, constant), facts in by_place.items():
            if wanted(constant):
                found[tuple(facts)] = None
    return list(found)


def _families(facts: Sequence[Term]) -> dict[str, Family]:
    """Return the facts by their form: without the constants in their places."""
    families: defaultdict[str, Family] = defaultdict(list)
    for number, fact in enumerate(facts):
        constants: list[str] = []
        families[_row_filter(fact, constants)].append((number, tuple(constants)))
    return families


def _row_filter(term: Term, constants: list[str], *, inside: bool = False) -> str:
    """Return the term with its constants blanked, and add these to the list."""
    if isinstance(term, Symbol):
        if inside:
            constants.append(term.text)
            return "?"
        return term.text
    assert isinstance(term, Compound)
    arguments = (_row_filter(argument, constants, inside=True) for argument in term.arguments)
    return f"({term.name} {' '.join(arguments)})"
