"""`auto` learns in its start clock what it then plays by, and finds it again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.learning import Learned, Progress, Store, TrialResult
from ggp.match import PlayerContext, make_player
from ggp.players.alphabeta import AlphaBeta
from ggp.players.auto import Auto
from ggp.players.learning import before_match, short_matches
from ggp.players.proving import Proving
from ggp.reasoner import open_reasoner
from ggp.server.timing import Margin
from tests.engine.loaded import loaded_engine, loaded_learner  # noqa: F401 - fixtures
from tests.gdl.test_correspondence import disguised
from tests.learning.test_store import made

pytestmark = pytest.mark.usefixtures("forked", "loaded_engine", "loaded_learner")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GGP_KNOWLEDGE_DIR", str(tmp_path))
    monkeypatch.setattr(before_match, "_LEAST", 0.0)
    monkeypatch.setattr(before_match, "_LEARNING", 0.4)
    monkeypatch.setattr(before_match, "_TRIAL", 0.3)
    return Store()


def started(
    game: Description, *, clock: float, options: str = "", notes: list[str] | None = None
) -> str:
    """Start a player, let it move, and return the name of the player that was chosen.

    What it notes is added to `notes`.
    """
    note = (lambda _: None) if notes is None else notes.append
    player = make_player(f"auto:{options}" if options else "auto")
    assert isinstance(player, Auto)
    with open_reasoner(game, kind="compiled") as reasoner:
        context = PlayerContext(reasoner.roles[0], reasoner, 1.0, note=note)
        player.start(context, Deadline.after(clock))
        state = reasoner.initial_state()
        *_, move = player.moves(state, Deadline.after(0.3))
        assert move in reasoner.legal_moves(state, reasoner.roles[0])
        player.stop(None)
    return type(player._player).__name__


@pytest.mark.long
@pytest.mark.parametrize(("score", "chosen"), [(0.9, AlphaBeta), (0.5, Proving)])
def test_a_network_plays_if_it_wins_the_trial(
    store: Store, monkeypatch: pytest.MonkeyPatch, score: float, chosen: type
) -> None:
    monkeypatch.setattr(short_matches, "play_trial", lambda *_, **__: TrialResult(16, score))
    game, notes = Description.load("breakthrough"), list[str]()
    assert started(game, clock=10.0, notes=notes) == chosen.__name__
    assert notes[0].startswith("learned from ")  # else it says why
    assert len([*store.entries()]) == 1
    verdict = "alphabeta plays by it" if chosen is AlphaBeta else "it is not used (75% would do)"
    assert notes[0].endswith(f"scored {score:.0%} of 16 short matches: {verdict}; kept")
    found = store.find(game)
    assert found is not None
    assert found.learned.score == score
    assert found.learned.search == "alphabeta"
    assert found.learned.plies > 1000
    # the next match begins with it at once, in any words, and however short its clock is
    other, _ = disguised(game, 4)
    assert started(other, clock=0.5, notes=notes) == chosen.__name__
    if chosen is AlphaBeta:
        assert notes[1].startswith("plays by a network of ")
    assert started(game, clock=0.5, options="learn=no") == "Proving"


def test_a_network_that_does_not_know_the_facts_is_not_used(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    game, known = made("connectfour")
    stranger = replace(known.net, facts=tuple(f"(other {n})" for n in range(len(known.net.facts))))
    store.keep(game, replace(known, net=stranger, learned=Learned(score=0.9, search="alphabeta")))
    assert started(game, clock=0.5, options="learn=start") != "AlphaBeta"
    assert "is not used: the network is of another game" in caplog.text


def test_a_short_clock_gives_no_time_to_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGP_KNOWLEDGE_DIR", str(tmp_path))
    notes = list[str]()
    assert started(Description.load("connectfour"), clock=1.0, notes=notes) == "Proving"
    assert not any(tmp_path.iterdir())
    (note,) = notes
    assert re.fullmatch(
        r"learned nothing: it has [01]\.\d s to prepare, and 6 s are the least", note
    )


def test_a_start_clock_of_eight_seconds_is_enough_on_a_server() -> None:
    """The server keeps a part of the clock for its answer; a process takes some to start."""
    assert Margin().thinking_time(8.0) - 0.4 >= before_match._LEAST


def test_a_game_that_is_proven_is_not_learned(store: Store) -> None:
    notes = list[str]()
    assert started(Description.load("nim"), clock=10.0, notes=notes) == "Proving"
    assert not any(store.entries())
    assert notes == ["learned nothing: a search was through with the game"]


def test_a_network_that_cannot_be_tried_keeps_its_score(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, known = made("breakthrough")
    trusted = replace(known.learned, untried=5, search="alphabeta")
    store.keep(game, replace(known, learned=trusted))
    done = Progress(plies=2000, matches=40, steps=9, seconds=3.0, loss=0.5)
    study = Mock(progress=done, result=Mock(return_value=known.net))
    monkeypatch.setattr(before_match, "Study", Mock(return_value=study))
    untried, notes = TrialResult(0, 0.5), list[str]()
    monkeypatch.setattr(before_match, "try_net", lambda *_args, **_options: untried)
    assert started(game, clock=2.0, notes=notes) == "AlphaBeta"
    assert notes == [
        "learned from 2,000 joint moves in 3 s; there was no time to try it: alphabeta plays by it "
        "as before; kept"
    ]
    after = store.find(game)
    assert after is not None
    assert (after.learned.score, after.learned.trial) == (0.75, 16)
    assert after.learned.untried == 2005


@pytest.mark.long
def test_a_match_goes_on_where_there_is_too_little_memory(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(AlphaBeta, "start", fail)
    monkeypatch.setattr(short_matches, "play_trial", lambda *_, **__: TrialResult(16, 0.9))
    assert started(Description.load("breakthrough"), clock=10.0) == "Proving"
    assert "too little memory" in caplog.text
    assert any(store.entries())


@pytest.mark.long
def test_nothing_is_kept_unless_it_may(store: Store) -> None:
    notes = list[str]()
    started(Description.load("connectfour"), clock=10.0, options="keep=false", notes=notes)
    assert notes[0].endswith("; not kept")
    assert not any(store.entries())


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "search"),
    [("tron", "mcts"), ("othello6x6", "alphabeta")],
)
def test_any_game_may_be_tried(store: Store, name: str, search: str) -> None:
    notes = list[str]()
    started(Description.load(name), clock=10.0, notes=notes)
    assert "short matches" in notes[0]
    found = store.find(Description.load(name))
    assert found is not None
    assert found.learned.search == search


@pytest.mark.long
def test_a_trusted_network_plays_where_nothing_is_learned(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, known = made("breakthrough")
    trusted = replace(known.learned, untried=5, search="alphabeta")
    store.keep(game, replace(known, learned=trusted))
    study = Mock(progress=None, result=Mock(return_value=None), trouble="why")
    monkeypatch.setattr(before_match, "Study", Mock(return_value=study))
    notes = list[str]()
    assert started(game, clock=4.0, notes=notes) == "AlphaBeta"
    told = "a network of 7 joint moves, 75% of 16 matches"
    assert notes == [f"learned nothing: why; it plays by {told}"]


def test_learning_goes_on_while_the_others_think(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(before_match, "_LEAST", 1000.0)
    monkeypatch.setattr(before_match, "available", lambda: 2)
    monkeypatch.setattr(before_match, "_PARTING", 60.0)
    game, known = made("tictactoe")
    store.keep(game, known)
    player = make_player("auto:learn=always")
    with open_reasoner(game, kind="compiled") as reasoner:
        role = reasoner.roles[0]
        player.start(PlayerContext(role, reasoner, 1.0), Deadline.after(1))
        state = reasoner.initial_state()
        *_, move = player.moves(state, Deadline.after(0.1))
        player.ponder(state, move, Deadline.after(3))
        player.stop(None)
    after = store.find(game)
    assert after is not None
    assert after.learned.untried > 1000
    assert after.learned.plies == known.learned.plies + after.learned.untried
    assert (after.learned.score, after.learned.trial) == (0.75, 16)


@pytest.mark.parametrize(("untried", "clock", "chosen"), [(0, 9, AlphaBeta), (5, 1, AlphaBeta)])
def test_what_is_trusted_plays_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, untried: int, clock: float, chosen: type
) -> None:
    monkeypatch.setattr(before_match, "_LEAST", 8.0)
    game, known = made("tictactoe")
    learned = replace(known.learned, untried=untried, search="alphabeta")
    store.keep(game, replace(known, learned=learned))
    assert started(game, clock=clock) == chosen.__name__


@pytest.mark.long
def test_what_was_learned_since_its_trial_is_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, known = made("breakthrough")
    learned = replace(known.learned, untried=5, search="alphabeta")
    store.keep(game, replace(known, learned=learned))
    lost = TrialResult(16, 0.4)
    monkeypatch.setattr(before_match, "try_net", lambda *_args, **_options: lost)
    assert started(game, clock=8.0) == Proving.__name__
    after = store.find(game)
    assert after is not None
    assert (after.learned.score, after.learned.untried) == (0.4, 0)
