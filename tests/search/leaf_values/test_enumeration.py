"""Tables that are enumerated in the background, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.native.cache import Cache
from ggp.reasoner import open_reasoner
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import LeafValueTable
from ggp.search.leaf_values import Enumeration, background, enumeration
from ggp.search.leaf_values.enumeration import Kept
from ggp.search.leaf_values.outcomes import Outcomes

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


def kept() -> LeafValueTable | None:
    found = Kept.find(Cache(), PIRATES)
    return None if found is None else found.table


def test_a_worse_table_never_replaces_a_better_one() -> None:
    loose = LeafValueTable.of(PIRATES)
    looser, complete = replace(loose, may_miss=frozenset({1})), replace(loose, is_complete=True)
    for table, seconds, left in (
        (looser, 2.0, looser),
        (loose, 1.0, looser),  # it took less time
        (loose, 3.0, loose),
        (complete, 0.5, complete),
        (loose, 9.0, complete),
    ):
        Kept(table, seconds).keep(Cache(), PIRATES)
        assert kept() == left


def test_a_short_time_takes_what_was_found_in_a_longer_one() -> None:
    looser = replace(LeafValueTable.of(PIRATES), may_miss=frozenset({1}))
    Kept(looser, 5.0).keep(Cache(), PIRATES)
    assert LeafValueTable.enumerate(PIRATES, time_limit=4.0) == looser
    with Enumeration(PIRATES, time_limit=4.0) as found:
        assert found.wait(60)
        assert found.table == looser


@pytest.mark.sample(1)
@pytest.mark.parametrize("seconds", [0.01, 0.3])
def test_a_loose_table_is_completed_when_there_is_time(seconds: float) -> None:
    first = LeafValueTable.enumerate(PIRATES, time_limit=seconds)
    table = LeafValueTable.enumerate(PIRATES, time_limit=60.0)
    assert table.is_complete
    assert len(table) <= len(first)
    assert LeafValueTable.enumerate(PIRATES, time_limit=seconds) == table == kept()


def test_what_took_more_time_is_used_though_it_is_not_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loose = LeafValueTable.of(PIRATES)
    looser = replace(loose, may_miss=frozenset({1}))

    def enumerated(*_: object, time_limit: float, **__: object) -> Iterator[LeafValueTable]:
        yield loose
        Kept(loose, time_limit).keep(Cache(), PIRATES)

    for module in (background, enumeration):
        monkeypatch.setattr(module, "better_and_better", enumerated)
    Kept(looser, 1.0).keep(Cache(), PIRATES)
    with Enumeration(PIRATES, time_limit=2.0) as found:
        assert found.wait(60)
        assert found.table == loose
    Kept(looser, 3.0).keep(Cache(), PIRATES)
    assert LeafValueTable.enumerate(PIRATES, time_limit=4.0) == loose


def test_a_smaller_limit_of_rows_is_not_kept() -> None:
    table = LeafValueTable.enumerate(PIRATES, time_limit=60.0, max_rows=3)
    assert table.level == 1
    assert kept() is None


def test_time_that_passes_elsewhere_does_not_count() -> None:
    """By a clock that stands still, all is found, however long that takes."""
    with open_reasoner(PIRATES, kind="compiled") as reasoner:
        assert isinstance(reasoner, CompiledReasoner)
        outcomes = Outcomes(reasoner.circuit, due=1e-3, clock=lambda: 0.0)
        table = outcomes.table(max_rows=1000)
        assert table is not None
        assert list(outcomes.links(table))
        assert outcomes.is_complete
        late = Outcomes(reasoner.circuit, due=-1.0, clock=lambda: 0.0)
        assert not late.is_complete
        assert not late.go_on()


def test_what_was_given_up_is_taken_up_again() -> None:
    now = 0.0
    with open_reasoner(PIRATES, kind="compiled") as reasoner:
        assert isinstance(reasoner, CompiledReasoner)
        outcomes = Outcomes(reasoner.circuit, due=-1.0, clock=lambda: now)
        assert not outcomes.is_complete
        now = -2.0
        assert outcomes.go_on()
        assert outcomes.takes_turns()
        assert outcomes.is_complete
