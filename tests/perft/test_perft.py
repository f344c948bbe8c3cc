from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerError, ReasonerTimeout
from ggp.gdl import Description
from ggp.perft import Perft, fingerprint, perft
from ggp.reasoner import MAX_JOINT_MOVES, Reasoner, State, bounded, open_reasoner
from tests.reasoner.games import LIGHTS
from tests.reasoner.processes import ENDLESS_QUESTION

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"

#: Ends at several depths, sometimes without a goal, and where a role has no move.
RAGGED = """
(role a) (role b)
(init (left 2)) (follows 2 1) (follows 1 0)
(<= (legal a take) (not (true stuck)))
(<= (legal a stop) (true (left 1)))
(<= (legal a jam) (true (left 2)))
(legal b wait) (<= (legal b help) (true (left 2)))
(<= (next (left ?m)) (does a take) (does b wait) (true (left ?n)) (follows ?n ?m))
(<= (next (left 0)) (does b help))
(<= (next stopped) (does a stop))
(<= (next stuck) (does a jam))
(<= terminal (true (left 0))) (<= terminal (true stopped))
(<= (goal a 100) (true (left 0))) (<= (goal a 40) (true stopped))
(<= (goal b 30) (true (left 0))) (<= (goal b 30) (true stopped)) (<= (goal b 70) (true stopped))
"""


@pytest.fixture
def lights() -> Iterator[tuple[Description, Reasoner]]:
    description = Description.from_text(LIGHTS)
    with open_reasoner(description) as reasoner:
        yield description, reasoner


def counted(
    description: Description, *, depth: int | None = None, max_states: int | None = None
) -> Perft:
    with open_reasoner(description) as reasoner:
        return perft(description, reasoner, depth=depth, max_states=max_states)


def game(name: str) -> Description:
    return Description.load(GAMES / f"{name}.kif")


def md5(text: str) -> int:
    return int(hashlib.md5(text.encode()).hexdigest()[:16], 16)


def brute_force(reasoner: Reasoner, depth: int) -> list[dict[str, Any]]:
    """The layers, by going through every single path."""
    layers: list[dict[str, Any]] = []
    paths: list[State] = [reasoner.initial_state()]
    for d in range(depth + 1):
        views = {state: reasoner.expand(state) for state in set(paths)}
        ends = [s for s in paths if views[s].terminal]
        live = [view for view in views.values() if not view.terminal]
        vectors = {
            state: ",".join("E" if goal is None else str(goal) for goal in view.goals)
            for state, view in views.items()
        }
        fp = 0
        for state in views:
            fp ^= md5("\n".join(sorted(str(fact) for fact in reasoner.facts(state))))
        distinct = Counter(vectors[state] for state in set(ends))
        by_path = Counter(vectors[state] for state in ends)
        layers.append(
            {
                "d": d,
                "states": len(views),
                "paths": len(paths),
                "fp": f"{fp:016x}",
                "terminal_states": len(set(ends)),
                "terminal_paths": len(ends),
                "goals": {vector: [distinct[vector], by_path[vector]] for vector in distinct},
                "legal_sum": [
                    sum(len(view.legal[role]) for view in live)
                    for role in range(len(reasoner.roles))
                ],
                "joint_sum": sum(len(view.successors) for view in live),
            }
        )
        paths = [successor for state in paths for successor in views[state].successors]
        if not paths:
            break
    return layers


@pytest.mark.parametrize(
    ("rules", "depth"),
    [(LIGHTS, 9), (RAGGED, 9), ("nim", 4), ("tictactoe", 3), ("rockpaperscissors", 2), ("walk", 5)],
)
def test_every_count_agrees_with_brute_force(rules: str, depth: int) -> None:
    description = game(rules) if rules.isalpha() else Description.from_text(rules)
    with open_reasoner(description) as reasoner:
        found = json.loads(json.dumps(perft(description, reasoner, depth=depth).to_json()))
        expected = brute_force(reasoner, depth)
        root = reasoner.initial_state()
        assert found["layers"] == expected
        assert found["states"] == [layer["states"] for layer in expected]
        assert found["paths"][: len(expected)] == [layer["paths"] for layer in expected]
        assert found["roles"] == [str(role) for role in reasoner.roles]
        assert found["n_rules"] == len(description.terms)
        assert found["init_size"] == len(reasoner.facts(root))
        assert found["init_fp"] == expected[0]["fp"] == f"{md5(reasoner.text(root)):016x}"
        assert found["init_goals"] == list(reasoner.goals(root))


def test_the_numbers_of_tic_tac_toe() -> None:
    counts = counted(game("tictactoe"))
    assert counts.states == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert counts.paths[:10] == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert counts.reachable_states == 5478


def test_a_role_without_exactly_one_goal_is_marked() -> None:
    counts = counted(Description.from_text(RAGGED))
    vectors = {vector for layer in counts.layers for vector in layer.goals or ()}
    assert vectors == {"100,30", "40,E"}


def test_the_fingerprint_is_of_the_facts_one_a_line() -> None:
    assert f"{fingerprint('(cell 1 1 b)'):016x}" == hashlib.md5(b"(cell 1 1 b)").hexdigest()[:16]
    assert fingerprint("é\nb") == md5("é\nb")


