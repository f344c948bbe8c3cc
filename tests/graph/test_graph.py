from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner, State, open_reasoner
from tests.graph.books import check_books

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture(scope="module")
def walk() -> Iterator[Reasoner]:
    with open_reasoner(Description.load(GAMES / "walk.kif")) as reasoner:
        yield reasoner


@pytest.fixture(scope="module")
def nim() -> Iterator[Reasoner]:
    with open_reasoner(Description.load(GAMES / "nim.kif")) as reasoner:
        yield reasoner


def reachable_states(reasoner: Reasoner) -> set[State]:
    seen, pending = {reasoner.initial_state()}, [reasoner.initial_state()]
    while pending:
        for successor in reasoner.expand(pending.pop()).successors:
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return seen


def visit_all(graph: GameGraph) -> int:
    """Ask for every node's expansion, breadth first; return how many there are."""
    seen, pending = {graph.root}, [graph.root]
    for node in pending:
        for child in graph.expansion(node).children:
            if child not in seen:
                seen.add(child)
                pending.append(child)
    return len(seen)


class TestKnowingAll:
    def test_the_walk_on_the_board_has_64_nodes(self, walk: Reasoner) -> None:
        graph = GameGraph(walk)
        assert visit_all(graph) == len(graph) == 64
        check_books(graph)

    def test_there_is_one_node_for_each_state(self, nim: Reasoner) -> None:
        graph = GameGraph(nim)
        assert visit_all(graph) == len(graph) == len(reachable_states(nim))
        check_books(graph)

    def test_an_expansion_says_what_the_reasoner_says(self, nim: Reasoner) -> None:
        graph = GameGraph(nim)
        visit_all(graph)
        for state in reachable_states(nim):
            node, expected = graph.node(state), nim.expand(state)
            made = graph.expansion(node)
            assert (made.terminal, made.goals, made.legal) == (
                expected.terminal,
                expected.goals,
                expected.legal,
            )
            assert tuple(map(graph.state, made.children)) == expected.successors
            assert graph.facts(node) == nim.facts(state)

    def test_each_expansion_is_made_once(self, walk: Reasoner) -> None:
        graph = GameGraph(walk)
        visit_all(graph)
        assert (graph.hits, graph.misses, graph.evictions) == (0, 64, 0)
        visit_all(graph)
        assert (graph.hits, graph.misses, graph.evictions) == (64, 64, 0)

    def test_a_state_keeps_its_number(self, nim: Reasoner) -> None:
        graph = GameGraph(nim)
        numbers = [graph.node(state) for state in reachable_states(nim)]
        assert numbers == [graph.node(graph.state(node)) for node in numbers]
        assert graph.state(graph.root) == nim.initial_state()

    def test_it_knows_the_roles_and_the_reasoner(self, nim: Reasoner) -> None:
        graph = GameGraph(nim)
        assert graph.roles == nim.roles
        assert graph.reasoner is nim


class TestForgetting:
    def test_it_stays_within_its_limit(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=20)
        node, generator = graph.root, random.Random(1)
        for _ in range(300):
            children = graph.expansion(node).children
            node = generator.choice(children) if children else graph.root
            assert len(graph) <= 20
            check_books(graph)
        assert graph.evictions > 0

    def test_forgotten_nodes_are_not_known(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=4)
        node = graph.root
        for _ in range(6):
            node = max(graph.expansion(node).children)
        forgotten = [number for number in range(node) if not _is_known(graph, number)]
        assert forgotten
        for use in (graph.state, graph.facts, graph.expansion, graph.set_root):
            with pytest.raises(KeyError):
                use(forgotten[0])
        check_books(graph)

    def test_asking_for_what_is_not_known_changes_nothing(self, walk: Reasoner) -> None:
        graph = GameGraph(walk)
        for use in (graph.expansion, graph.set_root):
            with pytest.raises(KeyError):
                use(12345)
        with pytest.raises(KeyError), graph.held(12345):
            pass
        assert (len(graph), graph.hits, graph.misses) == (1, 0, 0)
        check_books(graph)

    def test_the_expansion_longest_unused_goes_first(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=6)
        corner = graph.root
        beside, above = sorted(set(graph.expansion(corner).children) - {corner})
        shared = set(graph.expansion(beside).children) & set(graph.expansion(above).children)
        assert (len(graph), graph.evictions) == (6, 0)
        graph.expansion(corner)
        graph.expansion(max(shared))
        assert graph.evictions == 2
        misses = graph.misses
        graph.expansion(corner)
        assert graph.misses == misses
        graph.expansion(beside)
        assert graph.misses == misses + 1
        check_books(graph)

    def test_no_room_at_all(self, walk: Reasoner) -> None:
        with pytest.raises(ValueError, match="one state"):
            GameGraph(walk, max_states=0)
        graph = GameGraph(walk, max_states=1)
        children = graph.expansion(graph.root).children
        assert graph.state(children[0]) in reachable_states(walk)
        check_books(graph)


