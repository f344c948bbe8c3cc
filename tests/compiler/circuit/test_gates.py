"""What compiled code builds is compared with the graphs of `Aig`, gate by gate."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ggp.compiler.circuit.aig import Aig
from ggp.compiler.circuit.components import components
from ggp.compiler.circuit.gates import Graph, both, sort
from ggp.compiler.circuit.sums import products, sum_of_products
from ggp.gdl import strongly_connected
from tests.compiler.circuit.sums_of_products import Model

INPUTS = 9
literals = st.integers(0, 2 * INPUTS + 1)
#: Few literals make equal products, common factors and contradictions; many make deep trees.
sums = st.lists(st.lists(literals, max_size=7), max_size=40)


def gates_of(graph: Graph) -> tuple[list[int], list[int]]:
    count = len(graph)
    return graph.gates.left[:count].tolist(), graph.gates.right[:count].tolist()


def sum_in_compiled_code(graph: Graph, given_products: list[list[int]]) -> int:
    factors = sum(map(len, given_products))
    memory = products(len(given_products), factors)
    graph.make_room(factors + len(given_products) + 2)
    times = np.zeros(2 * len(graph.gates.left), np.int32)
    end = 0
    for number, product in enumerate(given_products):
        memory.start[number] = end
        memory.factors[end : end + len(product)] = product
        end += len(product)
        memory.end[number] = end
    found = sum_of_products(graph.gates, memory, len(given_products), times)
    assert not times.any()
    return found


@given(st.lists(sums, min_size=1, max_size=3))
def test_sums_of_products_have_the_same_gates(several: list[list[list[int]]]) -> None:
    graph, model = Graph(INPUTS), Model(INPUTS)
    for one in several:
        assert sum_in_compiled_code(graph, one) == model.sum_of_products(one)
    assert gates_of(graph) == (model.left, model.right)


@given(st.lists(st.lists(st.integers(0, 99), max_size=60), min_size=1, max_size=4))
def test_disjunctions_have_the_same_gates(several: list[list[int]]) -> None:
    graph, model = Graph(49), Aig(49)
    for operands in several:
        assert graph.disjunction(operands) == model.disjunction(operands)
    assert gates_of(graph) == (model.left, model.right)


@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 2**16)), max_size=60))
def test_gates_are_found_again_after_room_was_made(pairs: list[tuple[int, int]]) -> None:
    graph, model = Graph(INPUTS), Aig(INPUTS)
    for one, other in [*pairs, *pairs]:
        graph.make_room(1)
        x, y = one % (2 * len(graph)), other % (2 * len(graph))
        assert both(graph.gates, x, y) == model.both(x, y)
    assert gates_of(graph) == (model.left, model.right)


@given(st.lists(st.integers(-(2**40), 2**40), max_size=200), st.integers(0, 5), st.integers(0, 5))
def test_a_stretch_is_sorted_and_the_rest_left_alone(values: list[int], low: int, off: int) -> None:
    high = max(low, len(values) - off)
    low = min(low, len(values))
    high = min(high, len(values))
    array = np.array(values, np.int64)
    sort(array, low, high)
    assert array.tolist() == [*values[:low], *sorted(values[low:high]), *values[high:]]


@given(st.lists(st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=4), max_size=12))
def test_components_are_those_of_the_reference(edges: list[list[tuple[int, bool]]]) -> None:
    graph = [[(to % len(edges), sign) for to, sign in row] for row in edges]
    first = np.cumsum([0, *map(len, graph)])
    below = np.array([-to if sign else to for row in graph for to, sign in row], np.int32)
    found = components(first, below).tolist()
    reference = strongly_connected({n: [to for to, _ in row] for n, row in enumerate(graph)})
    # the components come in the same order: each after those that it points to
    assert [sorted(n for n, c in enumerate(found) if c == k) for k in range(len(reference))] == [
        sorted(component) for component in reference
    ]
