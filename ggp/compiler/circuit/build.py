"""From a description to its circuit: rewrite, ground, derive the gates, put them in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit, Literals
from ggp.compiler.circuit.derivation import Derivation
from ggp.compiler.circuit.evaluate import evaluate
from ggp.compiler.circuit.gates import Graph
from ggp.compiler.circuit.move_order import order_moves
from ggp.compiler.circuit.named import NamedAtoms
from ggp.compiler.circuit.order import in_order, reaches
from ggp.compiler.grounding.encode import Encoder
from ggp.compiler.grounding.ground_program import GroundProgram, read_aspif
from ggp.compiler.grounding.grounder import ground
from ggp.compiler.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from ggp.compiler.rewriting.rewrite import rewrite
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.unique.patterns import Pattern
from ggp.gdl import Description
from ggp.kif import Term

__all__ = ["Observer", "build_circuit", "circuit_of", "given_atoms", "ground_game"]

#: Is told the name of each step, and what it has made.
Observer: TypeAlias = Callable[[str, Rules | GroundProgram | Circuit], None]

#: Programs with fewer instances than this are ground at once,
_LARGE = 1e6
#: and so are those where possible facts and moves depend on more than this part of them.
_FEW = 0.01
#: Those that are estimated to have more instances than this
_HOPELESS = 1e20
#: have this part of the time: nearly none of them can be ground.
_PATIENCE = 0.25


def build_circuit(
    description: Description,
    *,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    observe: Observer | None = None,
) -> Circuit:
    """Return the circuit of a game.

    The gates come in phases: those that legal moves and the end of the game depend on, then those
    that only goals depend on, then the rest, for the next state. Legal moves, goals and the end are
    computed as if no move was made.

    Args:
        description: the rules.
        time_limit: seconds that this may take.
        memory_limit: bytes that the grounder may use.
        observe: what is told each step.

    Raises:
        ReasonerTimeout: the time was not enough.
        ReasonerMemory: the memory was not enough.
        ReasonerError: the rules cannot be grounded, or depend on their own negation.
    """
    due = time.monotonic() + time_limit
    tell = observe or (lambda _name, _made: None)
    rules = rewrite(description, observe=tell)
    program, named = _ground(description, rules, due=due, memory_limit=memory_limit)
    tell("ground", program)
    circuit = _circuit(program, named, rules.unique, due=due)
    tell("build", circuit)
    return circuit


def circuit_of(rules: Rules, *, due: float, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Circuit:
    """Return the circuit of rules as they stand, between any two passes.

    Raises as `build_circuit`, and `ReasonerDied` where the grounder cannot take the rules yet.
    """
    encoder = Encoder()
    program = read_aspif(ground(encoder.text(rules), due=due, memory_limit=memory_limit))
    named = NamedAtoms.read(program, encoder, rules.roles)
    return _circuit(program, named, rules.unique, due=due)


def _circuit(
    program: GroundProgram, named: NamedAtoms, unique: Iterable[Pattern], *, due: float
) -> Circuit:
    """Return the circuit of ground rules, without the facts and moves that it finds impossible."""
    while True:
        circuit = _assemble(program, named, unique, due=due)
        possible = named.without_impossible(circuit)
        if possible == named:
            return circuit
        named = possible


def ground_game(
    description: Description, *, due: float, memory_limit: int
) -> tuple[GroundProgram, NamedAtoms]:
    """Return the ground rules of a game, and which of their atoms have a meaning.

    Raises as `build_circuit`; `due` is the time, by `time.monotonic`, at which to give up.
    """
    return _ground(description, rewrite(description), due=due, memory_limit=memory_limit)


def _ground(
    description: Description, rules: Rules, *, due: float, memory_limit: int
) -> tuple[GroundProgram, NamedAtoms]:
    """Return what `ground_game` does, given the rewritten rules."""
    encoder = Encoder()
    if rules.instances > _HOPELESS:
        now = time.monotonic()
        due = now + _PATIENCE * (due - now)
    text = _program(description, rules, encoder, due=due, memory_limit=memory_limit)
    program = read_aspif(ground(text, due=due, memory_limit=memory_limit))
    return program, NamedAtoms.read(program, encoder, description.roles)


def _program(
    description: Description, rules: Rules, encoder: Encoder, *, due: float, memory_limit: int
) -> str:
    """Return the program to ground.

    Grounding is repeated until no more facts and moves are possible. Where most of the rules do not
    affect that, only the others are ground repeatedly, and then all of them once.
    """
    if rules.instances < _LARGE or rules.relaxed_instances > _FEW * rules.instances:
        return encoder.text(rules)
    relaxed = rewrite(description, relaxed=True)
    first = ground(encoder.text(relaxed), due=due, memory_limit=memory_limit)
    possible = encoder.inputs(name for name, _ in read_aspif(first).names)
    return encoder.text(rules, possible=possible)


def _assemble(
    program: GroundProgram, named: NamedAtoms, unique: Iterable[Pattern], *, due: float
) -> Circuit:
    facts = len(named.facts)
    inputs = facts + len(named.moves)
    graph = Graph(inputs)
    state, moving = given_atoms(program, named)
    moved = Derivation(program, graph=graph, given=state | moving, due=due)

    def looked_at(source: Derivation) -> tuple[list[int], int, list[int]]:
        return (
            source.literals([named.legal[role, move] for role, move, _ in named.moves]),
            graph.disjunction(source.literals(named.terminal)),
            source.literals([atom for *_, atom in named.goals]),
        )

    legal, terminal, goals = looked_at(moved)
    latches = moved.latches
    if reaches(graph, [*legal, terminal, *goals], latches, range(facts + 1, inputs + 1)):
        resting = dict.fromkeys(moving, FALSE) | state
        still = Derivation(program, graph=graph, given=resting, due=due)
        legal, terminal, goals = looked_at(still)
        latches = still.latches
    by_role: list[list[tuple[int, int]]] = [[] for _ in named.roles]
    for (role, goal, _), literal in zip(named.goals, goals, strict=True):
        if literal != FALSE:
            by_role[role].append((goal, literal))
    bad = [graph.disjunction(lit for goal, lit in held if goal < 0) for held in by_role]
    after, first = (_of_facts(moved, named, atoms) for atoms in (named.next, named.initial))
    latches |= moved.latches
    if latches:
        moved.check_negation()
    moves = order_moves(graph, legal, [(role, move) for role, move, _ in named.moves])
    roots = [*(legal[move] for move in moves), terminal, *goals, *bad, *after]
    ordered = in_order(*graph.operands, inputs=inputs, latches=latches, roots=roots)
    initially = in_order(*graph.operands, inputs=inputs, latches=latches, roots=first)
    values = evaluate(initially.gates, initially.loops, [0] * inputs, lanes=1)
    ends = [
        sum(role < number for role, *_ in named.moves) for number in range(len(named.roles) + 1)
    ]
    terms = [move for _, move, _ in named.moves]
    return Circuit(
        roles=named.roles,
        facts=tuple(fact for fact, _ in named.facts),
        moves=tuple(tuple(terms[low:high]) for low, high in pairwise(ends)),
        gates=ordered.gates,
        legal=_numbers(ordered.literals(legal)),
        terminal=ordered.literal(terminal),
        goals=tuple(
            tuple((goal, ordered.literal(literal)) for goal, literal in held if goal >= 0)
            for held in by_role
        ),
        bad_goals=_numbers(ordered.literals(bad)),
        next=_numbers(ordered.literals(after)),
        initial=_numbers(
            index
            for index, literal in enumerate(initially.literals(first))
            if values[literal >> 1] ^ literal & 1
        ),
        loops=ordered.loops,
        unique=tuple(_groups([fact for fact, _ in named.facts], unique)),
    )


def _groups(facts: Sequence[Term], unique: Iterable[Pattern]) -> Iterator[Literals]:
    """Yield the indices of the facts of each pattern, where there are several."""
    found = (
        [index for index, fact in enumerate(facts) if pattern.admits(fact)] for pattern in unique
    )
    for group in sorted(group for group in found if len(group) > 1):
        yield _numbers(group)


def given_atoms(program: GroundProgram, named: NamedAtoms) -> tuple[dict[int, int], dict[int, int]]:
    """Return the literals of the atoms that are given: those of the state, and the moves."""
    state = {0: TRUE}
    # Guards do not affect truth; an input that was left out never holds.
    inputs = program.named
    state |= {atom: FALSE if atom in inputs else TRUE for atom in program.externals}
    state |= {atom: 2 * (1 + index) for index, (_, atom) in enumerate(named.facts)}
    moves = {
        atom: 2 * (1 + len(named.facts) + index) for index, (*_, atom) in enumerate(named.moves)
    }
    return state, moves


def _of_facts(source: Derivation, named: NamedAtoms, atoms: Mapping[Term, int]) -> list[int]:
    """Return the literal of each fact, whose atoms are given; `FALSE` for a fact without one."""
    known = [index for index, (fact, _) in enumerate(named.facts) if fact in atoms]
    literals = [FALSE] * len(named.facts)
    found = source.literals([atoms[named.facts[index][0]] for index in known])
    for index, literal in zip(known, found, strict=True):
        literals[index] = literal
    return literals


def _numbers(numbers: Iterable[int]) -> Literals:
    return np.fromiter(numbers, dtype=np.int32)
