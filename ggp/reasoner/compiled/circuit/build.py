"""From a description to its circuit: rewrite, ground, derive the gates, put them in order."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from ggp.gdl import Description
from ggp.reasoner.compiled.circuit.aig import Aig
from ggp.reasoner.compiled.circuit.circuit import FALSE, TRUE, Circuit, Literals
from ggp.reasoner.compiled.circuit.derive import Derivation
from ggp.reasoner.compiled.circuit.evaluate import evaluate
from ggp.reasoner.compiled.circuit.named import NamedAtoms
from ggp.reasoner.compiled.circuit.order import in_order
from ggp.reasoner.compiled.grounding.encode import Encoder
from ggp.reasoner.compiled.grounding.ground_program import GroundProgram, read_aspif, read_names
from ggp.reasoner.compiled.grounding.grounder import ground
from ggp.reasoner.compiled.grounding.rewrite import rewrite

__all__ = ["build_circuit", "given_atoms", "ground_game"]

#: Programs with fewer instances than this are ground at once,
_LARGE = 1e6
#: and so are those where possible facts and moves depend on more than this part of them.
_FEW = 0.01


def build_circuit(
    description: Description, *, time_limit: float = 60.0, memory_limit: int = 4 << 30
) -> Circuit:
    """Return the circuit of a game.

    The gates come in phases: those that legal moves and the end of the game depend on, then those
    that only goals depend on, then the rest, for the next state. Legal moves, goals and the end are
    computed as if no move was made.

    Args:
        description: the rules.
        time_limit: seconds that this may take.
        memory_limit: bytes that the grounder may use.

    Raises:
        ReasonerTimeout: the time was not enough.
        ReasonerMemory: the memory was not enough.
        ReasonerError: the rules cannot be grounded, or depend on their own negation.
    """
    due = time.monotonic() + time_limit
    program, named = ground_game(description, due=due, memory_limit=memory_limit)
    while True:
        circuit = _assemble(program, named, due=due)
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
    encoder = Encoder()
    text = _program(description, encoder, due=due, memory_limit=memory_limit)
    program = read_aspif(ground(text, due=due, memory_limit=memory_limit))
    return program, NamedAtoms.read(program, encoder, description.roles)


def _program(description: Description, encoder: Encoder, *, due: float, memory_limit: int) -> str:
    """Return the program to ground.

    Grounding is repeated until no more facts and moves are possible. Where most of the rules do not
    affect that, only the others are ground repeatedly, and then all of them once.
    """
    clauses = rewrite(description)
    if clauses.instances < _LARGE:
        return encoder.text(clauses)
    relaxed = rewrite(description, relaxed=True)
    if relaxed.instances > _FEW * clauses.instances:
        return encoder.text(clauses)
    first = ground(encoder.text(relaxed), due=due, memory_limit=memory_limit)
    return encoder.text(clauses, possible=encoder.inputs(name for name, _ in read_names(first)))


def _assemble(program: GroundProgram, named: NamedAtoms, *, due: float) -> Circuit:
    facts = len(named.facts)
    inputs = facts + len(named.moves)
    aig = Aig(inputs)
    state, moving = given_atoms(program, named)
    moved = Derivation(program, aig=aig, given=state | moving, due=due)
    latches = moved.latches

    def looked_at(source: Derivation) -> tuple[list[int], int, list[int]]:
        return (
            [source.literal(named.legal[role, move]) for role, move, _ in named.moves],
            aig.disjunction(map(source.literal, named.terminal)),
            [source.literal(atom) for *_, atom in named.goals],
        )

    legal, terminal, goals = looked_at(moved)
    if _reaches(aig, [*legal, terminal, *goals], latches, range(facts + 1, inputs + 1)):
        still = Derivation(program, aig=aig, given=dict.fromkeys(moving, FALSE) | state, due=due)
        legal, terminal, goals = looked_at(still)
        latches |= still.latches
    by_role: list[list[tuple[int, int]]] = [[] for _ in named.roles]
    for (role, goal, _), literal in zip(named.goals, goals, strict=True):
        if literal != FALSE:
            by_role[role].append((goal, literal))
    bad = [aig.disjunction(lit for goal, lit in held if goal < 0) for held in by_role]
    after, first = (
        [moved.literal(atoms[fact]) if fact in atoms else FALSE for fact, _ in named.facts]
        for atoms in (named.next, named.initial)
    )
    if latches:
        moved.check_negation()
    ordered = in_order(
        aig, inputs=inputs, latches=latches, roots=[*legal, terminal, *goals, *bad, *after]
    )
    initially = in_order(aig, inputs=inputs, latches=latches, roots=first)
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
        legal=_literals(map(ordered.literal, legal)),
        terminal=ordered.literal(terminal),
        goals=tuple(
            tuple((goal, ordered.literal(literal)) for goal, literal in held if goal >= 0)
            for held in by_role
        ),
        bad_goals=_literals(map(ordered.literal, bad)),
        next=_literals(map(ordered.literal, after)),
        initial=_literals(
            index
            for index, literal in enumerate(map(initially.literal, first))
            if values[literal >> 1] ^ literal & 1
        ),
        loops=ordered.loops,
    )


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


def _literals(numbers: Iterable[int]) -> Literals:
    return np.fromiter(numbers, dtype=np.int32)


def _reaches(aig: Aig, roots: Sequence[int], latches: Mapping[int, int], targets: range) -> bool:
    """Return whether some root depends on one of the target nodes."""
    seen = bytearray(len(aig.left))
    pending = [root >> 1 for root in roots]
    while pending:
        node = pending.pop()
        if seen[node]:
            continue
        seen[node] = 1
        pending.append(aig.left[node] >> 1)
        pending.append(aig.right[node] >> 1)
        if node in latches:
            pending.append(latches[node] >> 1)
    return any(seen[targets.start : targets.stop])
