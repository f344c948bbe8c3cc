"""Lines of play: their states and moves show how facts behave."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.kif import Term
from ggp.reasoner import JointMove, Reasoner

__all__ = ["Line", "random_lines"]

_LINES, _MAX_STEPS = 6, 80
_SEED = 1


@dataclass(frozen=True, slots=True)
class Line:
    """The facts of each state, and the joint moves between them: one fewer."""

    states: tuple[tuple[Term, ...], ...]
    moves: tuple[JointMove, ...]
    #: The legal moves of each role in each state; empty if they are not known.
    legal: tuple[tuple[tuple[Term, ...], ...], ...] = ()


def random_lines(
    reasoner: Reasoner, *, deadline: Deadline, lines: int = _LINES, max_steps: int = _MAX_STEPS
) -> tuple[Line, ...]:
    """Play at random from the initial state.

    The same game gives the same lines, unless the deadline ends them early. After the deadline the
    reasoner may be closed in the middle of a question: the lines end there.
    """
    generator = random.Random(_SEED)
    return tuple(
        _random_line(reasoner, generator, deadline, max_steps)
        for number in range(lines)
        if not (number and deadline.is_over)
    )


def _random_line(
    reasoner: Reasoner, generator: random.Random, deadline: Deadline, max_steps: int
) -> Line:
    state = reasoner.initial_state()
    states = [reasoner.facts(state)]
    moves: list[JointMove] = []
    views: list[Sequence[tuple[Term, ...]]] = []
    try:
        while not deadline.is_over:
            view = reasoner.view(state)
            views.append(view.legal)
            if view.terminal or not all(view.legal) or len(moves) >= max_steps:
                break
            joint_move = tuple(map(generator.choice, view.legal))
            state = reasoner.next_state(state, joint_move)
            facts = reasoner.facts(state)
            moves.append(joint_move)
            states.append(facts)
    except ReasonerError:
        if not deadline.is_over:
            raise
    return Line(tuple(states), tuple(moves), tuple(map(tuple, views)))
