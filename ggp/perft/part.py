"""A part of a layer: a task that counts its states and finds what follows them.

A state belongs to a part by its digest, the MD5 of its facts. So all copies of a state meet in one
part, wherever they come from, and each part counts its distinct states without the others.
"""

from __future__ import annotations

import pickle
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ggp.deadline import Deadline
from ggp.errors import GgpError, TooManyJointMoves
from ggp.gdl import Description
from ggp.kif import Term, parse_term
from ggp.perft.counts import (
    DIGEST,
    Layer,
    Perft,
    add_views,
    batches,
    begin,
    digest,
    fingerprint_of_layer,
    merged,
)
from ggp.reasoner import Expansion, Reasoner, State, View, open_reasoner

__all__ = ["BUCKETS", "Begin", "Begun", "Counted", "Part", "buckets", "close", "count"]

#: The finest parts of a layer, by the beginning of the digest. Other parts have several of them.
BUCKETS = 1024

#: Successors that a task holds before it packs them.
_MOST = 50_000


@dataclass(frozen=True, slots=True)
class Begin:
    """The task that counts the initial state, which all others need."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The initial state: what `Perft` says of it, and its rows, packed."""

    counts: Perft
    rows: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The task that counts a part of a layer."""

    d: int
    #: Rows, each the facts of a state and paths to it; a state may have several.
    rows: Sequence[bytes]
    #: Digests, one after the other, of the part's states that stand in earlier layers.
    seen: bytes
    #: Parts of the next layer; None if there is none to make.
    following: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was found of a part."""

    layer: Layer
    #: Joint moves that lead on, summed over the paths.
    paths_on: int
    #: Whether a state has more joint moves than may be made: then there are no successors.
    too_many: bool
    #: By bucket, digests of the states that stand in no earlier layer.
    new: Mapping[int, bytes]
    #: By part of the next layer, its rows, packed, and how many they are.
    rows: Mapping[int, Sequence[bytes]]
    count: int


def count(rules: str, kind: str, task: Begin | Part) -> Begun | Counted:
    """Perform a task.

    Args:
        rules: the text of the game.
        kind: the kind of reasoner, which the process opens once.
        task: what to count.

    Raises:
        ReasonerError: the reasoner failed.
        GameError: the game has a fact or move that no game can have.
    """
    reasoner = _reasoner(rules, kind)
    try:
        if isinstance(task, Part):
            return _count(reasoner, task)
        root = reasoner.initial_state()
        rows = _packed({reasoner.text(root): 1})
        return Begun(begin(reasoner.description, reasoner, root), rows)
    except GgpError:  # which may have closed it
        close()
        raise


def close() -> None:
    """Close the reasoner of this process."""
    for reasoner in _reasoners.values():
        reasoner.close()
    _reasoners.clear()


#: The reasoner of this process, by its game and kind; at most one.
_reasoners: dict[tuple[str, str], Reasoner] = {}


def _reasoner(rules: str, kind: str) -> Reasoner:
    if (rules, kind) not in _reasoners:
        close()
        _reasoners[rules, kind] = open_reasoner(Description.from_text(rules), kind=kind)
    return _reasoners[rules, kind]


class _Successors:
    """Rows of the next layer, by its parts."""

    def __init__(self, reasoner: Reasoner, parts: int) -> None:
        self._reasoner, self._parts = reasoner, parts
        self._paths: defaultdict[State, int] = defaultdict(int)
        self.packed: defaultdict[int, list[bytes]] = defaultdict(list)
        self.count = 0

    def add(self, state: State, paths: int) -> None:
        """Add paths to a state."""
        self._paths[state] += paths
        if len(self._paths) >= _MOST:
            self.pack()

    def pack(self) -> None:
        """Pack what was added."""
        rows: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for state, paths in self._paths.items():
            text = self._reasoner.text(state)
            rows[_part(_bucket(digest(text)), self._parts)][text] = paths
        for part, of_part in rows.items():
            self.packed[part].append(_packed(of_part))
        self.count += len(self._paths)
        self._paths.clear()


def _count(reasoner: Reasoner, part: Part) -> Counted:
    paths: defaultdict[str, int] = defaultdict(int)
    for packed in part.rows:
        for text, number in _unpacked(packed):
            paths[text] += number
    seen = {part.seen[at : at + DIGEST] for at in range(0, len(part.seen), DIGEST)}
    new: defaultdict[int, list[bytes]] = defaultdict(list)
    layers, paths_on, too_many = list[Layer](), 0, False
    successors = _Successors(reasoner, part.following or 0)
    for batch in batches(list(paths), Deadline()):
        digests = [digest(text) for text in batch]
        for each in digests:
            if each not in seen:
                new[_bucket(each)].append(each)
        states = {_state(reasoner, text): paths[text] for text in batch}
        views, is_too_many = _viewed(reasoner, list(states), expand=part.following is not None)
        too_many |= is_too_many
        layer = Layer(part.d, len(states), sum(states.values()), fingerprint_of_layer(digests))
        add_views(layer, states, views)
        layers.append(layer)
        for state, view in views.items():
            paths_on += states[state] * view.joint_move_count
            if isinstance(view, Expansion):
                for successor in view.successors:
                    successors.add(successor, states[state])
    successors.pack()
    return Counted(
        layer=merged(layers),
        paths_on=paths_on,
        too_many=too_many,
        new={bucket: b"".join(digests) for bucket, digests in new.items()},
        rows=dict(successors.packed),
        count=successors.count,
    )


def _viewed(
    reasoner: Reasoner, states: Sequence[State], *, expand: bool
) -> tuple[Mapping[State, View], bool]:
    """Return the expansion of each state, or its view; and whether one cannot be expanded."""
    if expand:
        try:
            return dict(zip(states, reasoner.expand_all(states), strict=True)), False
        except TooManyJointMoves:
            pass
    return dict(zip(states, reasoner.view_all(states), strict=True)), expand


@lru_cache(maxsize=1 << 16)
def _fact(line: str) -> Term:
    return parse_term(line)


def _state(reasoner: Reasoner, text: str) -> State:
    return reasoner.state_of(map(_fact, text.split("\n")) if text else ())


def _bucket(of_state: bytes) -> int:
    return int.from_bytes(of_state[:2], "big") * BUCKETS >> 16


def _part(bucket: int, parts: int) -> int:
    return bucket * parts // BUCKETS


def buckets(part: int, parts: int) -> range:
    """Return the buckets of a part of a layer that has `parts` parts."""
    first, end = (-(-number * BUCKETS // parts) for number in (part, part + 1))
    return range(first, end)


def _packed(rows: Mapping[str, int]) -> bytes:
    return zlib.compress(pickle.dumps(list(rows.items())), 1)


def _unpacked(packed: bytes) -> Iterator[tuple[str, int]]:
    yield from pickle.loads(zlib.decompress(packed))
