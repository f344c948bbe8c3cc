"""What the adapters say of a play is what the rules say of it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from ggp.adapters.play import Play, load_table
from ggp.errors import PlayerError

pyspiel = pytest.importorskip("pyspiel")
pytest.importorskip("pettingzoo")

from ggp.adapters.gymnasium import RoleEnv, RoleVectorEnv  # noqa: E402
from ggp.adapters.openspiel import GdlGame, GdlState  # noqa: E402
from ggp.adapters.pettingzoo import ParallelGame, TurnGame  # noqa: E402


def loaded(game: str, **parameters: object) -> GdlGame:
    made = pyspiel.load_game("gdl", {"file": game, **parameters})
    assert isinstance(made, GdlGame)
    return made


def count(state: GdlState, depth: int) -> int:
    if depth == 0 or state.is_terminal():
        return depth == 0
    return sum(count(state.child(action), depth - 1) for action in state.legal_actions())


def test_a_rulesheet_counts_what_openspiels_own_game_counts() -> None:
    own = pyspiel.load_game("tic_tac_toe").new_initial_state()
    assert count(loaded("tictactoe").new_initial_state(), 3) == count(own, 3) == 504


def test_text_is_the_board_and_what_it_does_not_show() -> None:
    assert str(Play(load_table("tictactoe"))).splitlines() == [
        "3", "2", "1", "  1 2 3", "(control x)",
    ]  # fmt: skip
    assert "(pile 6)" in str(Play(load_table("nim")))  # it has no board


def test_kinds_of_games() -> None:
    kinds = pyspiel.GameType
    cards, auction = loaded("uptoten").get_type(), loaded("auction").get_type()
    monty, triad = loaded("montyhall").get_type(), loaded("triad").get_type()
    assert cards.chance_mode == kinds.ChanceMode.EXPLICIT_STOCHASTIC
    assert auction.dynamics == kinds.Dynamics.SIMULTANEOUS
    assert monty.information == kinds.Information.IMPERFECT_INFORMATION
    assert triad.utility == kinds.Utility.GENERAL_SUM
    assert loaded("tictactoe").get_type().utility == kinds.Utility.ZERO_SUM


def test_chance_is_uniform_and_hidden_where_it_is_not_perceived() -> None:
    state = loaded("montyhall").new_initial_state()
    outcomes = state.chance_outcomes()
    assert [probability for _, probability in outcomes] == [1 / 3] * 3
    after = [state.child(action) for action, _ in outcomes]
    assert len({str(each) for each in after}) == 3
    assert len({each.information_state_string(0) for each in after}) == 1


def test_a_play_is_cut_with_the_goals_as_they_stand() -> None:
    state = loaded("tictactoe", max_steps=2).new_initial_state()
    state.apply_action(0)
    state.apply_action(1)
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_algorithms_of_openspiel_play_a_rulesheet() -> None:
    from open_spiel.python.algorithms import cfr, exploitability, mcts

    game = loaded("tictactoe")
    bot = mcts.MCTSBot(
        game, 2, 100, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)),
        random_state=np.random.RandomState(1),
    )  # fmt: skip
    state = game.new_initial_state()
    for action in ("(place 1 1)", "(place 2 1)", "(place 1 2)", "(place 2 2)"):
        state.apply_action(state.string_to_action(action))
    assert state.action_to_string(bot.step(state)) == "(place 1 3)"

    turns = pyspiel.convert_to_turn_based(loaded("rockpaperscissors"))
    solver = cfr.CFRSolver(turns)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(turns, solver.average_policy()) < 0.5


def test_a_playthrough_is_repeatable() -> None:
    from open_spiel.python.algorithms.generate_playthrough import playthrough_lines

    lines = playthrough_lines("gdl(file=nim)", seed=3, alsologtostdout=False)
    assert lines == playthrough_lines("gdl(file=nim)", seed=3, alsologtostdout=False)
    assert 'GameType.short_name = "gdl"' in lines
    assert "IsTerminal() = True" in lines


def test_agents_act_by_turns_and_others_have_no_moves() -> None:
    env = TurnGame("tictactoe")
    env.reset(seed=1)
    for agent in ("x", "o", "x"):
        assert env.agent_selection == agent
        waiting = env.observe("o" if agent == "x" else "x")
        assert not waiting["action_mask"].any()
        env.step(int(np.flatnonzero(env.observe(agent)["action_mask"])[0]))
    assert str(env.play).splitlines()[2].split() == ["1", "x"]


def test_hidden_choices_are_made_one_after_the_other() -> None:
    env = TurnGame("rockpaperscissors")
    env.reset()
    first, second = env.possible_agents
    before = env.observe(second)["observation"].tolist()
    env.step(0)
    assert env.agent_selection == second
    assert env.observe(second)["observation"].tolist() == before
    env.step(0)
    assert env.terminations == {first: True, second: True}


def test_a_move_that_is_not_legal_is_replaced_and_reported() -> None:
    env = ParallelGame("tictactoe")
    observations, _ = env.reset(seed=3)
    illegal = {agent: int(np.flatnonzero(seen["action_mask"] == 0)[0])
               for agent, seen in observations.items()}  # fmt: skip
    *_, infos = env.step(illegal)
    assert infos == {"x": {"illegal": True}, "o": {"illegal": True}}
    assert env.play.steps == 1


def test_one_role_against_a_player() -> None:
    env = RoleEnv("nim", role="first", opponents={"second": "legal"})
    _, info = env.reset(seed=1)
    total = 0.0
    for _ in range(100):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, reward, ended, cut, info = env.step(action)
        total += reward
        if ended or cut:
            break
    assert ended
    assert total in (0, 1)
    with pytest.raises(PlayerError):
        RoleEnv("nim", opponents={"second": "no_such_player"})
    with pytest.raises(ValueError, match="no role z, but x, o"):
        RoleEnv("tictactoe", role="z")


def test_many_plays_of_one_role() -> None:
    env = RoleVectorEnv("tictactoe", 300, role="o")
    observations, info = env.reset(seed=4)
    assert (observations.sum(axis=1) == observations[0].sum()).all()
    ends, rewards = 0, 0.0
    for _ in range(12):
        actions = info["action_mask"].argmax(axis=1)
        observations, reward, ended, cut, info = env.step(actions)
        assert env.observation_space.contains(observations)
        assert not cut.any()
        assert (reward[~ended] == 0).all()
        ends, rewards = ends + int(ended.sum()), rewards + float(reward.sum())
    assert ends > 500
    assert 0.1 < rewards / ends < 0.6  # the second role, with its first legal moves


def test_the_play_of_a_table_is_copied_and_pickled() -> None:
    import pickle
    from copy import deepcopy

    play = Play(load_table("tictactoe"))
    play.act(0, play.legal(0)[0])
    for copied in (deepcopy(play), pickle.loads(pickle.dumps(play))):
        before = str(play)
        copied.act(copied.acting[0], copied.legal(copied.acting[0])[0])
        assert (str(play), copied.steps) == (before, 2)


@pytest.mark.parametrize("kind", [TurnGame, ParallelGame, RoleEnv])
def test_frames_are_pictures_of_one_size(kind: Any) -> None:
    pytest.importorskip("resvg_py")
    env = kind("nim", render_mode="rgb_array")  # the longer its line of text, the wider a picture
    env.reset(seed=1)
    frames = [env.render()]
    many = env.table.game.states([[f"(pile {n})" for n in range(7)]])
    env.play.position = env.table.game.single.of(many.words)
    frames.append(env.render())
    assert frames[0].shape == frames[1].shape
    assert (frames[0] != frames[1]).any()


@pytest.mark.parametrize("kind", [TurnGame, ParallelGame, RoleEnv])
def test_a_render_mode_that_does_not_exist(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"render_mode is one of ansi, .*svg, or None, not film"):
        kind("nim", render_mode="film")


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("gymnasium", "gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("openspiel", "pyspiel", "openspiel"),
    ],
)
def test_an_adapter_without_its_library_names_the_extra(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"ggp.adapters.{module}")
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'ggp\[{extra}\]'"):
        import_module(f"ggp.adapters.{module}")


def test_gymnasium_makes_the_bundled_games_by_name() -> None:
    import gymnasium

    env: Any = gymnasium.make("ggp/tictactoe", role="o")
    observation, info = env.reset(seed=1)
    assert observation in env.observation_space
    assert info["action_mask"].sum() == 8
    envs: Any = gymnasium.make_vec("ggp/tictactoe", num_envs=3)
    assert envs.reset(seed=1)[0].shape == (3, len(load_table("tictactoe").game.facts))
    assert gymnasium.make("ggp/rulesheet", file="nim").unwrapped.role == 0  # type: ignore[attr-defined]


@pytest.mark.long
def test_planes_are_those_of_the_display() -> None:
    from ggp.display import Planes

    planes = Planes.of(load_table("connectfour").game)
    env, many = (
        RoleEnv("connectfour", observations="planes"),
        RoleVectorEnv("connectfour", 3, observations="planes"),
    )
    turns = TurnGame("connectfour", observations="planes")
    turns.reset(seed=1)
    begun = planes.observe(load_table("connectfour").game.init().observation)[0]
    for observed in (
        env.reset(seed=1)[0],
        many.reset(seed=1)[0][2],
        turns.last()[0]["observation"],
    ):
        assert observed.shape == planes.shape == (4, 6, 7)
        assert (observed == begun).all()
    assert env.step(np.int64(3))[0] in env.observation_space
    with pytest.raises(ValueError, match="hides something"):
        RoleEnv("montyhall", observations="planes")
    with pytest.raises(ValueError, match='"facts" or "planes"'):
        RoleEnv("nim", observations="pixels")
