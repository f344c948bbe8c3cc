"""Games that have the same rules in OpenSpiel, and its bots as opponents."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from benchmarks.arena.contenders import Timing
from benchmarks.arena.matches import divisions
from benchmarks.arena.measuring import Pairing, makes, measure
from benchmarks.arena.openspiel.bot import MctsBot, read_options
from benchmarks.arena.openspiel.games import GAMES, Matched, matched
from benchmarks.arena.openspiel.mirror import Mirror
from benchmarks.arena.position import Position
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.kif import Source
from ggp.reasoner.compiled import CompiledReasoner
from tests.games.bundled import declared

RULES = Path(__file__).parents[2] / "benchmarks" / "arena" / "rules"

pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

#: Games that take long to compare.
SLOW = ("amazons", "breakthrough", "checkers", "hex", "nine_mens_morris", "othello", "pentago", "y")


@cache
def initial(name: str) -> Position:
    reasoner = CompiledReasoner(Description.load(GAMES[name].path))
    return Position.initial(reasoner, Mirror.initial(GAMES[name]))


@cache
def announced(name: str) -> tuple[set[str], set[tuple[str, str]]]:
    return declared(Description.load(GAMES[name].path))


def play(name: str, seed: int) -> None:
    """Play at random, and compare moves, end and goals at each step.

    The facts and moves must be among those that `base` and `input` declare.
    """
    position, generator = initial(name), random.Random(seed)
    base, inputs = announced(name)
    while not position.view.terminal:
        assert position.mirror is not None
        assert base.issuperset(map(str, position.reasoner.facts(position.state)))
        for role, legal in zip(position.reasoner.roles, position.view.legal, strict=True):
            assert inputs.issuperset((str(role), str(move)) for move in legal)
        joint_moves = position.mirror.moves(position.view)
        assert len(joint_moves) == position.view.joint_move_count
        assert set(joint_moves.values()) == set(position.view.joint_moves)
        position = position.after(joint_moves[generator.choice(sorted(joint_moves))])


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_are_those_of_openspiel(name: str) -> None:
    for seed in range(5):
        play(name, seed)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_rules_are_those_of_openspiel_in_many_games(name: str) -> None:
    for seed in range(5, 60 if name in SLOW else 300):
        play(name, seed)


@pytest.mark.parametrize("path", sorted(RULES.glob("*.kif")), ids=lambda path: path.stem)
def test_the_rulesheets_have_no_faults(path: Path) -> None:
    assert path.stem in {each.rules for each in GAMES.values()}
    assert list(check(Source.read(path))) == []


def test_other_rules_are_noticed() -> None:
    larger = Matched("connectfour5x5", "connect_four", GAMES["connect_four"].move)
    reasoner = CompiledReasoner(Description.load("connectfour5x5"))
    position = Position.initial(reasoner, Mirror.initial(larger))
    assert position.mirror is not None
    with pytest.raises(GgpError, match="7 actions, but 5 moves"):
        position.mirror.moves(position.view)
    # a game that ends elsewhere
    reasoner = CompiledReasoner(Description.load("tictactoe"))
    position = Position.initial(reasoner, Mirror.initial(Matched("tictactoe", "tic_tac_toe", str)))
    assert position.mirror is not None
    with pytest.raises(GgpError, match="no move"):
        position.mirror.moves(position.view)
    over = position.mirror.state.clone()
    for action in (0, 1, 3, 4, 6):
        over.apply_action(action)
    with pytest.raises(GgpError, match="over in one of them"):
        Mirror(GAMES["tic_tac_toe"], over).check_end(position.view)


def test_a_game_is_found_by_either_name() -> None:
    assert matched("connect_four") is matched("connectfour") is GAMES["connect_four"]
    assert matched("nim") is None


def test_the_bot_wins_against_random_moves() -> None:
    timing = Timing(0.02)
    sides = {
        "a": makes("openspiel:mcts,simulations=300", timing, seed=1),
        "b": makes("random", timing, seed=1),
    }
    for played in divisions(initial("connect_four"), sides):
        assert played.of("a") == [100]
        spent = played.thinking["a"]
        assert 0 < spent.simulations <= 300 * spent.moves


@pytest.mark.timing
def test_the_bot_uses_its_time_and_no_more() -> None:
    """The bot has as many simulations as fit, on average over the moves of a match."""
    begin = initial("breakthrough")
    assert begin.mirror is not None
    bot = makes("openspiel:mcts,time=2", Timing(0.02), seed=1)()
    assert isinstance(bot, MctsBot)
    bot.start(begin, 0)
    moves = 10
    for _ in range(moves):
        assert bot.move(begin) in begin.view.legal[0]
    assert bot.thinking.moves == moves
    assert bot.thinking.seconds == pytest.approx(moves * 0.04, rel=0.3)


def test_a_spec_of_a_bot_is_read() -> None:
    found = read_options("openspiel:mcts,simulations=100,solve=no,time=10")
    assert (found.simulations, found.solve, found.time) == (100, False, 10.0)
    for spec, message in (
        ("openspiel:alphazero", "bots are mcts"),
        ("openspiel:mcts,depth=3", "no option 'depth'"),
        ("openspiel:mcts,time=0", "positive"),
    ):
        with pytest.raises(PlayerError, match=message):
            read_options(spec)


def test_a_game_that_openspiel_does_not_have_is_refused() -> None:
    with pytest.raises(PlayerError, match="connect_four"):
        Pairing("legal", "openspiel:mcts,simulations=2", "nim").check()


def test_our_players_play_a_matched_game_by_its_name() -> None:
    task = Pairing("legal", "random", "connect_four", seconds=0.01, start=0.0).task(0)
    assert len(measure(task)["matches"]) == 2
