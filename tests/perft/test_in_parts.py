"""Perft in parts, in processes and on a cluster, counts what perft counts in one process."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.cluster import Executor, Pool
from ggp.deadline import Deadline
from ggp.errors import GgpError, ReasonerTimeout
from ggp.gdl import Description
from ggp.perft import Perft, in_parts, part, perft, perft_in_parts
from ggp.perft.shelf import Shelf
from ggp.reasoner import MAX_JOINT_MOVES, open_reasoner
from tests.cli.command import ggp
from tests.corpus.oracle import CORPUS, counts
from tests.files.disk import full_disk
from tests.perft.test_perft import RAGGED
from tests.reasoner.games import LIGHTS

#: Goes round in three states, with a way out.
ROUND = """
(role x) (init (at 1)) (legal x on) (<= (legal x out) (true (at 2)))
(after 1 2) (after 2 3) (after 3 1)
(<= (next (at ?m)) (does x on) (true (at ?n)) (after ?n ?m))
(<= (next over) (does x out)) (<= terminal (true over)) (<= (goal x 100) (true over))
"""
#: The state after the first move has no facts.
EMPTY = "(role x) (init here) (legal x go) (<= terminal (not (true here))) (goal x 1)"

EXPECTED = counts()


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.long)])
def pool(request: pytest.FixtureRequest) -> Pool:
    if request.param == "local":
        return Pool(jobs=2)
    return Pool(cluster=request.getfixturevalue("address"), memory=0.1)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a layer have several parts that has more than a few states."""
    monkeypatch.setattr(in_parts, "_FEW", 20)


@cache
def load(game: str) -> Description:
    return Description.load(game) if game.isalnum() else Description.from_text(game)


