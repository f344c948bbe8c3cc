"""One pass of random play in all lanes, as a program: the rules and the choices.

The phases of a pass: `look` whether the states are terminal, `score` those that are, `choose` a
rank among the legal moves for every role (`clash` where several roles have a choice in one lane),
and `move` to the next states. Where there are very many moves, a `Walk` between the last two finds
the moves of these ranks. Where some moves are rare, `look` counts the legal moves, lanes `take` the
moves that are not rare before they `move`, and each group of `rare` moves is a phase that runs only
if some lane chooses from it. `start` tells which lanes go on with their start state; where there is
but one point of the cycle, that is part of `move`.

There is a program for each point of the cycle of `Turns`. A lane that has ended waits until the
others are where its start state is; and longer where to start takes long, so that more lanes start
at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.straightline import Builder, Program, cone
from ggp.compiler.runtime.choice import Choice, Tally, choose, note_stuck, scale, tally
from ggp.compiler.runtime.move_sets import MoveSets
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.rare_moves import groups_of, moves_made
from ggp.compiler.runtime.turns import Turns
from ggp.compiler.runtime.unions import Unions, complete
from ggp.compiler.runtime.walk import Walk, read_sets, sets_to_walk, write_paths

__all__ = ["PassProgram", "pass_programs"]

_MANY_MOVES = 200

#: The phase of a group computes again which of its moves are legal, if that takes at most this
#: number of gates for each.
_FEW_GATES = 16


@dataclass(frozen=True, slots=True)
class PassProgram(Program):
    """The program of a pass, and how the lanes walk to their moves, if they do."""

    walk: Walk | None = None
    #: The rows of the lanes that choose from each group of rare moves.
    rare: range = range(0)


@dataclass(frozen=True, slots=True)
class _RareMoves:
    """The groups of rare moves of each role, and the sets of moves that the next state needs."""

    groups: list[list[list[int]]]
    unions: Unions


def pass_programs(circuit: Circuit, rows: PassRows, turns: Turns) -> list[PassProgram]:
    """Return the program of a pass for each point of the cycle."""
    sets = sets_to_walk(circuit)
    made = moves_made(circuit, turns) if sets is None else None
    return [
        _Pass(circuit, rows, turns, turn).program(sets, None if made is None else made[turn])
        for turn in range(len(turns))
    ]


class _Pass:
    """Writes the program of one point of the cycle."""

    def __init__(self, circuit: Circuit, rows: PassRows, turns: Turns, turn: int) -> None:
        self.circuit, self.rows, self.turns, self.turn = circuit, rows, turns, turn
        self.builder = Builder(rows=rows.total, phase=f"start{turn}")
        self.active, self.ended, self.waiting = (
            self.builder.row(row) for row in (rows.active, rows.ended, rows.waiting)
        )
        following = turns.known((turn + 1) % len(turns))
        #: The facts that may be true or false after this pass, and the literals that say so.
        self.unknown = [fact for fact in range(len(circuit.facts)) if fact not in following]
        self.wanted: list[int] = circuit.next[self.unknown].tolist()

    def program(self, sets: MoveSets | None, made: NDArray[np.float64] | None) -> PassProgram:
        """Return the program.

        Args:
            sets: the sets of moves by which lanes may walk to their moves.
            made: of each move, the share of states in which it is made, if some may be rare.
        """
        builder, turn = self.builder, self.turn
        with builder.private():  # what is in the rows of lanes changes from phase to phase
            self._start()
        builder.begin_phase(f"look{turn}")
        facts = self._facts(builder)
        known = dict(facts)
        rare = None if made is None else self._rare(made)
        trees: list[Tally | None] = []
        if rare:  # a count made here need not be stored for `choose`
            trees = self._count(known, rare)
        self._look(known)
        builder.begin_phase(f"choose{turn}")
        if not rare:
            trees = self._count(known, None, by_halves=sets is None)
        counts = [tree.count if tree else () for tree in trees]
        self._note_blocked(counts)
        paths = write_paths(builder, trees, self.rows.ranks) if sets else []
        _rank(builder, counts, self.rows, turn)
        needs, walk = range(0), None
        if rare:
            builder.begin_phase(f"take{turn}")
            needs = self._take(trees, rare, facts, known)
        else:
            builder.begin_phase(f"move{turn}")
            if sets and paths:
                walk = read_sets(builder, sets, paths, known)
            else:
                self._make(trees, known)
        self._move(known)
        done = builder.program()
        return PassProgram(
            done.kinds, done.operands, done.blocks, done.outputs, done.rows,
            late=rare is not None, walk=walk, rare=needs,
        )  # fmt: skip

    def _facts(self, builder: Builder) -> dict[int, int]:
        """Return the literals of the facts: of some, the value is known."""
        nodes, given = self.circuit.fact_nodes, self.turns.known(self.turn)
        facts = dict(zip(nodes, map(builder.row, self.rows.state), strict=True))
        return facts | {nodes[fact]: TRUE if value else FALSE for fact, value in given.items()}

    def _possible(self, legal: Sequence[int]) -> list[list[int]]:
        """Return the moves of each role that may be legal, numbered among all roles'."""
        return [[move for move in own if legal[move] != FALSE] for own in self.circuit.own_moves]

    def _rare(self, made: NDArray[np.float64]) -> _RareMoves | None:
        """Return the groups of rare moves, if there are any."""
        scratch = Builder(rows=self.rows.total)
        facts = self._facts(scratch)
        possible = self._possible(scratch.add(self.circuit, self.circuit.legal.tolist(), {**facts}))
        groups = [groups_of(own, made) for own in possible]
        if not any(groups):
            return None
        unions = Unions.of(self.circuit, self.wanted, facts, possible)
        return None if unions is None else _RareMoves(groups, unions)

    def _count(
        self, known: dict[int, int], rare: _RareMoves | None, *, by_halves: bool = True
    ) -> list[Tally | None]:
        """Count the legal moves of each role."""
        builder = self.builder
        legal = builder.add(self.circuit, self.circuit.legal.tolist(), known)
        possible = self._possible(legal)
        groups = rare.groups if rare else [[] for _ in possible]
        trees = [
            tally(builder, {move: legal[move] for move in own}, by_halves=by_halves, groups=apart)
            for own, apart in zip(possible, groups, strict=True)
        ]
        if rare:
            note_stuck(builder, self.circuit, possible, trees, known)
        return trees

    def _look(self, known: dict[int, int]) -> None:
        """Write which lanes end, and a phase for the goals that these have."""
        builder, rows = self.builder, self.rows
        (terminal,) = builder.add(self.circuit, [self.circuit.terminal], known)
        with builder.private():
            over = builder.or_(terminal, builder.row(rows.forced))
            builder.write(rows.ended, builder.all([self.active, self.waiting ^ 1, over]))
        builder.begin_phase(f"score{self.turn}")
        with builder.private():
            _score(builder, self.circuit, rows, dict(known))

    def _note_blocked(self, counts: Sequence[Sequence[int]]) -> None:
        """Write the lanes in which a role has no legal move, or that can start nowhere."""
        builder, rows = self.builder, self.rows
        blocked = builder.any(builder.any(count) ^ 1 for count in counts)
        with builder.private():
            pending = builder.or_(self.waiting, self.ended)
            lost = builder.any(map(self._due, range(len(self.turns)))) ^ 1
            stuck = builder.mux(pending, lost, blocked)
            builder.write(rows.stuck, builder.and_(self.active, stuck))

    def _chosen(self, trees: Sequence[Tally | None]) -> list[Choice]:
        """Choose the moves of these ranks."""
        builder = self.builder
        choices = [
            choose(builder, tree, [builder.row(row) for row in ranks])
            for tree, ranks in zip(trees, self.rows.ranks, strict=True)
        ]
        if sum(len(choice.made) for choice in choices) > _MANY_MOVES:
            # choose completely, walking the trees in order, before the next facts need single moves
            builder.end_block()
        return choices

    def _make(self, trees: Sequence[Tally | None], known: dict[int, int]) -> None:
        """Make the chosen moves; `known` gains what depends on them alone."""
        choices = self._chosen(trees)
        made = {m: lanes for choice in choices for m, lanes in choice.made.items()}
        possible = [sorted(choice.made) for choice in choices]
        unions = Unions.of(self.circuit, self.wanted, known, possible)
        if unions is None:
            known |= {
                node: made.get(move, FALSE) for move, node in enumerate(self.circuit.move_nodes)
            }
        else:
            known |= unions.literals(self.builder, unions.add(self.builder, made))

    def _take(
        self,
        trees: Sequence[Tally | None],
        rare: _RareMoves,
        facts: dict[int, int],
        known: dict[int, int],
    ) -> range:
        """Make the chosen moves, the rare ones in phases of their own; return the rows of these."""
        builder = self.builder
        choices = self._chosen(trees)
        united = rare.unions.add(
            builder, {m: lanes for choice in choices for m, lanes in choice.made.items()}
        )
        places = [
            (group, *choice.apart[number])
            for own, choice in zip(rare.groups, choices, strict=True)
            for number, group in enumerate(own)
        ]
        needs = builder.new_rows(len(places))
        for row, (_, lanes, _) in zip(needs, places, strict=True):
            builder.write(row, lanes)
        for number, (group, lanes, rank) in enumerate(places):
            builder.begin_phase(f"rare{self.turn}.{number}")
            wanted = self.circuit.legal[group].tolist()
            is_small = len(cone(self.circuit, wanted, facts)) <= _FEW_GATES * len(group)
            with builder.private(shares=not is_small):
                legal = builder.add(self.circuit, wanted, {**(facts if is_small else known)})
                tree = tally(builder, dict(zip(group, legal, strict=True)))
                complete(builder, united.incomplete, choose(builder, tree, rank, lanes).made)
        builder.begin_phase(f"move{self.turn}")
        known |= rare.unions.literals(builder, united)
        return needs

    def _move(self, known: dict[int, int]) -> None:
        """Write the next state."""
        builder, rows = self.builder, self.rows
        after = builder.add(self.circuit, self.wanted, known)
        # some lanes start in nearly every pass if they need not wait, and then best as they move
        starts = self._start() if len(self.turns) == 1 else FALSE
        for fact, literal in zip(self.unknown, after, strict=True):
            begun = builder.mux(starts, builder.row(rows.start[fact]), literal)
            builder.write(rows.state[fact], begun)

    def _start(self) -> int:
        """Write which lanes start here, and which still wait; return the former."""
        builder, rows = self.builder, self.rows
        pending = builder.or_(self.waiting, self.ended)
        starts = builder.and_(pending, self._due(self.turn))
        builder.write(rows.started, starts)
        builder.write(rows.waiting, builder.and_(pending, starts ^ 1))
        return starts

    def _due(self, turn: int) -> int:
        """Return the lanes whose start state is at a point of the cycle."""
        due = TRUE
        for fact, value in self.turns.signs_of(turn).items():
            due = self.builder.and_(due, self.builder.row(self.rows.start[fact]) ^ (not value))
        return due


def _score(builder: Builder, circuit: Circuit, rows: PassRows, known: dict[int, int]) -> None:
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


def _rank(builder: Builder, counts: Sequence[Sequence[int]], rows: PassRows, turn: int) -> None:
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
