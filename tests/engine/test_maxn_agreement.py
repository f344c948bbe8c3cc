"""By every rule of pruning, the engine's max-n finds and counts what the reference does."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine.maxn.search import MaxNEngine
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Evaluation, LeafValueTable, Limit, MaxN, SearchResult
from tests.engine.written import CORPUS, choosing, compiled, enumerated, smallest_of_corpus
from tests.search.every import by_engine, in_python
from tests.search.maxn.rank_trees import ORDERS, Order, random_tree
from tests.search.maxn.trick_games import all_at_once, given_away, in_turn
from tests.search.tree_game import TreeGame, games

RULES = ("maxn", "shallow", "branch-and-bound", "last-branch", "speculative")
GAMES = Path(__file__).parents[2] / "games"

CLASSIFIERS: tuple[dict[str, Any], ...] = (
    {"classifier": "none"},
    {"classifier": "sum"},
    {"classifier": "linear"},
    {"classifier": "linear", "discrete": True},
    {"classifier": "lvt"},
    {"classifier": "lvt", "row_filter": "upper"},
    {"classifier": "lvt", "row_filter": "literal"},
)

each_classifier = pytest.mark.parametrize(
    "chosen", CLASSIFIERS, ids=["-".join(map(str, each.values())) for each in CLASSIFIERS]
)

#: A table that has room for all of a small game.
LARGE = 1 << 20


def reference(graph: GameGraph, rule: str, **options: Any) -> MaxN:
    made = in_python(graph, rule, **{"table_size": 0, **options})
    assert isinstance(made, MaxN)
    return made


def engine(
    graph: GameGraph, rule: str, *, table: int = 0, words: int | None = None, **options: Any
) -> MaxNEngine:
    search = by_engine(graph, rule, table_bytes=table, words=words, **options)
    assert isinstance(search, MaxNEngine)
    return search


def reported(result: SearchResult) -> dict[str, Any]:
    """Return a result without its time and its engine.

    Means that are not multiples of 1 / 60^5 are rounded.
    """
    goals = [None if goal is None else round(goal, 7) for goal in result.goals]
    said = {**result.to_json(), "seconds": 0, "engine": ""}
    return {**said, "value": goals[result.role], "goals": goals}


def agree(graph: GameGraph, rule: str, limits: dict[str, Any], **options: Any) -> None:
    """Check that the results agree without a table, of one search and of deepening."""
    ours, theirs = engine(graph, rule, **options), reference(graph, rule, **options)
    assert reported(ours.run(limit=Limit(**limits))) == reported(theirs.run(limit=Limit(**limits)))
    for our, their in zip(
        ours.deepen(limit=Limit(**limits)), theirs.deepen(limit=Limit(**limits)), strict=True
    ):
        assert reported(our) == reported(their)


def limits_of(data: st.DataObject) -> dict[str, Any]:
    return {
        "depth": data.draw(st.sampled_from([None, 1, 2, 3])),
        # values that rest on a repeated state are not reused: some cyclic games would take too long
        "nodes": data.draw(st.sampled_from([5000, 5000, 1, 7])),
    }


def all_alike(graph: GameGraph, data: st.DataObject, **options: Any) -> None:
    if data.draw(st.booleans()):
        values = LeafValueTable.of(graph.reasoner.description)
        options["evaluation"] = Evaluation(leaf_values=values, goals=0.9, mobility=0.1)
    limits, widths = limits_of(data), st.sampled_from([1, 4])
    for rule in RULES:
        chosen = data.draw(st.sampled_from(CLASSIFIERS))
        words = data.draw(widths)
        ours = engine(graph, rule, words=words, **options, **chosen)
        theirs = reference(graph, rule, **options, **chosen)
        assert reported(ours.run(limit=Limit(**limits))) == reported(
            theirs.run(limit=Limit(**limits))
        )
        pairs = zip(
            ours.deepen(limit=Limit(**limits)), theirs.deepen(limit=Limit(**limits)), strict=True
        )
        assert all(reported(our) == reported(their) for our, their in pairs)


every_kind = st.one_of(games(), games(chance=True), games(cyclic=True))


def check_games(game: TreeGame, data: st.DataObject) -> None:
    role = data.draw(st.sampled_from(choosing(game)))
    if "random" not in game.roles:
        all_alike(compiled(game), data, role=role)
        return
    # only to the end: here means of estimates tie if they differ by less than the rounding
    graph, nodes = compiled(game), data.draw(st.sampled_from([5000, 1, 7]))
    for rule in RULES:
        chosen = data.draw(st.sampled_from(CLASSIFIERS))
        ours, theirs = (made(graph, rule, role=role, **chosen) for made in (engine, reference))
        assert reported(ours.run(limit=Limit(nodes=nodes))) == reported(
            theirs.run(limit=Limit(nodes=nodes))
        )


@settings(max_examples=settings().max_examples // 6)
@given(every_kind, st.data())
def test_all_results_agree_in_random_games(game: TreeGame, data: st.DataObject) -> None:
    check_games(game, data)


@pytest.mark.long
@settings(max_examples=800, deadline=None)
@given(every_kind, st.data())
def test_all_results_agree_in_many_random_games(game: TreeGame, data: st.DataObject) -> None:
    check_games(game, data)


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(games(chance=True), st.sampled_from([1, 512, LARGE]), st.sampled_from(CLASSIFIERS))
def test_tables_and_prunings_change_no_mean(
    game: TreeGame, table: int, chosen: dict[str, Any]
) -> None:
    graph, role = compiled(game), choosing(game)[0]
    plain = reference(graph, "maxn", classifier="none", role=role).run()
    for rule in RULES:
        result = engine(graph, rule, table=table, role=role, **chosen).run()
        assert (result.goals, result.move) == (plain.goals, plain.move)
        assert result.exact


def check_tree(seed: int, roles: int, order: Order, data: st.DataObject) -> None:
    depth = data.draw(st.integers(1, 4 if order == "simultaneous" else 6))
    made = random_tree(
        seed, roles=roles, order=order, depth=depth, highest=random.Random(seed).randint(1, 4),
        shared=True,
    )  # fmt: skip
    graph, leaf_values = compiled(made.game), made.leaf_values
    plain = reference(graph, "maxn", classifier="none").run()
    for rule in RULES:
        for chosen in CLASSIFIERS:
            options = {"leaf_values": leaf_values, **chosen}
            ours, theirs = engine(graph, rule, **options), reference(graph, rule, **options)
            found = ours.run()
            assert reported(found) == reported(theirs.run())
            assert (found.goals, found.variation) == (plain.goals, plain.variation)
        table = data.draw(st.sampled_from([1, 512, LARGE]))
        kept = engine(graph, rule, table=table, **options)
        for found in (kept.run(), kept.run()):
            assert (found.goals, found.move, found.exact) == (plain.goals, plain.move, True)
            assert leads_to(graph, found) == plain.goals


def leads_to(graph: GameGraph, result: SearchResult) -> tuple[int, ...]:
    state = graph.reasoner.initial_state()
    for joint_move in result.variation:
        graph.reasoner.check_legal(state, joint_move)
        state = graph.reasoner.next_state(state, joint_move)
    view = graph.reasoner.view(state)
    assert view.terminal
    return tuple(goal or 0 for goal in view.goals)


orders = st.sampled_from(ORDERS)


@settings(max_examples=settings().max_examples // 6)
@given(st.integers(0, 2**64), st.integers(2, 4), orders, st.data())
def test_every_rule_prunes_alike_in_random_trees(
    seed: int, roles: int, order: Order, data: st.DataObject
) -> None:
    check_tree(seed, roles, order, data)


@pytest.mark.long
@settings(max_examples=500, deadline=None)
@given(st.integers(0, 2**64), st.integers(2, 5), orders, st.data())
def test_every_rule_prunes_alike_in_many_random_trees(
    seed: int, roles: int, order: Order, data: st.DataObject
) -> None:
    check_tree(seed, roles, order, data)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "text", [in_turn(2), all_at_once(3), given_away(10)], ids=["turns", "at once", "given"]
)
@pytest.mark.parametrize("rule", RULES)
@each_classifier
def test_the_row_filter_prunes_alike(chosen: dict[str, Any], rule: str, text: str) -> None:
    graph, table = enumerated(text)
    agree(graph, rule, {"nodes": 3000}, leaf_values=table, **chosen)


@pytest.mark.sample(2)
@pytest.mark.parametrize("text", [in_turn(2), all_at_once(3)], ids=["turns", "at once"])
@pytest.mark.parametrize("rule", RULES)
def test_estimates_are_moved_and_pruned_alike(rule: str, text: str) -> None:
    graph, table = enumerated(text)
    evaluation = Evaluation(leaf_values=table, goals=1, mobility=2)
    plain = [
        reference(graph, "maxn", classifier="none", leaf_values=table, evaluation=evaluation).run(
            limit=Limit(depth=depth)
        )
        for depth in (1, 3, 4)
    ]
    for chosen in CLASSIFIERS:
        options = {"leaf_values": table, "evaluation": evaluation, **chosen}
        agree(graph, rule, {"depth": 4}, **options)
        for expected in plain:
            found = engine(graph, rule, table=LARGE, **options).run(
                limit=Limit(depth=expected.horizon)
            )
            assert (found.goals, found.variation[:1]) == (expected.goals, expected.variation[:1])


@cache
def bundled(name: str) -> GameGraph:
    description = Description.load(GAMES / f"{name}.kif")
    return GameGraph(CompiledReasoner(description), max_states=100_000)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["pirates", "centipede", "rendezvous", "harvest", "tictactoe"])
def test_small_games_are_solved_alike(name: str) -> None:
    graph = bundled(name)
    plain = engine(graph, "maxn", classifier="none", table=LARGE).run()
    for rule in RULES:
        for chosen in CLASSIFIERS[1:4:2]:
            found = engine(graph, rule, table=LARGE, **chosen).run()
            assert (found.goals, found.move) == (plain.goals, plain.move)
        if name != "tictactoe":
            agree(graph, rule, {}, **chosen)


#: Games whose values are integers, so that results agree exactly.
WITHOUT_CHANCE = sorted(
    path.stem for path in GAMES.glob("*.kif") if "(role random)" not in path.read_text()
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", WITHOUT_CHANCE)
def test_all_results_agree_on_bundled_games(name: str) -> None:
    for rule in RULES:
        agree(bundled(name), rule, {"depth": 3, "nodes": 200})


SAMPLE = ("3pttc", "breakthrough", "blocker", "nim1", "pacman3p")


def agree_on_corpus(name: str) -> bool:
    """Return whether the game could be compiled; fail if the searches disagree."""
    path = CORPUS / f"{name}.kif"
    if not path.exists():
        pytest.skip("there is no corpus")
    description = Description.load(path)
    try:
        reasoner = CompiledReasoner(description, time_limit=30)
    except ReasonerError:
        return False
    graph = GameGraph(reasoner, max_states=100_000)
    for rule in ("maxn", "speculative"):
        for limits in ({"depth": 2, "nodes": 40}, {"nodes": 60}):
            agree(graph, rule, limits)
    return True


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_all_results_agree_on_the_corpus(name: str) -> None:
    assert agree_on_corpus(name)


@pytest.mark.long
def test_all_results_agree_on_most_of_the_corpus() -> None:
    assert sum(map(agree_on_corpus, smallest_of_corpus())) >= 40