class TestWhyItStops:
    def test_everything_was_expanded(self) -> None:
        counts = counted(Description.from_text(LIGHTS))
        assert (counts.stop, counts.complete) == ("complete", True)
        assert counts.reachable_states == sum(counts.states) == 1 + 6 + 8
        assert len(counts.paths) == len(counts.states) + 1
        assert counts.paths[-1] == 0

    @pytest.mark.long
    def test_play_can_go_round(self) -> None:
        counts = counted(game("walk"))
        assert (counts.stop, counts.complete, counts.reachable_states) == ("cycle", True, 64)

    def test_the_depth_was_reached(self) -> None:
        counts = counted(game("tictactoe"), depth=2)
        assert (counts.stop, counts.complete, counts.reachable_states) == ("maxdepth", False, None)
        assert counts.states == [1, 9, 72]
        assert counts.paths == [1, 9, 72, 504]  # the moves of the last layer are counted, too
        assert "reachable_states" not in counts.to_json()

    def test_a_depth_just_as_deep_as_the_game_is_complete(self) -> None:
        for depth, stop in ((1, "maxdepth"), (2, "complete"), (3, "complete")):
            assert counted(Description.from_text(LIGHTS), depth=depth).stop == stop

    def test_depth_zero_looks_at_the_initial_state_only(self) -> None:
        counts = counted(game("tictactoe"), depth=0)
        assert (counts.states, counts.paths, counts.stop) == ([1], [1, 9], "maxdepth")

    @pytest.mark.parametrize(("max_states", "layers"), [(1, 1), (9, 1), (10, 2), (81, 2), (82, 3)])
    def test_no_more_states_than_allowed(self, max_states: int, layers: int) -> None:
        counts = counted(game("tictactoe"), max_states=max_states)
        assert (counts.stop, counts.complete) == ("states", False)
        assert len(counts.layers) == layers
        assert sum(counts.states) <= max_states

    def test_just_enough_states_are_enough(self) -> None:
        assert counted(Description.from_text(LIGHTS), max_states=15).stop == "complete"
        assert counted(Description.from_text(LIGHTS), max_states=14).stop == "states"

    def test_too_many_joint_moves_in_a_state(self) -> None:
        roles = "".join(f"(role r{i})" for i in range(4))
        numbers = "".join(f"(n {i})" for i in range(40))
        many = f"{roles} {numbers} (init i) (<= (legal ?r ?n) (role ?r) (n ?n) (true i))"
        counts = counted(Description.from_text(many))
        assert MAX_JOINT_MOVES < 40**4
        assert counts.stop == f"joint_moves {40**4}"
        assert (counts.states, counts.paths, counts.complete) == ([1], [1, 40**4], False)
        assert counts.layers[0].legal_sum == [40] * 4

    def test_the_clock_ran_out(self, lights: tuple[Description, Reasoner]) -> None:
        deadline = Deadline()
        deadline.cancel()
        counts = perft(*lights, deadline=deadline)
        assert (counts.stop, counts.complete, counts.states) == ("interrupted", False, [])
        assert counts.init_size == 1

    def test_a_deadline_that_is_cancelled_keeps_what_was_counted(
        self, lights: tuple[Description, Reasoner]
    ) -> None:
        deadline = Deadline()

        def cancel(counts: Perft, _states: int) -> None:
            if len(counts.layers) == 2:
                deadline.cancel()

        counts = perft(*lights, deadline=deadline, progress=cancel)
        assert (counts.stop, counts.states, counts.paths) == ("interrupted", [1, 6], [1, 9, 81])
        assert counts.layers[1].joint_sum == 54

    def test_a_question_that_outlasts_the_clock(self) -> None:
        slow = """
            (role x) (init i) (legal x go) (<= (next j) (does x go)) (<= terminal (true j))
            (<= (goal x 1) (true j) (grow z)) (<= (grow ?n) (true j) (grow (s ?n)))
        """
        description, deadline = Description.from_text(slow), Deadline()
        stopper = threading.Timer(0.3, deadline.cancel)
        with (
            open_reasoner(description, kind="auto") as reasoner,
            bounded(reasoner, deadline=deadline),
        ):
            counts = perft(
                description, reasoner, deadline=deadline, progress=lambda *_: stopper.start()
            )
        stopper.join()
        assert counts.stop == "interrupted"
        assert counts.states == [1, 1]
        assert counts.layers[0].joint_sum == 1
        assert counts.layers[1].to_json().keys() == {"d", "states", "paths", "fp"}

    def test_nothing_could_be_counted_in_time(self) -> None:
        description, deadline = Description.from_text(ENDLESS_QUESTION), Deadline.after(0.5)
        with (
            open_reasoner(description, kind="auto") as reasoner,
            bounded(reasoner, deadline=deadline),
            pytest.raises(ReasonerTimeout, match="before the initial state was known"),
        ):
            perft(description, reasoner, deadline=deadline)


class TestFailing:
    def test_a_reasoner_that_fails_with_time_left(
        self, lights: tuple[Description, Reasoner]
    ) -> None:
        description, reasoner = lights
        reasoner.close()
        with pytest.raises(ReasonerError):
            perft(description, reasoner, deadline=Deadline.after(60))

    def test_a_game_that_misbehaves(self) -> None:
        with pytest.raises(GameError, match="not ground"):
            counted(Description.from_text("(role x) (init i) (legal x go) (<= (next ?f) (true i))"))


def test_progress_is_told_layer_by_layer(lights: tuple[Description, Reasoner]) -> None:
    told: list[tuple[int, int]] = []
    perft(*lights, progress=lambda counts, found: told.append((len(counts.layers), found)))
    assert told == [(1, 6), (2, 8)]
