"""How deep a search looks into card games."""

from __future__ import annotations

import random

import pytest

from ggp.experiments.depth import GAMES, SEARCHES, measure, rules
from ggp.experiments.running.runner import Task
from ggp.experiments.running.searching import leaf_values, opened, search
from ggp.gdl import Description
from ggp.kif import Compound
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.search import Classifier, SearchOptions
from tests.experiments.conftest import Run

CHOSEN: tuple[Classifier, ...] = ("sum", "linear", "lvt")


def tricks(reasoner: Reasoner, state: State) -> dict[str, int]:
    facts = (fact for fact in reasoner.facts(state) if isinstance(fact, Compound))
    return {str(fact.items[1]): int(str(fact.items[2])) for fact in facts if fact.name == "took"}


def test_the_lead_is_twice_a_players_tricks_minus_the_others_in_every_state() -> None:
    text = rules("spades, by lead", cards=4, seed=1, number=1)
    generator = random.Random(1)
    with open_reasoner(Description.from_text(text), kind="compiled") as reasoner:
        state, led = reasoner.initial_state(), set()
        while True:
            view = reasoner.view(state)
            taken = tricks(reasoner, state)
            assert view.goals == tuple(
                34 + 3 * taken[str(role)] - sum(taken.values()) for role in reasoner.roles
            )
            assert sum(goal or 0 for goal in view.goals) == 102
            led.add(sum(taken.values()))
            if view.terminal:
                break
            joint_move = [generator.choice(moves) for moves in view.legal]
            state = reasoner.next_state(state, joint_move)
    assert led == {0, 1, 2, 3, 4}


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_with_enough_nodes_the_end_is_reached_and_with_few_it_is_not(game: str) -> None:
    task: Task = {
        "game": game, "deal": 1, "seed": 1, "cards": 3, "nodes": 100_000,
        "transpositions": False, "first": False, "rules": "",
    }  # fmt: skip
    enough = measure(task)["depths"]
    # The players may have to follow suit, and have no choice in the last trick.
    assert len(enough["maxn"]) <= 6
    assert all(enough[name] == enough["maxn"] for name in SEARCHES)
    assert enough["maxn"] == sorted(enough["maxn"], reverse=True)
    assert enough["maxn"][0] == 9
    few = measure({**task, "nodes": 5, "first": True})["depths"]
    assert all(1 <= few[name][0] < 9 for name in SEARCHES)
    assert {len(depths) for depths in few.values()} == {1}


@pytest.mark.long
def test_depths_are_laid_out(run: Run) -> None:
    options = ("--deals", 1, "--cards", 2, "--nodes", 50, "--transpositions")
    found = run("depth", *options, "--json").json
    assert found["complete"]
    mean, error, first, slides = found["tables"]
    assert all(row[name] <= first["rows"][i][name] for i, row in enumerate(mean["rows"])
               for name in SEARCHES)  # fmt: skip
    assert [row["best previous"] for row in slides["rows"]] == [20.9, 21.7, None]
    assert [row["game"] for row in mean["rows"]] == list(GAMES)
    assert all(1 <= row[name] <= 6 for row in mean["rows"] for name in SEARCHES)
    assert all(row["maxn"] is None for row in error["rows"])


@pytest.mark.long
def test_shallow_pruning_does_not_occur_in_hearts_before_the_end_is_in_sight() -> None:
    """As the slides say: two players who avoid points never hold all that three can share."""
    description = Description.from_text(rules("hearts", cards=8, seed=1, number=1))
    table = leaf_values(description)
    assert table.constant_sum
    with opened(description) as graph:
        for depth in range(1, 9):
            plain = search(
                graph, "maxn", SearchOptions(classifier="none", leaf_values=table), depth=depth
            )
            for classifier in CHOSEN:
                options = SearchOptions(classifier=classifier, leaf_values=table)
                found = search(graph, "shallow", options, depth=depth)
                assert found.generated == plain.generated
                assert found.prunes == {}
        deeper = search(graph, "speculative", SearchOptions(leaf_values=table), depth=8)
    assert plain.generated > 1000
    assert deeper.prunes["speculative"] > 0  # three bounds are enough
