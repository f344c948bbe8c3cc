"""Conformance: random playouts."""

from __future__ import annotations

from math import sqrt

import pytest

from ggp.errors import GameError
from ggp.reasoner import Reasoner, State
from tests.reasoner.games import LIGHTS, ONE_STATE, OpenGame, after

# The right move in each state ends the game; so the shorter a game, the better it went.
LADDER = """
(role climber) (role wind)
(init (rung 3))
(below 3 2) (below 2 1) (below 1 0)
(<= (legal climber up) (true (rung ?n)))
(<= (legal climber stay) (true (rung ?n)) (distinct ?n 3))
(<= (legal climber jump) (true (rung 1)))
(legal wind calm) (<= (legal wind gust) (true (rung 2)))
(<= (next (rung ?m)) (does climber up) (does wind calm) (true (rung ?n)) (below ?n ?m))
(<= (next (rung ?n)) (does climber up) (does wind gust) (true (rung ?n)))
(<= (next (rung ?m)) (does climber stay) (true (rung ?n)) (below ?n ?m))
(<= (next fallen) (does climber jump))
(<= terminal (true (rung 0))) (<= terminal (true fallen))
(<= (goal climber 100) (true (rung 0))) (<= (goal climber 0) (not (true (rung 0))))
(<= (goal wind 90) (true fallen)) (<= (goal wind 20) (not (true fallen)))
"""


def mean_goals(reasoner: Reasoner, state: State) -> list[float]:
    """What uniformly random play gives on average, by enumeration; loops count as their limit."""
    values: dict[State, list[float]] = {}

    def visit(state: State) -> list[float]:
        if state not in values:
            expansion = reasoner.expand(state)
            if expansion.terminal:
                values[state] = [float(goal or 0) for goal in expansion.goals]
            else:
                others = [visit(s) for s in expansion.successors if s != state]
                values[state] = [sum(column) / len(others) for column in zip(*others, strict=True)]
        return values[state]

    return visit(state)


class RandomPlay:
    def test_the_same_seed_gives_the_same_playouts(self, open_game: OpenGame) -> None:
        found = []
        for seed in (7, 7, 8):
            reasoner = open_game(LIGHTS)
            found.append(reasoner.playouts(reasoner.initial_state(), count=40, seed=seed))
        assert found[0] == found[1]
        assert found[0] != found[2]

    def test_earlier_queries_do_not_matter(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.initial_state()
        before = reasoner.playouts(state, count=20, seed=1)
        reasoner.expand(after(reasoner, ("(switch 1)", "(switch 2)")))
        reasoner.playouts(state, count=3, seed=2)
        assert reasoner.playouts(state, count=20, seed=1) == before

    def test_every_playout_goes_to_the_end(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        played = reasoner.playouts(reasoner.initial_state(), count=50, seed=3)
        assert len(played) == 50
        assert {playout.steps for playout in played} == {2}
        assert {goal for playout in played for goal in playout.goals} == {0, 100}
        assert reasoner.playouts(reasoner.initial_state(), count=0, seed=3) == []

    @pytest.mark.parametrize("game", [LIGHTS, LADDER])
    def test_on_average_they_end_as_enumeration_predicts(
        self, open_game: OpenGame, game: str
    ) -> None:
        reasoner = open_game(game)
        state, count = reasoner.initial_state(), 4000
        played = reasoner.playouts(state, count=count, seed=11)
        for role, expected in enumerate(mean_goals(reasoner, state)):
            mean = sum(playout.goals[role] or 0 for playout in played) / count
            # Six standard errors of a goal that is at most 100 apart from another one.
            assert abs(mean - expected) < 6 * 50 / sqrt(count)

    @pytest.mark.parametrize("game", [LIGHTS, LADDER])
    def test_totals_are_those_of_the_playouts(self, open_game: OpenGame, game: str) -> None:
        reasoner = open_game(game)
        state = reasoner.initial_state()
        played = reasoner.playouts(state, count=30, seed=5)
        totals = reasoner.playout_totals(state, count=30, seed=5)
        goals = [
            [goal or 0 for goal in own] for own in zip(*(p.goals for p in played), strict=True)
        ]
        assert (totals.playouts, totals.steps) == (30, sum(p.steps for p in played))
        assert totals.goals == tuple(map(sum, goals))
        assert totals.ranges == tuple((min(own), max(own)) for own in goals)

    def test_a_missing_goal_counts_as_nothing_in_totals(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (role y) (init i) terminal (goal x 40) (goal x 50) (goal y 60)"
        )
        totals = reasoner.playout_totals(reasoner.initial_state(), count=3, seed=1)
        assert (totals.goals, totals.ranges) == ((0, 180), ((0, 0), (60, 60)))
        none = reasoner.playout_totals(reasoner.initial_state(), count=0, seed=1)
        assert (none.goals, none.ranges) == ((0, 0), ())

    def test_they_start_in_any_state(self, open_game: OpenGame) -> None:
        reasoner = open_game(LADDER)
        (fallen,) = {
            state
            for state in reasoner.expand(after(reasoner, *[("up", "calm")] * 2)).successors
            if reasoner.text(state) == "fallen"
        }
        assert [(p.goals, p.steps) for p in reasoner.playouts(fallen, count=2, seed=1)] == [
            ((0, 90), 0)
        ] * 2

    def test_a_playout_may_be_cut_short(self, open_game: OpenGame) -> None:
        reasoner = open_game(ONE_STATE + "(<= (goal x 40) (true here))")
        state = reasoner.initial_state()
        for limit in (0, 1, 25):
            (playout,) = reasoner.playouts(state, count=1, seed=1, max_steps=limit)
            assert (playout.goals, playout.steps) == ((40,), limit)

    def test_a_missing_goal_is_none(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (role y) (init i) terminal (goal x 40) (goal x 50) (goal y 0)"
        )
        (playout,) = reasoner.playouts(reasoner.initial_state(), count=1, seed=1)
        assert playout.goals == (None, 0)

    def test_a_role_without_a_move_is_the_games_error(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (role y) (init i) (legal x go)")
        with pytest.raises(GameError, match="no legal move"):
            reasoner.playouts(reasoner.initial_state(), count=1, seed=1)
        assert not reasoner.is_terminal(reasoner.initial_state())  # it goes on
