"""The experiments on trees: what is computed, and what is measured on games written in GDL."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree as ET

import pytest

from ggp.experiments import branching, random_trees, virtual_graph
from ggp.experiments.branching import KNOWN, PRINTED, actual_branching, leaves
from ggp.experiments.random_trees import SEARCHES, Tree, least_nodes
from ggp.experiments.running.runner import Task
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import open_reasoner
from tests.experiments.conftest import Run

SVG = "{http://www.w3.org/2000/svg}"

# Branching


@pytest.mark.parametrize(("width", "printed"), list(PRINTED.items()))
def test_actual_b_is_the_slides_to_every_digit(width: int, printed: str) -> None:
    digits = len(printed.partition(".")[2])
    assert f"{actual_branching(width):.{digits}f}" == printed


@pytest.mark.parametrize("roles", [2, 3, 4, 5])
def test_actual_b_solves_its_equation_and_is_what_the_recurrence_grows_by(roles: int) -> None:
    for width in (2, 3, 10):
        x = actual_branching(width, roles)
        sums = sum((width - 1) ** k * x ** (roles - 1 - k) for k in range(roles))
        assert sums == pytest.approx(x**roles)
        growth = leaves(width, 300, roles) / leaves(width, 299, roles)
        assert growth == pytest.approx(x)


def test_the_recurrence_gives_the_known_leaves() -> None:
    assert {tree: leaves(*tree) for tree in KNOWN} == KNOWN == {(2, 12): 1_705, (10, 6): 52_300}


def measured_leaves(width: int, plies: int) -> dict[str, int]:
    found: dict[str, int] = branching.measure({"b": width, "plies": plies})["leaves"]
    return found


@pytest.mark.long
@pytest.mark.parametrize(("width", "plies"), [(2, 12), (3, 5), (4, 4)])
def test_a_tree_of_equal_leaves_is_searched_as_the_recurrence_says(width: int, plies: int) -> None:
    found = measured_leaves(width, plies)
    assert found["speculative"] == found["by the reference"] == leaves(width, plies)
    assert found["maxn"] == found["shallow"] == width**plies


@pytest.mark.long
def test_ten_choices_six_plies() -> None:
    found = measured_leaves(10, 6)
    assert found["speculative"] == found["by the reference"] == 52_300


@pytest.mark.long
def test_branching_shows_slides_and_ours(run: Run) -> None:
    found = run("branching", "--most", 4, "--json").json
    assert found["complete"]
    factors, trees = found["tables"]
    assert all(row["slides"] == row["computed"] for row in factors["rows"])
    assert [(row["b"], row["plies"]) for row in trees["rows"]] == [(2, 1), (2, 2), (3, 1), (4, 1)]
    assert all(row["speculative"] == row["recurrence"] for row in trees["rows"])


# Random trees


def minimax(tree: Tree, node: int = 1) -> float:
    if node >= 2**tree.plies:
        return tree.values[node]
    values = [minimax(tree, 2 * node), minimax(tree, 2 * node + 1)]
    return max(values) if node.bit_length() % 2 else min(values)


@pytest.mark.parametrize("deal", range(4))
def test_all_searches_of_a_random_tree_find_its_value(deal: int) -> None:
    task: Task = {"plies": 4, "level": 4, "deal": deal, "seed": 7, "rules": ""}
    found = random_trees.measure(task)["searches"]
    value = minimax(Tree(4, f"7 {deal} 4"))
    assert {name: found[name]["value"] for name in SEARCHES} == dict.fromkeys(
        SEARCHES, 50 + 5 * value
    )
    nodes = [found[name]["nodes"] for name in ("alpha-beta", "bounding", "minimax")]
    assert nodes == sorted(nodes)
    assert nodes[-1] == 31
    assert found["level limit"]["nodes"] == found["alpha-beta"]["nodes"]


def test_a_level_limit_looks_at_no_more_than_the_levels() -> None:
    task: Task = {"plies": 6, "level": 2, "deal": 0, "seed": 1, "rules": ""}
    found = random_trees.measure(task)["searches"]
    assert found["level limit"]["nodes"] <= 7
    assert found["minimax"]["nodes"] == 127


def test_an_inner_node_is_promised_the_mean_of_its_leaves() -> None:
    tree = Tree(3, "x")
    leaves = [tree.values[node] for node in range(8, 16)]
    assert tree.values[1] == pytest.approx(sum(leaves) / 8)
    assert tree.values[3] == pytest.approx(sum(leaves[4:]) / 4)
    assert all(-10 <= leaf <= 10 for leaf in leaves)
    assert Tree(3, "x").values == tree.values != Tree(3, "y").values


def test_the_least_that_alpha_beta_looks_at_is_reached_if_the_best_move_comes_first() -> None:
    def nodes(ply: int, kind: int) -> int:
        """The critical nodes of Knuth and Moore: the second kind has only one critical child."""
        if ply == 0:
            return 1
        below = {1: (1, 2), 2: (3,), 3: (2, 2)}[kind]
        return 1 + sum(nodes(ply - 1, each) for each in below)

    assert [least_nodes(plies) for plies in range(9)] == [nodes(plies, 1) for plies in range(9)]


@pytest.mark.long
def test_random_trees_are_laid_out_and_one_is_drawn(run: Run) -> None:
    finished = run("random-trees", "--deals", 2, "--plies", 3, "--json")
    assert (finished.code, finished.err) == (0, "")
    mean, deviation = finished.json["tables"]
    assert [row["leaves"] for row in mean["rows"]] == [2, 4, 8]
    assert [row["minimax"] for row in mean["rows"]] == [3, 7, 15]
    assert {row["minimax"] for row in deviation["rows"]} == {0}
    assert "deviation" in run("random-trees", "--deals", 2, "--plies", 3).out


def test_the_drawing_shows_32_leaves_and_what_was_cut() -> None:
    task = next(random_trees.tasks(deals=0, seed=1, plies=5, level=4))
    root = ET.fromstring(random_trees.measure(task)["picture"])
    assert root.findtext(f"{SVG}title") == "alpha-beta in a random tree of 32 leaves"
    nodes = Counter(node.get("class") for node in root.iter(f"{SVG}rect"))
    branches = Counter(branch.get("class") for branch in root.iter(f"{SVG}path"))
    rules = {text.text for text in root.iter(f"{SVG}text") if text.get("class") == "rule"}
    # Each node has two branches, visited or cut, and each visited one leads to a node.
    assert branches["line"] + branches["cut"] == 2 * nodes["inner"]
    assert branches["line"] == nodes["inner"] + nodes["leaf"] - 1
    assert len({node.get("x") for node in root.iter(f"{SVG}rect")}) == 6
    assert nodes["leaf"] < 32
    assert rules == {"alpha", "beta"}


# The virtual graph


@pytest.mark.parametrize(("game", "steps"), [("walk", 4), ("spelling", 4), ("random tree", 5)])
def test_tree_and_graph_know_the_same_ways(game: str, steps: int) -> None:
    task: Task = {"game": game, "steps": steps, "reasoner": "compiled", "rules": ""}
    found = virtual_graph.measure(task)
    tree, graph = found["tree"], found["graph"]
    moves = 2 if game == "random tree" else 4
    assert tree["ways"] == graph["ways"] == moves**steps
    assert tree["nodes"] == sum(moves**ply for ply in range(steps + 1))
    assert graph["nodes"] == (15 if game == "walk" else tree["nodes"])


def test_a_way_that_ends_before_is_counted_once() -> None:
    rules = """
        (role r) (init (at 0)) (legal r stop) (legal r go)
        (<= (next (at ?n)) (true (at ?m)) (does r go) (succ ?m ?n))
        (<= (next over) (does r stop)) (<= terminal (true over)) (goal r 0)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        """
    with open_reasoner(Description.from_text(rules), kind="compiled") as reasoner:
        for steps in range(5):
            tree = virtual_graph.grow(reasoner, reasoner.initial_state(), steps)
            assert virtual_graph.ways(GameGraph(reasoner), steps) == tree.leaves() == steps + 1


@pytest.mark.long
def test_virtual_graph_is_laid_out(run: Run) -> None:
    found = run("virtual-graph", "--steps", 2, "--json").json
    assert [table["title"] for table in found["tables"]] == ["walk", "spelling", "random tree"]
    walk, spelling, tree = (table["rows"] for table in found["tables"])
    assert [row["states"] for row in walk] == [3, 6]
    assert [row["ways"] for row in walk] == [row["ways"] for row in spelling] == [4, 16]
    assert [row["ways"] for row in tree] == [2, 4]
    assert all(row["nodes"] == row["states"] for row in (*spelling, *tree))
