"""The worked trees of Sturtevant's paper (IJCAI 2005) and slides (IJCAI 2003), move by move.

The sources draw some states as nodes of a player with a value below; here they are leaves. Where a
leaf is drawn as (?, ?, ?), any goals may stand there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ggp.search import (
    BranchAndBound,
    Classifier,
    LastBranch,
    MaxN,
    SearchResult,
    Shallow,
    Speculative,
)
from ggp.search.tree.recorder import Recorder
from tests.search.maxn import unsound
from tests.search.maxn.rank_trees import Goals, RankTree, read, sums_to
from tests.search.tree.skipped import Line, lines, skipped

RULES = (MaxN, Shallow, BranchAndBound, LastBranch, Speculative)
PRUNING = RULES[1:]
CLASSIFIERS: tuple[Classifier, ...] = ("sum", "linear", "lvt")

every_pruning = pytest.mark.parametrize("rule", PRUNING, ids=lambda rule: rule.__name__)
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)

#: The sum of the goals in Figures 4 and 6 and in the slides.
MAXSUM = 10
CONSTANT = sums_to(MAXSUM, 3)


@dataclass(frozen=True)
class Searched:
    """A search of a worked tree."""

    result: SearchResult
    #: What was found of the states, in goals.
    values: dict[Line, Any]
    skipped: dict[Line, str]

    @property
    def moves(self) -> Line:
        """The moves of the variation: those of the choosers, for a forced move is always m0."""
        return tuple(str(max(moves, key=str)) for moves in self.result.variation)


def searched(made: RankTree, rule: type[MaxN], **options: Any) -> Searched:
    recorder = Recorder(made.graph.roles)
    result = made.search(rule, observer=recorder, **options).run()
    found = {line: visit.found for line, visit in lines(recorder.root)}
    values = {line: each.value for line, each in found.items() if each is not None}
    return Searched(result, values, skipped(recorder.root))


def worked(text: str) -> RankTree:
    """Read a tree whose goals add up to `maxsum`, which is all that a search knows of them."""
    return read(text, rows=CONSTANT)


def text(goals: Goals) -> str:
    return f"({','.join(map(str, goals))})"


# Figure 3: max-n

#: The text gives the values of (a) to (d), what P2 gets by each move at (a), which way it goes at
#: (b), and its tie at (c). The figure lists six leaves, two of them (6, 4, 0). Its extracted text
#: does not tell which of (6, 4, 0) and (1, 4, 5) is the left one at (b) and which the right one at
#: (c): P2 gets 4 in both. Only in this order do P2's equal moves at (c) differ for the others.
FIGURE_3 = "P1[P2[(1,3,5)(6,1,3)] P2[(6,4,0)(3,5,2)] P2[(6,4,0)(1,4,5)]]"


def test_figure_3_each_player_takes_what_is_best_for_it_and_ties_go_left() -> None:
    found = searched(read(FIGURE_3), MaxN, classifier="none")
    assert found.values[("m0",)] == (1, 3, 5)
    assert found.values[("m1",)] == (3, 5, 2)
    assert found.values[("m2",)] == (6, 4, 0)
    assert found.values[()] == (6, 4, 0)
    assert (found.result.goals, found.moves) == ((6, 4, 0), ("m2", "m0"))
    assert (found.skipped, found.result.generated) == ({}, 9)


@every_pruning
@every_classifier
def test_figure_3_has_the_same_value_and_moves_by_every_rule(
    rule: type[MaxN], classifier: Classifier
) -> None:
    found = searched(read(FIGURE_3), rule, classifier=classifier)
    assert (found.result.goals, found.moves) == ((6, 4, 0), ("m2", "m0"))


# Figure 4: shallow pruning


@every_pruning
@every_classifier
def test_figure_4_prunes_e_by_two_bounds(rule: type[MaxN], classifier: Classifier) -> None:
    found = searched(worked("P1[(5,4,1) P2[(0,6,4) (10,0,0)]]"), rule, classifier=classifier)
    assert found.skipped == {("m1", "m1"): "shallow"}
    assert (found.result.goals, found.moves) == ((5, 4, 1), ("m0",))
    assert found.result.researched == 0


def test_figure_4_whatever_stands_at_e_is_irrelevant() -> None:
    for goals in CONSTANT:
        made = worked(f"P1[(5,4,1) P2[(0,6,4) {text(goals)}]]")
        found = searched(made, MaxN, classifier="lvt")
        assert found.values[()] == (5, 4, 1)
        # P2 will not choose it unless it gets more than 6, and then P1 gets 4 at most.
        assert goals[1] <= 6 or found.values[("m1",)][0] <= 4


@pytest.mark.parametrize(
    ("held", "prunes"), [((0, 4, 6), False), ((0, 5, 5), True), ((0, 6, 4), True)]
)
def test_figure_5_bounds_on_the_diagonal_are_enough(held: Goals, prunes: bool) -> None:
    made = worked(f"P1[(5,4,1) P2[{text(held)} (10,0,0)]]")
    found = searched(made, Shallow, classifier="sum")
    assert found.skipped == ({("m1", "m1"): "shallow"} if prunes else {})


@pytest.mark.parametrize("classifier", ["linear", "lvt"])
def test_a_monotone_heuristic_for_the_third_player_completes_the_sum(
    classifier: Classifier,
) -> None:
    """Section 2.3.2: Figure 4 with the heuristic that guarantees 2 points to P3.

    In the figure P1 and P2 hold enough to prune without it; here P2 holds 3 in place of 6, so that
    5 + 3 is too little, and 5 + 3 + 2 is `maxsum`.
    """
    made = worked("P1[(5,4,1) P2[(1,3,6) (0,0,10)]]")
    everything, table = made.leaf_values.everything, made.leaf_values
    possible = [everything if spot == 0 else table.above(2, 1) for spot in range(5)]
    options: dict[str, Any] = {"classifier": classifier, "possible": possible}
    without = searched(made, Shallow, **options)
    found = searched(made, BranchAndBound, **options)
    assert without.skipped == {}
    assert found.skipped == {("m1", "m1"): "branch-and-bound"}
    assert found.result.goals == without.result.goals == (5, 4, 1)


# Figure 6: speculative pruning


@pytest.mark.parametrize("rule", [Speculative, LastBranch, unsound.Deep])
@every_classifier
def test_figure_6_prunes_by_three_bounds(rule: type[MaxN], classifier: Classifier) -> None:
    made = worked("P1[(5,4,1) P2[(3,3,4) P3[(3,4,3) (0,0,10)]]]")
    found = searched(made, rule, classifier=classifier)
    assert found.skipped == {("m1", "m1", "m1"): rule.algorithm}
    assert (found.result.goals, found.moves) == ((5, 4, 1), ("m0",))
    assert found.result.researched == 0


@every_classifier
def test_figure_6_two_bounds_are_not_enough(classifier: Classifier) -> None:
    made = worked("P1[(5,4,1) P2[(3,3,4) P3[(3,4,3) (0,0,10)]]]")
    for rule in (MaxN, Shallow, BranchAndBound):
        assert searched(made, rule, classifier=classifier).skipped == {}


def test_figure_6_no_value_at_the_pruned_child_becomes_that_of_the_tree() -> None:
    for goals in CONSTANT:
        made = worked(f"P1[(5,4,1) P2[(3,3,4) P3[(3,4,3) {text(goals)}]]]")
        assert searched(made, MaxN, classifier="none").moves == ("m0",)


# The slides

#: What P2 and P3 get in the deep branch of the slides' tree. P3's second move is what a deep prune
#: would skip: P1 holds 4, P3 holds 6, and 4 + 6 is `maxsum`.
DEEP = "P3[(3,1,6) (0,3,7)]"
#: P2 has a third move: what P3 would choose decides whether P2 takes it.
NOT_LAST = f"P1[(4,4,2) P2[(3,2,5) {DEEP} (6,3,1)]]"
#: P2 is at its last move.
LAST = f"P1[(4,4,2) P2[(3,2,5) {DEEP}]]"


def test_slides_the_pruned_value_can_affect_the_value_of_the_tree() -> None:
    # P2 gets 3 by its second move as by its third, and takes the left one. If that were (3, 1, 6),
    # it would take (6, 3, 1), and so would P1.
    made = worked(NOT_LAST)
    right, wrong = (
        searched(made, rule, classifier="linear") for rule in (MaxN, unsound.SpeculativeOnly)
    )
    assert right.values[("m1",)] == (0, 3, 7)
    assert (right.result.goals, right.moves) == ((4, 4, 2), ("m0",))
    assert wrong.skipped == {("m1", "m1", "m1"): "speculative"}
    assert (wrong.result.goals, wrong.moves) == ((6, 3, 1), ("m1", "m2"))


@every_classifier
def test_slides_last_branch_waits_until_the_second_player_is_at_its_last_move(
    classifier: Classifier,
) -> None:
    early = searched(worked(NOT_LAST), LastBranch, classifier=classifier)
    late = searched(worked(LAST), LastBranch, classifier=classifier)
    assert early.skipped == {}
    assert late.skipped == {("m1", "m1", "m1"): "last-branch"}
    for found in (early, late):
        assert (found.result.goals, found.result.researched) == ((4, 4, 2), 0)


@every_classifier
def test_slides_speculative_prunes_at_once_and_searches_again(classifier: Classifier) -> None:
    early = searched(worked(NOT_LAST), Speculative, classifier=classifier)
    late = searched(worked(LAST), Speculative, classifier=classifier)
    for found, again in ((early, 1), (late, 0)):
        assert found.skipped[("m1", "m1", "m1")] == "speculative"
        assert (found.result.goals, found.result.researched) == ((4, 4, 2), again)


@pytest.mark.parametrize("rule", [LastBranch, Speculative])
@every_classifier
def test_slides_a_child_that_the_second_player_prefers_is_pruned_at_its_last_move(
    rule: type[MaxN], classifier: Classifier
) -> None:
    # P2 would take (3, 3, 4), unlike (3, 1, 6) above. P1 holds 4, P2 2, P3 4: 10 together.
    made = worked("P1[(4,4,2) P2[(3,2,5) P3[(3,3,4) (0,0,10)]]]")
    found = searched(made, rule, classifier=classifier)
    assert found.skipped == {("m1", "m1", "m1"): rule.algorithm}
    assert (found.result.goals, found.result.researched) == ((4, 4, 2), 0)


def test_slides_no_value_at_that_child_becomes_that_of_the_tree() -> None:
    for goals in CONSTANT:
        made = worked(f"P1[(4,4,2) P2[(3,2,5) P3[(3,3,4) {text(goals)}]]]")
        assert searched(made, MaxN, classifier="none").moves == ("m0",)
