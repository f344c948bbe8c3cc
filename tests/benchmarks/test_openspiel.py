"""Games that have the same rules in OpenSpiel, and its bots as opponents."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from benchmarks.arena.contenders import Local, Timing
from benchmarks.arena.matches import divisions, opening
from benchmarks.arena.measuring import Pairing, makes, measure
from benchmarks.arena.openspiel.bot import MctsBot, read_options
from benchmarks.arena.openspiel.games import GAMES, Matched, Steps, matched
from benchmarks.arena.openspiel.mirror import Mirror
from benchmarks.arena.position import Position
from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.kif import Source, Term
from ggp.match import Player, PlayerContext
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from tests.games.bundled import declared

RULES = Path(__file__).parents[2] / "benchmarks" / "arena" / "rules"

pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

#: Games that take long to compare.
SLOW = ("amazons", "breakthrough", "checkers", "hex", "nine_mens_morris", "othello", "pentago", "y")


@cache
def initial(name: str) -> Position:
    reasoner = CompiledReasoner(Description.load(GAMES[name].path))
    return Position.initial(reasoner, GAMES[name], is_mirrored=True)


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
        if position.step == position.steps - 1:
            assert len(joint_moves) == position.view.joint_move_count
        assert set(joint_moves.values()) == set(position.view.joint_moves)
        position = position.after(joint_moves[generator.choice(sorted(joint_moves))])


@pytest.mark.sample(2)
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
    larger = Matched("connectfour5x5", "connect_four", GAMES["connect_four"].moves)
    reasoner = CompiledReasoner(Description.load("connectfour5x5"))
    position = Position.initial(reasoner, larger, is_mirrored=True)
    assert position.mirror is not None
    with pytest.raises(GgpError, match="7 actions, but 5 moves"):
        position.mirror.moves(position.view)
    # a game that ends elsewhere
    reasoner = CompiledReasoner(Description.load("tictactoe"))
    unnamed = Matched("tictactoe", "tic_tac_toe", lambda text: (text,))
    position = Position.initial(reasoner, unnamed, is_mirrored=True)
    assert position.mirror is not None
    with pytest.raises(GgpError, match="no move"):
        position.mirror.moves(position.view)
    over = position.mirror.state.clone()
    for action in (0, 1, 3, 4, 6):
        over.apply_action(action)
    with pytest.raises(GgpError, match="over in one of them"):
        Mirror(GAMES["tic_tac_toe"], over).check_end(position.view)


def made(position: Position, *moves: str) -> Position:
    """Return the position after moves of the roles that are to move; the others pass."""
    for text in moves:
        joint_moves = position.view.joint_moves
        position = position.after(next(each for each in joint_moves if text in map(str, each)))
    return position


def test_an_action_is_made_in_steps() -> None:
    begin = initial("pentago")
    placed = made(begin, "(place 3 2)")
    assert begin.mirror is not None
    assert placed.mirror is not None
    assert (len(begin.mirror.moves(begin.view)), begin.view.joint_move_count) == (288, 36)
    assert (placed.step, placed.mirror.made) == (1, ("(place 3 2)",))
    assert placed.mirror.state.history() == []
    actions = [begin.mirror.state.action_to_string(a) for a in placed.mirror.moves(placed.view)]
    assert sorted(actions) == [f"c2{turn}" for turn in "stuvwxyz"]
    turned = made(placed, "(turn w)")
    assert turned.mirror is not None
    assert (turned.step, turned.mirror.made, turned.mirror.role) == (0, (), 1)
    (action,) = turned.mirror.state.history()
    assert begin.mirror.state.action_to_string(action) == "c2w"


def test_five_stones_in_line_count_after_the_turn() -> None:
    stones = ("1 1", "1 4", "2 1", "2 4", "3 1", "3 4", "4 1", "1 5")
    begun = made(initial("pentago"), *(m for s in stones for m in (f"(place {s})", "(turn w)")))
    placed = made(begun, "(place 5 1)")
    assert not placed.view.terminal
    kept, broken = made(placed, "(turn w)"), made(placed, "(turn u)")
    assert kept.view.terminal
    assert kept.view.goals == (100, 0)
    assert not broken.view.terminal


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (lambda text: (f"(turn {text[2]})", "(place 1 1)"), "8 actions, but 36 moves"),
        (lambda text: (f"(put {text[:2]})", "(turn s)"), "no move .put a1"),
        (lambda text: (*GAMES["pentago"].moves(text)[:1], "(turn s)"), "are the same move"),
    ],
)
def test_steps_of_other_rules_are_noticed(moves: Callable[[str], Steps], said: str) -> None:
    game = replace(GAMES["pentago"], moves=moves)
    begin = Position.initial(initial("pentago").reasoner, game, is_mirrored=True)
    with pytest.raises(GgpError, match=said):
        made(begin, "(place 1 1)", "(turn s)")


def test_an_opening_is_made_of_whole_moves() -> None:
    found = opening(initial("pentago"), random.Random(1), moves=3)
    assert found.mirror is not None
    assert (found.step, found.mirror.made, len(found.mirror.state.history())) == (0, (), 3)


def test_a_game_is_found_by_either_name() -> None:
    assert matched("connect_four") is matched("connectfour") is GAMES["connect_four"]
    assert matched("nim") is None


def test_the_bot_wins_against_random_moves() -> None:
    timing = Timing(0.02)
    sides = {
        "a": makes("openspiel:mcts,simulations=300", timing, seed=1),
        "b": makes("random", timing, seed=1),
    }
    matches = list(divisions(initial("connect_four"), sides))
    assert matches
    for played in matches:
        assert played.of("a") == [100]
        spent = played.thinking["a"]
        assert 0 < spent.simulations <= 300 * spent.moves


def test_the_bot_searches_at_the_first_step_of_an_action() -> None:
    begin = initial("pentago")
    bot = makes("openspiel:mcts,simulations=300", Timing(0.02), seed=1)()
    bot.start(begin, 0)
    first = bot.move(begin)
    assert (bot.thinking.moves, bot.thinking.simulations) == (0, 300)
    placed = made(begin, str(first))
    second = bot.move(placed)
    turned = made(placed, str(second))
    assert (bot.thinking.moves, bot.thinking.simulations) == (1, 300)
    assert turned.mirror is not None
    (action,) = turned.mirror.state.history()
    text = turned.mirror.state.action_to_string(0, action)
    assert GAMES["pentago"].moves(text) == (str(first), str(second))
    # another move is searched anew, and the other role passes
    assert bot.move(turned) == turned.view.legal[0][0]
    assert bot.thinking.simulations == 300
    again = made(turned, str(turned.view.legal[1][0]), "(turn s)")
    assert bot.move(again) in again.view.legal[0]
    assert bot.thinking.simulations == 600


class Watch(Player):
    """Notes the time that it has."""

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        super().start(context, deadline)
        self.found = [context.play_clock]

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        self.found.append(deadline.remaining)
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]


def test_the_steps_of_a_move_share_its_time() -> None:
    begin, player = initial("pentago"), Watch()
    contender = Local(Timing(10.0), lambda: player)
    contender.start(begin, 0)
    placed = made(begin, str(contender.move(begin)))
    assert contender.thinking.moves == 0
    contender.move(placed)
    assert player.found == pytest.approx([5.0, 5.0, 5.0], abs=0.1)
    spent = contender.thinking
    assert (spent.moves, spent.longest) == (1, spent.seconds)


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
