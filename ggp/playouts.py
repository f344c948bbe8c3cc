"""Random playouts for some time: how a game ends on average, and how fast it is played."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ggp.deadline import Deadline
from ggp.errors import GameError, NoLegalMove, ReasonerError
from ggp.reasoner import PlayoutTotals, Reasoner, State
from ggp.reasoner.stuck import no_legal_move

__all__ = ["PlayoutStatistics", "playouts", "short_playouts", "united"]

# The least number of short playouts: with Prolog each of them takes a while. And the joint moves
# after which one of them ends.
_FEWEST, _MAX_STEPS = 4, 200
# A question to the reasoner is sized to take about this many seconds.
_SECONDS_PER_BATCH = 0.2


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """What many playouts came to."""

    playouts: int
    #: Joint moves made in them.
    steps: int
    seconds: float
    #: Per role, in role order; a missing goal counts as 0. None where no playout ended.
    mean_goals: tuple[float, ...] | None
    #: Per role, the least and the greatest goal, counted alike; none where no playout ended.
    ranges: tuple[tuple[int, int], ...]
    #: Seconds after which machine code played; None if it never did.
    taken_over_after: float | None
    #: Playouts a second from then on; None if there are none.
    compiled_playouts_per_second: float | None


def playouts(
    reasoner: Reasoner,
    *,
    deadline: Deadline,
    generator: random.Random,
    state: State | None = None,
    max_steps: int | None = None,
    adaptive: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> PlayoutStatistics:
    """Play at random from a state (the initial one by default) until the deadline.

    Playouts that the deadline cuts off do not count, nor do those asked for together with them:
    counting only what had ended by then would favour short games.

    Args:
        reasoner: the game.
        deadline: when to stop.
        generator: gives a seed to each batch of playouts.
        state: where the playouts begin.
        max_steps: joint moves after which a playout ends.
        adaptive: whether batches grow until each takes a while, which is faster in small games. If
            not, the first playouts are the same in each run, as long as the same kind of reasoner
            plays.
        progress: called with the number of playouts so far.

    Raises:
        NoLegalMove: a role has no legal move in a state that is not terminal.
        ReasonerError: the reasoner failed with time left.
    """
    count = steps = 0
    sums = [0] * len(reasoner.roles)
    ranges: tuple[tuple[int, int], ...] = ()
    began = time.monotonic()
    seconds, batch = 0.0, 1
    before: tuple[int, float] | None = None
    while not deadline.is_over:
        start, lanes = state, reasoner.lanes
        if before is None and lanes > 1:
            before = count, time.monotonic() - began
        batch = max(batch, lanes) if adaptive else lanes
        try:
            start = reasoner.initial_state() if start is None else start
            seed = generator.getrandbits(32)
            made = reasoner.playout_totals(start, count=batch, seed=seed, max_steps=max_steps)
        except NoLegalMove as error:
            assert start is not None
            raise _located(error, reasoner, start, deadline, generator) from None
        except ReasonerError:
            # The deadline, or Ctrl-C, may close the reasoner in the middle of a question.
            if not deadline.is_over:
                raise
        else:
            count += made.playouts
            progress(count)
            steps += made.steps
            sums = [mine + more for mine, more in zip(sums, made.goals, strict=True)]
            ranges = united(ranges, made.ranges)
            taken, seconds = time.monotonic() - began - seconds, time.monotonic() - began
            batch = batch * 2 if taken < _SECONDS_PER_BATCH / 2 else batch
    rate = None
    if before is not None and count > before[0]:
        rate = (count - before[0]) / (seconds - before[1])
    return PlayoutStatistics(
        playouts=count,
        steps=steps,
        seconds=seconds or time.monotonic() - began,
        mean_goals=tuple(total / count for total in sums) if count else None,
        ranges=ranges,
        taken_over_after=None if before is None else before[1],
        compiled_playouts_per_second=rate,
    )


def short_playouts(reasoner: Reasoner, state: State, *, seed: int) -> PlayoutTotals:
    """Play from a state as often as takes no longer than once, 200 joint moves at most.

    If the game breaks its rules in one of the playouts, all their goals are 0.
    """
    count = max(_FEWEST, reasoner.lanes)
    try:
        return reasoner.playout_totals(state, count=count, seed=seed, max_steps=_MAX_STEPS)
    except GameError:
        nothing = (0,) * len(reasoner.roles)
        return PlayoutTotals(count, 0, nothing, tuple(zip(nothing, nothing, strict=True)))


def united(
    ranges: tuple[tuple[int, int], ...], others: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Return the ranges that hold both; one of them may be empty, as without playouts.

    >>> united(((0, 50), (50, 50)), ((50, 100), (0, 50)))
    ((0, 100), (0, 50))
    """
    if not (ranges and others):
        return ranges or others
    pairs = zip(ranges, others, strict=True)
    return tuple((min(one[0], two[0]), max(one[1], two[1])) for one, two in pairs)


def _located(
    error: NoLegalMove,
    reasoner: Reasoner,
    start: State,
    deadline: Deadline,
    generator: random.Random,
) -> NoLegalMove:
    """Return the error with the role and the state, which Prolog does not name.

    That takes a play that meets such a state before the deadline.
    """
    if error.is_located:
        return error
    state = start
    with suppress(ReasonerError):  # the deadline may close the reasoner
        while not deadline.is_over:
            view = reasoner.view(state)
            if view.terminal:
                state = start
            elif not all(view.legal):
                return no_legal_move(reasoner.roles, view.legal, reasoner.facts(state))
            else:
                joint_move = [generator.choice(moves) for moves in view.legal]
                state = reasoner.next_state(state, joint_move)
    return error
