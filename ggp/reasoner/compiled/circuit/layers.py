"""Places the nodes of a layered graph so that few of its edges cross and most run straight.

The method of Sugiyama, Tagawa and Toda (1981): nodes of a layer are ordered by the mean place of
their neighbours, layer after layer, to and fro; then each comes as close to its neighbours as that
order and the room that nodes take allow.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import fmean

__all__ = ["place"]

_SWEEPS = 24


def place(
    layers: Sequence[Sequence[int]], edges: Sequence[tuple[int, int]], rooms: Sequence[float]
) -> list[float]:
    """Return where across its layer the middle of each node comes, 0 or more.

    Args:
        layers: the nodes of each layer, every node 0, 1, ... once.
        edges: pairs of nodes, from a layer to the next.
        rooms: how much room across the layer each node takes.
    """
    before: list[list[int]] = [[] for _ in rooms]
    after: list[list[int]] = [[] for _ in rooms]
    for source, target in edges:
        after[source].append(target)
        before[target].append(source)
    ordered = _ordered([list(layer) for layer in layers], before, after)
    places = [0.0] * len(rooms)
    for layer in ordered:
        _put(layer, [0.0] * len(layer), rooms, places)
    around = [[*b, *a] for b, a in zip(before, after, strict=True)]
    for sweep in range(_SWEEPS):
        chosen = (before, after, around)[sweep % 3]
        for layer in ordered if sweep % 3 != 1 else reversed(ordered):
            wishes = [fmean([places[n] for n in chosen[v]] or [places[v]]) for v in layer]
            _gather(wishes, [not around[v] for v in layer])
            _put(layer, wishes, rooms, places)
    lowest = min((place - room / 2 for place, room in zip(places, rooms, strict=True)), default=0.0)
    return [place - lowest for place in places]


def _gather(wishes: list[float], alone: Sequence[bool]) -> None:
    """Have nodes without any neighbours wish for what those beside them do."""
    if all(alone):
        return
    near = wishes[alone.index(False)]
    for k, is_alone in enumerate(alone):
        near = wishes[k] = near if is_alone else wishes[k]


def _ordered(
    layers: list[list[int]], before: list[list[int]], after: list[list[int]]
) -> list[list[int]]:
    """Return the layers in the best order that was met."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, after)
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        neighbours = before if forth else after
        for i in range(1, len(layers)) if forth else reversed(range(len(layers) - 1)):
            fixed = layers[i - 1 if forth else i + 1]
            where = {node: float(k) for k, node in enumerate(fixed)}
            own = {node: float(k) for k, node in enumerate(layers[i])}
            layers[i].sort(
                key=lambda v, where=where, own=own: fmean(  # type: ignore[misc]
                    [where[n] for n in neighbours[v]] or [own[v]]
                )
            )
        crossings = _crossings(layers, after)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _crossings(layers: list[list[int]], after: list[list[int]]) -> int:
    """Count the pairs of edges that cross."""
    total = 0
    for layer, following in pairwise(layers):
        where = {node: k for k, node in enumerate(following)}
        seen: list[int] = []
        for node in layer:
            targets = [where[target] for target in after[node]]
            total += sum(len(seen) - bisect_right(seen, target) for target in targets)
            for target in targets:
                insort(seen, target)
    return total


def _put(
    layer: Sequence[int], wishes: Sequence[float], rooms: Sequence[float], places: list[float]
) -> None:
    """Place the nodes of a layer, in their order, as close to their wishes as there is room.

    The sum of the squared distances is the least there is: nodes that would overlap form a block,
    which goes where its nodes wish on the average.
    """
    if not layer:
        return
    steps = [(rooms[a] + rooms[b]) / 2 for a, b in pairwise(layer)]
    offsets = [0.0, *accumulate(steps)]
    blocks: list[tuple[float, int]] = []
    for wish, offset in zip(wishes, offsets, strict=True):
        mean, count = wish - offset, 1
        while blocks and blocks[-1][0] > mean:
            other, size = blocks.pop()
            mean = (mean * count + other * size) / (count + size)
            count += size
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    for node, offset, mean in zip(layer, offsets, means, strict=True):
        places[node] = mean + offset
