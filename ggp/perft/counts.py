"""What perft counts: the layers of a game, and how the states of a batch are added to one."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Any, TypeVar

from ggp.deadline import Deadline
from ggp.errors import ReasonerTimeout
from ggp.gdl import Description, GoalVector
from ggp.reasoner import Reasoner, State, View

__all__ = [
    "DIGEST",
    "Layer",
    "Perft",
    "add_views",
    "batches",
    "begin",
    "cut_short",
    "digest",
    "fingerprint",
    "fingerprint_of_layer",
    "merged",
    "nothing_known",
]

#: Bytes of the digest of a state.
DIGEST = 16

T = TypeVar("T")

# Questions to the reasoner are sized to take about this many seconds; the deadline is checked
# between two of them.
_SECONDS_PER_BATCH = 0.2


@dataclass(slots=True)
class Layer:
    """The counts of the states at one depth; None for what was not counted in time."""

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
    #: (the deadline was cancelled), states, or joint_moves with their number; `ggp perft` also has
    #: failed. It is empty as long as `perft` runs.
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


def digest(text: str) -> bytes:
    """Return the MD5 of a state's facts, one a line."""
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()


def fingerprint(text: str) -> int:
    """Return the first 8 bytes, big endian, of the MD5 of a state's facts, one a line."""
    return _beginning(digest(text))


def fingerprint_of_layer(digests: Iterable[bytes]) -> str:
    """Return the fingerprint of a layer, see `Layer.fp`, from the digests of its states."""
    return f"{reduce(xor, map(_beginning, digests), 0):016x}"


def _beginning(of_digest: bytes) -> int:
    return int.from_bytes(of_digest[:8], "big")


def cut_short(deadline: Deadline) -> str:
    """Return what ended a count before its end, see `Perft.stop`: the deadline is over."""
    return "interrupted" if deadline.is_cancelled else "time"


def nothing_known(deadline: Deadline) -> ReasonerTimeout:
    """Return the error where the deadline is over before anything was counted."""
    why = "interrupted" if deadline.is_cancelled else "time was up"
    return ReasonerTimeout(f"{why} before the initial state was known")


def begin(description: Description, reasoner: Reasoner, root: State) -> Perft:
    """Return counts that know the initial state only."""
    return Perft(
        roles=[str(role) for role in reasoner.roles],
        n_rules=len(description.terms),
        init_size=len(reasoner.facts(root)),
        init_fp=f"{fingerprint(reasoner.text(root)):016x}",
        init_goals=reasoner.goals(root),
    )


def batches(states: Sequence[T], deadline: Deadline) -> Iterator[Sequence[T]]:
    """Yield states in batches that take about as long. Raises `TimeUp` between two of them."""
    size, start = 8, 0
    while start < len(states):
        deadline.check()
        began = time.monotonic()
        yield states[start : start + size]
        start += size
        taken = time.monotonic() - began
        size = size * 2 if taken < _SECONDS_PER_BATCH / 2 else size
        size = max(1, size // 2) if taken > _SECONDS_PER_BATCH * 2 else size


def add_views(counted: Layer, layer: Mapping[State, int], views: Mapping[State, View]) -> None:
    """Add what the views of its states say to the counts of a layer.

    Args:
        counted: the counts.
        layer: the paths to each state.
        views: the view of each state; at least one.
    """
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


def merged(layers: Iterable[Layer]) -> Layer:
    """Return the counts of a layer from those of its parts, which share no state.

    At least one part is needed; all of them are counted to the end.
    """
    total, *others = layers
    goals = {vector: list(ends) for vector, ends in (total.goals or {}).items()}
    for part in others:
        for vector, (states, paths) in (part.goals or {}).items():
            ends = goals.setdefault(vector, [0, 0])
            ends[0] += states
            ends[1] += paths
    parts = (total, *others)
    fp = reduce(xor, (int(part.fp, 16) for part in parts))
    return Layer(
        d=total.d,
        states=sum(part.states for part in parts),
        paths=sum(part.paths for part in parts),
        fp=f"{fp:016x}",
        terminal_states=sum(part.terminal_states or 0 for part in parts),
        terminal_paths=sum(part.terminal_paths or 0 for part in parts),
        goals={vector: (goals[vector][0], goals[vector][1]) for vector in sorted(goals)},
        legal_sum=[
            sum(role) for role in zip(*(part.legal_sum or () for part in parts), strict=True)
        ],
        joint_sum=sum(part.joint_sum or 0 for part in parts),
    )
