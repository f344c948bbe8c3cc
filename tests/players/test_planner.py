"""The player of puzzles plays its plan, and refuses other games."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.gdl import Description
from ggp.match import PlayerContext, SearchInfo
from ggp.players.planner import Planner
from ggp.reasoner import Reasoner, open_reasoner
from tests.search.test_limits import chain
from tests.search.tree_game import Spot, TreeGame, TreeReasoner


def seated(
    reasoner: Reasoner, *, seconds: float | None, player: Planner | None = None
) -> tuple[Planner, list[SearchInfo]]:
    """Return a player after the start clock, and what it reports."""
    player, reports = player or Planner(), list[SearchInfo]()
    context = PlayerContext(reasoner.roles[0], reasoner, 1.0, reports.append)
    player.start(context, Deadline.after(seconds))
    return player, reports


def played(reasoner: Reasoner, player: Planner, *, seconds: float | None) -> int | None:
    """Return what the player gets."""
    state = reasoner.initial_state()
    while not (view := reasoner.view(state)).terminal:
        *_, move = player.moves(state, Deadline.after(seconds))
        reasoner.check_legal(state, [move])
        state = reasoner.next_state(state, [move])
    return view.goals[0]


@pytest.mark.parametrize("game", ["eightpuzzle", "lightsout", "walk"])
def test_puzzles_are_solved_before_the_first_move(game: str) -> None:
    with open_reasoner(Description.load(game), kind="compiled") as reasoner:
        player, reports = seated(reasoner, seconds=None)
        assert (reports[-1].value, reports[-1].is_proven) == (100, True)
        assert played(reasoner, player, seconds=0) == 100


def test_without_machine_code_the_reference_plans() -> None:
    with open_reasoner(Description.load("lightsout"), kind="prolog") as reasoner:
        player, reports = seated(reasoner, seconds=None)
        assert reports[-1].reasoner == "prolog"
        assert played(reasoner, player, seconds=0) == 100


def test_without_a_start_clock_it_plans_in_its_turns() -> None:
    reasoner = TreeReasoner(chain(30))
    player, reports = seated(reasoner, seconds=0)
    assert reports[-1].value is None
    assert played(reasoner, player, seconds=None) == 100


def test_what_is_too_large_for_a_plan_is_sampled() -> None:
    # The second move leads to 100 in 20 steps, the first to 0, and the memory ends before.
    spots = [Spot((None,), (2,), (1, 2)), Spot((0,), (1,))]
    spots += [Spot((None,), (1,), (number + 1,)) for number in range(2, 20)]
    reasoner = TreeReasoner(TreeGame(("r",), (*spots, Spot((100,), (1,)))))
    player, reports = seated(reasoner, seconds=0, player=Planner(max_states=1))
    # without a clock, it would not sample
    deadline = Deadline.after(60).until(lambda: len(reports) >= 20)
    *_, move = player.moves(reasoner.initial_state(), deadline)
    assert str(move) == "m1"


def test_games_of_several_roles_are_refused() -> None:
    with open_reasoner(Description.load("nim"), kind="prolog") as reasoner:
        player = Planner()
        with pytest.raises(PlayerError, match="one role; the roles are first, second"):
            player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline())
        with pytest.raises(PlayerError, match="one role; the roles are first, second"):
            list(player.moves(reasoner.initial_state(), Deadline()))
    with pytest.raises(PlayerError, match="at least 1"):
        Planner(memory=0)
