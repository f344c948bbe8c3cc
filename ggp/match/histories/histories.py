"""The histories of a match that agree with what a role has perceived, drawn at random.

The turns of the match are unrolled into a program for clingo, in which each role chooses one of its
legal moves in each turn, and the role's moves and percepts are constraints. An answer set is a
history. So what is perceived late tells what must have happened early, such as who was dealt a card
that is played now, and what is perceived at once picks the one deal out of thousands that agrees.

What the constraints decide is decided before the next turn is grounded: a turn costs as much as it
leaves open. clingo chooses the moves of the earliest turn first, each at random among those that
its constraints have left, which comes close to how likely they are.

Where a role has very many moves, such as a deal of several cards at once, a turn has some of them
only: a random selection, and those that may be the cause of what is perceived (`causes`). If no
history is left, the match is unrolled once more with the causes of all percepts, and at last with
all moves.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clingo import Assignment, Control, Number, PropagateInit, Propagator, SymbolicAtom

from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Compound, Symbol, Term, compound, is_ground
from ggp.match.histories.causes import Cause, Causes
from ggp.match.histories.program import TimedProgram
from ggp.match.histories.turn import Turn

__all__ = ["Histories"]

#: What clingo takes: no models beyond the one that is asked for, and no complaints about relations
#: that have no rules.
_OPTIONS = ("--models=1", "--warn=none", "--save-progress=1")


@dataclass(frozen=True, slots=True)
class _Effort:
    """Which moves of a role with too many of them a turn has."""

    #: Whether the percepts of later turns are looked at for causes, too.
    looks_ahead: bool
    #: Whether all moves are possible.
    has_all: bool


_EFFORTS = (_Effort(False, False), _Effort(True, False), _Effort(True, True))


class Histories:
    """The histories of one match, as one role knows it."""

    def __init__(self, game: PerceivedGame, role: Symbol, *, seed: int = 0) -> None:
        """Begin with the initial state.

        Args:
            game: the game whose states contain the role's percepts.
            role: the role.
            seed: of what is drawn.

        Raises:
            ReasonerError: the rules cannot be grounded.
        """
        self._game, self._role = game, role
        self._percept = compound(game.name.text, role, Symbol("?percept"))
        self._causes = Causes(game.description)
        self._random = random.Random(seed)
        self._turns: list[Turn] = []
        self._effort = 0
        self._begin()

    def advance(self, turn: Turn) -> None:
        """Add a turn in which the match went on. Raises `RuntimeError` if clingo cannot."""
        self._turns.append(turn)
        self._catch_up(Deadline())

    def draw(self, deadline: Deadline) -> tuple[Term, ...]:
        """Return the facts of the state to which a random history has led.

        Raises:
            GameError: there is no history that agrees.
            TimeUp: the deadline is over.
        """
        while True:
            self._catch_up(deadline)
            if (found := self._drawn(deadline)) is not None:
                return found
            if not self._can_try_harder:
                raise GameError(f"no history agrees with what {self._role} has perceived")
            self._effort += 1
            self._begin()

    @property
    def _can_try_harder(self) -> bool:
        was_restricted = any(turn.some for turn in self._turns) and self._program.may_restrict
        return was_restricted and self._effort + 1 < len(_EFFORTS)

    def _catch_up(self, deadline: Deadline) -> None:
        """Ground the turns that are not ground. Raises `TimeUp`, and can be called again."""
        while self._grounded < len(self._turns):
            deadline.check()
            self._ground(self._grounded)
            self._grounded += 1

    def _begin(self) -> None:
        """Begin with the initial state, and this time with other moves of the turns."""
        self._program = program = TimedProgram(self._game.description)
        self._control = Control([*_OPTIONS])
        self._control.add("base", [], program.base)
        self._control.add("state", ["t"], program.state)
        self._control.add("turn", ["t"], program.turn)
        self._chooser = _Chooser(self._random)
        self._control.register_propagator(self._chooser)
        self._control.ground([("base", [])])
        self._ground_state(0)
        #: How many turns are ground.
        self._grounded = 0
        #: Causes of what is perceived later.
        self._ahead: Mapping[int, Sequence[Cause]] = {}
        if _EFFORTS[self._effort].looks_ahead:
            told = enumerate(map(self._facts_told, self._turns))
            self._ahead = self._causes.of(
                (number, fact) for number, facts in told for fact in facts
            )

    def _ground(self, number: int) -> None:
        """Ground a turn with what the role knows of it, and the state that follows."""
        turn, program, here = self._turns[number], self._program, [Number(number)]
        some = {} if _EFFORTS[self._effort].has_all else turn.some
        causes = self._causes_of(number) if some else ()
        self._control.add(f"choices_{number}", ["t"], program.choices(number, some, causes))
        self._control.ground([(f"choices_{number}", here), ("turn", here)])
        if turn.joint_move is not None:
            made = zip(self._game.description.roles, turn.joint_move, strict=True)
            known = [program.made(number, role, move) for role, move in made]
        else:
            assert turn.own_move is not None
            known = [
                program.made(number, self._role, turn.own_move),
                program.perceived(number, self._facts_told(turn), self._percept),
            ]
        self._control.add(f"known_{number}", [], "\n".join(known))
        self._control.ground([(f"known_{number}", [])])
        self._chooser.add(self._listed(f"made_{number}(R,M)", f"d(R,M,{number})"))
        self._ground_state(number + 1)

    def _ground_state(self, number: int) -> None:
        """Ground a state, and note the facts that may be true in it."""
        self._control.ground([("state", [Number(number)])])
        self._facts = [
            (f"t({atom.symbol.arguments[0]})", atom.literal)
            for atom in self._listed(f"true_{number}(F)", f"t(F,{number})")
        ]

    def _listed(self, name: str, pattern: str) -> list[SymbolicAtom]:
        """Return the atoms of a pattern under another name, which no other atoms have.

        clingo lists the atoms of one name, and those of all turns have the same.
        """
        self._control.add(name, [], f"{name}:-{pattern}.")
        self._control.ground([(name, [])])
        plain, _, arguments = name.partition("(")
        arity = len(arguments.split(","))
        return list(self._control.symbolic_atoms.by_signature(plain, arity))

    def _causes_of(self, number: int) -> list[Cause]:
        """Return the moves of a turn that may be causes, of the roles that have too many."""
        turn = self._turns[number]
        facts = ((number, fact) for fact in self._facts_told(turn))
        at_once = self._causes.of(facts, earliest=number).get(number, ())
        return [
            cause
            for cause in dict.fromkeys([*at_once, *self._ahead.get(number, ())])
            if cause.role in turn.some or not is_ground(cause.role)
        ]

    def _facts_told(self, turn: Turn) -> list[Term]:
        return [Compound((self._game.name, self._role, percept)) for percept in turn.percepts]

    def _drawn(self, deadline: Deadline) -> tuple[Term, ...] | None:
        """Return the facts of a random state; None if there is none."""
        self._chooser.shuffle()
        with self._control.solve(yield_=True, async_=True) as handle:
            handle.resume()
            try:
                deadline.wait(handle.wait)
            except TimeUp:
                handle.cancel()
                raise
            model = handle.model()
            if model is None:
                return None
            true = [text for text, literal in self._facts if model.is_true(literal)]
        return tuple(term for _, (term,) in self._program.decode(true))


class _Chooser(Propagator):
    """Lets clingo begin with random moves, those of the earliest turn first.

    Where these lead to contradictions, clingo goes on by itself. It keeps to what was chosen, as
    far as it can, since it remembers the value that each literal had last.
    """

    def __init__(self, generator: random.Random) -> None:
        self._random = generator
        #: The moves that one role may make in one turn, in the order of the turns: as literals of
        #: the program, and as literals of the solver.
        self._groups: list[tuple[list[int], list[int]]] = []
        #: Whether there are groups without literals of the solver.
        self._is_stale = False
        #: The groups of which no move has been chosen.
        self._ahead: Iterator[list[int]] = iter(())

    def add(self, moves: Iterable[SymbolicAtom]) -> None:
        """Add the moves of the next turn."""
        by_role: dict[int, list[int]] = {}
        for atom in moves:
            by_role.setdefault(atom.symbol.arguments[0].number, []).append(atom.literal)
        self._groups += ((literals, []) for _, literals in sorted(by_role.items()))
        self._is_stale = True

    def shuffle(self) -> None:
        """Choose differently from now on."""
        for _, literals in self._groups:
            self._random.shuffle(literals)
        self._ahead = iter([literals for _, literals in self._groups])

    def init(self, init: PropagateInit) -> None:
        """Take the moves that are still open. clingo calls this before each search."""
        if not self._is_stale:
            return
        self._is_stale = False
        groups = []
        for atoms, _ in self._groups:
            literals = [init.solver_literal(atom) for atom in atoms]
            if not any(map(init.assignment.is_true, literals)):
                groups.append((atoms, literals))
        self._groups = groups
        self.shuffle()

    def decide(self, _thread: int, assignment: Assignment, fallback: int) -> int:
        """Return a move of the earliest turn that had no choice yet. clingo calls this."""
        for group in self._ahead:
            values = [assignment.value(literal) for literal in group]
            if not any(values) and None in values:
                return group[values.index(None)]
        return fallback
