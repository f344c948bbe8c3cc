"""What every reasoner must do. To put another one to the test, subclass and name its kind:

class TestProlog(Conformance):
    kind = "prolog"
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pytest

from ggp.gdl import Description
from ggp.reasoner import Reasoner, open_reasoner
from tests.reasoner.games import OpenGame
from tests.reasoner.meaning import EndlessRelations, Meaning
from tests.reasoner.random_play import RandomPlay
from tests.reasoner.spelling import Spelling
from tests.reasoner.states_and_moves import StatesAndMoves


class Conformance(StatesAndMoves, Meaning, EndlessRelations, Spelling, RandomPlay):
    """The whole suite, over a factory that opens reasoners and closes them after the test."""

    #: As `open_reasoner` takes it.
    kind: ClassVar[str]

    @pytest.fixture
    def open_game(self) -> Iterator[OpenGame]:
        with ExitStack() as stack:

            def opened(rules: str) -> Reasoner:
                description = Description.from_text(rules)
                reasoner = open_reasoner(description, kind=self.kind, time_limit=60)
                return stack.enter_context(reasoner)

            yield opened

    def test_it_knows_its_kind(self, open_game: OpenGame) -> None:
        assert self.kind in ("auto", open_game("(role x)").name)
