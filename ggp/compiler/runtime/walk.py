"""Chooses moves lane by lane, in games with too many moves to ask for each of them.

The counts of a tally are written to rows. Each lane walks down the tree with its rank, in as many
steps as the tree has levels. The move that it comes to is looked up in a table of the sets of moves
(see `MoveSets`) that the next state depends on.

A node of n moves has 2^k - 1 before its own, k the largest possible. Its rows are the k bits of the
count of those, whether its own move is legal, and then the rows of the nodes before and after; all
2^k - 1 moves take 3 * 2^(k-1) - k - 2 rows. So the walk needs no table of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import FALSE, TRUE, Circuit
from ggp.compiler.codegen.rows import POINTER_ROW
from ggp.compiler.codegen.straightline import Builder
from ggp.compiler.codegen.vector import Lanes
from ggp.compiler.runtime.choice import Tally
from ggp.compiler.runtime.move_sets import MoveSets, move_sets
from ggp.native.numba_support import Words

__all__ = ["MANY_MOVES", "Path", "Walk", "pick", "read_sets", "sets_to_walk", "write_paths"]

#: Moves of a role that are possible at a turn, beyond which lanes are walked one by one.
MANY_MOVES = 4096


@dataclass(frozen=True, slots=True)
class Path:
    """What the walk of one role reads: the rows of its rank and of its tally."""

    ranks: range
    tally: range
    #: int32[n]: the moves that the role may have, numbered among all roles', in their order.
    moves: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Walk:
    """The paths of all roles, and the rows that say whether a move of each set is done."""

    paths: tuple[Path, ...]
    sets: range
    #: uint64[all moves, columns]: which of these rows each move sets, packed.
    table: Words

    @property
    def data(self) -> Words:
        """The rows of the table for the moves of all paths, one after the other."""
        return np.ascontiguousarray(self.table[np.concatenate([p.moves for p in self.paths])])


def sets_to_walk(circuit: Circuit) -> MoveSets | None:
    """Return the sets of moves of a game in which lanes may walk."""
    return move_sets(circuit) if max(map(len, circuit.moves)) > MANY_MOVES else None


def write_paths(
    builder: Builder, trees: Sequence[Tally | None], ranks: Sequence[range]
) -> list[Path]:
    """Write the tallies of all roles, if one of them has very many moves and each has some.

    Args:
        builder: gets the rows.
        trees: of each role, its tally, where each node has a move (not `by_halves`).
        ranks: of each role, the rows of the rank of its move.
    """
    moves = [np.array([*_moves(tree)], np.int32) for tree in trees]
    if min(map(len, moves)) == 0 or max(map(len, moves)) <= MANY_MOVES:
        return []
    paths = []
    for tree, own, places in zip(trees, moves, ranks, strict=True):
        literals = [*_counts(tree)]
        rows = builder.new_rows(len(literals))
        for row, literal in zip(rows, literals, strict=True):
            builder.write(row, literal)
        paths.append(Path(places, rows, own))
    return paths


def _moves(tree: Tally | None) -> Iterator[int]:
    """Yield the moves of a tree in their order."""
    if tree:
        assert tree.move is not None
        yield from _moves(tree.before)
        yield tree.move
        yield from _moves(tree.after)


def _counts(tree: Tally | None) -> Iterator[int]:
    """Yield what the rows of a tree hold, first its root's."""
    if tree and tree.before:
        yield from (*tree.before.count, tree.legal)
        yield from _counts(tree.before)
        yield from _counts(tree.after)


def read_sets(
    builder: Builder, sets: MoveSets, paths: Sequence[Path], known: dict[int, int]
) -> Walk:
    """Read the sets of moves as rows; `known` gains the literals of their nodes."""
    able = [np.bitwise_or.reduce(sets.table[path.moves], axis=0) for path in paths]
    sure = [sets.table[path.moves[0]] for path in paths if len(path.moves) == 1]
    rows = builder.new_rows(len(sets.literals))
    for number, (row, literal) in enumerate(zip(rows, sets.literals, strict=True)):
        column, bit = number >> 6, np.uint64(1 << (number & 63))
        value = builder.row(row)
        if not any(each[column] & bit for each in able):
            value = FALSE
        elif any(each[column] & bit for each in sure):
            value = TRUE
        known[literal >> 1] = value ^ (literal & 1)
    return Walk(tuple(paths), rows, sets.table)


