from __future__ import annotations

from tests.reasoner.conformance import Conformance


class TestProlog(Conformance):
    kind = "prolog"
