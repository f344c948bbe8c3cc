"""The pairs of facts that the rules relate: such as the contents of two cells side by side.

Two facts are related if two literals of a body of a ground rule depend on them, one on each. The
rules say which moves are legal, when the game ends, and what the goals are: so in Hex a chain of
stones relates each cell to its neighbours, and in Breakthrough a move relates the cells that it
goes from and to. An atom that depends on many facts, or on itself, counts for the facts in its own
bodies; if they are many, for none.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.build import ground_game
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.components import components
from ggp.compiler.circuit.named import NamedAtoms
from ggp.compiler.grounding.ground_program import GroundProgram
from ggp.deadline import TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description

__all__ = ["find_related"]

#: The most facts that an atom counts for, and the most literals of a body that count for any: a
#: longer one relates everything.
_FEW, _SHORT = 3, 16
#: A fact with more partners is related to everything, such as whose turn it is: it gets none. After
#: this many passes those that are left have none either.
_HUB, _PASSES = 48, 5
#: Literals of a ground program beyond which it is not searched.
_LARGE = 500_000


def find_related(
    description: Description,
    circuit: Circuit,
    *,
    most: int = 8192,
    time_limit: float = 2.0,
    memory_limit: int = 2 << 30,
) -> NDArray[np.int32]:
    """Return the pairs of facts that the rules relate.

    Args:
        description: the rules.
        circuit: their circuit, which numbers the facts.
        most: how many pairs there may be; of a game with more, none is returned.
        time_limit: seconds that this may take.
        memory_limit: bytes that the grounder may use.

    Returns:
        int32[pairs, 2]: numbers of facts, the lower one first, in ascending order.
    """
    none, due = np.zeros((0, 2), np.int32), time.monotonic() + time_limit
    try:
        program, named = ground_game(description, due=due, memory_limit=memory_limit)
    except ReasonerError:
        return none
    if len(program.literals) > _LARGE:
        return none
    rules, hubs = _Rules(program, named.only(circuit)), set[int]()
    for _ in range(_PASSES):
        try:
            partners = rules.partners(without=hubs, due=due)
        except TimeUp:
            return none
        more = {fact for fact, others in partners.items() if len(others) > _HUB}
        if not more:
            break
        hubs |= more
    pairs = [
        (fact, other)
        for fact, others in partners.items()
        for other in others
        if fact < other and not {fact, other} & hubs
    ]
    return np.array(sorted(pairs), np.int32) if 0 < len(pairs) <= most else none


class _Rules:
    """The ground rules that say what is legal, when the game ends, and what the goals are."""

    def __init__(self, program: GroundProgram, named: NamedAtoms) -> None:
        self._program = program
        #: The numbers of the atoms that are facts, and of those that are derived, in an order in
        #: which each comes after all that it depends on, unless they depend on each other.
        self._facts = {atom: number for number, (_, atom) in enumerate(named.facts) if atom}
        goals = (atom for *_, atom in named.goals)
        roots = {atom for atom in (*named.legal.values(), *named.terminal, *goals) if atom}
        edges = program.first_literal[program.first_rule].astype(np.int64)
        self._component = components(edges, program.literals).tolist()
        derived = _needed(program, roots) - self._facts.keys()
        self._derived = sorted(derived, key=self._component.__getitem__)

    def partners(self, *, without: set[int], due: float) -> Mapping[int, set[int]]:
        """Return the facts that each fact is related to, apart from some that count for nothing.

        Of a fact with more partners than `_HUB`, some are left out.

        Raises:
            TimeUp: it is later than `due`.
        """
        of_atom = self._nearest(without)
        found = defaultdict[int, set[int]](set)
        for atom in self._derived:
            if time.monotonic() > due:
                raise TimeUp
            for body in self._program.bodies(atom):
                parts = [of_atom[abs(literal)] for literal in body if of_atom[abs(literal)]]
                if len(parts) > _SHORT:
                    continue
                for one, other in combinations(parts, 2):
                    for fact, partner in chain(product(one, other), product(other, one)):
                        if fact != partner and len(found[fact]) <= _HUB:
                            found[fact].add(partner)
        return found

    def _nearest(self, without: set[int]) -> Mapping[int, frozenset[int]]:
        """Return for each atom the few facts that it directly depends on; none if they are more."""
        nearest = {atom: frozenset({fact} - without) for atom, fact in self._facts.items()}
        for atom in self._derived:
            below = {abs(literal) for literal in self._program.below(atom)}
            component = self._component[atom]
            direct = frozenset[int]().union(
                *(nearest[other] for other in below & self._facts.keys())
            )
            whole = direct.union(
                *(nearest[other] for other in below if self._component[other] != component)
            )
            nearest[atom] = next(
                (facts for facts in (whole, direct) if len(facts) <= _FEW), frozenset()
            )
        return nearest


def _needed(program: GroundProgram, roots: set[int]) -> set[int]:
    """Return the atoms that some atoms depend on, and themselves."""
    found, pending = set(roots), list(roots)
    while pending:
        below = {abs(literal) for literal in program.below(pending.pop())} - found
        found |= below
        pending += below
    return found
