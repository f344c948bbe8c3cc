"""In which rows of their buffers the view and the step of a game find and leave what.

The rows that have a name come first; behind them are those in which the code works. Compiled loops
take these records as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

# Loops that take rows are compiled again when what this module imports changes.
if TYPE_CHECKING:
    from ggp.compiler.circuit.circuit import Circuit

__all__ = ["POINTER_ROW", "StepRows", "ViewRows"]

#: The row of the buffer that every program leaves to the assembly.
POINTER_ROW = 0


class ViewRows(NamedTuple):
    """The rows of a view, part by part: it reads the facts and writes the others."""

    first_fact: int
    #: Where each move is legal, in the order of `Circuit.legal`.
    first_move: int
    #: Where the game is over.
    terminal: int
    #: Where each goal holds, all roles' in a row; `Circuit.first_goal` says whose they are.
    first_goal: int
    #: For each role where a goal holds that is no integer.
    first_bad_goal: int
    #: How many rows there are.
    total: int

    @classmethod
    def of(cls, circuit: Circuit, *, has_moves: bool = True) -> ViewRows:
        """Return the rows of a circuit's view, or of one without the legal moves."""
        first_fact = POINTER_ROW + 1
        first_move = first_fact + len(circuit.facts)
        terminal = first_move + (len(circuit.legal) if has_moves else 0)
        first_goal = terminal + 1
        first_bad_goal = first_goal + int(circuit.first_goal[-1])
        total = first_bad_goal + len(circuit.roles)
        return cls(first_fact, first_move, terminal, first_goal, first_bad_goal, total)

    @property
    def facts(self) -> range:
        """The rows of the facts."""
        return range(self.first_fact, self.first_move)

    @property
    def moves(self) -> range:
        """The rows of the legal moves."""
        return range(self.first_move, self.terminal)

    @property
    def goals(self) -> range:
        """The rows of all roles' goals."""
        return range(self.first_goal, self.first_bad_goal)

    @property
    def bad_goals(self) -> range:
        """The rows of the bad goals, one for each role."""
        return range(self.first_bad_goal, self.total)

    @property
    def written(self) -> range:
        """The rows that the view writes."""
        return range(self.first_move, self.total)


class StepRows(NamedTuple):
    """The rows of a step, part by part: it reads facts and inputs and writes the next facts."""

    first_fact: int
    #: The moves that are done, or the sets that hold one of them.
    first_input: int
    #: The facts of the next state.
    first_next: int
    #: How many rows there are.
    total: int

    @classmethod
    def of(cls, circuit: Circuit, *, inputs: int) -> StepRows:
        """Return the rows of a circuit's step that reads this number of moves, or of sets."""
        first_fact = POINTER_ROW + 1
        first_input = first_fact + len(circuit.facts)
        first_next = first_input + inputs
        return cls(first_fact, first_input, first_next, first_next + len(circuit.facts))

    @property
    def read(self) -> range:
        """The rows that the step reads: the facts, and the inputs."""
        return range(self.first_fact, self.first_next)

    @property
    def following(self) -> range:
        """The rows of the facts of the next state."""
        return range(self.first_next, self.total)
