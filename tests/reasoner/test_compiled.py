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
        """Open games; those that cannot be grounded, or not to an end, are for Prolog alone."""
        with ExitStack() as stack:

            def opened(rules: str) -> Reasoner:
                description = Description.from_text(rules)
                try:
                    reasoner = open_reasoner(
                        description, kind=self.kind, time_limit=1.5, memory_limit=1 << 30
                    )
                except ReasonerError as error:
                    pytest.skip(f"cannot be grounded: {error}")
                return stack.enter_context(reasoner)

            yield opened
