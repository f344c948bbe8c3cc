"""The searching players think on the others' time if the option is on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.match import PlayerContext, PlayerProcess, make_player
from ggp.players.deepening import Deepening
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Limit
from tests.engine.loaded import loaded_engine  # noqa: F401 - a fixture
from tests.processes import all_gone

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture
def reasoner() -> CompiledReasoner:
    return CompiledReasoner(Description.load(GAMES / "connectfour.kif"))


def seated(spec: str, reasoner: CompiledReasoner) -> Deepening:
    player = make_player(spec)
    assert isinstance(player, Deepening)
    player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
    return player


@contextmanager
def cut_after(seconds: float) -> Iterator[Deadline]:
    deadline = Deadline()
    timer = Timer(seconds, deadline.cancel)
    timer.start()
    yield deadline
    timer.join()


@pytest.mark.long
def test_pondering_looks_further_ahead_and_the_next_turn_goes_on_from_there(
    reasoner: CompiledReasoner,
) -> None:
    player, state = seated("alphabeta:ponder=true", reasoner), reasoner.initial_state()
    *_, move = player.moves(state, Deadline.after(0.05))
    before = player._horizon
    with cut_after(1) as deadline:
        player.ponder(state, move, deadline)
    assert player._horizon > before
    reached = player._horizon
    # the reply that the player expects: what it found out about it is known now
    engine = player._engine
    assert engine is not None
    state = reasoner.next_state(state, (move, reasoner.legal_moves(state, reasoner.roles[1])[0]))
    expected = engine.run(player._graph.node(state), Limit(depth=reached - 1)).joint_move
    assert expected is not None
    state = reasoner.next_state(state, expected)
    spent = engine.run(player._graph.node(state), Limit(depth=reached - 2))
    assert spent.table_hits > 0
    assert spent.expanded + spent.researched < 1000


def test_where_others_choose_too_the_same_state_is_searched_on() -> None:
    tron = CompiledReasoner(Description.load(GAMES / "tron.kif"))
    player, state = seated("maxn:ponder=true", tron), tron.initial_state()
    *_, move = player.moves(state, Deadline.after(0.02))
    before = player._horizon
    with cut_after(0.5) as deadline:
        player.ponder(state, move, deadline)
    assert player._horizon >= before


def test_a_player_does_not_ponder_by_default(reasoner: CompiledReasoner) -> None:
    player, state = seated("alphabeta", reasoner), reasoner.initial_state()
    *_, move = player.moves(state, Deadline.after(0.05))
    before = player._horizon
    player.ponder(state, move, Deadline())
    assert player._horizon == before


def seconds_of_processor(pids: set[int]) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.timing
def test_a_player_in_a_process_ponders_and_is_never_late() -> None:
    rules = (GAMES / "connectfour.kif").read_text()
    reasoner = CompiledReasoner(Description.load(GAMES / "connectfour.kif"))
    with PlayerProcess("alphabeta:ponder=true", reasoner="compiled") as process:
        process.start(rules, "red", play_clock=10, deadline=Deadline.after(4))
        state, joint_move = reasoner.initial_state(), None
        for turn in range(4):
            began = time.monotonic()
            move = process.play(joint_move, Deadline.after(20 if turn % 2 else 1))
            if turn % 2:
                # there is no choice, and pondering has stopped at once: within far less than the
                # grace after which the process would have been replaced
                assert time.monotonic() - began < 0.9
            view = reasoner.view(state)
            assert move in view.legal[0]
            joint_move = (move, view.legal[1][-1])
            state = reasoner.next_state(state, joint_move)
            # A process that compiles may end meanwhile; the player does not.
            pids = set(process.processes)
            spent = seconds_of_processor(pids)
            time.sleep(0.5)
            assert seconds_of_processor(pids) > spent
    assert pids
    assert all_gone(pids, within=5)
