"""A budget of visits in place of the clock: the moves do not depend on how busy the machine is."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from ggp import Deadline, PlayerContext
from ggp.errors import PlayerError
from ggp.match import make_player
from tests.batch.games import load


def played(*, clock: float) -> list[tuple[str, dict[str, float]]]:
    """Some moves of the first role, each with the visits of all its moves."""
    game = load("connectfour")
    player = make_player("mcts:simulations=300,seed=3")
    player.start(PlayerContext(game.roles[0], game.reasoner, clock), Deadline.after(clock))
    states, made = game.init(), []
    for turn in range(4):
        *_, move = player.moves(states.words[0].tobytes(), Deadline.after(clock))
        made.append((str(move), {str(each): n for each, n in player.policy().items()}))
        states = game.step(states, [[game.move_number(0, move), -1]])
        states = game.step(states, [[-1, -1]], seed=turn)
    player.stop(None)
    return made


@pytest.mark.long
def test_the_moves_are_the_same_on_a_busy_machine() -> None:
    quiet, over = played(clock=100), Event()

    def compute() -> None:
        while not over.is_set():
            sum(range(1000))

    threads = [Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        assert played(clock=200) == quiet
    finally:
        over.set()
    first = sum(quiet[0][1].values())
    assert 300 <= first < 300 + 64 * 8  # those that are under way end as well


@pytest.mark.parametrize(
    "options", ["simulations=0", "simulations=5,threads=2", "simulations=5,ponder=true"]
)
def test_what_depends_on_the_load_is_refused(options: str) -> None:
    with pytest.raises(PlayerError, match="simulations"):
        make_player(f"mcts:{options}")
