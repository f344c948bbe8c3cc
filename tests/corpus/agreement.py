"""Comparing two reasoners in random playouts of the same game, step by step."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.reasoner import Reasoner, View

#: The successors of states with more joint moves than this are not compared.
MAX_JOINT_MOVES = 300


def disagreements(
    left: Reasoner, right: Reasoner, *, steps: int, seed: str, deadline: Deadline | None = None
) -> Iterator[str]:
    """Play a number of random steps, game after game, until the deadline; yield what differs.

    The facts and the view of each state are compared, and its successors unless there are too many.
    """
    generator = random.Random(seed)
    at_start = left.initial_state(), right.initial_state()
    here, there = at_start
    for number in range(steps):
        if deadline and deadline.is_over:
            return
        if left.text(here) != right.text(there):
            yield f"step {number}: facts {left.text(here)} and {right.text(there)}"
        view = left.view(here)
        if view != (other := right.view(there)):
            yield f"step {number}: {view} and {other}"
            return
        if 0 < view.joint_move_count <= MAX_JOINT_MOVES:
            yield from _successors(left, right, here, there, number)
        if view.terminal or not all(view.legal):
            here, there = at_start
            continue
        joint_move = [generator.choice(moves) for moves in view.legal]
        here = left.next_state(here, joint_move)
        there = right.next_state(there, joint_move)


def _successors(
    left: Reasoner, right: Reasoner, here: bytes, there: bytes, number: int
) -> Iterator[str]:
    ours, theirs = left.expand(here), right.expand(there)
    if View(ours.terminal, ours.goals, ours.legal) != left.view(here):
        yield f"step {number}: the expansion is not the view"
    mine, others = (
        [*map(reasoner.text, expansion.successors)]
        for reasoner, expansion in ((left, ours), (right, theirs))
    )
    if mine != others:
        yield f"step {number}: other successors"