def _is_known(graph: GameGraph, node: int) -> bool:
    try:
        graph.state(node)
    except KeyError:
        return False
    return True


class TestHolding:
    def test_held_nodes_and_their_children_stay_known(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=3)
        with graph.held(graph.root) as outer:
            kept = {node: graph.state(node) for node in (graph.root, *outer.children)}
            inner = next(node for node in outer.children if node != graph.root)
            with graph.held(inner) as expansion:
                kept |= {node: graph.state(node) for node in expansion.children}
                for node in kept:
                    graph.expansion(node)
                    check_books(graph)
                assert {node: graph.state(node) for node in kept} == kept
            check_books(graph)
        check_books(graph)

    def test_released_nodes_may_be_forgotten(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=3)
        with ExitStack() as stack:
            node = graph.root
            for _ in range(10):
                node = max(stack.enter_context(graph.held(node)).children)
            assert len(graph) > 3
        graph.expansion(graph.root)
        assert len(graph) <= 4
        check_books(graph)

    def test_an_error_also_releases_nodes(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=3)
        try:
            with graph.held(graph.root):
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        graph.set_root(max(graph.expansion(graph.root).children))
        graph.expansion(max(graph.expansion(graph.root).children))
        check_books(graph)
        assert len(graph) <= 5

    def test_the_root_is_always_known(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=2)
        old = graph.state(graph.root)
        for _ in range(5):
            graph.set_root(max(graph.expansion(graph.root).children))
            check_books(graph)
        root = graph.root
        for node in graph.expansion(root).children:
            if _is_known(graph, node):
                graph.expansion(node)
        assert graph.state(root) != old
        assert graph.state(graph.root) == graph.state(root)

    def test_the_same_node_as_root_again(self, walk: Reasoner) -> None:
        graph = GameGraph(walk, max_states=2)
        graph.set_root(graph.root)
        assert graph.state(graph.root) == walk.initial_state()
        check_books(graph)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_states", [1, 4, 25])
def test_answers_stay_right_under_stress(walk: Reasoner, seed: int, max_states: int) -> None:
    """Random use in little room; every answer is compared with a graph that forgets nothing."""
    generator = random.Random(seed)
    graph, perfect = GameGraph(walk, max_states=max_states), GameGraph(walk)
    stack: list[tuple[ExitStack, dict[int, State]]] = []
    node = graph.root
    for _ in range(150):
        match generator.choice(["down", "down", "root", "hold", "let go", "again"]):
            case "root":
                graph.set_root(node)
            case "again":
                node = graph.root
            case "hold":
                held = ExitStack()
                expansion = held.enter_context(graph.held(node))
                stack.append((held, {n: graph.state(n) for n in (node, *expansion.children)}))
            case "let go" if stack:
                stack.pop(generator.randrange(len(stack)))[0].close()
                node = graph.root
            case _:
                made = graph.expansion(node)
                expected = perfect.expansion(perfect.node(graph.state(node)))
                assert (made.terminal, made.goals, made.legal) == (
                    expected.terminal,
                    expected.goals,
                    expected.legal,
                )
                states = [graph.state(child) for child in made.children]
                assert states == [perfect.state(child) for child in expected.children]
                node = generator.choice(made.children) if made.children else graph.root
        check_books(graph)
        for _, kept in stack:
            assert {n: graph.state(n) for n in kept} == kept
    for held, _ in stack:
        held.close()
    check_books(graph)
    assert len(perfect) <= 64
    graph.expansion(graph.root)
    assert len(graph) <= max(max_states, 5)
