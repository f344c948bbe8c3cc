"""What a person may send as a move."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.kif import parse, parse_term
from ggp.server.manager.human import HumanPlayer


@pytest.mark.parametrize(
    ("told", "made"), [("(MARK 1)", "(mark 1)"), ("(go A)", "(go A)"), ("(GO A)", None)]
)
def test_a_move_may_be_sent_in_any_case(told: str, made: str | None) -> None:
    player = HumanPlayer("Ann", takes_time=False)
    player.offer(0, parse("(mark 1) (go a) (go A)"))
    player.make(0, parse_term(told))
    if made is None:
        with pytest.raises(TimeoutError):
            player.play(None, Deadline(0.0))
    else:
        assert player.play(None, Deadline(0.0)) == parse_term(made)
