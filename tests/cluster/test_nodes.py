"""What a cluster of many nodes promises, on nodes that are all on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install 'ggp[cluster]'")

from ggp import Game
from ggp.cluster import Pool, following, run
from ggp.deadline import Deadline
from ggp.experiments.running.measuring import Kept, Task, measure_all
from ggp.learning import InTasks, Learner, LearningSettings, SelfPlaySettings
from ggp.match import MatchRecord
from ggp.tournament import Plan, Result, Store, play
from ggp.workers.cores import available
from tests.cluster import tasks
from tests.cluster.nodes import Nodes
from tests.match.games import PICK
from tests.tournament.plans import ONE, TWO, plan


@pytest.fixture
def pool(nodes: Nodes) -> Pool:
    return Pool(cluster=nodes.address, memory=0.1)


@pytest.fixture
def extra(nodes: Nodes) -> Iterator[Any]:
    """A node with two cores, beside the others, which have one."""
    added = nodes.add(2)
    yield added
    if added in nodes.all:
        nodes.kill(added)


def results(pool: Pool, function: Callable[[Any], Any], *given: Any, cores: int = 1) -> list[Any]:
    with pool.open(function, cores=cores) as executor:
        return [result for _, result in run(executor, following(given), deadline=Deadline())]


@pytest.mark.long
def test_a_node_that_dies_loses_no_task_and_none_counts_twice(
    nodes: Nodes, pool: Pool, extra: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, dying = tmp_path / "log", nodes.number(extra)
    given = [(path, number, dying) for number in range(12)]
    over = tmp_path / "over"

    def log() -> list[list[str]]:
        return [line.split() for line in path.read_text().splitlines()]

    def kill_once() -> None:
        if not over.exists() and path.exists() and any(node == dying for _, node in log()):
            nodes.kill(extra)
            over.touch()

    with pool.open(tasks.log) as executor:
        ran = run(executor, following(given), deadline=Deadline(), meanwhile=kill_once)
        assert sorted(number for _, number in ran) == list(range(12))
    begun = [number for number, _ in log()]
    # its processes may begin a task after its death
    lost = {number for number, node in log() if node == dying}
    assert lost
    assert all(begun.count(number) == 1 + (number in lost) for number in set(begun))
    assert capfd.readouterr().out == ""  # that is for the results


@pytest.mark.long
def test_a_task_runs_where_its_cores_and_its_memory_are_free(
    nodes: Nodes, pool: Pool, extra: Any
) -> None:
    for given, cores in ((pool, 2), (replace(pool, memory=nodes.memory * 0.6), 1)):
        ran = results(given, tasks.occupy, *[0.2] * 6, cores=cores)
        assert len(ran) == 6
        if cores == 2:
            assert {node for node, *_ in ran} == {nodes.number(extra)}
        assert not [pair for pair in combinations(ran, 2) if same_node(*pair) and overlap(*pair)]


@pytest.mark.long
@pytest.mark.skipif(available() < 2, reason="there is one core only")
def test_tasks_of_a_node_have_different_cores(pool: Pool, extra: Any) -> None:
    ran = results(pool, tasks.occupy, *[0.5] * 16)
    together = [pair for pair in combinations(ran, 2) if same_node(*pair) and overlap(*pair)]
    assert together
    for (*_, first), (*_, second) in together:
        assert len(first) == len(second) == 1
        assert first.isdisjoint(second)


def same_node(first: Any, second: Any) -> bool:
    return bool(first[0] == second[0])


def overlap(first: Any, second: Any) -> bool:
    return bool(first[1] < second[2] and second[1] < first[2])


@pytest.mark.long
def test_a_game_is_compiled_once_on_each_node(pool: Pool) -> None:
    given = [(PICK, number) for number in range(12)]
    ran = results(pool, tasks.compile_game, *given)
    of_nodes = {node: [made for name, made, _ in ran if name == node] for node, *_ in ran}
    assert len(of_nodes) > 1
    for made in of_nodes.values():
        parts = [part for one in made for part in one]
        assert parts.count("build_circuit") == 1
        assert parts.count("_compile") == max(one.count("_compile") for one in made)
    assert len({digest for *_, digest in ran}) == 1
    for node, made, _ in results(pool, tasks.compile_game, *given):
        assert not made or node not in of_nodes


@pytest.mark.long
def test_a_tournament_ends_as_at_home_though_a_node_dies(
    nodes: Nodes, pool: Pool, extra: Any, tmp_path: Path
) -> None:
    cup = plan(2, ONE, TWO, reasoner="prolog")
    at_home = played(tmp_path / "home" / "cup", cup, Pool(jobs=2), lambda _: None)
    killed = list[Result]()

    def kill_once(result: Result) -> None:
        if not killed:
            killed.append(result)
            nodes.kill(extra)

    away = replace(pool, cores=1)  # a match would ask for as many as it has seats
    assert played(tmp_path / "away" / "cup", cup, away, kill_once) == at_home
    assert killed


@pytest.mark.long
def test_self_play_is_that_of_this_machine(pool: Pool, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'ggp[selfplay]'")
    from ggp.selfplay import selfplay
    from tests.selfplay.test_selfplay import planned, rows

    matches = planned(start_clock=60.0, play_clock=60.0)
    selfplay(matches, tmp_path / "home", pool=Pool(jobs=2))
    selfplay(matches, tmp_path / "away", pool=pool)
    assert rows(tmp_path / "away") == rows(tmp_path / "home") != []


@pytest.mark.long
def test_measurements_are_those_of_this_machine(pool: Pool, tmp_path: Path) -> None:
    given: list[Task] = [{"seed": seed} for seed in range(8)]
    found = []
    for name, place in (("home", Pool(jobs=2)), ("away", pool)):
        with closing(Kept(tmp_path / name)) as kept:
            ran = measure_all(given, tasks.draw, kept, pool=place, deadline=Deadline())
            assert len(list(ran)) == len(given)
            found.append([done.result for task in given if (done := kept.get(task))])
    assert found[0] == found[1]
    assert len({done["drawn"] for done in found[0]}) == len(given)


@pytest.mark.long
def test_learning_goes_on_though_a_node_dies(nodes: Nodes, pool: Pool, extra: Any) -> None:
    settings = LearningSettings(
        hidden=32, samples=20_000, enough=500, batch=256, selfplay=SelfPlaySettings(lanes=64)
    )
    with (
        Game.load("tictactoe") as game,
        InTasks(game.reasoner.circuit, pool=pool, settings=settings) as source,
    ):
        learner = Learner(game.reasoner.kernel, settings=settings, source=source)
        learner.learn(deadline=Deadline.after(300), plies=100_000)
        before = learner.progress
        assert before.plies >= 100_000
        nodes.kill(extra)
        learner.learn(deadline=Deadline.after(300), plies=2 * before.plies)
    assert learner.progress.plies >= 2 * before.plies
    assert learner.progress.steps > before.steps > 0


def played(
    folder: Path, cup: Plan, pool: Pool, on_result: Callable[[Result], None]
) -> tuple[tuple[Result, ...], list[Any]]:
    """Play a tournament; return its results, and the moves of its matches."""
    with closing(Store.create(folder, cup)) as store:
        play(store, pool=pool, deadline=Deadline(), on_result=on_result)
        records = [MatchRecord.from_json(text) for _, text in store.records()]
        return store.results(), [record.moves for record in records]
