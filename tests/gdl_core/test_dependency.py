from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.gdl import DependencyGraph, Description, Relation, strongly_connected

GAME = """
(role x)
(cell 1) (cell 2)
(<= (line ?a ?b) (cell ?a) (cell ?b) (distinct ?a ?b))
(<= (path ?a ?b) (line ?a ?b))
(<= (path ?a ?c) (path ?a ?b) (line ?b ?c))
(init (on 1))
(<= (lit ?a) (true (on ?a)))
(<= (dark ?a) (cell ?a) (not (lit ?a)))
(<= (legal x (press ?a)) (dark ?a))
(<= (changed ?a) (does x (press ?a)))
(<= (next (on ?a)) (changed ?a))
(<= (next (on ?a)) (lit ?a) (not (changed ?a)))
(<= terminal (not open))
(<= open (dark ?a))
(<= (goal x 100) (not open) (path 1 2))
(<= even (true (on 1)) (not odd))
(<= odd (true (on 2)) (not even))
(unused a)
"""

GRAPHS = st.integers(1, 7).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size
    )
)


def relations(text: str) -> set[Relation]:
    pairs = (word.rsplit("/", 1) for word in text.split())
    return {Relation(name, int(arity)) for name, arity in pairs}


def reachable(edges: list[list[int]], start: int) -> set[int]:
    """The nodes that some path of one or more edges leads to."""
    found: set[int] = set()
    for _ in edges:
        found |= {target for node in (start, *found) for target in edges[node]}
    return found


@given(GRAPHS)
def test_components_are_what_brute_force_finds(graph: list[list[int]]) -> None:
    components = strongly_connected(dict(enumerate(graph)))
    assert sorted(node for component in components for node in component) == list(range(len(graph)))
    reach = [reachable(graph, node) | {node} for node in range(len(graph))]
    together = {node: set(component) for component in components for node in component}
    for node in range(len(graph)):
        mutual = {other for other in reach[node] if node in reach[other]}
        assert together[node] == mutual


@given(GRAPHS)
def test_each_component_comes_after_those_it_points_to(graph: list[list[int]]) -> None:
    components = strongly_connected(dict(enumerate(graph)))
    place = {node: i for i, component in enumerate(components) for node in component}
    for node, targets in enumerate(graph):
        assert all(place[target] <= place[node] for target in targets)


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain = {number: [number + 1] for number in range(50_000)} | {50_000: [0]}
    assert len(strongly_connected(chain)) == 1


def test_edges_run_from_heads_to_bodies_and_know_negation() -> None:
    graph = Description.from_text(GAME).dependencies
    assert graph.edges[Relation("dark", 1)] == {
        Relation("cell", 1): False,
        Relation("lit", 1): True,
    }
    # Once positive and once negated counts as negated.
    both = Description.from_text("(role x) (<= p q) (<= p (not q))").dependencies
    assert both.edges[Relation("p", 0)] == {Relation("q", 0): True}
    assert both.edges[Relation("q", 0)] == {}


def test_recursive_relations_are_those_on_a_cycle() -> None:
    graph = Description.from_text(GAME).dependencies
    assert graph.recursive == relations("path/2 even/0 odd/0")


def test_a_relation_has_dependencies_and_dependents() -> None:
    graph = Description.from_text(GAME).dependencies
    assert graph.reachable([Relation("path", 2)]) == relations("path/2 line/2 cell/1 distinct/2")
    assert graph.dependents([Relation("changed", 1)]) == relations("changed/1 next/1")
    assert graph.reachable([Relation("unheard-of", 3)]) == relations("unheard-of/3")


@given(GRAPHS)
def test_reachable_and_dependents_mirror_each_other(graph: list[list[int]]) -> None:
    facts = " ".join(f"(r{node} a)" for node in range(len(graph)))
    rules = " ".join(
        f"(<= (r{node} ?x) (r{target} ?x))"
        for node, targets in enumerate(graph)
        for target in targets
    )
    found = DependencyGraph(Description.from_text(f"(role x) {facts} {rules}").rules)
    names = [Relation(f"r{node}", 1) for node in range(len(graph))]
    for node, name in enumerate(names):
        expected = {names[other] for other in reachable(graph, node)} | {name}
        assert found.reachable([name]) == expected
        assert {other for other in names if name in found.reachable([other])} == (
            found.dependents([name])
        )


def test_dynamic_relations_rest_on_the_state_or_the_moves() -> None:
    description = Description.from_text(GAME)
    assert description.dynamic == relations(
        "true/1 does/2 lit/1 dark/1 legal/2 changed/1 next/1 terminal/0 open/0 goal/2 even/0 odd/0"
    )
    assert description.static == relations("role/1 cell/1 line/2 path/2 init/1 unused/1")
