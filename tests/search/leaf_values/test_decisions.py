"""The array of all decisions agrees with the tests that searches ask one by one."""

from __future__ import annotations

from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.kif import Symbol
from ggp.search import LeafValue, LeafValueTable
from ggp.search.classifiers import ANY, LinearTest, TableTest
from ggp.search.leaf_values.decisions import decisions, linear_decisions

#: The ranks of Table 1 of the paper.
TABLE_1 = (
    (0, 0, 2), (0, 2, 1), (0, 4, 0), (0, 3, 0), (2, 0, 1),
    (2, 2, 0), (2, 1, 0), (4, 0, 0), (1, 2, 0), (3, 0, 0),
)  # fmt: skip


def made(rows: tuple[tuple[int, ...], ...]) -> LeafValueTable:
    """A table whose goals are its ranks, and which leaves out none."""
    by_role = tuple(tuple(range(max(column) + 1)) for column in zip(*rows, strict=True))
    roles = tuple(Symbol(f"P{number}") for number in range(len(by_role)))
    found = tuple(LeafValue(str(row), row, row) for row in sorted(set(rows)))
    return LeafValueTable(roles, by_role, found=found)


@given(
    st.integers(2, 3).flatmap(
        lambda roles: st.lists(
            st.tuples(*[st.integers(0, 3)] * roles), min_size=1, max_size=8, unique=True
        )
    )
)
def test_every_entry_is_what_the_tests_decide(rows: list[tuple[int, ...]]) -> None:
    table = made(tuple(rows))
    array, linear = decisions(table), linear_decisions(table)
    by_rows, by_sum = TableTest(table), LinearTest(table, sum_only=True)
    for place in product(*map(range, array.shape)):
        bounds = tuple(each - 1 if each else -inf for each in place)
        assert array[place] == (by_rows.within(table.everything, bounds) == 0)
        assert linear[place] == (by_sum.within(ANY, bounds) == 0)


def test_figure_8_has_four_bounds_that_do_not_prune() -> None:
    pair = ~decisions(made(TABLE_1))[1:, 1:, 0]
    assert {tuple(map(int, place)) for place in zip(*pair.nonzero(), strict=True)} == {
        (0, 0), (0, 1), (1, 0), (1, 1),
    }  # fmt: skip


def test_an_array_that_would_be_too_large_is_refused() -> None:
    ranks = tuple((number, number, number) for number in range(200))
    with pytest.raises(ValueError, match="8,120,601 bound vectors"):
        decisions(made(ranks))
