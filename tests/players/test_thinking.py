"""What a player reports of a turn: all that it has spent, to the end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ggp.deadline import Deadline
from ggp.kif import Symbol
from ggp.match import PlayerContext, SearchInfo, make_player
from ggp.players.searching import Thinking
from ggp.search import SearchResult
from tests.search.test_limits import broad
from tests.search.tree_game import TreeReasoner


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        time = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("ggp.players.searching.time", time)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def result(expanded: int, **prunes: int) -> SearchResult:
    return SearchResult(
        "alphabeta", "none", (Symbol("me"),), 0, 50, (50,), None, (), False, 1,
        expanded, 0, 0, prunes, 0, 0, 0.0,
    )  # fmt: skip


def test_searches_of_a_turn_add_up(clock: Clock) -> None:
    told: list[SearchInfo] = []
    thinking = Thinking(told.append)
    thinking.count(result(10))
    deepened = thinking.counted(result(expanded) for expanded in (1, 5, 7))
    next(deepened)
    thinking.count(result(100))  # another search meanwhile
    next(deepened)
    clock.now += 2
    thinking.tell(SearchInfo(50, nodes=5, seconds=0.1))
    assert (told[-1].nodes, told[-1].seconds) == (115, 2)
    next(deepened)
    clock.now += 3
    thinking.end()
    assert (told[-1].value, told[-1].nodes, told[-1].seconds) == (50, 117, 5)


def test_what_all_searches_of_a_turn_prune_is_in_its_report() -> None:
    told: list[SearchInfo] = []
    thinking = Thinking(told.append)
    thinking.count(result(10, speculative=3, immediate=1))  # it proved nothing
    for _ in thinking.counted(iter([result(1, shallow=1), result(5, shallow=4, immediate=2)])):
        pass
    thinking.tell(SearchInfo(50))
    assert told[-1].prunes == {"speculative": 3, "immediate": 3, "shallow": 4}


def test_a_search_that_counts_for_itself_is_added(clock: Clock) -> None:
    told: list[SearchInfo] = []
    thinking = Thinking(told.append)
    thinking.count(result(10))
    tell = thinking.teller()
    for nodes in (4, 9):
        clock.now += 1
        tell(SearchInfo(30, nodes=nodes, seconds=0.1))
    assert [(info.nodes, info.seconds) for info in told] == [(14, 1), (19, 2)]


def test_who_thought_nothing_says_nothing_at_the_end() -> None:
    told: list[SearchInfo] = []
    Thinking(told.append).end()
    assert told == []


@pytest.mark.parametrize("leaves", ["at the deadline", "early"])
@pytest.mark.parametrize("name", ["minimax", "alphabeta", "bounded", "maxn", "mcts", "auto"])
def test_the_last_report_of_a_turn_is_made_at_its_end(clock: Clock, name: str, leaves: str) -> None:
    told: list[SearchInfo] = []
    reasoner, deadline = TreeReasoner(broad(5)), Deadline()
    is_asked = False

    def report(info: SearchInfo) -> None:
        told.append(info)
        if is_asked and leaves == "at the deadline":
            clock.now = 105.0
            deadline.cancel()

    player = make_player(name)
    player.start(PlayerContext(reasoner.roles[0], reasoner, 5.0, report), Deadline(0.0))
    told.clear()
    is_asked = True
    moves = player.moves(reasoner.initial_state(), deadline)
    for _ in moves:
        if told and leaves == "early":
            clock.now = 105.0
            moves.close()  # type: ignore[attr-defined]
    assert told[-1].seconds == 5
    assert told[-1].nodes == max(info.nodes for info in told)
    player.stop(None)
