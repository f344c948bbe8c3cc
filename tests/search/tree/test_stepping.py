"""Steps through the trees of the literature have the numbers of their figures."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.gdl.bundled import find_game
from ggp.kif import Source
from ggp.reasoner import open_reasoner
from ggp.search import ALGORITHMS, LeafValueTable, Limit, MaxNOptions, SearchOptions
from ggp.search.leaf_values import Classifier
from ggp.search.tree.drawing import draw
from ggp.search.tree.notation import read_tree
from ggp.search.tree.stepping import Stepped, stepped, suited_to

SVG = "{http://www.w3.org/2000/svg}"


def steps(
    name: str, algorithm: str | None = None, *, text: str = "", classifier: Classifier = "lvt"
) -> Stepped:
    source = Source(text, name) if text else Source.read(find_game(name))
    tree = read_tree(source)
    with open_reasoner(tree.description(), kind="prolog") as reasoner:
        search = ALGORITHMS[algorithm] if algorithm else suited_to(reasoner.roles)
        options = search.options(classifier=classifier, leaf_values=tree.leaf_values())
        return stepped(reasoner, search, options)


def told(found: Stepped) -> list[str]:
    return [step.text for step in found.steps]


def test_figure_3_is_visited_from_left_to_right_and_has_its_values() -> None:
    found = steps("figure3", "maxn", classifier="none")
    texts = told(found)
    assert [step.node for step in found.steps if step.kind == "value"] == [
        2, 3, 1, 5, 6, 4, 8, 9, 7, 0,
    ]  # fmt: skip
    for text in ("m1: (1, 3, 5)", "m2: (3, 5, 2)", "m3: (6, 4, 0)", "root: (6, 4, 0)"):
        assert text in texts
    assert not [step for step in found.steps if step.kind == "cut"]


@pytest.mark.parametrize("algorithm", ["shallow", "branch-and-bound", "last-branch", "speculative"])
@pytest.mark.parametrize("classifier", ["sum", "linear", "lvt"])
def test_figure_4_has_its_bounds_and_the_reason_for_its_cut(
    algorithm: str, classifier: Classifier
) -> None:
    found = steps("figure4", algorithm, classifier=classifier)
    texts = told(found)
    assert "root: P1 has 5 by m1: (\u22655, \u22645, \u22645)" in texts
    assert "m2: P2 has 6 by m1: (\u22644, \u22656, \u22644)" in texts
    (cut,) = [step for step in found.steps if step.kind == "cut"]
    assert (cut.line, cut.branch, cut.rule) == (("m2",), 1, "shallow")
    assert "skips m2, shallow: bounds (5, 6, \u2013): 5 + 6 \u2265 maxsum 10" in cut.text
    assert found.result.goals == (5, 4, 1)


def test_figure_6_has_its_bounds_and_the_reason_for_its_cut() -> None:
    found = steps("figure6")  # speculative, for three roles
    held = [step.label for step in found.steps if step.kind == "hold"]
    assert held == [
        "(\u22655, \u22645, \u22645)",
        "(\u22647, \u22653, \u22647)",
        "(\u22647, \u22647, \u22653)",
    ]
    (cut,) = [step for step in found.steps if step.kind == "cut"]
    assert (cut.line, cut.branch) == (("m2", "m2"), 1)
    assert "bounds (5, 3, 3): 5 + 3 + 3 \u2265 maxsum 10" in cut.text


def test_the_slides_tree_is_searched_again_and_says_so() -> None:
    found = steps("slides", "speculative")
    assert found.result.researched == 1
    assert [step.line for step in found.steps if "searched again" in step.text] == [("m2", "m2")]
    assert found.result.goals == (4, 4, 2)


def test_the_lessons_min_nodes_are_1_and_3_and_the_max_node_3() -> None:
    texts = told(steps("lesson_minimax", "minimax"))
    assert {"m1: 1", "m2: 3", "root: 3"} <= set(texts)


def test_the_lessons_fourth_leaf_is_skipped_by_11_in_hand() -> None:
    found = steps("lesson_alphabeta")
    assert "root: P1 has 11 by m1: \u2265 11" in told(found)
    (cut,) = [step for step in found.steps if step.kind == "cut"]
    assert cut.text == "m2: skips m2, alpha: this reply leaves P1 10, and P1 has 11 elsewhere"
    assert found.result.value == 11


def test_gt1_has_the_values_of_the_section_for_odd() -> None:
    # A value x for Odd is 50 + 5 x. The section has 10 for node 2, for Even, and so -10 for Odd.
    texts = told(steps("gt1", "minimax"))
    assert {"m1: 0", "m2: 70", "m3: 40", "root: 70"} <= set(texts)
    svg = draw((found := steps("gt1", "minimax")).recorder, "GT1", reasons=found.reasons)
    assert svg.count("<rect") == 14


def test_the_table_tells_why_where_sums_do_not() -> None:
    # (1,1) adds up to 2, and the highest sum is 4; but no leaf gives both more.
    text = "P1[(1,2) P2[(0,1) (4,0)]]"
    (cut,) = [s for s in steps("a", "shallow", text=text).steps if s.kind == "cut"]
    assert "no row of the leaf-value table gives P1 more than 1 and P2 more than 1" in cut.text
    assert not [s for s in steps("a", "shallow", text=text, classifier="sum").steps if s.rule]


def test_the_drawing_has_the_bounds_of_the_figure() -> None:
    found = steps("figure4", "shallow")
    svg = ET.fromstring(draw(found.recorder, "Figure 4", reasons=found.reasons))
    notes = [text.text for text in svg.iter(f"{SVG}text") if text.get("class") == "note"]
    assert "P1 (\u22655, \u22645, \u22645)" in notes
    labels = [text.text for text in svg.iter(f"{SVG}text") if text.get("class") is None]
    bounds = "(\u22644, \u22656, \u22644)"
    assert set(labels) == {"Figure 4", "(5, 4, 1)", "(0, 6, 4)", bounds}
    titles = [title.text for title in svg.iter(f"{SVG}title")]
    assert any("5 + 6 \u2265 maxsum 10" in (title or "") for title in titles)


def test_a_game_in_which_both_choose_at_once_can_be_stepped_through() -> None:
    game = Description.load("rockpaperscissors")
    table = LeafValueTable.of(game)
    with open_reasoner(game, kind="prolog") as reasoner:
        found = stepped(reasoner, ALGORITHMS["alphabeta"], SearchOptions(leaf_values=table))
    assert found.steps[-1].line == ()


def test_a_large_search_and_what_does_not_fit_are_refused() -> None:
    game = Description.load("tictactoe")
    table = LeafValueTable.of(game)
    with open_reasoner(game, kind="prolog") as reasoner:
        with pytest.raises(GgpError, match="more than 300 nodes"):
            stepped(reasoner, ALGORITHMS["minimax"], SearchOptions(leaf_values=table))
        with pytest.raises(ValueError, match="MaxNOptions"):
            stepped(reasoner, ALGORITHMS["alphabeta"], MaxNOptions(classifier="hull"))


def test_a_tree_search_is_stepped_through_visit_by_visit() -> None:
    found = steps("gt1", "mcts")
    visits = [step for step in found.steps if step.kind == "visit"]
    # Each visit is told at its leaf, and then at each node on the way back to the root.
    for number, step in enumerate(visits, 1):
        assert f"visit {number}, " in step.text
        place = found.steps.index(step)
        back = [each.line for each in found.steps[place + 1 :] if each.kind != "cut"]
        assert back[: len(step.line)] == [step.line[:n] for n in reversed(range(len(step.line)))]
    # The value is that of the section: +4 for Odd.
    assert found.steps[-1].text.startswith("root: m2 is the move; ")
    assert found.steps[-1].text.endswith("proven (70, 30)")
    assert "P1 gets 40 there at most, and 70 elsewhere" in " ".join(told(found))
    svg = ET.fromstring(draw(found.recorder, "GT1", reasons=found.reasons))
    labels = [text.text for text in svg.iter(f"{SVG}text") if text.get("class") is None]
    assert "(70, 30)" in labels


def test_a_tree_search_that_is_over_before_its_first_visit_has_a_step() -> None:
    (step,) = steps("a", "mcts", text="P1[(1,2) (3,0)]").steps
    assert step.text == "root: m2 is the move; 0 visits, on average (3, 0); proven (3, 0)"


def test_limits_of_another_search_are_refused() -> None:
    tree = read_tree(Source("P1[(1,2) (3,0)]", "a"))
    with open_reasoner(tree.description(), kind="prolog") as reasoner:
        with pytest.raises(ValueError, match="no depth, but visits"):
            stepped(reasoner, ALGORITHMS["mcts"], limit=Limit(depth=2))
        with pytest.raises(ValueError, match="not for alphabeta"):
            stepped(reasoner, ALGORITHMS["alphabeta"], limit=Limit(nodes=2))
