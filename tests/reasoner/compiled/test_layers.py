from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from ggp.reasoner.compiled.circuit.layers import place


def test_wires_that_need_not_cross_do_not() -> None:
    layers = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    edges = [(0, 7), (1, 6), (2, 5), (3, 4), (7, 9), (6, 8), (5, 11), (4, 10)]
    y = place(layers, edges, [10.0] * 12)
    for (a, b), (c, d) in product(edges, repeat=2):
        if layers[0].count(a) == layers[0].count(c):
            assert (y[a] - y[c]) * (y[b] - y[d]) >= 0


def test_a_straight_line_is_drawn_straight() -> None:
    y = place([[0], [1], [2], [3]], [(0, 1), (1, 2), (2, 3)], [20.0, 5.0, 5.0, 20.0])
    assert y == pytest.approx([10.0] * 4)


@pytest.mark.parametrize("seed", range(5))
def test_nodes_have_the_room_they_take_and_none_is_cut_off(seed: int) -> None:
    random = Random(seed)
    layers, count = [], 0
    for _ in range(random.randint(1, 6)):
        size = random.randint(1, 12)
        layers.append(list(range(count, count + size)))
        count += size
    edges = [
        (random.choice(before), node)
        for before, layer in pairwise(layers)
        for node in layer
        if random.random() < 0.8
    ]
    rooms = [random.choice([5.0, 17.0, 24.0]) for _ in range(count)]
    y = place(layers, edges, rooms)
    assert min(y[v] - rooms[v] / 2 for v in range(count)) == pytest.approx(0)
    for layer in layers:
        for a, b in pairwise(sorted(layer, key=lambda v: y[v])):
            assert y[b] - y[a] >= (rooms[a] + rooms[b]) / 2 - 1e-6


def test_a_graph_without_nodes() -> None:
    assert place([[], []], [], []) == []
