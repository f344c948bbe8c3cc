from __future__ import annotations

from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.survey import Declared, Survey, declarations, declared, survey
from tests.reasoner.games import LIGHTS

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"


def seen_in(rules: str, *, playouts: int = 20, seed: int = 0) -> Survey:
    with open_reasoner(Description.from_text(rules)) as reasoner:
        return survey(reasoner, deadline=Deadline(), playouts=playouts, seed=seed)


def declared_by(rules: str) -> Declared:
    asking = declarations(Description.from_text(rules))
    assert asking is not None
    with open_reasoner(asking) as reasoner:
        return declared(reasoner)


class TestDeclared:
    def test_base_and_input_are_enumerated(self) -> None:
        found = declared_by(
            "(role a) (role b) (n 1) (n 2) (init (on 2)) (<= (base (on ?n)) (n ?n)) (base end)"
            "(<= (input a (press ?n)) (n ?n)) (input ?role noop)"
            "(<= (legal a (press ?n)) (true (on ?n))) (legal b noop)"
        )
        assert [str(fact) for fact in found.base_facts] == ["(on 1)", "(on 2)", "end"]
        assert [(str(role), str(move)) for role, move in found.moves] == [
            ("a", "(press 1)"),
            ("a", "(press 2)"),
            ("a", "noop"),
            ("b", "noop"),
        ]

    def test_one_of_the_two_is_enough(self) -> None:
        found = declared_by("(role a) (base on) (legal a go)")
        assert (len(found.base_facts), found.moves) == (1, ())

    def test_facts_and_moves_of_the_game_are_left_out(self) -> None:
        """Facts and moves of the game itself, static ones too, are not declarations."""
        found = declared_by("(role a) (init other) (legal a other) (base on) (input a go)")
        assert [str(fact) for fact in found.base_facts] == ["on"]
        assert [str(move) for _, move in found.moves] == ["go"]

    def test_a_game_that_declares_nothing(self) -> None:
        assert declarations(Description.from_text(LIGHTS)) is None

    def test_a_bundled_game(self) -> None:
        asking = declarations(Description.load(GAMES / "tictactoe.kif"))
        assert asking is not None
        with open_reasoner(asking) as reasoner:
            found = declared(reasoner)
        assert len(found.base_facts) == 9 * 2 + 2
        assert len(found.moves) == 2 * 10


class TestSurvey:
    def test_a_game_of_choices_at_the_same_time(self) -> None:
        found = seen_in(LIGHTS, playouts=60)
        assert (found.playouts, found.longest) == (60, 2)
        assert found.states == 1 + 6 + 8
        assert found.facts == 3 + 3
        assert found.moves == 2 * 3
        assert found.branching == 9
        assert not found.turn_taking
        assert not found.constant_sum
        assert found.goals_defined
        assert found.goals_everywhere

    def test_a_game_of_turns(self) -> None:
        with open_reasoner(Description.load(GAMES / "tictactoe.kif")) as reasoner:
            found = survey(reasoner, deadline=Deadline(), playouts=30)
        assert found.turn_taking
        assert found.constant_sum
        assert found.goals_defined
        assert 5 <= found.longest <= 9
        assert 1 < found.branching < 9

    @pytest.mark.parametrize(
        ("goals", "defined", "everywhere", "constant"),
        [
            ("(goal x 1) (goal y 2)", True, True, True),
            ("(goal x 1) (<= (goal y 2) (true j))", True, False, True),
            ("(goal x 1)", False, False, True),
            ("(goal x 1) (goal y 2) (<= (goal y 3) (true j))", False, False, True),
        ],
    )
    def test_properties_of_the_goals_are_found(
        self, goals: str, defined: bool, everywhere: bool, constant: bool
    ) -> None:
        found = seen_in(
            "(role x) (role y) (init i) (legal x go) (legal y go) (<= (next j) (true i))"
            f"(<= terminal (true j)) {goals}"
        )
        assert (found.goals_defined, found.goals_everywhere) == (defined, everywhere)
        assert found.constant_sum == constant
        assert found.turn_taking

    def test_the_same_seed_sees_the_same(self) -> None:
        assert seen_in(LIGHTS, playouts=3, seed=5) == seen_in(LIGHTS, playouts=3, seed=5)

    def test_a_dead_end_ends_a_playout(self) -> None:
        found = seen_in("(role x) (init i)", playouts=4)
        assert (found.playouts, found.longest, found.branching) == (4, 0, 0)
        assert not found.constant_sum

    def test_play_that_never_ends_ends_with_the_clock(self) -> None:
        with open_reasoner(Description.load(GAMES / "walk.kif")) as reasoner:
            reasoner.view(reasoner.initial_state())  # it has begun, however busy the machine is
            deadline = Deadline.after(1)
            found = survey(reasoner, deadline=deadline, playouts=10**9)
        assert deadline.is_over
        assert found.states > 1

    def test_no_time_at_all(self) -> None:
        deadline = Deadline()
        deadline.cancel()
        with open_reasoner(Description.from_text(LIGHTS)) as reasoner:
            assert survey(reasoner, deadline=deadline).playouts == 0

    def test_a_reasoner_that_fails_with_time_left(self) -> None:
        with open_reasoner(Description.from_text(LIGHTS)) as reasoner:
            reasoner.close()
            with pytest.raises(ReasonerError):
                survey(reasoner, deadline=Deadline.after(60))
