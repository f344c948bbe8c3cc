"""Tables that are enumerated in the background, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.reasoner.compiled import Cache
from ggp.search import LeafValueTable
from ggp.search.leaf_values import Enumeration, enumeration

PIRATES = Description.load("pirates")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))


@pytest.mark.long
def test_a_table_is_found_once_and_then_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with Enumeration(PIRATES) as first:
        assert first.table == LeafValueTable.of(PIRATES)
        assert first.wait(60)
        assert first.table.level == 2
    monkeypatch.setattr(enumeration, "Worker", None)  # a process cannot be started any more
    with Enumeration(PIRATES) as second:
        assert second.wait(60)
        assert second.table == first.table


def test_one_process_enumerates_at_a_time() -> None:
    with Cache().lock("leaf-values", deadline=Deadline()), Enumeration(PIRATES) as waiting:
        assert not waiting.wait(0.3)
        assert waiting.table.level == 1
    assert waiting.is_over
    assert waiting.table.level == 1  # it was closed before its turn came
