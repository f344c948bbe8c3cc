"""A role that gives up: the match ends as its loss, and no move is made up."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

import pytest

from ggp.deadline import Deadline, TimeUp
from ggp.kif import Term
from ggp.match import (
    MatchFinished,
    MatchRecord,
    MoveMade,
    Percepts,
    Referee,
    TurnBegan,
    first_mistake,
)
from ggp.reasoner import JointMove, open_reasoner
from tests.match.games import PICK
from tests.match.participants import Fixed
from tests.match.test_referee import settings

pytestmark = pytest.mark.usefixtures("forked")


class Thoughtful(Fixed):
    """Never answers until it is told that the match ends."""

    has_clock = False

    def play(self, joint_move: JointMove | Percepts | None, deadline: Deadline) -> Term:
        with suppress(TimeUp):
            deadline.wait(time.sleep)
        raise TimeoutError


def test_a_role_that_gives_up_loses_and_no_move_is_made_up() -> None:
    for _ in range(5):  # it is a race, which a move that is made up wins now and then
        with Referee(settings(PICK), [Thoughtful("(pick 3)"), Thoughtful("(pick 3)")]) as referee:
            events = []
            for event in referee.run():
                events.append(event)
                if isinstance(event, TurnBegan):
                    referee.give_up(referee.settings.description.roles[1])
            record = referee.record
        assert not [event for event in events if isinstance(event, MoveMade)]
        role = str(record.gave_up)
        assert events[-1] == MatchFinished((100, 0), f"{role} gave up")
        assert (record.is_completed, record.is_aborted, record.moves) == (True, False, ())
        assert MatchRecord.from_json(record.to_json()) == record
        with open_reasoner(referee.settings.description, kind="prolog") as reasoner:
            assert first_mistake(record, reasoner) is None
            wrong = replace(record, goal_values=(0, 100))
            assert "not those of a loss" in str(first_mistake(wrong, reasoner))
