"""Plans of a number of rounds as a logic program: what moves do, and that they do not interfere.

In a *round* several moves are done, in any order. That is possible if, whatever others of the round
were done before, each of them is legal and does the same, and the game goes on. A puzzle in which
numbers are put into fields has a plan of very few rounds, which stands for all orders of its moves.
(Kautz and Selman 1992, "Planning as satisfiability"; Rintanen, Heljanko and Niemelä 2006, "Planning
as satisfiability: parallel plans and algorithms for plan search", the for-all-step semantics. There
a move has a list of facts as its condition; here conditions are gates.)

To know this of a gate without looking at all orders, it has two literals, its *rails*: that it
surely holds and that it surely does not, as long as the round is under way. A fact surely holds if
it did before and no move of the round makes it false.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clingo import Control

from ggp.compiler.circuit.circuit import FALSE
from ggp.engine.puzzle.effects import Effects
from ggp.engine.puzzle.rounds.program import Program, RailGates, Rails
from ggp.engine.puzzle.symbolic import TRUE

__all__ = ["Encoding", "Ending"]

# Moves that are encoded between two breaks.
_STEP = 8


@dataclass(frozen=True, slots=True)
class Ending:
    """A way in which a plan may end."""

    #: The literal of the effects' graph that holds in the last state.
    literal: int
    #: How many moves the plan has at least, and at most; None where there is no limit.
    fewest: int
    most: int | None


class Encoding:
    """A program that grows by rounds. Its literals are numbers of atoms, or their negatives."""

    def __init__(
        self,
        effects: Effects,
        begin: Collection[int],
        *,
        between: int,
        endings: Sequence[Ending],
        once: Sequence[Collection[int]] = (),
    ) -> None:
        """Begin with a program without rounds.

        Args:
            effects: what moves do; they must be timeless.
            begin: the facts that are true at the beginning.
            between: the literal of the effects' graph that must not hold before the end.
            endings: how a plan may end.
            once: groups of moves of which every plan has one.
        """
        self._program = program = Program()
        self._effects, self._between, self._endings, self._once = effects, between, endings, once
        #: The literal of each fact after the rounds so far.
        self._state = {
            fact: program.true if fact in begin else program.false for fact in effects.facts
        }
        #: For each round the atom of each move that may be done in it.
        self.rounds: list[dict[int, int]] = []
        #: For each round the atom that tells whether it is the last one.
        self.lasts: list[int] = []
        #: For each move the nodes that rest on facts which it may change.
        self._affected: list[frozenset[int]] = []
        #: The facts on which a move rests that may change them.
        self._own = set[int]()
        self._over = program.false
        self._used = [program.false] * len(once)

    @property
    def control(self) -> Control:
        """What searches for models of the program."""
        return self._program.control

    @property
    def atoms(self) -> int:
        """The size of the program."""
        return self._program.atoms

    def add_round(self) -> Iterator[None]:
        """Add a round, with breaks in between."""
        if not self._affected:
            yield from self._prepare()
        with self._program.adding():
            moves = {
                move: self._program.chosen()
                for move, legal in enumerate(self._effects.legal)
                if legal != FALSE
            }
            turned = self._turned(moves)
            during = self._gates(turned)
            made_true: dict[int, list[int]] = defaultdict(list)
            for number, (move, atom) in enumerate(moves.items()):
                gates = during.replaced(self._rails_of(move), self._affected[move])
                self._program.imply(atom, gates.holds(self._effects.legal[move]))
                for fact, literal in self._effects.changes[move]:
                    if fact in turned:
                        holds, fails = gates.rails(literal)
                        self._program.imply(atom, self._program.either(holds, fails))
                        made_true[fact].append(self._program.both(atom, holds))
                if number % _STEP == 0:
                    yield
            for fact, (_, becomes_false) in turned.items():
                kept = self._program.both(self._state[fact], -becomes_false)
                self._state[fact] = self._program.any_of([*made_true[fact], kept])
            several = self._program.at_least(2, moves.values())
            self._program.forbid(several, -during.fails(self._between))
            self.rounds.append(moves)
            self._end(moves, several)

    def _end(self, moves: Mapping[int, int], several: int) -> None:
        """Say what must be so if the round is the last one, and if it is not."""
        after = self._gates({})
        last = self._program.chosen()
        self._program.forbid(last, self._over)
        self._program.forbid(after.holds(self._between), -last, -self._over)
        self._program.forbid(last, several)
        done = [atom for moves in self.rounds for atom in moves.values()]
        self._program.imply(last, self._program.any_of(moves.values()))
        ends = []
        for ending in self._endings:
            end = after.holds(ending.literal)
            if end != self._program.false:
                end = self._program.both(end, self._program.at_least(ending.fewest, done))
                if ending.most is not None and ending.most < len(done):
                    end = self._program.both(end, -self._program.at_least(ending.most + 1, done))
            ends.append(end)
        self._program.imply(last, self._program.any_of(ends))
        for number, group in enumerate(self._once):
            atoms = [moves[move] for move in group if move in moves]
            self._used[number] = self._program.any_of([self._used[number], *atoms])
            self._program.imply(last, self._used[number])
        self._over = self._program.any_of([self._over, last])
        self.lasts.append(last)

    def _prepare(self) -> Iterator[None]:
        """Note on what each move acts, and what acts on it, with breaks in between."""
        graph, above = self._effects.graph, defaultdict[int, list[int]](list)
        fact_nodes = self._effects.nodes
        for node in range(fact_nodes.stop, len(graph.left)):
            above[graph.left[node] >> 1].append(node)
            above[graph.right[node] >> 1].append(node)
        yield
        pairs = zip(self._effects.legal, self._effects.changes, strict=True)
        for number, (legal, changes) in enumerate(pairs):
            nodes = {fact_nodes[fact] for fact, _ in changes}
            below = self._effects.nodes_below([legal, *(literal for _, literal in changes)])
            self._own.update(fact for fact, _ in changes if fact_nodes[fact] in below)
            pending = [*nodes]
            while pending:
                new = set(above[pending.pop()]) - nodes
                nodes |= new
                pending += new
            self._affected.append(frozenset(nodes))
            if number % _STEP == 0:
                yield

    def _turned(self, moves: Mapping[int, int]) -> dict[int, Rails]:
        """Return for each fact that may change whether it becomes true, and whether false.

        That a move makes it true, another false, or that it depends, is forbidden, and so is that
        two moves change a fact if one of them rests on it.
        """
        kinds: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for move, atom in moves.items():
            for fact, literal in self._effects.changes[move]:
                found = kinds.setdefault(fact, ([], [], []))
                found[2 if literal > TRUE else literal].append(atom)
        turned = {}
        for fact, (falses, trues, unknowns) in kinds.items():
            held = self._state[fact]
            if not unknowns and (
                (held == self._program.true and not falses)
                or (held == self._program.false and not trues)
            ):
                continue  # no move of the round changes it
            becomes_true, becomes_false = self._program.any_of(trues), self._program.any_of(falses)
            unknown = self._program.any_of(unknowns)
            if fact in self._own or unknowns:
                every = [*falses, *trues, *unknowns]
                if len(every) > 1:
                    self._program.forbid(self._program.at_least(2, every))
            else:
                self._program.forbid(becomes_true, becomes_false)
            turned[fact] = (
                self._program.either(becomes_true, unknown),
                self._program.either(becomes_false, unknown),
            )
        return turned

    def _gates(self, turned: Mapping[int, Rails]) -> RailGates:
        """Return the gates while facts may become true, and false."""
        program = self._program
        rails, never = {0: (program.false, program.true)}, (program.false, program.false)
        for fact, literal in self._state.items():
            becomes_true, becomes_false = turned.get(fact, never)
            holds = program.both(literal, -becomes_false)
            rails[self._effects.nodes[fact]] = holds, program.both(-literal, -becomes_true)
        return RailGates(program, self._effects.graph, rails)

    def _rails_of(self, move: int) -> dict[int, Rails]:
        """Return the rails of the facts that a move may change, before it does."""
        nodes = self._effects.nodes
        facts = (fact for fact, _ in self._effects.changes[move])
        return {nodes[fact]: (self._state[fact], -self._state[fact]) for fact in facts}
