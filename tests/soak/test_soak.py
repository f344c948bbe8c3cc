"""A short soak: a few matches, and each fault about once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.soak.faults import FAULTS
from tests.soak.run import soak

#: Seconds of waiting for a processor after which nothing can be said of the server.
STARVED = 0.3


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_a_server_stands_a_few_matches_and_every_fault() -> None:
    verdict = soak(player="alphabeta", matches=3, seconds=15, faults_at_once=6)
    print("\n".join(verdict.lines()), file=sys.stderr)
    if verdict.records.violations and verdict.starved > STARVED:
        pytest.skip(f"others use the machine: a sleep was {verdict.starved:.2f} s too long")
    assert not verdict.records.violations
    assert verdict.records.matches > 3
    assert len(verdict.records.faults) >= 0.8 * len(FAULTS)  # as there was time for them
