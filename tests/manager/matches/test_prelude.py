"""The record of a match that began in the middle of another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ggp.gdl import Description
from ggp.match import MatchRecord
from ggp.server.manager.processes.prelude import Prelude
from tests.match.games import PICK
from tests.match.records.replays import opened, played

EARLY, LATE = {"value": 10}, {"value": 90}


@pytest.mark.parametrize("has_source", [True, False])
def test_the_start_clock_of_a_record_is_that_before_its_first_state(has_source: bool) -> None:
    with opened(PICK) as reasoner:
        whole = replace(played(reasoner), start_search=(EARLY, None))
    prelude = Prelude(
        Description.from_text(PICK),
        whole.states[:2],
        whole.moves[:1],
        whole if has_source else None,
    )
    later: MatchRecord = replace(
        whole,
        states=whole.states[1:],
        state_times=whole.state_times[1:],
        moves=whole.moves[1:],
        errors=whole.errors[1:],
        start_search=(LATE, None),
    )
    joined = prelude.joined(later)
    assert joined.states == whole.states
    assert joined.start_search == ((EARLY, None) if has_source else ())
