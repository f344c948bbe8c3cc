"""The symmetries of a game: permutations of facts and moves that leave its rules as they are.

A symmetry keeps every role. It maps states to states that are worth the same for each role: what
is legal, what comes next, the end and the goals are mapped along. As for rules in Schiffel (2010)
"Symmetry detection in general game playing", AAAI, they are automorphisms of a graph, but of the
ground rules: there it does not matter how the author has written them.

The graph is searched by colour refinement, as in McKay and Piperno (2014) "Practical graph
isomorphism, II". Whatever is found is then proven: with all facts and moves exchanged, each answer
must become the formula of the exchanged answer.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from ggp.compiler.circuit.build import given_atoms, ground_game
from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.circuit.named import NamedAtoms
from ggp.compiler.grounding.ground_program import GroundProgram
from ggp.deadline import TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description

__all__ = ["Symmetry", "find_symmetries"]

# Literals of a ground program beyond which it is not searched.
_LARGE = 200_000

_AND, _OR, _INPUT = range(3)


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation of a circuit's facts, and one of its moves."""

    #: Fact f becomes fact facts[f].
    facts: tuple[int, ...]
    #: Move m becomes move moves[m], a move of the same role.
    moves: tuple[int, ...]


def find_symmetries(
    description: Description,
    circuit: Circuit,
    *,
    most: int = 7,
    time_limit: float = 2.0,
    memory_limit: int = 2 << 30,
) -> tuple[Symmetry, ...]:
    """Return symmetries of a game, without the identity.

    They are all there are, unless there are more than `most` or a limit is reached. None is found
    where atoms of the ground rules depend on themselves.

    Args:
        description: the rules.
        circuit: their circuit, which numbers facts and moves.
        most: how many to return at most.
        time_limit: seconds that this may take.
        memory_limit: bytes that the grounder may use.
    """
    due = time.monotonic() + time_limit
    try:
        program, named = ground_game(description, due=due, memory_limit=memory_limit)
    except ReasonerError:
        return ()
    if len(program.literals) > _LARGE:
        return ()
    named = named.only(circuit)
    formulas = _Formulas(len(circuit.facts), named)
    if not formulas.read(program):
        return ()
    found: list[Symmetry] = []
    with suppress(TimeUp):
        for images in _Automorphisms(formulas, due).candidates():
            is_identity = all(image == place for place, image in enumerate(images))
            if not is_identity and formulas.are_kept_by(images):
                facts, moves = images[: formulas.facts], images[formulas.facts :]
                moved = tuple(image - formulas.facts for image in moves)
                found.append(Symmetry(tuple(facts), moved))
                if len(found) == most:
                    break
    return tuple(found)


class _Formulas:
    """The answers of a game as formulas: nested ANDs and ORs of facts, moves and negations.

    Equal formulas have the same number: an operand of an AND is never an AND, nor does a formula
    have an operand twice. A literal is ``2 * number``, or ``2 * number + 1`` for its negation.
    """

    def __init__(self, facts: int, named: NamedAtoms) -> None:
        self.facts, self.named = facts, named
        #: The role of each input; -1 for facts.
        self.owners = [-1] * facts + [role for role, *_ in named.moves]
        self.kinds = [_INPUT] * (1 + len(self.owners))
        self.operands: list[tuple[int, ...]] = [()] * (1 + len(self.owners))
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        #: For each input the literal that answers for it: is the fact next, is the move legal?
        self.answers: list[int] = []
        #: The other answers, each with what it tells: the end, or a goal of a role.
        self.ends: list[tuple[tuple[int, int], int]] = []

    def read(self, program: GroundProgram) -> bool:
        """Read all answers; return False if an atom depends on itself."""
        state, moving = given_atoms(program, self.named)
        literals: dict[int, int] = state | moving
        named = self.named
        after = [named.next.get(fact, -1) for fact, _ in named.facts]
        legal = [named.legal.get((role, move), -1) for role, move, _ in named.moves]
        goals = [atom for *_, atom in named.goals]
        for atom in (*after, *legal, *named.terminal, *goals):
            if atom >= 0 and not self._derive(program, atom, literals):
                return False
        self.answers = [literals.get(atom, FALSE) for atom in (*after, *legal)]
        end = self._made(_OR, (literals[atom] for atom in named.terminal))
        self.ends = [((-1, -1), end)]
        for role, goal, atom in named.goals:
            self.ends.append(((role, goal), literals[atom]))
        return True

    def are_kept_by(self, images: Sequence[int]) -> bool:
        """Return whether each answer, with all inputs exchanged, is the exchanged answer."""
        exchanged = [FALSE, *(2 * (1 + image) for image in images)]
        for number in range(len(exchanged), len(self.kinds)):
            operands = (exchanged[lit >> 1] ^ lit & 1 for lit in self.operands[number])
            exchanged.append(self._made(self.kinds[number], operands))

        def image_of(literal: int) -> int:
            return exchanged[literal >> 1] ^ literal & 1

        return all(
            image_of(self.answers[place]) == self.answers[image]
            for place, image in enumerate(images)
        ) and Counter((what, image_of(literal)) for what, literal in self.ends) == Counter(
            self.ends
        )

    def needed(self) -> set[int]:
        """Return the numbers of the formulas of which answers are made."""
        found = set[int]()
        pending = [literal >> 1 for literal in (*self.answers, *(lit for _, lit in self.ends))]
        while pending:
            if (number := pending.pop()) not in found:
                found.add(number)
                pending += [literal >> 1 for literal in self.operands[number]]
        return found

    def _derive(self, program: GroundProgram, root: int, literals: dict[int, int]) -> bool:
        """Find the literal of an atom and of all below it; return False if there is a cycle."""
        begun, stack = set[int](), [root]
        while stack:
            atom = stack[-1]
            if atom in literals:
                stack.pop()
            elif atom in begun:
                literals[stack.pop()] = self._made(
                    _OR, (self._body(body, literals) for body in program.bodies(atom))
                )
            else:
                begun.add(atom)
                below = [abs(sign) for sign in program.below(atom) if abs(sign) not in literals]
                if any(other in begun for other in below):
                    return False
                stack += below
        return True

    def _body(self, body: Iterable[int], literals: dict[int, int]) -> int:
        return self._made(
            _AND, (literals[sign] if sign > 0 else literals[-sign] ^ 1 for sign in body)
        )

    def _made(self, kind: int, literals: Iterable[int]) -> int:
        """Return the literal of the AND or the OR of literals."""
        neutral = TRUE if kind == _AND else FALSE
        operands = set[int]()
        for literal in literals:
            # negations stay inside: a negated OR is not made an AND
            if not literal & 1 and self.kinds[literal >> 1] == kind:
                operands.update(self.operands[literal >> 1])
            elif literal != neutral:
                operands.add(literal)
        if neutral ^ 1 in operands or any(literal ^ 1 in operands for literal in operands):
            return neutral ^ 1
        if len(operands) <= 1:
            return operands.pop() if operands else neutral
        key = kind, tuple(sorted(operands))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kinds)
            self.kinds.append(kind)
            self.operands.append(key[1])
        return 2 * number


