"""In which rows of its buffer a pass of random play keeps what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ggp.compiler.codegen.rows import POINTER_ROW

# Loops that take rows are compiled again when what this module imports changes.
if TYPE_CHECKING:
    from ggp.compiler.circuit.circuit import Circuit

__all__ = ["AGE_BITS", "EXTRA_BITS", "PassPlaces", "PassRows"]

#: Bits of the counter of steps, where steps are limited.
AGE_BITS = 31

#: Random bits beyond those of the number of moves: no move's probability is off by 1 in 1000.
EXTRA_BITS = 10


class PassPlaces(NamedTuple):
    """Where the rows of a pass begin that compiled loops look at, as words of the buffer.

    The fields are those of `PassRows`; of a part of several rows it is the first.
    """

    budget: int
    active: int
    ended: int
    forced: int
    stuck: int
    starts: int
    generator: int
    start: int
    held: int
    scores: int


@dataclass(frozen=True, slots=True)
class PassRows:
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

    @classmethod
    def of(cls, circuit: Circuit, extra_bits: int = EXTRA_BITS) -> PassRows:
        """Lay out the buffer.

        Args:
            circuit: the game.
            extra_bits: random bits that are drawn beyond those of a count of moves.
        """
        end = POINTER_ROW + 1

        def take(count: int) -> range:
            nonlocal end
            end += count
            return range(end - count, end)

        def row() -> int:
            return take(1).start

        most = [len(moves) for moves in circuit.moves]
        bits = max(most).bit_length() + extra_bits if max(most) > 1 else 0
        goals = int(circuit.first_goal[-1])
        return cls(
            budget=row(),
            active=row(),
            ended=row(),
            forced=row(),
            watched=row(),
            stuck=row(),
            turn=row(),
            waiting=row(),
            started=row(),
            pause=row(),
            left=row(),
            starts=row(),
            finished=row(),
            steps=row(),
            age_bits=row(),
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

    @property
    def counters(self) -> range:
        """The rows that are zero when playouts begin: from the budget to the counter of steps."""
        return range(self.budget, self.young.stop)

    def places(self, words: int) -> PassPlaces:
        """Return where rows begin in a buffer with this number of words in a row."""
        rows = (getattr(self, name) for name in PassPlaces._fields)
        return PassPlaces(*(words * (row.start if isinstance(row, range) else row) for row in rows))