def pick(name: str, walk: Walk, lanes: Lanes, begin: int) -> Iterator[str]:
    """Write the function that has all lanes walk; `walk.data` is its offset in bytes."""
    columns, stride = walk.table.shape[1], 8 * lanes.stride
    yield f"define internal void @{name}(ptr %b) {lanes.attributes} {{"
    yield from (lanes.address("%tp", POINTER_ROW), "  %t = load ptr, ptr %tp")
    yield lanes.address("%sets", walk.sets.start)
    size = stride * len(walk.sets)
    yield f"  call void @llvm.memset.p0.i64(ptr %sets, i8 0, i64 {size}, i1 false)"
    for number, path in enumerate(walk.paths):
        yield f"  %t{number} = getelementptr i8, ptr %t, i64 {begin}"
        yield f"  call void @{name}.{number}(ptr %b, ptr %sets, ptr %t{number})"
        begin += 8 * columns * len(path.moves)
    yield from ("  ret void", "}")
    for number, path in enumerate(walk.paths):
        yield f"define internal void @{name}.{number}(ptr %b, ptr %sets, ptr %t) {{"
        yield from _begin(path, stride)
        yield from _step(stride)
        yield from _mark(columns, stride)
        yield f"  %again = icmp ult i64 %word.next, {lanes.words}"
        yield from ("  br i1 %again, label %word, label %done", "done:", "  ret void", "}")


def _begin(path: Path, stride: int) -> Iterator[str]:
    """Write what the lanes of a word begin with: their ranks, and the root of the tree.

    Where each lane is stands in arrays: how many moves its node has, `%ns`, the place of the first,
    `%places`, its rank among them, `%ranks`, and the rows of the node, `%at`.
    """
    yield "start:"
    for name in ("ns", "places", "ranks", "at"):
        yield f"  %{name} = alloca [64 x i64], align 64"
    yield from (
        "  br label %word",
        "word:",
        "  %word.i = phi i64 [0, %start], [%word.next, %marked]",
    )
    yield from ("  %bytes = shl i64 %word.i, 3", "  %here = getelementptr i8, ptr %b, i64 %bytes")
    yield f"  %root = getelementptr i8, ptr %here, i64 {stride * path.tally.start}"
    yield from ("  %root.i = ptrtoint ptr %root to i64", "  br label %begin", "begin:")
    yield "  %lane.b = phi i64 [0, %word], [%lane.c, %begin]"
    rank = "0"
    # a role with one move has no rank, and the highest bits of others are never written
    for i, row in enumerate(path.ranks[: len(path.moves).bit_length()] if path.tally else ()):
        yield f"  %p{i} = getelementptr i8, ptr %here, i64 {stride * row}"
        yield from (f"  %l{i} = load i64, ptr %p{i}", f"  %s{i} = lshr i64 %l{i}, %lane.b")
        yield from (f"  %a{i} = and i64 %s{i}, 1", f"  %d{i} = shl i64 %a{i}, {i}")
        yield f"  %r{i} = or i64 {rank}, %d{i}"
        rank = f"%r{i}"
    values = {"ns": len(path.moves), "places": 0, "ranks": rank, "at": "%root.i"}
    for name, value in values.items():
        yield f"  %{name}.b = getelementptr i64, ptr %{name}, i64 %lane.b"
        yield f"  store i64 {value}, ptr %{name}.b"
    yield from ("  %lane.c = add i64 %lane.b, 1", "  %more.b = icmp ult i64 %lane.c, 64")
    yield "  br i1 %more.b, label %begin, label %round"