class _Automorphisms:
    """Permutations of the inputs that colour refinement cannot tell from symmetries."""

    def __init__(self, formulas: _Formulas, due: float) -> None:
        self._due = due
        self._inputs = range(1, 1 + len(formulas.owners))
        marks: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for (role, goal), literal in formulas.ends:
            marks[literal >> 1].append((role, goal, literal & 1))
        owners = [-2, *formulas.owners, *[-2] * (len(formulas.kinds) - len(self._inputs) - 1)]
        #: A hash of each formula by itself: of its kind, its role, and the ends that it tells.
        self._first = [
            hash((kind, owner, tuple(sorted(marks[number]))))
            for number, (kind, owner) in enumerate(zip(formulas.kinds, owners, strict=True))
        ]
        #: The neighbours of each formula, and how it hangs together with them.
        self._edges: list[list[tuple[int, int]]] = [[] for _ in formulas.kinds]
        operands = (
            (number, literal, 0)
            for number in formulas.needed()
            for literal in formulas.operands[number]
        )
        answers = ((1 + place, literal, 4) for place, literal in enumerate(formulas.answers))
        for number, literal, label in chain(operands, answers):
            self._edges[number].append((label + (literal & 1), literal >> 1))
            self._edges[literal >> 1].append((label + 2 + (literal & 1), number))

    def candidates(self) -> Iterator[list[int]]:
        """Yield the image of each input, for each permutation. Raises `TimeUp`."""
        start = self._refined(self._first)
        yield from self._extended(start, start)

    def _extended(self, left: list[int], right: list[int]) -> Iterator[list[int]]:
        cells, images = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for number in self._inputs:
            cells[left[number]].append(number)
            images[right[number]].append(number)
        if any(len(cell) != len(images[colour]) for colour, cell in cells.items()):
            return
        open_cells = [(len(cell), cell[0], colour) for colour, cell in cells.items() if cell[1:]]
        if not open_cells:
            yield [images[left[number]][0] - 1 for number in self._inputs]
            return
        _, chosen, colour = min(open_cells)
        fixed = self._refined(left, chosen)
        # the same input first: so the identity is found at once, and what moves little
        for image in sorted(images[colour], key=lambda number: number != chosen):
            yield from self._extended(fixed, self._refined(right, image))

    def _refined(self, colours: list[int], alone: int | None = None) -> list[int]:
        """Return colours that tell formulas apart by their neighbours; one gets its own colour."""
        if alone is not None:
            colours = list(colours)
            colours[alone] = hash((colours[alone], 0))
        count = len(set(colours))
        while True:
            if time.monotonic() > self._due:
                raise TimeUp
            colours = [
                hash((colour, tuple(sorted([hash((label, colours[to])) for label, to in edges]))))
                for colour, edges in zip(colours, self._edges, strict=True)
            ]
            before, count = count, len(set(colours))
            if count == before:
                return colours
