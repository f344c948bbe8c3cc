"""One pass of random play in all lanes, as a program: the rules and the choices.

The phases of a pass: `look` whether the states are terminal, `score` those that are, `choose` a
rank among the legal moves for every role (`clash` where several roles have a choice in one lane),
and `move` to the next states. Where there are very many moves, a `Walk` between the last two finds
the moves of these ranks. `start` tells which lanes go on with their start state; where there
is but one point of the cycle, that is part of `move`.

There is a program for each point of the cycle of `Turns`. A lane that has ended waits until the
others are where its start state is; and longer where to start takes long, so that more lanes start
at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.reasoner.compiled.circuit.circuit import FALSE, TRUE, Circuit
from ggp.reasoner.compiled.codegen.assemble import POINTER_ROW
from ggp.reasoner.compiled.codegen.straightline import Builder, Program
from ggp.reasoner.compiled.runtime.choice import choose, scale, tally
from ggp.reasoner.compiled.runtime.move_sets import MoveSets
from ggp.reasoner.compiled.runtime.turns import Turns
from ggp.reasoner.compiled.runtime.unions import add_unions
from ggp.reasoner.compiled.runtime.walk import Walk, read_sets, sets_to_walk, write_paths

__all__ = ["AGE_BITS", "PassProgram", "Rows", "layout", "pass_programs"]

#: Bits of the counter of steps, where steps are limited.
AGE_BITS = 31

_MANY_MOVES = 200


@dataclass(frozen=True, slots=True)
class Rows:
    """Where each value stands in the buffer. Rows marked "words" hold one number per word."""

    #: The first word is how many passes may still be made.
    budget: int
    #: Lanes whose playouts count.
    active: int
    #: Lanes whose playout has just ended.
    ended: int
    #: Lanes that must end, having made their steps.
    forced: int
    #: Lanes whose ends stop the run, so that they can be looked at.
    watched: int
    #: Lanes in which a role has no legal move, or whose start state is in no cycle.
    stuck: int
    #: The first word is the point of the cycle.
    turn: int
    #: Lanes that wait for their turn to start, and those that have just started.
    waiting: int
    started: int
    #: The first word is the passes in which no lane starts, between cycles in which lanes do.
    pause: int
    #: The first word is the passes left until the next pause: less than a cycle while lanes start.
    left: int
    #: Words: how many playouts may still be started; below zero, too many have been.
    starts: int
    #: Words: playouts ended; steps made.
    finished: int
    steps: int
    #: The first word is how many bits the counter of steps has, 0 for no limit.
    age_bits: int
    #: The counter's bits, lowest first: of every lane, and of one that starts.
    age: range
    young: range
    #: The state of the random number generator: words.
    generator: range
    random: range
    redrawn: range
    state: range
    start: range
    #: Per role the rank of its move among those legal, and where it must be drawn anew.
    ranks: tuple[range, ...]
    clash: range
    #: Per role and goal, all roles in a row: the lanes that have it; and words: how many ended so.
    held: range
    scores: range
    total: int


def layout(circuit: Circuit, extra_bits: int) -> Rows:
    """Lay out the buffer; `extra_bits` random bits are drawn beyond those of a count of moves."""
    end = POINTER_ROW + 1

    def take(count: int) -> range:
        nonlocal end
        end += count
        return range(end - count, end)

    most = [len(moves) for moves in circuit.moves]
    bits = max(most).bit_length() + extra_bits if max(most) > 1 else 0
    goals = sum(map(len, circuit.goals))
    return Rows(
        budget=take(1).start,
        active=take(1).start,
        ended=take(1).start,
        forced=take(1).start,
        watched=take(1).start,
        stuck=take(1).start,
        turn=take(1).start,
        waiting=take(1).start,
        started=take(1).start,
        pause=take(1).start,
        left=take(1).start,
        starts=take(1).start,
        finished=take(1).start,
        steps=take(1).start,
        age_bits=take(1).start,
        age=take(AGE_BITS),
        young=take(AGE_BITS),
        generator=take(8),
        random=take(bits),
        redrawn=take(bits),
        state=take(len(circuit.facts)),
        start=take(len(circuit.facts)),
        ranks=tuple(take(count.bit_length() if count > 1 else 0) for count in most),
        clash=take(len(most) - 1),
        held=take(goals),
        scores=take(goals),
        total=end,
    )


@dataclass(frozen=True, slots=True)
class PassProgram(Program):
    """The program of a pass, and how the lanes walk to their moves, if they do."""

    walk: Walk | None


def pass_programs(circuit: Circuit, rows: Rows, turns: Turns) -> list[PassProgram]:
    """Return the program of a pass for each point of the cycle."""
    sets = sets_to_walk(circuit)
    return [_pass_program(circuit, rows, turns, turn, sets) for turn in range(len(turns))]


def _pass_program(
    circuit: Circuit, rows: Rows, turns: Turns, turn: int, sets: MoveSets | None
) -> PassProgram:
    builder = Builder(rows=rows.total, phase=f"start{turn}")
    active, ended = builder.row(rows.active), builder.row(rows.ended)
    waiting = builder.row(rows.waiting)
    with builder.private():  # what is in the rows of lanes changes from phase to phase
        _start(builder, rows, turns, turn)
    builder.begin_phase(f"look{turn}")
    known = {1 + i: builder.row(row) for i, row in enumerate(rows.state)}
    known |= {1 + fact: TRUE if value else FALSE for fact, value in turns.known(turn).items()}
    (terminal,) = builder.add(circuit, [circuit.terminal], known)
    with builder.private():
        over = builder.or_(terminal, builder.row(rows.forced))
        builder.write(rows.ended, builder.all([active, waiting ^ 1, over]))
    builder.begin_phase(f"score{turn}")
    with builder.private():
        _score(builder, circuit, rows, dict(known))
    builder.begin_phase(f"choose{turn}")
    legal = builder.add(circuit, circuit.legal.tolist(), known)
    trees = []
    for moves in circuit.moves:
        trees.append(tally(builder, legal[: len(moves)], by_halves=sets is None))
        legal = legal[len(moves) :]
    counts = [tree.count if tree else () for tree in trees]
    blocked = builder.any(builder.any(count) ^ 1 for count in counts)
    with builder.private():
        pending = builder.or_(waiting, ended)
        lost = builder.any(_due(builder, rows, turns, each) for each in range(len(turns))) ^ 1
        builder.write(rows.stuck, builder.and_(active, builder.mux(pending, lost, blocked)))
    paths = write_paths(builder, circuit, trees, rows.ranks) if sets else []
    _rank(builder, counts, rows, turn)

    builder.begin_phase(f"move{turn}")
    walk = None
    if sets and paths:
        walk = read_sets(builder, sets, paths, known)
    else:
        does: list[int] = []
        for moves, tree, ranks in zip(circuit.moves, trees, rows.ranks, strict=True):
            chosen = choose(builder, tree, [builder.row(row) for row in ranks])
            does += [chosen.get(move, FALSE) for move in range(len(moves))]
        if len(does) > _MANY_MOVES:
            # choose completely, walking the trees in order, before the next facts need single moves
            builder.end_block()
        known |= {1 + len(circuit.facts) + i: literal for i, literal in enumerate(does)}
    following = turns.known((turn + 1) % len(turns))
    unknown = [fact for fact in range(len(circuit.facts)) if fact not in following]
    wanted = circuit.next[unknown].tolist()
    if walk is None:
        add_unions(builder, circuit, wanted, known)
    after = builder.add(circuit, wanted, known)
    # some lanes start in nearly every pass if they need not wait, and then best as they move
    starts = _start(builder, rows, turns, turn) if len(turns) == 1 else FALSE
    for fact, literal in zip(unknown, after, strict=True):
        begun = builder.mux(starts, builder.row(rows.start[fact]), literal)
        builder.write(rows.state[fact], begun)
    program = builder.program()
    return PassProgram(
        program.kinds, program.operands, program.blocks, program.outputs, program.rows, walk
    )


def _start(builder: Builder, rows: Rows, turns: Turns, turn: int) -> int:
    """Write which lanes start at a point of the cycle, and which still wait; return the former."""
    pending = builder.or_(builder.row(rows.waiting), builder.row(rows.ended))
    starts = builder.and_(pending, _due(builder, rows, turns, turn))
    builder.write(rows.started, starts)
    builder.write(rows.waiting, builder.and_(pending, starts ^ 1))
    return starts


def _due(builder: Builder, rows: Rows, turns: Turns, turn: int) -> int:
    """Return the lanes whose start state is at a point of the cycle."""
    due = TRUE
    for fact, value in turns.signs_of(turn).items():
        due = builder.and_(due, builder.row(rows.start[fact]) ^ (not value))
    return due


def _score(builder: Builder, circuit: Circuit, rows: Rows, known: dict[int, int]) -> None:
    """Find the lanes that have ended with exactly one goal, for every goal of every role."""
    ended = builder.row(rows.ended)
    held = iter(rows.held)
    for goals, bad in zip(circuit.goals, circuit.bad_goals.tolist(), strict=True):
        *found, several = builder.add(circuit, [*(literal for _, literal in goals), bad], known)
        some = FALSE
        for literal in found:
            several = builder.or_(several, builder.and_(some, literal))
            some = builder.or_(some, literal)
        counted = builder.and_(ended, several ^ 1)
        for literal in found:
            builder.write(next(held), builder.and_(counted, literal))


def _rank(builder: Builder, counts: Sequence[Sequence[int]], rows: Rows, turn: int) -> None:
    """Draw for each role the rank of its move, where there are counts of several legal moves.

    One product serves all roles: in most games, only one has a choice at a time. It is drawn for
    the first role with a choice; where another has one too, a phase of its own draws for that.
    """
    shared_count = [FALSE] * max(map(len, counts))
    choices = [builder.any(count[1:]) for count in counts]
    for count, choice in zip(reversed(counts), reversed(choices), strict=True):
        own = [*count, *[FALSE] * (len(shared_count) - len(count))]
        shared_count = [
            builder.mux(choice, mine, old) for mine, old in zip(own, shared_count, strict=True)
        ]
    product = scale(builder, shared_count, [builder.row(row) for row in rows.random])
    taken = FALSE
    drawn: list[list[int]] = []
    clashes = []
    for role, (count, choice) in enumerate(zip(counts, choices, strict=True)):
        mine = builder.and_(choice, taken ^ 1)
        drawn.append([builder.and_(mine, digit) for digit in product[: len(count)]])
        if len(count) > 1:
            for row, literal in zip(rows.ranks[role], drawn[role], strict=False):
                builder.write(row, literal)
        if (clash := builder.and_(choice, taken)) != FALSE:
            builder.write(rows.clash[role - 1], clash)
            clashes.append(role)
        taken = builder.or_(taken, choice)
    for role in clashes:
        builder.begin_phase(f"clash{turn}.{role}")
        with builder.private():
            where = builder.row(rows.clash[role - 1])
            random = [builder.row(row) for row in rows.redrawn]
            own = scale(builder, counts[role], random)
            for place, old, new in zip(rows.ranks[role], drawn[role], own, strict=False):
                builder.write(place, builder.mux(where, new, old))
