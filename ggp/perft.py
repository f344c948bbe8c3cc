"""Perft: counting states and paths by depth, the correctness oracle of a reasoner.

A layer holds the distinct states that exactly d joint moves lead to; a state that can be reached
by several numbers of moves stands in several layers. Terminal states are not expanded.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError, ReasonerTimeout, TooManyJointMoves
from ggp.gdl import Description
from ggp.reasoner import MAX_JOINT_MOVES, GoalVector, Reasoner, State, View

__all__ = ["Layer", "Perft", "fingerprint", "perft"]

# Questions to the reasoner are sized to take about this many seconds; the deadline is checked
# between two of them.
_SECONDS_PER_BATCH = 0.2


@dataclass(slots=True)
class Layer:
    """What is known of the states at one depth; None for what was not counted in time."""

    d: int
    states: int
    paths: int
    #: XOR over the states of the first 8 bytes of the MD5 of the state's facts; 16 hex digits.
    fp: str
    terminal_states: int | None = None
    terminal_paths: int | None = None
    #: Goal vector as text ("100,0") to distinct terminal states and paths that end so.
    goals: dict[str, tuple[int, int]] | None = None
    #: Per role, the number of legal moves summed over the states that are not terminal.
    legal_sum: list[int] | None = None
    joint_sum: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the layer's fields, leaving out what was not counted."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(slots=True)
class Perft:
    """The counts of one game; they grow while `perft` runs."""

    roles: list[str]
    n_rules: int
    init_size: int
    init_fp: str
    init_goals: GoalVector
    layers: list[Layer] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    #: One longer than `states` where the last layer's moves were counted but not made.
    paths: list[int] = field(default_factory=list)
    #: Whether every reachable state was expanded.
    complete: bool = False
    #: Why it ended: complete, cycle (complete, and the layers repeat), maxdepth, time, interrupted
    #: (the deadline was cancelled), states, or joint_moves with their number.
    stop: str = ""
    reachable_states: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        fields["init_goals"] = list(self.init_goals)
        fields["layers"] = [layer.to_json() for layer in self.layers]
        if self.reachable_states is None:
            del fields["reachable_states"]
        return fields


def fingerprint(text: str) -> int:
    """Return the first 8 bytes, big endian, of the MD5 of a state's facts, one a line."""
    return int.from_bytes(hashlib.md5(text.encode(), usedforsecurity=False).digest()[:8], "big")


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
        counts = _begin(description, reasoner, root)
    except ReasonerError:
        if not deadline.is_over:
            raise
        why = "interrupted" if deadline.is_cancelled else "time was up"
        raise ReasonerTimeout(f"{why} before the initial state was known") from None
    try:
        counts.stop = _count(counts, reasoner, root, _Limits(depth, deadline, max_states, progress))
    except TooManyJointMoves:
        counts.stop = f"joint_moves {counts.layers[-1].joint_sum}"
    except (TimeUp, ReasonerError):
        # The deadline, or Ctrl-C, may close the reasoner in the middle of a question.
        if not deadline.is_over:
            raise
        counts.stop = "interrupted" if deadline.is_cancelled else "time"
    return counts


@dataclass(frozen=True, slots=True)
class _Limits:
    depth: int | None
    deadline: Deadline
    max_states: int | None
    progress: Callable[[Perft, int], None]


def _begin(description: Description, reasoner: Reasoner, root: State) -> Perft:
    return Perft(
        roles=[str(role) for role in reasoner.roles],
        n_rules=len(description.terms),
        init_size=len(reasoner.facts(root)),
        init_fp=f"{fingerprint(reasoner.text(root)):016x}",
        init_goals=reasoner.goals(root),
    )


def _count(counts: Perft, reasoner: Reasoner, root: State, limits: _Limits) -> str:
    layer: Mapping[State, int] = {root: 1}
    seen = set(layer)
    counts.paths.append(1)
    while layer:
        counts.layers.append(_new_layer(len(counts.layers), layer, reasoner, limits.deadline))
        counts.states.append(len(layer))
        views = _views(list(layer), reasoner, limits.deadline)
        _add_views(counts.layers[-1], layer, views)
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
    fp = 0
    for batch in _batches(list(layer), deadline):
        for state in batch:
            fp ^= fingerprint(reasoner.text(state))
    return Layer(d=d, states=len(layer), paths=sum(layer.values()), fp=f"{fp:016x}")


def _batches(states: Sequence[State], deadline: Deadline) -> Iterator[Sequence[State]]:
    size, start = 8, 0
    while start < len(states):
        deadline.check()
        began = time.monotonic()
        yield states[start : start + size]
        start += size
        taken = time.monotonic() - began
        size = size * 2 if taken < _SECONDS_PER_BATCH / 2 else size
        size = max(1, size // 2) if taken > _SECONDS_PER_BATCH * 2 else size


def _views(states: Sequence[State], reasoner: Reasoner, deadline: Deadline) -> dict[State, View]:
    views: dict[State, View] = {}
    for batch in _batches(states, deadline):
        views.update(zip(batch, reasoner.view_all(batch), strict=True))
    return views


def _add_views(counted: Layer, layer: Mapping[State, int], views: Mapping[State, View]) -> None:
    terminal = [(state, view) for state, view in views.items() if view.terminal]
    live = [view for view in views.values() if not view.terminal]
    ends: Counter[str] = Counter()
    end_paths: defaultdict[str, int] = defaultdict(int)
    for state, view in terminal:
        vector = ",".join("E" if goal is None else str(goal) for goal in view.goals)
        ends[vector] += 1
        end_paths[vector] += layer[state]
    counted.terminal_states = len(terminal)
    counted.terminal_paths = sum(end_paths.values())
    counted.goals = {vector: (ends[vector], end_paths[vector]) for vector in sorted(ends)}
    roles = len(next(iter(views.values())).legal)
    counted.legal_sum = [sum(len(view.legal[role]) for view in live) for role in range(roles)]
    counted.joint_sum = sum(view.joint_move_count for view in live)


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
    for batch in _batches(live, limits.deadline):
        for state, expansion in zip(batch, reasoner.expand_all(batch), strict=True):
            for successor in expansion.successors:
                children[successor] += layer[state]
        limits.progress(counts, len(children))
        if limits.max_states is not None and len(children) > limits.max_states:
            break
    return children
