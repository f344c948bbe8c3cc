from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ggp.errors import NoLegalMove, ReasonerError
from ggp.gdl import Description
from ggp.reasoner import Reasoner, open_reasoner
from tests.reasoner.conformance import Conformance
from tests.reasoner.games import OpenGame


class TestCompiled(Conformance):
    kind = "compiled"

    @pytest.fixture
    def open_game(self) -> Iterator[OpenGame]:
        """Open games; what would ground without end is for Prolog alone."""
        with ExitStack() as stack:

            def opened(rules: str) -> Reasoner:
                description = Description.from_text(rules)
                try:
                    reasoner = open_reasoner(
                        description, kind=self.kind, time_limit=60, memory_limit=1 << 30
                    )
                except ReasonerError as error:
                    if "nest without end" in str(error) or "nothing bounds" in str(error):
                        pytest.skip(str(error))
                    raise
                return stack.enter_context(reasoner)

            yield opened


#: Two roles climb; one that has gone up seven times without a step down is stuck.
CLIMB = """
(role x) (role y) (init (at x 0)) (init (at y 0)) %s
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r up) (true (at ?r ?n)) (succ ?n ?m))
(<= (legal ?r down) (true (at ?r ?n)) (succ ?n ?m))
(<= (next (at ?r ?m)) (does ?r up) (true (at ?r ?n)) (succ ?n ?m))
(<= (next (at ?r 0)) (does ?r down))
(<= terminal (true (at x 9)))
"""
CLOCK = """(init (even)) (<= (next (odd)) (true (even))) (<= (next (even)) (true (odd)))"""


@pytest.mark.parametrize("clock", ["", CLOCK])
@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_role_that_is_rarely_stuck_is_named_with_the_state(clock: str, is_recorded: bool) -> None:
    with open_reasoner(Description.from_text(CLIMB % clock), kind="compiled") as reasoner:
        play = reasoner.playouts if is_recorded else reasoner.playout_totals
        with pytest.raises(NoLegalMove, match=r"no legal move in a state .*: \( ") as raised:
            play(reasoner.initial_state(), count=1_000, seed=1)
        stuck, _, facts = str(raised.value).partition(": no legal move")
        for role in ("x", "y"):
            assert (role in stuck.split(", ")) == (f"(at {role} 7)" in facts)
        assert ("(even)" in facts) + ("(odd)" in facts) == bool(clock)
