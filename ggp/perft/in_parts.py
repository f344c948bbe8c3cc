"""Perft in many processes or on a cluster: layer by layer, and each layer in parts.

The subtrees of a game share most of their states, so that tasks with a subtree each would expand a
state again and again. Here a state belongs to one part of its layer (see `ggp.perft.part`), and is
expanded once. Tasks pack the successors that they find; this process passes them on to the tasks of
the next layer. It has one part in memory at a time; on disk it has the states of two layers, and
a digest of 16 bytes for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import ceil

from ggp.cluster import Executor, Pool, following, run
from ggp.deadline import Deadline, TimeUp
from ggp.gdl import Description
from ggp.perft.counts import DIGEST, Layer, Perft, cut_short, merged, nothing_known
from ggp.perft.part import BUCKETS, Begin, Counted, Part, buckets, count
from ggp.perft.shelf import Shelf

__all__ = ["perft_in_parts"]

#: Rows that are worth a task, and rows that a task can hold in its memory.
_FEW, _MANY = 1_000, 100_000


def perft_in_parts(
    description: Description,
    *,
    pool: Pool,
    reasoner: str = "auto",
    depth: int | None = None,
    deadline: Deadline | None = None,
    max_states: int | None = None,
    progress: Callable[[Perft, int], None] = lambda *_: None,
) -> Perft:
    """Count what `ggp.perft.perft` counts, by the tasks of a pool.

    States of different layers are compared by their digests of 128 bits, those of a layer by their
    facts. Only `Perft.reachable_states` and the end by it depend on the digests.

    Args:
        description: the rules.
        pool: where the tasks run, and how many at once.
        reasoner: the kind of reasoner that each process opens.
        depth: the last layer to make; None for no limit.
        deadline: when to stop; the layers that are complete by then are returned.
        max_states: stop when the distinct states would exceed this.
        progress: called after each task with the layers that are complete, and the number of states
            found so far in the next one.

    Raises:
        ReasonerTimeout: time was up before anything could be counted.
        GgpError: a task failed, or there is no cluster.
        OSError: there is no room for temporary files.
    """
    deadline = deadline or Deadline()
    with (
        pool.open(partial(count, description.source.text, reasoner)) as executor,
        ExitStack() as stack,
    ):
        first = list(run(executor, following([Begin()]), deadline=deadline))
        if not first:
            raise nothing_known(deadline)
        ((_, begun),) = first
        counting = _Counting(executor, begun.counts, stack, deadline, progress)
        try:
            begun.counts.stop = counting.run(begun.rows, depth=depth, max_states=max_states)
        except TimeUp:
            begun.counts.stop = cut_short(deadline)
    counts: Perft = begun.counts
    return counts


@dataclass(slots=True)
class _Rows:
    """The rows of a layer, by its parts."""

    shelf: Shelf
    #: How many parts there are, those without rows included.
    parts: int
    #: How many rows there are: a state has one for each task that found it.
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found of a layer."""

    layer: Layer
    #: Joint moves that lead on, summed over the paths.
    paths_on: int
    #: Whether a state has more joint moves than may be made.
    too_many: bool
    #: States that stand in no earlier layer.
    new: int


class _Counting:
    """A count that is under way."""

    def __init__(
        self,
        executor: Executor,
        counts: Perft,
        stack: ExitStack,
        deadline: Deadline,
        progress: Callable[[Perft, int], None],
    ) -> None:
        self._executor, self._counts, self._deadline = executor, counts, deadline
        self._stack, self._progress = stack, progress
        # by bucket, the digests of the states of all layers so far, and how many they are
        self._seen, self._total = stack.enter_context(Shelf()), 0
        # rows of the last layer for each row of the one before it
        self._growth = 1.0

    def run(self, root: bytes, *, depth: int | None, max_states: int | None) -> str:
        """Count layer by layer, and return why that has ended. Raises `TimeUp`."""
        counts = self._counts
        counts.paths.append(1)
        rows = self._rows(parts=1)
        rows.shelf.add(0, root)
        rows.count = 1
        while rows.count:
            d = len(counts.layers)
            after = None if d == depth else self._rows(self._parts(rows.count))
            with rows.shelf:
                found = self._counted(rows, after, max_states)
            if found is None:
                return "states"
            self._total += found.new
            counts.complete = not found.new
            counts.reachable_states = None if found.new else self._total
            if not found.new and d > self._total:
                # A path longer than there are states visits one twice: the layers never end.
                return "cycle"
            counts.layers.append(found.layer)
            counts.states.append(found.layer.states)
            counts.paths.append(found.paths_on)
            if after is None:
                if found.paths_on:
                    return "maxdepth"
                break
            if found.too_many:
                return f"joint_moves {found.layer.joint_sum}"
            self._growth = after.count / rows.count
            rows = after
        counts.complete, counts.reachable_states = True, self._total
        return "complete"

    def _rows(self, parts: int) -> _Rows:
        return _Rows(self._stack.enter_context(Shelf()), parts)

    def _parts(self, rows: int) -> int:
        """Return into how many parts to divide the layer that follows one of `rows` rows.

        Digests make parts of equal size, so there need not be more of them than tasks that may be
        submitted. With more tasks, more of them would find and send the same state.
        """
        expected = rows * self._growth
        wanted = max(min(expected / _FEW, self._executor.room), expected / _MANY)
        return max(1, min(ceil(wanted), BUCKETS))

    def _counted(self, rows: _Rows, after: _Rows | None, max_states: int | None) -> _Found | None:
        """Count a layer; None where there are more states than allowed. Raises `TimeUp`."""
        found = list[Counted]()
        states = new = 0
        waiting = following(self._tasks(rows, after))
        done: Counted
        for _, done in run(self._executor, waiting, deadline=self._deadline):
            states += done.layer.states
            new += sum(map(len, done.new.values())) // DIGEST
            if max_states is not None and self._total + new > max_states:
                return None
            for bucket, digests in done.new.items():
                self._seen.add(bucket, digests)
            if after is not None:
                after.count += done.count
                for part, pieces in done.rows.items():
                    for piece in pieces:
                        after.shelf.add(part, piece)
            found.append(done)
            self._progress(self._counts, states)
        if len(found) < len(rows.shelf.numbers):
            raise TimeUp
        return _Found(
            layer=merged([done.layer for done in found]),
            paths_on=sum(done.paths_on for done in found),
            too_many=any(done.too_many for done in found),
            new=new,
        )

    def _tasks(self, rows: _Rows, after: _Rows | None) -> Iterator[Part]:
        """Yield the parts of a layer, each when it can be submitted."""
        for number in rows.shelf.numbers:
            yield Part(
                d=len(self._counts.layers),
                rows=rows.shelf.pieces([number]),
                seen=b"".join(self._seen.pieces(buckets(number, rows.parts))),
                following=None if after is None else after.parts,
            )
