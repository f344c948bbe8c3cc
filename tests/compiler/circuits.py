"""Circuits to test on, random ones and small games, and a slow evaluator to compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, product
from random import Random

import numpy as np

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit, Loop
from ggp.compiler.codegen.straightline import Kind, Program
from ggp.kif import Symbol
from ggp.native.numba_support import Words


@dataclass
class Gates:
    """Collects the gates of a circuit."""

    inputs: int
    rows: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows += [(0, 0)] * (1 + self.inputs)

    def node(self, x: int = 0, y: int = 0) -> int:
        self.rows.append((x, y))
        return len(self.rows) - 1

    def all(self, literals: Iterable[int]) -> int:
        result = TRUE
        for literal in literals:
            result = literal if result == TRUE else 2 * self.node(result, literal)
        return result

    def any(self, literals: Iterable[int]) -> int:
        return self.all(literal ^ 1 for literal in literals) ^ 1


def circuit_of(
    gates: Gates,
    moves: Sequence[int],
    *,
    legal: Sequence[int],
    terminal: int,
    goals: Sequence[Sequence[tuple[int, int]]],
    following: Sequence[int],
    initial: Sequence[int] = (),
    bad_goals: Sequence[int] | None = None,
    loops: Sequence[Loop] = (),
) -> Circuit:
    return Circuit(
        roles=tuple(Symbol(f"role{i}") for i in range(len(moves))),
        facts=tuple(Symbol(f"fact{i}") for i in range(len(following))),
        moves=tuple(tuple(Symbol(f"move{i}") for i in range(count)) for count in moves),
        gates=np.array(gates.rows, np.int32),
        legal=np.array(legal, np.int32),
        terminal=terminal,
        goals=tuple(map(tuple, goals)),
        bad_goals=np.array(bad_goals or [FALSE] * len(moves), np.int32),
        next=np.array(following, np.int32),
        initial=np.array(initial, np.int32),
        loops=tuple(loops),
    )


def random_circuit(
    seed: int,
    *,
    facts: int | None = None,
    moves: Sequence[int] | None = None,
    size: int | None = None,
    stuck: bool = True,
    turns: int = 0,
) -> Circuit:
    """A circuit without meaning, but with everything in it: loops, constants, shared gates.

    Unless it may be `stuck`, the first move of each role is always legal. Its first `turns`
    facts are true in turn.
    """
    random = Random(seed)
    facts = random.randint(1, 140) if facts is None else facts
    if moves is None:
        moves = [random.randint(1, random.choice([2, 9, 70])) for _ in range(random.randint(1, 3))]
    size = random.choice([5, 50, 700]) if size is None else size
    gates = Gates(facts + sum(moves))
    # nodes that views may use, which depend on facts alone, and nodes that only steps may use
    views = list(range(facts + 1))
    steps = list(range(gates.inputs + 1))

    def literal(nodes: list[int]) -> int:
        recent = nodes[-60:] if random.random() < 0.5 else nodes
        return 2 * random.choice(recent) + random.randint(0, 1)

    def grow(count: int) -> None:
        for _ in range(count):
            if random.random() < 0.5:
                node = gates.node(literal(views), literal(views))
                views.append(node)
            else:
                node = gates.node(literal(steps), literal(steps))
            steps.append(node)

    loops = []
    grow(size // 2)
    for _ in range(random.choice([0, 0, 1, 2])):
        viewed = random.random() < 0.5
        loop = _random_loop(random, gates, partial(literal, views if viewed else steps))
        loops.append(loop)
        for nodes in (views, steps) if viewed else (steps,):
            nodes += [*map(int, loop.latches), *range(loop.first, loop.last)]
        grow(2)
    grow(size - size // 2)

    def viewed_literal() -> int:
        return literal(views) if random.random() < 0.9 else random.randint(0, 1)

    return circuit_of(
        gates,
        moves,
        legal=[viewed_literal() if i or stuck else TRUE for count in moves for i in range(count)],
        terminal=viewed_literal(),
        goals=[
            [(value, viewed_literal()) for value in sorted(random.sample(range(101), 3))]
            for _ in moves
        ],
        bad_goals=[literal(views) if random.random() < 0.2 else FALSE for _ in moves],
        following=[
            *(2 * (1 + (fact - 1) % turns) for fact in range(turns)),
            *(literal(steps) for _ in range(facts - turns)),
        ],
        initial=[
            *range(min(turns, 1)),
            *sorted(random.sample(range(turns, facts), (facts - turns) // 2)),
        ],
        loops=loops,
    )


def _random_loop(random: Random, gates: Gates, outside: Callable[[], int]) -> Loop:
    latches = [gates.node() for _ in range(random.randint(1, 5))]
    first = len(gates.rows)
    rising = [2 * latch for latch in latches]
    for _ in range(random.randint(2, 30)):
        x = random.choice(rising)
        y = random.choice(rising) if random.random() < 0.4 else outside()
        if random.random() < 0.5:
            rising.append(2 * gates.node(x, y))
        else:
            rising.append(2 * gates.node(x ^ 1, y ^ 1) + 1)
    drivers = [random.choice(rising) if random.random() < 0.8 else outside() for _ in latches]
    last = len(gates.rows)
    return Loop(first, last, np.array(latches, np.int32), np.array(drivers, np.int32))


def evaluate(circuit: Circuit, inputs: Sequence[int], lanes: int = 1) -> Callable[[int], int]:
    """Evaluate for many lanes at once: inputs and results have one bit per lane."""
    mask = (1 << lanes) - 1
    gates = circuit.gates.tolist()
    values = [0, *inputs, *[0] * (len(gates) - 1 - len(inputs))]

    def value(literal: int) -> int:
        return values[literal >> 1] ^ (mask if literal & 1 else 0)

    def compute(nodes: range) -> None:
        for node in nodes:
            values[node] = value(gates[node][0]) & value(gates[node][1])

    node = 1 + circuit.inputs
    for loop in sorted(circuit.loops, key=lambda loop: loop.first):
        compute(range(node, loop.first))
        for latch in loop.latches.tolist():
            values[latch] = 0
        changed = True
        while changed:
            compute(range(loop.first, loop.last))
            after = [value(driver) for driver in loop.drivers.tolist()]
            changed = after != [values[latch] for latch in loop.latches.tolist()]
            for latch, new in zip(loop.latches.tolist(), after, strict=True):
                values[latch] = new
        node = loop.last
    compute(range(node, len(gates)))
    return value


def by_gates(program: Program, values: dict[int, int]) -> dict[int, int]:
    """Return the values of all nodes, given those of the rows that it reads."""
    values = {0: 0, **values}
    for node in range(1, len(program.kinds)):
        if node in values:
            continue
        x, y, *z = (values[lit >> 1] ^ (lit & 1) for lit in program.operands[node])
        match program.kinds[node]:
            case Kind.AND:
                values[node] = x & y
            case Kind.XOR:
                values[node] = x ^ y
            case Kind.XOR3:
                values[node] = x ^ y ^ z[0]
            case Kind.MAJ:
                values[node] = int(x + y + z[0] > 1)
            case _:
                values[node] = y if x else z[0]
    return values


@dataclass(frozen=True)
class Percepts:
    """What the slow evaluator says of one state."""

    terminal: bool
    goals: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]


def see(circuit: Circuit, state: Sequence[int]) -> Percepts:
    value = evaluate(circuit, [*state, *[0] * (circuit.inputs - len(state))])
    goals = []
    for own, bad in zip(circuit.goals, circuit.bad_goals.tolist(), strict=True):
        held = [i for i, (_, literal) in enumerate(own) if value(literal)]
        goals.append(held[0] if len(held) == 1 and not value(bad) else -1)
    first = [0, *accumulate(map(len, circuit.moves))]
    legal = [
        tuple(i for i in range(len(moves)) if value(int(circuit.legal[first[role] + i])))
        for role, moves in enumerate(circuit.moves)
    ]
    return Percepts(bool(value(circuit.terminal)), tuple(goals), tuple(legal))


def step(circuit: Circuit, state: Sequence[int], moves: Sequence[int]) -> tuple[int, ...]:
    done = [
        int(i == move)
        for move, own in zip(moves, circuit.moves, strict=True)
        for i in range(len(own))
    ]
    value = evaluate(circuit, [*state, *done])
    return tuple(value(literal) for literal in circuit.next.tolist())


def packed(states: Sequence[Sequence[int]]) -> Words:
    """Pack states of at least one fact, uint64[states, words]."""
    result = np.zeros((len(states), -(-len(states[0]) // 64)), np.uint64)
    for i, state in enumerate(states):
        for fact, is_true in enumerate(state):
            result[i, fact >> 6] |= np.uint64(is_true << (fact & 63))
    return result


def initial(circuit: Circuit) -> tuple[int, ...]:
    return tuple(int(i in set(circuit.initial.tolist())) for i in range(len(circuit.facts)))


def distribution(
    circuit: Circuit, state: tuple[int, ...], max_steps: int
) -> dict[tuple[tuple[int, ...], int], float]:
    """The exact probability of each goal vector and length, or LookupError if a role is stuck."""
    layer = {state: 1.0}
    result: dict[tuple[tuple[int, ...], int], float] = {}
    for made in range(max_steps + 1):
        following: dict[tuple[int, ...], float] = {}
        for here, weight in layer.items():
            seen = see(circuit, here)
            if seen.terminal or made == max_steps:
                key = (seen.goals, made)
                result[key] = result.get(key, 0.0) + weight
                continue
            joint = list(product(*seen.legal))
            if not joint:
                raise LookupError("no legal move")
            for moves in joint:
                after = step(circuit, here, moves)
                following[after] = following.get(after, 0.0) + weight / len(joint)
        layer = following
    return result


def tic_tac_toe() -> Circuit:
    """Facts: the cells of x, the cells of o, x to move, o to move. Moves: a cell each, or noop."""
    gates = Gates(40)
    x, o = [2 * (1 + i) for i in range(9)], [2 * (10 + i) for i in range(9)]
    turn = [38, 40]
    does = [[2 * (21 + 10 * role + i) for i in range(10)] for role in range(2)]
    free = [gates.all([x[i] ^ 1, o[i] ^ 1]) for i in range(9)]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    wins = [gates.any(gates.all(own[i] for i in line) for line in lines) for own in (x, o)]
    drawn = gates.all([wins[0] ^ 1, wins[1] ^ 1])
    legal = []
    for role in range(2):
        legal += [gates.all([turn[role], cell]) for cell in free] + [turn[1 - role]]
    return circuit_of(
        gates,
        [10, 10],
        legal=legal,
        terminal=gates.any([*wins, gates.any(free) ^ 1]),
        goals=[((0, wins[1 - role]), (50, drawn), (100, wins[role])) for role in range(2)],
        following=[
            *(gates.any([x[i], does[0][i]]) for i in range(9)),
            *(gates.any([o[i], does[1][i]]) for i in range(9)),
            turn[1],
            turn[0],
        ],
        initial=[18],
    )


def one_choice(moves: Sequence[int], *, legal: Sequence[Sequence[int]] | None = None) -> Circuit:
    """Every role chooses once, at the same time; its goal is the number of its move.

    A fact for each move tells whether it has been done; there is one more, true after the choice.
    `legal` has the moves that are legal, all of them by default.
    """
    facts = sum(moves) + 1
    gates = Gates(facts + sum(moves))
    allowed = [range(count) for count in moves] if legal is None else legal
    first = [0, *accumulate(moves)]
    return circuit_of(
        gates,
        moves,
        legal=[int(i in allowed[role]) for role, count in enumerate(moves) for i in range(count)],
        terminal=2 * facts,
        goals=[
            [(i, 2 * (1 + first[role] + i)) for i in range(count)]
            for role, count in enumerate(moves)
        ],
        following=[*(2 * (1 + facts + i) for i in range(sum(moves))), TRUE],
    )


def short_or_long(length: int) -> Circuit:
    """One role. Its first move ends the game with 0, or begins a long way to 100."""
    facts = length + 1  # fact 0: lost; facts 1 ... length: how far it has come
    gates = Gates(facts + 2)
    way = [2 * (1 + i) for i in range(facts)]
    lose, stay = 2 * (1 + facts), 2 * (2 + facts)
    begun = gates.any(way)
    return circuit_of(
        gates,
        [2],
        legal=[begun ^ 1, TRUE],
        terminal=gates.any([way[0], way[length]]),
        goals=[((0, way[0]), (100, way[length]))],
        following=[lose, gates.all([stay, begun ^ 1]), *way[1:length]],
    )
