"""The engine finds what the reference finds; with moves in the same order it counts the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.engine.search import EngineSearch
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Evaluation, LeafValueTable, Limit, SearchResult
from tests.engine.written import CORPUS, choosing, compiled, enumerated, smallest_of_corpus
from tests.search.every import by_engine, in_python
from tests.search.maxn.trick_games import all_at_once, in_turn
from tests.search.tree_game import TreeGame, games, tree

FAMILY = ("minimax", "bounded", "alphabeta")
GAMES = Path(__file__).parents[2] / "games"

#: A table that has room for all of a small game.
LARGE = 16 << 20

every_kind = st.one_of(games(), games(chance=True), games(cyclic=True))


def searches(
    graph: GameGraph, algorithm: str, *, table: int = 0, ordered: bool = False, **options: Any
) -> tuple[EngineSearch, Any]:
    engine = by_engine(
        graph, algorithm, table_bytes=table, whole_table=True, ordered=ordered, **options
    )
    assert isinstance(engine, EngineSearch)
    options.pop("words", None)
    return engine, in_python(graph, algorithm, table_size=bool(table) * 100_000, **options)


def reported(result: SearchResult, *, table: bool = False) -> dict[str, Any]:
    """Return a result without its time and its engine.

    Lines that end in estimates end where an entry of the engine's table has been replaced.
    """
    said = {**result.to_json(), "seconds": 0, "engine": "", "value": result.value}
    if table and not result.exact:
        del said["variation"], said["goals"]
    return said


def agree(game: TreeGame, data: st.DataObject) -> None:
    graph = compiled(game)
    options: dict[str, Any] = {
        "role": data.draw(st.sampled_from(choosing(game))),
        "classifier": data.draw(st.sampled_from(["none", "sum", "linear", "lvt"])),
        "words": data.draw(st.sampled_from([1, 4, 8])),
    }
    if data.draw(st.booleans()):
        values = LeafValueTable.of(graph.reasoner.description)
        options["evaluation"] = Evaluation(leaf_values=values, goals=0.9, mobility=0.1)
    table = data.draw(st.sampled_from([0, LARGE]))
    limits: dict[str, Any] = {
        "depth": data.draw(st.sampled_from([None, 1, 2, 3])),
        "nodes": data.draw(st.sampled_from([None, 1, 7])),
    }
    for algorithm in FAMILY:
        if algorithm == "bounded":
            win, lose = data.draw(st.sampled_from([(100, 0), (51, 50), (80, 20), (1, 0)]))
            engine, reference = searches(
                graph, algorithm, table=table, win=win, lose=lose, **options
            )
        else:
            engine, reference = searches(graph, algorithm, table=table, **options)
        # values that rest on a repeated state are not reused: some cyclic games would take too long
        limits["nodes"] = limits["nodes"] or 5000
        once, expected = engine.run(limit=Limit(**limits)), reference.run(limit=Limit(**limits))
        assert reported(once, table=bool(table)) == reported(expected, table=bool(table))
        pairs = zip(
            engine.deepen(limit=Limit(**limits)),
            reference.deepen(limit=Limit(**limits)),
            strict=True,
        )
        for ours, theirs in pairs:
            assert reported(ours, table=bool(table)) == reported(theirs, table=bool(table))


@settings(max_examples=8, deadline=None)
@given(every_kind, st.data())
def test_all_results_agree_in_random_games(game: TreeGame, data: st.DataObject) -> None:
    agree(game, data)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(every_kind, st.data())
def test_all_results_agree_in_many_random_games(game: TreeGame, data: st.DataObject) -> None:
    agree(game, data)


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(st.one_of(games(), games(chance=True)), st.sampled_from([0, 1, 512, LARGE]))
def test_order_and_size_of_the_table_change_no_proven_value(game: TreeGame, table: int) -> None:
    graph = compiled(game)
    for algorithm in FAMILY:
        engine, reference = searches(graph, algorithm, table=table, ordered=True)
        result, expected = engine.run(), reference.run()
        assert (result.value, result.exact) == (expected.value, True)
        if algorithm != "alphabeta" or not table or "random" in game.roles:
            assert result.move == expected.move  # else it is another one of the best moves
        *_, deepest = engine.deepen()
        assert (deepest.value, deepest.exact) == (expected.value, True)
        if "random" not in game.roles:
            assert result.goals[result.role] == result.value
            assert None not in result.goals
            leads_to(graph, result)


def leads_to(graph: GameGraph, result: SearchResult) -> None:
    state = graph.reasoner.initial_state()
    for joint_move in result.variation:
        graph.reasoner.check_legal(state, joint_move)
        state = graph.reasoner.next_state(state, joint_move)
    view = graph.reasoner.view(state)
    assert view.terminal
    assert tuple(goal or 0 for goal in view.goals) == result.goals


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(games(cyclic=True), st.sampled_from([0, LARGE]))
def test_exact_results_are_right_in_games_that_need_not_end(game: TreeGame, table: int) -> None:
    graph = compiled(game)
    engine, reference = searches(graph, "alphabeta", table=table, ordered=True)
    result, expected = engine.run(limit=Limit(nodes=5000)), reference.run(limit=Limit(nodes=5000))
    if result.exact and expected.exact:
        assert result.value == expected.value


@cache
def bundled(name: str) -> GameGraph:
    description = Description.load(GAMES / f"{name}.kif")
    return GameGraph(CompiledReasoner(description), max_states=100_000)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", sorted(path.stem for path in GAMES.glob("*.kif")))
def test_all_results_agree_on_bundled_games(name: str) -> None:
    graph = bundled(name)
    for algorithm in FAMILY:
        engine, reference = searches(graph, algorithm)
        limits: dict[str, Any] = {"depth": 3, "nodes": 300}
        assert reported(engine.run(limit=Limit(**limits))) == reported(
            reference.run(limit=Limit(**limits))
        )


@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
def test_an_evaluation_may_have_a_table_of_its_own(algorithm: str) -> None:
    poor = tree("r s", ((0, 0), (2, 1), (1, 2)), ((30, 10), (1, 1), ()), ((0, 20), (1, 1), ()))
    values = LeafValueTable.of(compiled(poor).reasoner.description)
    graph = bundled("connectfour")
    engine, reference = searches(
        graph, algorithm, evaluation=Evaluation(leaf_values=values, goals=0.9, mobility=0.1)
    )
    result = engine.run(limit=Limit(depth=3))
    assert reported(result) == reported(reference.run(limit=Limit(depth=3)))
    values = LeafValueTable.of(graph.reasoner.description)
    rich = Evaluation(leaf_values=values, goals=0.9, mobility=0.1)
    assert (
        result.value
        != searches(graph, algorithm, evaluation=rich)[0].run(limit=Limit(depth=3)).value
    )


@pytest.mark.sample(6)
@pytest.mark.parametrize("algorithm", FAMILY)
@pytest.mark.parametrize("name", ["tictactoe", "nim", "chomp", "hexapawn", "rockpaperscissors"])
def test_small_games_are_solved_alike(name: str, algorithm: str) -> None:
    engine, reference = searches(bundled(name), algorithm, table=4 * LARGE)
    assert reported(engine.run()) == reported(reference.run())
    ordered, _ = searches(bundled(name), algorithm, table=1 << 12, ordered=True)
    result, expected = ordered.run(), reference.run()
    assert result.value == expected.value
    if algorithm != "alphabeta":
        assert result.move == expected.move


TRICKS = pytest.mark.parametrize("text", [in_turn(2), all_at_once(3)], ids=["turns", "at once"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", range(3))
@TRICKS
def test_what_is_possible_below_a_state_prunes_alike(text: str, role: int) -> None:
    graph, leaf_values = enumerated(text)
    plain = in_python(graph, "minimax", role=role, leaf_values=leaf_values).run()
    for classifier in ("lvt", "linear"):
        options: dict[str, Any] = {
            "role": role, "leaf_values": leaf_values, "classifier": classifier,
        }  # fmt: skip
        for algorithm in FAMILY:
            engine, reference = searches(graph, algorithm, **options)
            result = engine.run()
            assert reported(result) == reported(reference.run())
            assert (result.value, result.move) == (plain.value, plain.move)
            if algorithm == "minimax" or classifier != "lvt":
                assert "table" not in result.prunes
            for table in (512, LARGE):
                ordered, _ = searches(graph, algorithm, table=table, ordered=True, **options)
                for result in (ordered.run(), *ordered.deepen()):
                    assert result.exact <= (result.value == plain.value)
                assert (result.value, result.exact) == (plain.value, True)
                if algorithm != "alphabeta":  # to the end it shows any of equally good moves
                    assert result.move == plain.move
        for win, lose in ((20, 10), (10, 5), (30, 20)):
            thresholds: dict[str, Any] = {"win": win, "lose": lose}
            engine, reference = searches(graph, "bounded", **thresholds, **options)
            said, expected = reported(engine.run()), reported(reference.run())
            if not said["exact"]:  # the line may end where no more than `lose` is possible
                del said["variation"], expected["variation"], said["goals"], expected["goals"]
            assert said == expected


@pytest.mark.sample(2)
@pytest.mark.parametrize("role", range(3))
@TRICKS
def test_estimates_are_cut_down_alike(text: str, role: int) -> None:
    graph, leaf_values = enumerated(text)
    evaluation = Evaluation(leaf_values=leaf_values, goals=1, mobility=2)
    options: dict[str, Any] = {
        "role": role, "leaf_values": leaf_values, "evaluation": evaluation,
    }  # fmt: skip
    for depth in (1, 2, 3, 4):
        plain = in_python(graph, "minimax", classifier="none", **options).run(
            limit=Limit(depth=depth)
        )
        for algorithm in FAMILY:
            chosen: dict[str, Any] = {"win": 100} if algorithm == "bounded" else {}
            engine, reference = searches(graph, algorithm, **options, **chosen)
            result = engine.run(limit=Limit(depth=depth))
            assert reported(result) == reported(reference.run(limit=Limit(depth=depth)))
            assert (result.value, result.move) == (plain.value, plain.move)
            engine, _ = searches(graph, algorithm, table=LARGE, **options, **chosen)
            *_, result = engine.deepen(limit=Limit(depth=depth))
            if result.horizon == depth:
                assert (result.value, result.move) == (plain.value, plain.move)


SAMPLE = ("breakthrough", "connectFour", "blocker", "nim1", "3pttc", "eightPuzzle", "pacman2p")


def agree_on_corpus(name: str) -> bool:
    """Return whether the game could be compiled; fail if the searches disagree."""
    path = CORPUS / f"{name}.kif"
    if not path.exists():
        pytest.skip("there is no corpus")
    try:
        reasoner = CompiledReasoner(Description.load(path), time_limit=30)
    except ReasonerError:
        return False
    graph = GameGraph(reasoner, max_states=100_000)
    for algorithm in FAMILY:
        engine, reference = searches(graph, algorithm)
        for depth, nodes in ((2, 40), (None, 60)):
            limits: dict[str, Any] = {"depth": depth, "nodes": nodes}
            assert reported(engine.run(limit=Limit(**limits))) == reported(
                reference.run(limit=Limit(**limits))
            ), name
    return True


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_all_results_agree_on_the_corpus(name: str) -> None:
    assert agree_on_corpus(name)


@pytest.mark.long
def test_all_results_agree_on_most_of_the_corpus() -> None:
    assert sum(map(agree_on_corpus, smallest_of_corpus())) >= 40
