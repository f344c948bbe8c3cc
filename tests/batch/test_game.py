"""Batches say of each state what the reference says of it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp import Description, Game, States
from ggp.errors import GameError, IllegalMove, ReasonerError
from ggp.kif import Term
from ggp.reasoner import View
from tests.batch.games import load, reference, small

#: One and many roles, turns and simultaneous moves, chance, loops of rules, missing goals.
GAMES = (
    "tictactoe",
    "breakthrough",
    "eightpuzzle",
    "montyhall",
    "rockpaperscissors",
    "triad",
    "tron",
    "uptoten",
)

#: Two roles of which one waits, or both choose; then chance; then the end.
PHASES = """
(role a) (role random) (role b) (init (phase 1)) (next_phase 1 2) (next_phase 2 3) (next_phase 3 4)
(<= (legal a (say ?x)) (true (phase 1)) (word ?x)) (word hello) (word bye)
(<= (legal b wait) (true (phase 1)))
(<= (legal ?r (say ?x)) (true (phase 2)) (player ?r) (word ?x)) (player a) (player b)
(<= (legal ?r wait) (true (phase 3)) (player ?r))
(<= (legal random idle) (true (phase ?n)) (distinct ?n 3))
(<= (legal random ?side) (true (phase 3)) (side ?side)) (side heads) (side tails)
(<= (next (phase ?m)) (true (phase ?n)) (next_phase ?n ?m))
(<= (next (flipped ?side)) (does random ?side) (side ?side))
(<= terminal (true (phase 4)))
(<= (goal a 100) (true (flipped heads))) (<= (goal a 0) (true (flipped tails)))
(<= (goal b 30) terminal) (<= (goal b 70) terminal)
"""

STUCK = "(role a) (role b) (init i) (legal a go) (<= (legal b go) (true j)) (<= (next i) (true i))"


def legal_terms(game: Game, states: States, index: int) -> tuple[tuple[Term, ...], ...]:
    mask = states.legal[index]
    return tuple(
        tuple(moves[k] for k in np.flatnonzero(mask[role])) for role, moves in enumerate(game.moves)
    )


def as_view(game: Game, states: States, index: int) -> View:
    goals = [None if goal == -1 else int(goal) for goal in states.goals[index]]
    return View(bool(states.terminated[index]), tuple(goals), legal_terms(game, states, index))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**63 - 1), n=st.integers(1, 70), steps=st.integers(0, 12))
def test_random_play_is_that_of_the_reference(name: str, seed: int, n: int, steps: int) -> None:
    game, prolog = load(name), reference(name)
    states = game.init(n)
    known = [prolog.initial_state()] * n
    for step in range(steps + 1):
        for index in {0, n // 2, n - 1}:
            assert states.facts(index) == prolog.facts(known[index])
            assert as_view(game, states, index) == prolog.view(known[index])
        moves = game.random_moves(states, seed=seed + step)
        going = np.flatnonzero(~states.terminated).tolist()
        after = prolog.step_all(
            [known[i] for i in going], [game.names(moves[i].tolist()) for i in going]
        )
        for index, state in zip(going, after, strict=True):
            known[index] = state
        states = game.step(states, moves)


@given(seed=st.integers(0, 2**63 - 1), n=st.integers(1, 600), steps=st.integers(0, 9))
def test_what_states_say_is_consistent(seed: int, n: int, steps: int) -> None:
    game = load("connectfour")
    states = game.init(n)
    for step in range(steps):
        states = game.step(states, game.random_moves(states, seed=seed + step))
    mask, player = states.legal_action_mask, states.current_player
    assert (player == steps % 2)[~states.terminated].all()
    assert (mask == states.legal[np.arange(n), player]).all()
    assert (states.rewards == np.where(states.terminated[:, None], states.goals / 100, 0)).all()
    for index in (0, n - 1):
        facts = [game.facts[k] for k in np.flatnonzero(states.observation[index])]
        assert tuple(facts) == states.facts(index)
        assert game.states([facts]) == states[index] == states[index - n]
    chosen = np.flatnonzero(mask[:, 0])
    assert States(game, states.words[chosen]).goals.tolist() == states[chosen].goals.tolist()
    assert states[::2].terminated.tolist() == states.terminated[::2].tolist()


def test_moves_of_the_current_player_alone() -> None:
    game = load("tictactoe")
    states = game.init(2)
    a, b = game.move_number(0, "(place 1 1)"), game.move_number(0, "(place 2 3)")
    states = game.step(states, [a, b])
    assert states.current_player.tolist() == [1, 1]
    assert "(mark 1 1 x)" in map(str, states.facts(0))
    assert "(mark 2 3 x)" in map(str, states.facts(1))
    full = np.array([[game.move_number(0, "noop"), game.move_number(1, "(place 2 2)")]] * 2)
    alone = full[:, 1]
    assert game.step(states, full) == game.step(states, alone)


def test_who_moves_where_several_roles_choose_and_where_chance_does() -> None:
    game = small(PHASES)
    assert game.chance == 1
    states = game.init(40)
    assert set(states.current_player.tolist()) == {0}
    states = game.step(states, [game.move_number(0, "(say bye)")] * 40)
    assert set(states.current_player.tolist()) == {-1}
    assert not states.legal_action_mask.any()
    with pytest.raises(IllegalMove, match="several roles choose in state 0"):
        game.step(states, np.zeros(40, int))
    states = game.step(states, game.random_moves(states))
    assert set(states.current_player.tolist()) == {1}
    tails = game.step(states, [game.move_number(1, "tails")] * 40)
    assert tails.goals.tolist() == [[0, -1, -1]] * 40  # `random` has no goal, b has two
    assert (tails.rewards == 0).all()
    drawn = game.step(states, np.full((40, 3), -1), seed=5)
    assert drawn == game.step(states, np.full((40, 3), -1), seed=5)
    assert 5 < (drawn.goals[:, 0] == 100).sum() < 35


def test_what_follows_the_end() -> None:
    game = load("rockpaperscissors")
    states = game.init(3)
    while not states.terminated.all():
        states = game.step(states, game.random_moves(states, seed=1))
    assert game.step(states, np.zeros((3, 2), int)) == states
    assert game.step(states, np.zeros((3, 2), int), auto_reset=True) == game.init(3)


def test_every_legal_move_is_drawn_equally_often() -> None:
    game = load("breakthrough")
    states = game.init(22_000)
    moves, counts = np.unique(game.random_moves(states, seed=3)[:, 0], return_counts=True)
    assert moves.tolist() == np.flatnonzero(states.legal[0, 0]).tolist()
    # 22 moves: the sum of squares is chi-squared with 21 degrees of freedom
    assert ((counts - 1000) ** 2 / 1000).sum() < 47


@pytest.mark.parametrize(
    ("moves", "error", "message"),
    [
        ([[0, 0]], ValueError, "shape"),
        ([[0.5, 0]] * 2, ValueError, "integers"),
        ([0, 99], IllegalMove, "has no move 99"),
        ([-7, 0], IllegalMove, "has no move -7"),
        ([[1, 1]] * 2, IllegalMove, "may not do"),
    ],
)
def test_wrong_moves(moves: list[object], error: type[Exception], message: str) -> None:
    game = load("tictactoe")
    with pytest.raises(error, match=message):
        game.step(game.init(2), moves)  # type: ignore[arg-type]


def test_a_role_without_a_move() -> None:
    game = small(STUCK)
    with pytest.raises(GameError, match="b has no legal move in state 0"):
        game.random_moves(game.init(2))
    with pytest.raises(IllegalMove, match="b has no legal move in state 0"):
        game.step(game.init(2), [[0, -1]] * 2)


def test_names_that_the_game_does_not_have() -> None:
    game = load("tictactoe")
    with pytest.raises(ValueError, match="no fact"):
        game.states([["(mark 9 9 x)"]])
    with pytest.raises(IllegalMove, match="never has the move"):
        game.move_number(0, "(place 4 4)")


def test_a_game_that_cannot_be_compiled() -> None:
    rules = "(role a) (init (n 0)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))"
    with pytest.raises(ReasonerError):
        Game(Description.from_text(rules), time_limit=20)


def test_no_states_and_other_libraries() -> None:
    game = load("tictactoe")
    none = game.init(0)
    assert len(game.step(none, game.random_moves(none))) == 0
    assert none.legal.shape == (0, 2, game.num_actions)
    assert game.playouts(none).shape == (0, 2)
    states = game.init(2)
    for array in (states.legal, states.observation, states.rewards, game.playouts(states)):
        assert (np.from_dlpack(array) == array).all()


def test_another_process_gets_a_game_of_its_own() -> None:
    game = load("tictactoe")
    states = game.step(game.init(3), game.random_moves(game.init(3), seed=1))
    copied = pickle.loads(pickle.dumps(states))
    assert copied.game is not game
    assert copied.game.name == "tictactoe"
    assert (copied.words == states.words).all()
    moves = game.random_moves(states, seed=2)
    assert (copied.game.step(copied, moves).words == game.step(states, moves).words).all()


def test_there_is_no_negative_number_of_states() -> None:
    with Game.load("tictactoe") as game:
        assert len(game.init(0)) == 0
        with pytest.raises(ValueError, match="-1 states"):
            game.init(-1)


def test_the_same_seed_in_each_step_draws_other_moves_as_play_goes_on() -> None:
    game = load("connectfour")
    states = game.init(20_000)
    while not states.terminated.all():
        states = game.step(states, game.random_moves(states, seed=1))
    wins = states.rewards.mean(axis=0)
    assert wins == pytest.approx(game.playouts(game.init(1), 20_000, seed=1)[0] / 100, abs=0.02)


def test_the_same_seed_draws_the_same_moves_for_the_same_states() -> None:
    game = load("triad")
    states = game.init(100)
    first = game.random_moves(states, seed=3)
    assert (game.random_moves(game.init(100), seed=3) == first).all()
    assert (game.random_moves(states, seed=4) != first).any()


def test_states_are_put_together() -> None:
    game = load("tictactoe")
    parts = [game.init(2), game.step(game.init(1), [[0, -1]])]
    whole = game.concatenate(parts)
    assert len(whole) == 3
    assert (whole[:2], whole[2]) == tuple(parts)
    assert len(game.concatenate([])) == 0


def test_roles_go_by_name_or_number() -> None:
    game = load("tictactoe")
    assert game.move_number("o", "(place 1 1)") == game.move_number(1, "(place 1 1)")
    for role in ("z", 2, -1):
        with pytest.raises(ValueError, match=f"tictactoe has no role {role}, but"):
            game.move_number(role, "noop")
