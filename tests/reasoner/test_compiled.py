from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ggp.errors import ReasonerError
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
