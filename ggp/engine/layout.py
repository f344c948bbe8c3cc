"""The memory of the compiled loops: the game, frames, blocks, counters.

All state of a loop is in arrays and records: the loop returns after a given number of expansions,
or when it needs more memory, and continues at the next call.

A *frame* is a node that is being searched. Frame 0 stands above the root, frame f is the node at
ply f - 1, and its children are at ply f. Expanding a node runs the circuit's two halves once for
every 64 * words joint moves. The next states stay in lanes, one child in each lane, in a *block* of
the arena, which has the layout of the buffer that the view's code works on:

    pointer | facts | legal moves | terminal | goals | bad goals | scratch

`ggp.compiler.codegen.rows.ViewRows` says where each part begins.
The view therefore runs in place, and its result is there when a child is visited. What is needed of
a child is gathered from its lane; only the keys of all children are made at once, if that is quick.

A *record* is an element of a structured array. The annotations of its class name the fields, and
`record_type` makes the dtype of them.

This module has what all searches share; `alphabeta.layout` and `maxn.layout` have the rest.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.codegen.rows import StepRows, ViewRows
from ggp.compiler.runtime.pass_rows import PassPlaces
from ggp.learning.partners import Partners
from ggp.native.numba_support import Words, aligned_zeros

__all__ = [
    "ENDLESS",
    "FINISHED",
    "FULL",
    "HORIZON",
    "KEY_WORDS",
    "LEAF",
    "OPEN",
    "PAUSED",
    "PUSHED",
    "REPEATED",
    "SPENT",
    "STATE_WORDS",
    "STUCK",
    "TERMINAL",
    "TOO_MANY",
    "Counters",
    "Frame",
    "Game",
    "GameNumbers",
    "GoalRange",
    "Horizon",
    "HorizonNumbers",
    "Net",
    "Records",
    "SearchStack",
    "assign_record",
    "copy_record",
    "new_record",
    "record_type",
    "records",
]

_Record = TypeVar("_Record")
_Record_co = TypeVar("_Record_co", covariant=True)

#: Why `explore` returned: the root's value is found, it is time to look at the clock, the limit of
#: expansions is reached, a role has no legal move, a state has too many joint moves, or the arena
#: or the frames are full.
FINISHED, PAUSED, SPENT, STUCK, TOO_MANY, FULL = range(6)
#: What became of a child: its value is known, or it is a frame now.
LEAF, PUSHED = 6, 7
#: What a child is: terminal, a state that is on the path already, at the horizon, or none of these.
TERMINAL, REPEATED, HORIZON, OPEN = range(4)

# Bytes of a line of the CPU's caches.
_LINE = 64

#: Words of a key: two that are the key of the state, and the hash of that in the transposition
#: table; two that are the latter; and which symmetry leads to it, 0 for none.
KEY_WORDS = 6

#: Words of a state that is its own key, at most.
STATE_WORDS = 2

#: A number of joint moves that never runs out.
ENDLESS = 65535


class Records(Protocol[_Record_co]):
    """A structured array, of which an element is a record."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: Any) -> _Record_co: ...


