"""Chinese checkers: the rules against an independent referee, and what its searches find."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ggp.experiments.branching import leaves
from ggp.experiments.chinese_checkers import constant_sum, opening
from ggp.experiments.chinese_checkers_board import Star
from ggp.experiments.running.searching import search
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner, open_reasoner
from ggp.search import SearchOptions
from tests.experiments.chinese_checkers_referee import Referee
from tests.experiments.conftest import Run

#: The number of moves in each state.
MOST = 5


@pytest.fixture(scope="module", params=[1, 2])
def star(request: pytest.FixtureRequest) -> Star:
    radius: int = request.param
    return Star(radius)


@pytest.fixture(scope="module")
def reasoner(star: Star) -> Iterator[Reasoner]:
    description = Description.from_text(star.rules(MOST))
    with open_reasoner(description, kind="compiled") as opened:
        yield opened


@pytest.mark.parametrize(("radius", "holes", "pieces"), [(1, 13, 1), (2, 37, 3), (3, 73, 6)])
def test_the_star_has_its_holes_and_pieces(radius: int, holes: int, pieces: int) -> None:
    star = Star(radius)
    assert len(star.names) == len(set(star.names.values())) == holes
    for player in range(3):
        assert len(star.start(player)) == len(star.home(player)) == pieces
    # A turn by a third of a circle makes each player the next.
    turned = [
        (gain, (hole[2], *hole[:2]), (end[2], *end[:2])) for gain, hole, end in star.options(0)
    ]
    assert set(turned) == set(star.options(1))


@pytest.mark.sample(1)
def test_the_rules_are_the_referees(star: Star, reasoner: Reasoner) -> None:
    referee, generator = Referee(star, MOST), random.Random(star.radius)
    for _ in range(4):
        state, position = reasoner.initial_state(), referee.start()
        while True:
            view = reasoner.view(state)
            assert view.goals == referee.goals(position)
            assert sum(referee.goals(position)) == 102
            assert view.terminal == referee.is_over(position)
            if view.terminal:
                break
            moves = [[str(move) for move in moves] for moves in view.legal]
            expected = [["noop"]] * 3
            expected[position.mover] = referee.moves(position)
            assert moves == expected
            joint_move = [generator.choice(legal) for legal in view.legal]
            state = reasoner.next_state(state, joint_move)
            position = referee.after(position, str(joint_move[position.mover]))


def test_no_state_has_more_moves_and_the_longest_come_first(reasoner: Reasoner) -> None:
    graph = GameGraph(reasoner)
    for seed in range(5):
        assert opening(graph, random.Random(seed)) > 0
        expansion = graph.expansion(graph.root)
        assert not expansion.terminal
        (moves,) = (legal for legal in expansion.legal if str(legal[0]) != "noop")
        assert len(moves) <= MOST
        assert list(moves) == sorted(moves, key=str)
        graph.set_root(graph.node(reasoner.initial_state()))


@pytest.mark.long
def test_the_engine_finds_and_counts_what_the_reference_does(reasoner: Reasoner) -> None:
    graph = GameGraph(reasoner)
    table = constant_sum(reasoner.description, 102)
    opening(graph, random.Random(4))
    for name in ("maxn", "last-branch", "speculative"):
        options = SearchOptions(classifier="linear", leaf_values=table)
        ours = search(graph, name, options, depth=4)
        theirs = search(graph, name, options, depth=4, engine="reference")
        assert (ours.goals, ours.variation) == (theirs.goals, theirs.variation)
        assert (ours.generated, ours.expanded, ours.researched) == (
            theirs.generated, theirs.expanded, theirs.researched,
        )  # fmt: skip


def test_a_table_of_a_constant_sum_has_all_of_it_and_no_more() -> None:
    description = Description.from_text("(role a) (role b) (role c)")
    rows = {row.goals for row in constant_sum(description, 5)}
    assert len(rows) == 21
    assert all(sum(row) == 5 and min(row) >= 0 for row in rows)
    of_large = constant_sum(description, 102)
    assert max(max(row.goals) for row in of_large) == 100
    assert {sum(row.goals) for row in of_large} == {102}


@pytest.mark.long
def test_pruning_looks_at_less_and_finds_the_same(run: Run) -> None:
    options = ("--deals", 2, "--depth", 3, "--radius", 2, "--most", 4)
    found = run("chinese-checkers", *options, "--json").json
    assert found["complete"]
    mean, compared = found["tables"]
    assert [row["depth"] for row in mean["rows"]] == [1, 2, 3]
    assert mean["rows"][0]["maxn"] == mean["rows"][0]["speculative"]
    assert mean["rows"][2]["speculative"] <= mean["rows"][2]["last-branch"]
    assert mean["rows"][2]["speculative"] < mean["rows"][2]["maxn"] <= 1 + 4 + 16 + 64
    assert mean["rows"][2]["equal leaves"] == 1 + sum(leaves(4, ply) for ply in (1, 2, 3))
    assert all(row["of the means"] >= 1 for row in compared["rows"])
    # Two bounds of three that add up to 102: with six pieces each no two players hold as much.
    assert all(row["shallow"] == row["maxn"] for row in mean["rows"])
