"""Both reasoners against the Java reference on real rulesheets, where these are available."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.perft import fingerprint, perft
from ggp.reasoner import Reasoner, bounded, open_reasoner
from tests.corpus.oracle import (
    CORPUS,
    counts,
    perft_differences,
    trace_differences,
    traces,
)

EXPECTED = counts()
NAMES = [Path(file).stem for file in EXPECTED]

pytestmark = pytest.mark.skipif(not EXPECTED, reason=f"there is no {CORPUS}")

# Games that were difficult once: recursion, negation on cycles of names, large rules, odd
# spelling, many roles, simultaneous moves, missing goals.
SAMPLE = (
    "2pttc 3pConnectFour ad_game_2x2 biddingTicTacToe breakthrough checkers chess connectFour"
    " cubicup_3player firefighter god gt_staghunt hodgepodge kalaha5x2x3 laikLee_hex merrills"
    " pacman3p pentago ruleDepthExponential snake2p ticTacToe ttcc4 twisty-passages"
)

#: Games that take long to compile are left to the full run.
SLOW = {"amazons", "chess", "gt_two_thirds_4p", "merrills"}

#: Seconds that the full run may take for the counts of a game.
SECONDS = 20.0


def description_of(file: str) -> Description:
    return Description.load(CORPUS / file)


def pairs(names: Iterable[str], *, is_quick: bool = True) -> list[tuple[str, str]]:
    """Files and kinds of reasoners for which to run a test."""
    return [
        (f"{name}.kif", kind)
        for name in names
        for kind in ("prolog", "compiled")
        if EXPECTED and not (is_quick and kind == "compiled" and name in SLOW)
    ]


@pytest.fixture
def reasoner(file: str, kind: str) -> Iterator[Reasoner]:
    with open_reasoner(description_of(file), kind=kind) as opened:
        yield opened


@cache
def traces_by_key() -> dict[str, list[dict[str, Any]]]:
    return traces()


def affordable_depth(expected: dict[str, Any], *, states: int) -> int:
    """The last depth up to which the reference met no more than a number of states."""
    sizes = expected["states"]
    return max(d for d in range(len(sizes)) if d == 0 or sum(sizes[: d + 1]) <= states)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("file", "kind"), pairs(SAMPLE.split()))
def test_a_sample_counts_and_plays_as_the_reference(file: str, reasoner: Reasoner) -> None:
    expected = EXPECTED[file]
    depth = affordable_depth(expected, states=150)
    differing, reached = perft_differences(
        expected, description_of(file), reasoner, depth=depth, deadline=Deadline()
    )
    assert differing == []
    assert reached == depth
    for trace in traces_by_key()[expected["key"]][:3]:
        assert list(trace_differences(trace, reasoner)) == []


@pytest.mark.long
@pytest.mark.parametrize(("file", "kind"), pairs(["amazons"]))
def test_two_thousand_moves_in_one_state(file: str, reasoner: Reasoner) -> None:
    expected = EXPECTED[file]
    expansion = reasoner.expand(reasoner.initial_state())
    successors = set(expansion.successors)
    assert len(successors) == expected["states"][1]
    assert len(expansion.successors) == expected["paths"][1]
    fp = 0
    for state in successors:
        fp ^= fingerprint(reasoner.text(state))
    assert f"{fp:016x}" == expected["layers"][1]["fp"]


@pytest.mark.long
@pytest.mark.parametrize(("file", "kind"), pairs(["gt_two_thirds_4p"]))
def test_a_hundred_million_joint_moves_in_one_state(file: str, reasoner: Reasoner) -> None:
    expected = EXPECTED[file]
    found = json.loads(json.dumps(perft(description_of(file), reasoner).to_json()))
    assert found == {name: expected[name] for name in found}
    assert found["stop"] == expected["stop"] == "joint_moves 104060401"
    for trace in traces_by_key()[expected["key"]]:
        assert list(trace_differences(trace, reasoner)) == []


@pytest.mark.parametrize(("file", "kind"), pairs(["blocks", "nim1", "tictactoe-init1"]))
def test_a_complete_count_is_the_same_to_the_last_field(file: str, reasoner: Reasoner) -> None:
    expected = EXPECTED[file]
    found = json.loads(json.dumps(perft(description_of(file), reasoner).to_json()))
    assert {"key": expected["key"], "file": file, **found} == expected


@pytest.mark.long
@pytest.mark.parametrize(("file", "kind"), pairs(NAMES, is_quick=False))
def test_the_counts_of_the_reference(file: str, reasoner: Reasoner) -> None:
    deadline = Deadline.after(SECONDS)
    with bounded(reasoner, deadline=deadline):
        differing, _ = perft_differences(
            EXPECTED[file],
            description_of(file),
            reasoner,
            depth=len(EXPECTED[file]["states"]) - 1,
            deadline=deadline,
        )
    assert differing == []


@pytest.mark.long
@pytest.mark.parametrize(("file", "kind"), pairs(NAMES, is_quick=False))
def test_the_playouts_of_the_reference(file: str, reasoner: Reasoner) -> None:
    traces = traces_by_key().get(EXPECTED[file]["key"], [])
    if not traces:
        pytest.skip("the reference played no playouts of this game")
    for trace in traces:
        assert list(trace_differences(trace, reasoner)) == []
