"""The transposition table: what searches found about states, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from enum import Enum, auto
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from ggp.reasoner import JointMove
from ggp.search.result import ValueVector

__all__ = ["Bound", "Entry", "Found", "Line", "TranspositionTable"]

Value = TypeVar("Value")

#: The joint moves of a variation, each with what follows it; None at the end.
Line: TypeAlias = tuple[JointMove, "Line"] | None


class Found(NamedTuple, Generic[Value]):
    """What a search found below a node."""

    value: Value
    #: Whether the value rests on terminal states only. An estimate at the horizon, or a state that
    #: is met again on the way down, leave what rests on them unproven.
    proven: bool
    #: The goals of all roles at the end of the line, where it ends in a terminal state.
    goals: ValueVector | None = None
    line: Line = None

    def after(self, joint_move: JointMove) -> Found[Value]:
        """Return the same, one joint move earlier."""
        return self._replace(line=(joint_move, self.line))


class Bound(Enum):
    """The relation of a found value to the true one."""

    EXACT = auto()
    #: The true value is this or higher.
    LOWER = auto()
    #: The true value is this or lower.
    UPPER = auto()


class Entry(NamedTuple, Generic[Value]):
    """The value of a state, and how far the search looked for it."""

    found: Found[Value]
    #: How many joint moves ahead the search looked.
    remaining: float
    bound: Bound = Bound.EXACT


class TranspositionTable(Generic[Value]):
    """Entries by key: the state, or what is left of it when facts that only count are left out.

    A new entry replaces the old one of its key, and when the table is full the oldest.
    """

    def __init__(self, size: int) -> None:
        """Make an empty table for `size` entries."""
        if size < 1:
            raise ValueError("a table must have room for one entry")
        self._size = size
        self._entries: OrderedDict[Hashable, Entry[Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def get(self, key: Hashable) -> Entry[Value] | None:
        """Return the entry of a state; None where there is none."""
        return self._entries.get(key)

    def put(self, key: Hashable, entry: Entry[Value]) -> None:
        """Store the entry of a state; the oldest makes room."""
        self._entries[key] = entry
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)
