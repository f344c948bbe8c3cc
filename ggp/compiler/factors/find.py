"""Finds the factors of a game: games played side by side, as one.

As in Cox, Schkufza, Madsen and Genesereth (2009) "Factoring general games using propositional
automata", and Hufschmitt, Vittaut and Jouandeau (2018) "Statistical GGP game decomposition", but
without sampling: what depends on what is read from the circuit, once for each thing that can be
done. A fact that a move leaves as other moves leave it does not depend on that move, however the
author has written so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod
from typing import TypeAlias

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.straightline import cone
from ggp.compiler.factors.clockwork import clockwork, possible_moves
from ggp.compiler.factors.cofactors import Cofactors, Function
from ggp.compiler.factors.ends import joined_by_the_end
from ggp.compiler.factors.partition import Partition
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerTimeout

__all__ = ["Factor", "find_factors"]

#: What a move does: each thing with a fact of the part in which it happens.
_Effects: TypeAlias = list[tuple[int, object]]


@dataclass(frozen=True, slots=True)
class Factor:
    """A part of a game: what is legal and next in it depends on nothing else but clockwork."""

    #: Its facts, by their numbers in the circuit, ascending.
    facts: tuple[int, ...]
    #: The moves that do something in it, by their numbers among the moves of all roles, ascending.
    #: A move that acts in several factors at once is a move of each.
    moves: tuple[int, ...]


def find_factors(circuit: Circuit, *, time_limit: float = 10.0) -> tuple[Factor, ...]:
    """Return the factors of a game, in the order of their facts; of most games the only one.

    The facts of two factors never depend on each other, and a role's moves in one leave the facts
    of the other as its moves elsewhere do. The end and the goals may depend on all factors, but
    a condition on some of them (a line of three cells) makes one factor of them. Facts that are
    the same after each step whatever is done, such as whose turn it is, are in no factor; nor are
    moves that do nothing, except that a game of one factor has all moves in it.

    Dependence is exact for functions of up to ten inputs. Larger ones may seem to depend on more
    than they do, so that there may be more factors than are found, but never fewer. Where atoms of
    the rules depend on themselves, all that is no clockwork is one factor.

    Args:
        circuit: the game.
        time_limit: seconds that this may take.

    Raises:
        ReasonerTimeout: the time was not enough.
    """
    deadline = Deadline.after(time_limit)
    try:
        return _found(circuit, deadline)
    except TimeUp:
        raise ReasonerTimeout(f"no factors were found within {time_limit:g} seconds") from None


def _found(circuit: Circuit, deadline: Deadline) -> tuple[Factor, ...]:
    shared = clockwork(circuit, deadline=deadline)
    facts = sorted({*range(len(circuit.facts))} - {*shared.facts})
    partition = Partition(facts)
    nodes = cone(circuit, [*(int(circuit.next[fact]) for fact in facts), *circuit.legal.tolist()])
    whole = Factor(tuple(facts), tuple(range(len(circuit.legal))))
    if any(int(node) in nodes for loop in circuit.loops for node in loop.latches):
        return (whole,)
    places = [place for place, fact in enumerate(shared.facts) if circuit.fact_nodes[fact] in nodes]
    states = dict.fromkeys(tuple(state[place] for place in places) for state in shared.states)
    known = [
        {shared.facts[place]: value for place, value in zip(places, state, strict=True)}
        for state in states
    ]
    reader = _Reader(circuit, partition, deadline)
    choices: list[dict[int, _Effects]] = []
    for state, possible in zip(known, possible_moves(circuit, known), strict=True):
        for choice in reader.choices(state, set(possible)):
            choices.append(choice)
            _settled(choice, partition, deadline)
            if partition.count <= 1:
                return (whole,)
    changed = True
    while changed:
        changed = any(_settled(choice, partition, deadline) for choice in choices)
    joined_by_the_end(circuit, partition, deadline=deadline)
    found = _factors(partition, choices)
    return found if len(found) > 1 else (whole,)


def _factors(partition: Partition, choices: Iterable[Mapping[int, _Effects]]) -> tuple[Factor, ...]:
    moves: dict[int, set[int]] = {}
    for choice in choices:
        for move, effects in choice.items():
            for fact, _ in effects:
                moves.setdefault(partition.part(fact), set()).add(move)
    parts = partition.parts()
    return tuple(
        Factor(tuple(parts[part]), tuple(sorted(moves[part]))) for part in parts if part in moves
    )


class _Reader:
    """Reads from the circuit what each move does, and joins facts that depend on each other."""

    def __init__(self, circuit: Circuit, partition: Partition, deadline: Deadline) -> None:
        self._roles, self._facts = circuit.own_moves, circuit.fact_nodes
        self._moves = circuit.move_nodes
        self._partition, self._deadline = partition, deadline
        self._cofactors = Cofactors(circuit, deadline=deadline)

    def choices(
        self, known: Mapping[int, int], possible: set[int]
    ) -> Iterator[dict[int, _Effects]]:
        """Yield what each move does that a role can choose, for each role that has a choice.

        What is yielded may lack something once all facts are in one part.

        Args:
            known: the clockwork.
            possible: the moves that may be legal then.
        """
        roles = [[move for move in own if move in possible] for own in self._roles]
        if not all(roles):
            return
        constants = {self._facts[fact]: bool(value) for fact, value in known.items()}
        constants |= {node: False for move, node in enumerate(self._moves) if move not in possible}
        constants |= {self._moves[own[0]]: True for own in roles if len(own) == 1}
        base = self._cofactors.with_constants(constants)
        choosing = [own for own in roles if len(own) > 1]
        if not choosing:
            for fact in self._partition.facts:
                self._depends(fact, self._function(base, self._cofactors.next[fact]))
        for own in choosing:
            yield self._choice(own, constants, base)

    def _choice(
        self, own: list[int], constants: Mapping[int, bool], base: list[int]
    ) -> dict[int, _Effects]:
        effects: dict[int, _Effects] = {move: [] for move in own}
        none = self._cofactors.with_constants(
            {**constants, **dict.fromkeys((self._moves[move] for move in own), False)}
        )
        changes: dict[int, dict[int, Function]] = {fact: {} for fact in self._partition.facts}
        for move in own:
            for fact, literal in self._cofactors.next_after(none, self._moves[move]):
                if fact in changes:
                    function = changes[fact][move] = self._cofactors.function(literal)
                    self._depends(fact, function)
            if self._partition.count == 1:
                return effects  # all is one factor already
        for fact, by_move in changes.items():
            if self._deadline.is_over:
                raise TimeUp
            rest = self._function(none, self._cofactors.next[fact])
            if len(by_move) < len(own):
                self._depends(fact, rest)
            functions = [by_move.get(move, rest) for move in own]
            times = Counter(functions)
            same = Function((self._facts[fact],), 0b10, is_table=True)
            # of two that are as frequent that of an earlier move, so that facts agree on the move
            usual = same if same in times else max(times, key=lambda each: times[each])
            for move, function in zip(own, functions, strict=True):
                if function != usual:
                    effects[move].append((fact, function))
        for move in own:
            if effects[move]:
                effects[move] += self._conditions(base, move)
        return effects

    def _conditions(self, base: list[int], move: int) -> _Effects:
        """Return what has to hold for a move to be legal."""
        literal = self._cofactors.legal[move]
        found: _Effects = []
        for conjunct in self._cofactors.conjuncts(base[literal >> 1] ^ literal & 1):
            function = self._cofactors.function(conjunct)
            facts = [self._facts.index(node) for node in function.inputs]
            for fact in facts[1:]:
                self._partition.join(facts[0], fact)
            if facts:
                found.append((facts[0], (function, "legal")))
        return found

    def _function(self, base: list[int], literal: int) -> Function:
        return self._cofactors.function(base[literal >> 1] ^ literal & 1)

    def _depends(self, fact: int, function: Function) -> None:
        for node in function.inputs:
            if node in self._facts:
                self._partition.join(fact, self._facts.index(node))


def _settled(choice: Mapping[int, _Effects], partition: Partition, deadline: Deadline) -> bool:
    """Join parts in which moves do things that cannot be chosen apart; return whether any were.

    In two parts they can be if each move does something in one of them only, or if whatever can be
    done in one part can be done together with whatever can be done in the other.
    """
    any_joined = False
    while True:
        rows = [_row(effects, partition) for effects in choice.values()]
        wide = [sorted(row) for row in rows if len(row) > 1]
        joined = False
        for close in (True, False):
            # pairs of neighbours first: mostly all parts that a move acts in become one
            seen = set[tuple[int, int]]()
            for parts in wide:
                for pair in pairwise(parts) if close else combinations(parts, 2):
                    if deadline.is_over:
                        raise TimeUp
                    if pair not in seen and not _are_apart(rows, pair):
                        joined |= partition.join(*pair)
                    seen.add(pair)
            if joined:
                break
        if not joined:
            for group in _groups(wide):
                if not _are_apart(rows, group):
                    for pair in pairwise(group):
                        joined |= partition.join(*pair)
        if not joined:
            return any_joined
        any_joined = True


def _row(effects: _Effects, partition: Partition) -> dict[int, frozenset[object]]:
    """Return for each part what a move does in it."""
    row: dict[int, set[object]] = {}
    for fact, what in effects:
        row.setdefault(partition.part(fact), set()).add((fact, what))
    return {part: frozenset(done) for part, done in row.items()}


def _are_apart(rows: list[dict[int, frozenset[object]]], parts: Iterable[int]) -> bool:
    """Return whether each combination of what can be done in each of some parts can be done."""
    together = {tuple(row.get(part) for part in parts) for row in rows}
    apart = [set(column) for column in zip(*together, strict=True)]
    return len(together) == prod(map(len, apart))


def _groups(rows: Iterable[list[int]]) -> list[tuple[int, ...]]:
    """Return the parts that moves act in together, directly or by way of other parts."""
    rows = list(rows)
    groups = Partition(part for row in rows for part in row)
    for row in rows:
        for pair in pairwise(row):
            groups.join(*pair)
    return [tuple(group) for group in groups.parts().values()]
