"""Perft in this process, by one reasoner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError, TooManyJointMoves
from ggp.gdl import Description
from ggp.perft.counts import (
    Layer,
    Perft,
    add_views,
    batches,
    begin,
    cut_short,
    digest,
    fingerprint_of_layer,
    nothing_known,
)
from ggp.reasoner import MAX_JOINT_MOVES, Reasoner, State, View

__all__ = ["perft"]


def perft(
    description: Description,
    reasoner: Reasoner,
    *,
    state: State | None = None,
    depth: int | None = None,
    deadline: Deadline | None = None,
    max_states: int | None = None,
    progress: Callable[[Perft, int], None] = lambda *_: None,
) -> Perft:
    """Count states and paths, layer by layer, until nothing is left or a limit is met.

    Args:
        description: the rules; only their number is read.
        reasoner: computes the moves.
        state: where to begin; None for the initial state.
        depth: the last layer to make; None for no limit.
        deadline: when to stop; what was counted by then is returned.
        max_states: stop when the distinct states would exceed this.
        progress: called now and then with the layers that are complete, and the number of states
            found so far in the next one.

    Raises:
        ReasonerTimeout: time was up before anything could be counted.
        ReasonerError: the reasoner failed with time left.
        GameError: the game has a fact or move that no game can have.
    """
    deadline = deadline or Deadline()
    try:
        root = reasoner.initial_state() if state is None else state
        counts = begin(description, reasoner, root)
    except ReasonerError:
        if not deadline.is_over:
            raise
        raise nothing_known(deadline) from None
    try:
        counts.stop = _count(counts, reasoner, root, _Limits(depth, deadline, max_states, progress))
    except TooManyJointMoves:
        counts.stop = f"joint_moves {counts.layers[-1].joint_sum}"
    except (TimeUp, ReasonerError):
        # The deadline, or Ctrl-C, may close the reasoner in the middle of a question.
        if not deadline.is_over:
            raise
        counts.stop = cut_short(deadline)
    return counts


@dataclass(frozen=True, slots=True)
class _Limits:
    depth: int | None
    deadline: Deadline
    max_states: int | None
    progress: Callable[[Perft, int], None]


def _count(counts: Perft, reasoner: Reasoner, root: State, limits: _Limits) -> str:
    layer: Mapping[State, int] = {root: 1}
    seen = set(layer)
    counts.paths.append(1)
    while layer:
        counts.layers.append(_new_layer(len(counts.layers), layer, reasoner, limits.deadline))
        counts.states.append(len(layer))
        views = _views(list(layer), reasoner, limits.deadline)
        add_views(counts.layers[-1], layer, views)
        counts.paths.append(
            sum(layer[state] * view.joint_move_count for state, view in views.items())
        )
        if limits.depth is not None and len(counts.layers) > limits.depth:
            if counts.paths[-1]:
                return "maxdepth"
            break
        layer = _next_layer(counts, layer, views, reasoner, limits)
        new = layer.keys() - seen
        if limits.max_states is not None and len(seen) + len(new) > limits.max_states:
            return "states"
        seen |= new
        counts.complete = not new
        counts.reachable_states = None if new else len(seen)
        if not new and len(counts.layers) > len(seen):
            # A path longer than there are states visits one twice: the layers never end.
            return "cycle"
    counts.complete, counts.reachable_states = True, len(seen)
    return "complete"


def _new_layer(d: int, layer: Mapping[State, int], reasoner: Reasoner, deadline: Deadline) -> Layer:
    digests = (
        digest(reasoner.text(state)) for batch in batches(list(layer), deadline) for state in batch
    )
    fp = fingerprint_of_layer(digests)
    return Layer(d=d, states=len(layer), paths=sum(layer.values()), fp=fp)


def _views(states: Sequence[State], reasoner: Reasoner, deadline: Deadline) -> dict[State, View]:
    views: dict[State, View] = {}
    for batch in batches(states, deadline):
        views.update(zip(batch, reasoner.view_all(batch), strict=True))
    return views


def _next_layer(
    counts: Perft,
    layer: Mapping[State, int],
    views: Mapping[State, View],
    reasoner: Reasoner,
    limits: _Limits,
) -> dict[State, int]:
    """Return the next layer, or too large a part of it."""
    children: defaultdict[State, int] = defaultdict(int)
    live = [state for state, view in views.items() if view.joint_move_count]
    if any(views[state].joint_move_count > MAX_JOINT_MOVES for state in live):
        raise TooManyJointMoves(f"more than {MAX_JOINT_MOVES:,} joint moves in one state")
    for batch in batches(live, limits.deadline):
        for state, expansion in zip(batch, reasoner.expand_all(batch), strict=True):
            for successor in expansion.successors:
                children[successor] += layer[state]
        limits.progress(counts, len(children))
        if limits.max_states is not None and len(children) > limits.max_states:
            break
    return children