class Inline(Executor):
    """Calls the function in this process, the last task first."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function, self._tasks = function, list[Any]()

    @property
    def room(self) -> int:
        return 3 - len(self._tasks)

    @property
    def running(self) -> list[Any]:
        return self._tasks

    @property
    def told(self) -> list[tuple[Any, Any]]:
        return []

    def submit(self, task: Any) -> None:
        self._tasks.append(task)

    def wait(self, seconds: float) -> list[tuple[Any, Any]]:
        task = self._tasks.pop()
        return [(task, self._function(task))]

    def interrupt(self, seconds: float) -> None:
        self._tasks.clear()

    def close(self) -> None:
        self._tasks.clear()


class InlinePool(Pool):
    def open(self, function: Callable[[Any], Any], **_options: Any) -> Executor:
        return Inline(function)


@pytest.fixture(scope="module")
def inline() -> Iterator[Pool]:
    yield InlinePool()
    part.close()


@cache
def alone(game: str, **limits: Any) -> Perft:
    """The counts of one process."""
    with open_reasoner(load(game)) as reasoner:
        return perft(load(game), reasoner, **limits)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("game", "limits"),
    [
        (RAGGED, {}),
        ("tictactoe", {}),
        ("rockpaperscissors", {"depth": 2}),
        pytest.param("connectfour", {"depth": 4}, marks=pytest.mark.long),
        pytest.param("kriegtictactoe", {"depth": 3}, marks=pytest.mark.long),
    ],
    ids=["ragged", "tictactoe", "rockpaperscissors", "connectfour", "kriegtictactoe"],
)
def test_the_counts_are_those_of_one_process(pool: Pool, game: str, limits: dict[str, Any]) -> None:
    found = perft_in_parts(load(game), pool=pool, reasoner="prolog", **limits)
    assert found == alone(game, **limits)


@settings(max_examples=settings().max_examples // 5)
@given(
    game=st.sampled_from((LIGHTS, RAGGED, ROUND, EMPTY, "nim", "walk")),
    depth=st.none() | st.integers(0, 7),
    max_states=st.none() | st.integers(1, 200),
    few=st.integers(1, 40),
    many=st.integers(1, 40),
    most=st.integers(1, 60),
)
def test_parts_of_any_size_add_up(
    inline: Pool,
    game: str,
    depth: int | None,
    max_states: int | None,
    few: int,
    many: int,
    most: int,
) -> None:
    limits: dict[str, Any] = {"depth": depth, "max_states": max_states}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_parts, "_FEW", few)
        patch.setattr(in_parts, "_MANY", many)
        patch.setattr(part, "_MOST", most)
        found = perft_in_parts(load(game), pool=inline, **limits)
    assert found == alone(game, **limits)


@pytest.mark.skipif(not EXPECTED, reason=f"there is no {CORPUS}")
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "name", ["ad_game_2x2", "blocks", "gt_staghunt", "kalaha5x2x3", "nim2", "snake2p", "ticTacToe"]
)
def test_the_counts_are_those_of_the_java_reference(pool: Pool, name: str) -> None:
    reference = EXPECTED[f"{name}.kif"]
    whole = [layer for layer in reference["layers"] if "joint_sum" in layer]
    description, depth = Description.load(CORPUS / f"{name}.kif"), len(whole) - 1
    found = perft_in_parts(description, pool=pool, reasoner="prolog", depth=depth)
    assert json.loads(json.dumps(found.to_json()))["layers"] == whole


@pytest.mark.long
def test_bundled_games_have_the_counts_of_their_rules_in_the_corpus(pool: Pool) -> None:
    """The corpus has these games with other facts, and the same counts."""
    if not EXPECTED:
        pytest.skip(f"there is no {CORPUS}")
    for name, theirs, depth in (
        ("tictactoe", "sum15", 9),  # the same game, as a choice of numbers
        ("connectfour", "conn4", 4),
        ("breakthrough", "breakthrough", 2),
    ):
        counts = perft_in_parts(load(name), pool=pool, reasoner="prolog", depth=depth)
        assert counts.states == EXPECTED[f"{theirs}.kif"]["states"][: depth + 1]
        assert counts.paths[: depth + 1] == EXPECTED[f"{theirs}.kif"]["paths"][: depth + 1]


def test_too_many_joint_moves_end_it(pool: Pool) -> None:
    roles = "".join(f"(role r{i})" for i in range(4))
    numbers = "".join(f"(n {i})" for i in range(40))
    rules = f"{roles} {numbers} (init i) (<= (legal ?r ?n) (role ?r) (n ?n) (true i))"
    assert MAX_JOINT_MOVES < 40**4
    counts = perft_in_parts(load(rules), pool=pool)
    assert counts == alone(rules)
    assert counts.stop == f"joint_moves {40**4}"


def test_time_ends_it_in_the_middle_of_a_question(pool: Pool) -> None:
    slow = """
        (role x) (init i) (legal x go) (<= (next j) (does x go)) (<= terminal (true j))
        (<= (goal x 1) (true j) (grow z)) (<= (grow ?n) (true j) (grow (s ?n)))
    """
    deadline = Deadline()
    threads = list[threading.Timer]()

    def stop(_counts: Perft, _states: int) -> None:
        threads.append(threading.Timer(0.3, deadline.cancel))
        threads[-1].start()

    counts = perft_in_parts(load(slow), pool=pool, deadline=deadline, progress=stop)
    for thread in threads:
        thread.join()
    assert (counts.stop, counts.complete, counts.states) == ("interrupted", False, [1])
    assert counts.layers[0].joint_sum == 1


def test_no_time_for_anything(pool: Pool) -> None:
    with pytest.raises(ReasonerTimeout, match="time was up before the initial state was known"):
        perft_in_parts(load("nim"), pool=pool, deadline=Deadline.after(0))


def test_a_game_that_misbehaves_is_said(pool: Pool) -> None:
    rules = "(role x) (init i) (legal x go) (<= (next ?f) (true i))"
    with pytest.raises(GgpError, match="not ground"):
        perft_in_parts(load(rules), pool=pool)


def test_progress_is_told(pool: Pool) -> None:
    told: list[tuple[int, int]] = []
    perft_in_parts(
        load(LIGHTS), pool=pool, progress=lambda counts, n: told.append((len(counts.layers), n))
    )
    assert told == [(0, 1), (1, 6), (2, 8)]


@given(st.integers(1, part.BUCKETS))
def test_parts_divide_the_buckets(parts: int) -> None:
    found = [bucket for number in range(parts) for bucket in part.buckets(number, parts)]
    assert found == list(range(part.BUCKETS))
    sizes = {len(part.buckets(number, parts)) for number in range(parts)}
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=20))))
def test_a_shelf_gives_back_what_it_got(pieces: list[tuple[int, bytes]]) -> None:
    with Shelf() as shelf:
        for number, piece in pieces:
            shelf.add(number, piece)
        assert shelf.numbers == sorted({number for number, _ in pieces})
        for wanted in ([0], [3, 1], range(6)):
            found = shelf.pieces(wanted)
            assert found == [piece for n in wanted for number, piece in pieces if number == n]


def test_a_shelf_says_which_folder_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Shelf() as shelf:
        shelf.add(0, b"first")
        with full_disk(room=8), pytest.raises(OSError, match="too large") as failed:
            shelf.add(0, b"second")
        assert failed.value.filename == str(tmp_path)
        assert shelf.pieces([0]) == [b"first"]


@pytest.mark.long
def test_the_command_counts_alike_by_several_jobs() -> None:
    command = ("perft", "tictactoe", "--depth", "5", "--json")
    alone, together = ggp(*command), ggp(*command, "--jobs", "2")
    assert (together.code, together.err) == (0, "")
    assert together.out == alone.out


def test_the_command_says_that_there_is_no_cluster() -> None:
    pytest.importorskip("ray")
    finished = ggp("perft", "nim", "--cluster", "127.0.0.1:1")
    assert (finished.code, finished.out) == (1, "")
    assert finished.err.startswith("ggp: no cluster at 127.0.0.1:1: ")
    assert finished.err.count("\n") == 1


@pytest.mark.long
def test_the_command_counts_on_a_cluster(address: str) -> None:
    command = ("perft", "hexapawn", "--json")
    alone = ggp(*command)
    together = ggp(*command, "--cluster", address, "--memory", "0.1")
    assert (together.code, together.err) == (0, "")
    assert together.out == alone.out