@cache
def record_type(fields: type, *, padded: bool = True) -> np.dtype[Any]:
    """Return the dtype of records with the annotated fields of a class and its bases.

    Padded records take whole lines of the CPU's caches: max-n takes a fifth longer if they do not.
    """
    types = {name: np.dtype(kind) for name, kind in get_type_hints(fields).items()}
    size = sum(kind.itemsize for kind in types.values())
    layout = np.dtype(
        {
            "names": list(types),
            "formats": list(types.values()),
            "itemsize": -(-size // _LINE) * _LINE if padded else size,
        },
        align=True,
    )
    return np.dtype((np.record, layout))


def records(fields: type, *shape: int) -> Any:
    """Return an array of records with all fields 0; `Records` of them for compiled code."""
    return aligned_zeros(record_type(fields), *shape)


def new_record(fields: type[_Record]) -> _Record:
    """Return a record with all fields 0."""
    record: _Record = records(fields, 1)[0]
    return record


def assign_record(target: _Record, source: _Record | None = None) -> None:
    """Copy all fields of a record from another one; without one they become 0."""
    fields: Any = target
    values: Any = source
    for name in fields.dtype.names:
        fields[name] = 0 if source is None else values[name]


def copy_record(record: _Record) -> _Record:
    """Return a copy of a record."""
    fields: Any = record
    copy: _Record = aligned_zeros(fields.dtype, 1)[0]
    assign_record(copy, record)
    return copy


class GameNumbers:
    """The sizes of a game, and the options of the search."""

    #: The addresses of the machine code of the circuit's two halves.
    view_code: int
    next_code: int
    #: A pass makes 64 * words children; `shift` is the binary logarithm of that.
    words: int
    shift: int
    facts: int
    #: The moves of all roles.
    moves: int
    roles: int
    #: The role that is searched for, and the one that plays chance, -1 without one.
    role: int
    chance: int
    algorithm: int
    #: Whether promising moves are tried first, and whether there is a transposition table.
    is_ordered: int
    has_table: int
    #: Whether the moves of the root are sorted, too.
    is_root_ordered: int
    max_plies: int
    max_children: int
    #: The words of a block, and those at its beginning that code writes or reads besides.
    block: int
    scratch: int
    #: The first word of a block: where the view's code finds its constants.
    pointer: int
    #: The range of values, and the window of the search.
    low: float
    high: float
    lose: float
    win: float
    #: Whether entries of the table hold what is added to a count, and have keys without the facts
    #: that only count; if so, the other bits of a key of up to 128 facts, and else all.
    is_counting: int
    low_mask: np.uint64
    high_mask: np.uint64


class HorizonNumbers:
    """The weights of an evaluation, and its playouts: without them the rest is 0."""

    #: The hidden units of the network; 0 without one.
    hidden: int
    #: The weights add up to 1.
    of_goals: float
    of_mobility: float
    of_playouts: float
    #: The addresses of the machine code of a pass.
    begin_code: int
    examine_code: int
    run_code: int
    #: The words in a row of the buffer, and those that a state gets.
    row_words: int
    share: int
    #: The most joint moves of a playout, and roughly how many expansions a batch costs.
    steps: int
    cost: int


class GoalRange:
    """The goals of a role, and its estimates, which stay strictly between lowest and highest."""

    lowest: float
    span: float
    lowest_estimate: float
    estimate_span: float


class Net(NamedTuple):
    """A network, see `ggp.search.evaluation.ValueNet`, and the state that it has looked at."""

    #: int16[rows * hidden], int16[roles * hidden] and int32[roles]; the hidden units are filled up
    #: with some that count nothing to a multiple of `ggp.learning.vectors.UNITS`. There is a row
    #: for each fact and for each pair.
    weights: NDArray[np.int16]
    partners: Partners
    outputs: NDArray[np.int16]
    output_bias: NDArray[np.int32]
    #: The state, packed, and int32[hidden]: the sums of the hidden layer.
    state: Words
    sums: NDArray[np.int32]


class Horizon(NamedTuple):
    """An evaluation, and the playouts that it remembers."""

    numbers: HorizonNumbers
    #: [roles]
    ranges: Records[GoalRange]
    #: What the passes work in, and where.
    buffer: Words
    places: PassPlaces
    #: uint64[any power of 2, 2] and float64[as many, roles]: the keys of states, and for each role
    #: the mean progress from its lowest goal to its highest at the end of playouts from there.
    keys: Words
    means: NDArray[np.float64]
    #: int64[any]: the children that are played out together.
    batch: NDArray[np.int64]
    net: Net


class Game(NamedTuple):
    """One game, seen by one role, for one algorithm."""

    numbers: GameNumbers
    #: float64[roles]: each role's highest goal.
    highest: NDArray[np.float64]
    #: int64[roles + 1]: where each role's moves begin among all, and each role's goals.
    first_move: NDArray[np.int64]
    first_goal: NDArray[np.int64]
    #: float64[goals]: the value of each goal.
    goals: NDArray[np.float64]
    #: The sets of moves that the step reads (see `step_states`), or no rows.
    sets: Words
    #: uint64[2, facts]: random words, for the keys of states that are too large to be their own.
    random: Words
    #: int64[any]: the facts that a table of counts leaves out of its keys.
    ignored: NDArray[np.int64]
    #: int64[symmetries, facts] and int64[symmetries, moves]: the fact that becomes each fact, and
    #: what each move becomes. A state has the key of the smallest of its images in the table.
    sources: NDArray[np.int64]
    images: NDArray[np.int64]
    #: The rows of a block, and those of the step, which works in `buffer`.
    rows: ViewRows
    step_rows: StepRows
    buffer: Words
    #: The evaluation of states at the horizon.
    horizon: Horizon


class Frame:
    """A node that is being searched."""

    #: The key of its state, and the hash of the key.
    first: np.uint64
    second: np.uint64
    hash: np.uint64
    #: Where in the arena its children are, where they end, and where its legal moves are.
    children: int
    top: int
    lists: int
    #: Where in the arena the keys of its children are; 0 if they have not been made.
    keys: int
    #: The joint moves that remain to the horizon.
    remaining: int
    #: The number of nodes that were expanded before it.
    began: int


class Counters:
    """The counts of a search, and what it has found when `explore` returns."""

    #: As in `ggp.search.SearchResult`.
    expanded: int
    researched: int
    generated: int
    table_hits: int
    deepest: int
    met_horizon: int
    #: The entries of the table, and the number of the search, which dates new entries.
    entries: int
    age: int
    #: The words that the arena must have, if it is FULL.
    needed: int
    #: How many expansions may be made.
    limit: int
    #: Of the value that was found last: whether it is proven, the move that the table has, or -1,
    #: and the length of its line.
    found_proven: int
    found_move: int
    found_length: int
    #: What playouts at the horizon cost, in expansions.
    played_out: int


class SearchStack(Protocol):
    """What the stack of every search has."""

    @property
    def frames(self) -> Records[Frame]:
        """The frames from the root to the current node."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[frames, roles]: how many legal moves each role has."""

    @property
    def strides(self) -> NDArray[np.int64]:
        """int64[frames, roles]: what each move of a role adds to the number of the joint move.

        Apart from `counts`: what is written separately is slow to read in one piece.
        """

    @property
    def arena(self) -> Words:
        """The blocks of the frames, one after the other, each after the frame's legal moves."""

    @property
    def on_path(self) -> NDArray[np.uint16]:
        """uint16[any power of 2]: how many frames have a key with that hash."""

    @property
    def counters(self) -> Counters:
        """The counts of the search."""
