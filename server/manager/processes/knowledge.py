"""What a role may know in a match that hides something: the states that agree with what it saw.

The states follow from the role's own moves and its percepts alone. So an answer tells nothing of
the other roles' moves but what the rules tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.closing import Closing
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Term
from ggp.match import Percepts
from ggp.match.histories.process import HistoryProcess
from ggp.match.possible_states import PossibleStates
from ggp.match.referee import seats
from ggp.reasoner import JointMove, Reasoner
from ggp.server.manager.processes.plain_reasoner import plain_reasoner

__all__ = ["Knowledge", "Known"]

#: The states that are kept of one role and state of a match.
_MAX_STATES = 300
#: Seconds for all turns of a line that are not known yet, and bytes for the search of histories.
_PATIENCE, _MEMORY = 12.0, 1 << 30
#: How many lines of percepts are remembered.
_MAX_LINES = 16


@dataclass(frozen=True, slots=True)
class Known:
    """What a role may know of a state."""

    #: The facts of the states that are possible, with the probability of each.
    states: tuple[tuple[tuple[Term, ...], float], ...]
    #: Whether there are no other possible states than these; else they are a sample.
    is_complete: bool
    #: What the role saw in the turn before.
    percepts: tuple[Term, ...]


@dataclass(slots=True)
class _Line:
    """What one role knows after each turn of a line."""

    steps: tuple[Percepts, ...]
    possible: PossibleStates
    known: list[Known]


class Knowledge(Closing):
    """Returns what the roles of one game may know."""

    def __init__(self, description: Description) -> None:
        """Open a reasoner. Raises `ReasonerError`."""
        self._game = PerceivedGame.of(description, seats(description))
        self._reasoner: Reasoner = plain_reasoner(self._game.description)
        self._lines: dict[int, list[_Line]] = {}

    def of(self, role: int, moves: Sequence[JointMove]) -> Known:
        """Return what a role may know after a line of joint moves, which are legal.

        Raises:
            GgpError: the moves are not legal, or the rules take too long.
        """
        steps = self._seen(role, moves)
        line = self._line(role, steps)
        deadline = Deadline.after(_PATIENCE)
        while len(line.known) <= len(steps):
            number = len(line.known) - 1
            line.possible.advance(steps[number], deadline.part(1 / (len(steps) - number)))
            line.known.append(self._known(line.possible, steps[number].percepts))
        line.steps = steps if len(steps) > len(line.steps) else line.steps
        return line.known[len(steps)]

    def close(self) -> None:
        """Close the reasoner and what looks for histories. May be called again."""
        for lines in self._lines.values():
            for line in lines:
                line.possible.close()
        self._lines.clear()
        self._reasoner.close()

    def _seen(self, role: int, moves: Sequence[JointMove]) -> tuple[Percepts, ...]:
        """Return, for each turn, the move of a role and its percepts."""
        state, name = self._reasoner.initial_state(), self._reasoner.roles[role]
        steps = []
        for joint_move in moves:
            self._reasoner.check_legal(state, joint_move)
            state = self._reasoner.next_state(state, joint_move)
            percepts = self._game.percepts(self._reasoner.facts(state), name)
            steps.append(Percepts(joint_move[role], percepts))
        return tuple(steps)

    def _line(self, role: int, steps: tuple[Percepts, ...]) -> _Line:
        """Return the line that has these turns, or can go on with them; or else a new one."""
        lines = self._lines.setdefault(role, [])
        for line in lines:
            shorter = min(len(steps), len(line.steps))
            if line.steps[:shorter] == steps[:shorter]:
                return line
        if len(lines) >= _MAX_LINES:
            lines.pop(0).possible.close()
        name = self._reasoner.roles[role]
        possible = PossibleStates(
            self._reasoner,
            self._game,
            name,
            max_states=_MAX_STATES,
            histories=HistoryProcess(self._game, name, memory_limit=_MEMORY),
        )
        line = _Line((), possible, [self._known(possible, ())])
        lines.append(line)
        return line

    def _known(self, possible: PossibleStates, percepts: tuple[Term, ...]) -> Known:
        states = tuple(
            (self._game.own_facts(self._reasoner.facts(state)), probability)
            for state, probability in possible.probabilities.items()
        )
        return Known(states, possible.is_complete and not possible.is_guess, percepts)