def _step(stride: int) -> Iterator[str]:
    """Write the rounds in which each lane takes a step down, until all are at nodes of one move.

    The steps of different lanes do not wait for each other's loads.
    """
    yield from ("round:", "  br label %lane", "lane:")
    yield "  %bit = phi i64 [0, %round], [%bit.next, %stepped]"
    yield "  %going = phi i1 [false, %round], [%going.next, %stepped]"
    for name in ("ns", "places", "ranks", "at"):
        yield f"  %{name}.p = getelementptr i64, ptr %{name}, i64 %bit"
    yield from ("  %n = load i64, ptr %ns.p", "  %is.leaf = icmp eq i64 %n, 1")
    yield from ("  br i1 %is.leaf, label %stepped, label %inner", "inner:")
    yield "  %zeros = call i64 @llvm.ctlz.i64(i64 %n, i1 true)"
    yield from ("  %k = sub i64 63, %zeros", "  %power = shl i64 1, %k")
    yield from ("  %before = sub i64 %power, 1", "  %rows.i = load i64, ptr %at.p")
    yield from ("  %rows = inttoptr i64 %rows.i to ptr", "  br label %digit", "digit:")
    yield "  %i = phi i64 [0, %inner], [%i.next, %digit]"
    yield "  %row = phi ptr [%rows, %inner], [%row.next, %digit]"
    yield "  %count = phi i64 [0, %inner], [%count.next, %digit]"
    yield from ("  %loaded = load i64, ptr %row", "  %shifted = lshr i64 %loaded, %bit")
    yield from ("  %one = and i64 %shifted, 1", "  %digit.i = shl i64 %one, %i")
    yield from ("  %count.next = or i64 %count, %digit.i", "  %i.next = add i64 %i, 1")
    yield f"  %row.next = getelementptr i8, ptr %row, i64 {stride}"
    yield "  %more = icmp ult i64 %i.next, %k"
    yield from ("  br i1 %more, label %digit, label %compare", "compare:")
    yield from ("  %own.l = load i64, ptr %row.next", "  %own.s = lshr i64 %own.l, %bit")
    yield from ("  %own = and i64 %own.s, 1", "  %rank = load i64, ptr %ranks.p")
    yield "  %is.before = icmp ult i64 %rank, %count.next"
    yield "  %left = sub i64 %rank, %count.next"
    # the move is the node's if it has the rank, or if there are none after it
    yield from ("  %is.rank = icmp ult i64 %left, %own", "  %is.last = icmp eq i64 %n, %power")
    yield "  %is.own = or i1 %is.rank, %is.last"
    yield from ("  %rest = sub i64 %left, %own", "  %others = sub i64 %n, %power")
    yield "  %n.else = select i1 %is.own, i64 1, i64 %others"
    yield "  %n.next = select i1 %is.before, i64 %before, i64 %n.else"
    yield "  %rank.next = select i1 %is.before, i64 %rank, i64 %rest"
    yield "  %skip.else = select i1 %is.own, i64 %before, i64 %power"
    yield "  %skip = select i1 %is.before, i64 0, i64 %skip.else"
    yield from ("  %place = load i64, ptr %places.p", "  %place.next = add i64 %place, %skip")
    yield from ("  %half = shl i64 3, %k", "  %part = lshr i64 %half, 1")
    yield from ("  %part.k = sub i64 %part, %k", "  %part.rows = sub i64 %part.k, 2")
    yield "  %skipped = select i1 %is.before, i64 0, i64 %part.rows"
    yield from ("  %own.rows = add i64 %k, 1", "  %all.rows = add i64 %own.rows, %skipped")
    yield f"  %offset = mul i64 %all.rows, {stride}"
    yield "  %rows.next = add i64 %rows.i, %offset"
    names = {"ns": "n.next", "places": "place.next", "ranks": "rank.next", "at": "rows.next"}
    for name, value in names.items():
        yield f"  store i64 %{value}, ptr %{name}.p"
    yield from ("  br label %stepped", "stepped:")
    yield "  %going.next = phi i1 [%going, %lane], [true, %compare]"
    yield from ("  %bit.next = add i64 %bit, 1", "  %more.l = icmp ult i64 %bit.next, 64")
    yield from ("  br i1 %more.l, label %lane, label %check", "check:")
    yield "  br i1 %going.next, label %round, label %arrived"


def _mark(columns: int, stride: int) -> Iterator[str]:
    """Write the marks of the lanes in the rows of the sets that have their moves."""
    yield from ("arrived:", "  %first = getelementptr i8, ptr %sets, i64 %bytes")
    yield from ("  br label %found", "found:", "  %f = phi i64 [0, %arrived], [%f.next, %noted]")
    yield from (
        "  %place.p = getelementptr i64, ptr %places, i64 %f",
        "  %move = load i64, ptr %place.p",
    )
    yield from (f"  %entry = mul i64 %move, {8 * columns}", "  %mark = shl i64 1, %f")
    yield from ("  %packed = getelementptr i8, ptr %t, i64 %entry", "  br label %column", "column:")
    yield "  %c = phi i64 [0, %found], [%c.next, %filled]"
    yield "  %cp = getelementptr i64, ptr %packed, i64 %c"
    yield from ("  %members = load i64, ptr %cp", f"  %skip.c = mul i64 %c, {64 * stride}")
    yield "  %rows.c = getelementptr i8, ptr %first, i64 %skip.c"
    yield from ("  %is.empty = icmp eq i64 %members, 0", "  %c.next = add i64 %c, 1")
    yield from ("  br i1 %is.empty, label %filled, label %member", "member:")
    yield "  %left.m = phi i64 [%members, %column], [%left.next, %member]"
    yield "  %m = call i64 @llvm.cttz.i64(i64 %left.m, i1 true)"
    yield f"  %mo = mul i64 %m, {stride}"
    yield "  %mp = getelementptr i8, ptr %rows.c, i64 %mo"
    yield from ("  %old = load i64, ptr %mp", "  %new = or i64 %old, %mark")
    yield from ("  store i64 %new, ptr %mp", "  %less = sub i64 %left.m, 1")
    yield from ("  %left.next = and i64 %left.m, %less", "  %any = icmp ne i64 %left.next, 0")
    yield from ("  br i1 %any, label %member, label %filled", "filled:")
    yield f"  %more.c = icmp ult i64 %c.next, {columns}"
    yield from ("  br i1 %more.c, label %column, label %noted", "noted:")
    yield from ("  %f.next = add i64 %f, 1", "  %more.f = icmp ult i64 %f.next, 64")
    yield from ("  br i1 %more.f, label %found, label %marked", "marked:")
    yield "  %word.next = add i64 %word.i, 1"
