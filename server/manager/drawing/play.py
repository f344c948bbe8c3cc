"""Lines of play: their states and moves show how facts behave."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import RANDOM
from ggp.kif import Term
from ggp.reasoner import JointMove, Reasoner, State

__all__ = ["Line", "RandomPlay", "first_choice", "random_lines"]

_LINES, _MAX_STEPS = 6, 80
_SEED = 1


@dataclass(frozen=True, slots=True)
class Line:
    """The facts of each state, and the joint moves between them: one fewer."""

    states: tuple[tuple[Term, ...], ...]
    moves: tuple[JointMove, ...]
    #: The legal moves of each role in each state; empty if they are not known.
    legal: tuple[tuple[tuple[Term, ...], ...], ...] = ()
    #: Whether the game is over in the last state, as far as that is known.
    is_over: bool = False


def first_choice(line: Line, roles: Sequence[str]) -> int:
    """Return the step of the first state in which a role other than chance has a choice.

    Before it chance deals. It is 0 if that is not known.
    """
    for step, legal in enumerate(line.legal[: len(line.states)]):
        chosen = zip(roles, legal, strict=False)
        if any(len(moves) > 1 and role.lower() != RANDOM for role, moves in chosen):
            return step
    return 0


@dataclass(slots=True)
class _Growing:
    """A line that is being played; the last state may have no legal moves yet."""

    states: list[tuple[Term, ...]]
    moves: list[JointMove] = field(default_factory=list)
    legal: list[Sequence[tuple[Term, ...]]] = field(default_factory=list)
    is_over: bool = False


class RandomPlay:
    """Plays at random from the initial state, as far as there is time, and goes on later.

    The same game gives the same lines: how often play was interrupted makes no difference.
    """

    def __init__(self, *, lines: int = _LINES, max_steps: int = _MAX_STEPS) -> None:
        """Begin with nothing.

        Args:
            lines: how many lines to play.
            max_steps: how many joint moves a line has at most.
        """
        self._random = random.Random(_SEED)
        self._wanted, self._max_steps = lines, max_steps
        self._lines: list[_Growing] = []
        self._is_open = False
        #: The last state of the open line, and the reasoner that it belongs to.
        self._last: tuple[Reasoner, State] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all lines are played."""
        return len(self._lines) == self._wanted and not self._is_open

    @property
    def work(self) -> int:
        """How many states are known."""
        return sum(len(line.states) for line in self._lines)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines, the last of which may not be at its end."""
        return tuple(
            Line(tuple(line.states), tuple(line.moves), tuple(map(tuple, line.legal)), line.is_over)
            for line in self._lines
        )

    def go_on(self, reasoner: Reasoner, deadline: Deadline) -> None:
        """Play on until all lines are played or the deadline is over.

        After the deadline the reasoner may be closed in the middle of a question; play goes on with
        another one, which answers the question anew.

        Raises:
            ReasonerError: the reasoner failed before the deadline.
        """
        try:
            while not self.is_complete and not (self._lines and deadline.is_over):
                self._step(reasoner)
        except ReasonerError:
            if not deadline.is_over:
                self._is_open = False  # this line ends here
                raise

    def _step(self, reasoner: Reasoner) -> None:
        """Play one joint move, or begin or end a line."""
        if not self._is_open:
            state = reasoner.initial_state()
            self._lines.append(_Growing([reasoner.facts(state)]))
            self._is_open, self._last = True, (reasoner, state)
        line = self._lines[-1]
        if self._last is None or self._last[0] is not reasoner:
            self._last = reasoner, reasoner.state_of(line.states[-1])
        state = self._last[1]
        if len(line.legal) < len(line.states):
            view = reasoner.view(state)
            line.legal.append(view.legal)
            line.is_over = view.terminal
            if view.terminal or not all(view.legal) or len(line.moves) >= self._max_steps:
                self._is_open = False
                return
        before = self._random.getstate()
        try:
            joint_move = tuple(map(self._random.choice, line.legal[-1]))
            state = reasoner.next_state(state, joint_move)
            facts = reasoner.facts(state)
        except BaseException:
            self._random.setstate(before)
            raise
        line.moves.append(joint_move)
        line.states.append(facts)
        self._last = reasoner, state


def random_lines(
    reasoner: Reasoner, *, deadline: Deadline, lines: int = _LINES, max_steps: int = _MAX_STEPS
) -> tuple[Line, ...]:
    """Play at random from the initial state, until the deadline at most."""
    play = RandomPlay(lines=lines, max_steps=max_steps)
    play.go_on(reasoner, deadline)
    return play.lines
