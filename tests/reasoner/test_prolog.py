from __future__ import annotations

import pytest

from tests.reasoner.conformance import Conformance

pytestmark = pytest.mark.usefixtures("forked")


class TestProlog(Conformance):
    kind = "prolog"
