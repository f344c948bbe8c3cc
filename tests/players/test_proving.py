"""The player `auto` gives a search to the end of the game as much time as that is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from ggp.deadline import Deadline
from ggp.match import PlayerContext
from ggp.players import proving
from ggp.players.proving import Proving
from ggp.search import Limit, SearchResult
from tests.search.every import in_python
from tests.search.tree_game import TreeReasoner, tree

pytestmark = pytest.mark.usefixtures("forked")

#: The seconds of a turn, which no test comes near to.
TURN = 10_000.0

GAME = tree("a b", ([None, None], [2, 1], [1, 2]), ([50, 50], [1, 1], []), ([0, 0], [1, 1], []))


class Prover:
    """A search that finds what it is told to find, and notes for how long it was allowed to run."""

    def __init__(self, *found: tuple[bool, float]) -> None:
        self.result: SearchResult = in_python(GAME.graph(), "alphabeta").run()
        self.found = iter(found)
        #: Which parts of a turn it was given.
        self.shares: list[float] = []

    def takes(self, node: int | None = None) -> bool:
        return node is not None

    def run(self, node: int, limit: Limit) -> SearchResult:
        self.shares.append(round(limit.deadline.remaining / TURN, 2))
        exact, progress = next(self.found)
        return replace(self.result, exact=exact, progress=progress)


@pytest.fixture
def playing() -> Iterator[Callable[[Prover], Proving]]:
    reasoner = TreeReasoner(GAME)

    def play(prover: Prover) -> Proving:
        player = Proving(ponder=False)
        player.start(PlayerContext(reasoner.roles[0], reasoner, TURN), Deadline.after(0))
        player._prover = prover  # type: ignore[assignment]
        return player

    yield play
    reasoner.close()


def proofs(player: Proving, turns: int) -> list[bool]:
    found = (player._proven(player._graph.root, Deadline.after(TURN)) for _ in range(turns))
    return [result is not None for result in found]


def test_a_search_of_which_nothing_comes_gets_a_tenth(
    playing: Callable[[Prover], Proving],
) -> None:
    prover = Prover((False, 0.0), (False, 0.1), (False, 0.19))
    assert proofs(playing(prover), 3) == [False, False, False]
    assert prover.shares == [0.1, 0.1, 0.1]


def test_a_search_that_is_on_course_goes_on_for_half_of_the_time(
    playing: Callable[[Prover], Proving],
) -> None:
    prover = Prover((False, 0.2), (True, 0.0))
    assert proofs(playing(prover), 1) == [True]
    assert prover.shares == [0.1, 0.5]


def test_a_search_that_has_proven_a_position_gets_half_in_the_next_turn(
    playing: Callable[[Prover], Proving],
) -> None:
    prover = Prover((True, 0.0), (False, 0.3), (False, 0.0))
    assert proofs(playing(prover), 3) == [True, False, False]
    assert prover.shares == [0.1, 0.5, 0.1]


def test_a_search_that_was_not_through_in_half_of_the_time_has_to_prove_something_first(
    playing: Callable[[Prover], Proving],
) -> None:
    first = [(False, 0.5), (False, 0.6), (False, 0.5)]
    prover = Prover(*first, (True, 0.0), (False, 0.0), (False, 0.5), (True, 0.0))
    assert proofs(playing(prover), 5) == [False, False, True, False, True]
    assert prover.shares == [0.1, 0.5, 0.1, 0.1, 0.5, 0.1, 0.5]


def test_a_search_that_is_cancelled_keeps_its_promise(
    playing: Callable[[Prover], Proving],
) -> None:
    prover = Prover((False, 0.5), (False, 0.5), (False, 0.5), (True, 0.0))
    player = playing(prover)
    deadline = Deadline.after(TURN)
    run = prover.run

    def cancelled(node: int, limit: Limit) -> SearchResult:
        result = run(node, limit)
        if len(prover.shares) == 2:
            deadline.cancel()
        return result

    prover.run = cancelled  # type: ignore[method-assign]
    assert player._proven(player._graph.root, deadline) is None
    assert proofs(player, 1) == [True]
    assert prover.shares == [0.1, 0.5, 0.1, 0.5]


def test_a_position_is_proven_as_soon_as_there_is_machine_code(
    playing: Callable[[Prover], Proving], monkeypatch: pytest.MonkeyPatch
) -> None:
    prover = Prover((True, 0.0))
    player = playing(prover)
    player._prover = None
    waiting = iter([None] * 5)
    monkeypatch.setattr(proving, "engine_search", lambda *_, **__: next(waiting, prover))

    def visited(_searcher: object, _node: int, deadline: Deadline) -> Iterator[SearchResult]:
        for _ in range(100):
            if deadline.is_over:
                return
            yield replace(prover.result, exact=False)

    monkeypatch.setattr(player, "_visited", visited)
    results = list(player._searched(player._graph.root, Deadline.after(TURN), is_urgent=False))
    assert 1 < len(results) < 100
    assert results[-1].exact
    assert len(prover.shares) == 1
