"""The convex hull of the rows: its facets, and what they say of means and estimates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, inf
from operator import le, mul, sub

from hypothesis import assume, given
from hypothesis import strategies as st

from ggp.kif import Symbol
from ggp.search import LeafValue, LeafValueTable
from ggp.search.classifiers import ANY, MeanTest, decisive, is_inside, mean_test
from ggp.search.leaf_values.hull import facets

Point = tuple[int, ...]


def table_of(rows: Sequence[Point]) -> LeafValueTable:
    by_role = tuple(tuple(sorted(set(goals))) for goals in zip(*rows, strict=True))
    found = sorted({(tuple(map(tuple.index, by_role, row)), row) for row in rows})
    values = tuple(LeafValue(str(row), row, ranks) for ranks, row in found)
    roles = tuple(Symbol(f"r{number}") for number in range(len(by_role)))
    return LeafValueTable(roles, by_role, found=values)


@st.composite
def some_rows(draw: st.DrawFn) -> list[Point]:
    roles = draw(st.integers(1, 4))
    return draw(st.lists(st.tuples(*[st.integers(0, 7)] * roles), min_size=1, max_size=7))


def dot(normal: Sequence[int], point: Sequence[int]) -> int:
    return sum(map(int.__mul__, normal, point))


def determinant(rows: Sequence[Sequence[int]]) -> int:
    if not rows:
        return 1
    first, *others = rows
    return sum(
        (-1) ** i * entry * determinant([[*row[:i], *row[i + 1 :]] for row in others])
        for i, entry in enumerate(first)
    )


def planes(points: Sequence[Point]) -> set[Point]:
    """Find the facets by trying every plane through as many points and axes as there are roles."""
    size = len(points[0])
    axes = [tuple(int(i == axis) for i in range(size + 1)) for axis in range(size)]
    found = set()
    for rows in combinations([*((*point, 1) for point in set(points)), *axes], size):
        minors = [
            (-1) ** i * determinant([[*row[:i], *row[i + 1 :]] for row in rows])
            for i in range(size + 1)
        ]
        sign = -1 if min(minors[:-1]) < 0 else 1
        *normal, height = (sign * minor for minor in minors)
        if any(normal) and min(normal) >= 0 and all(dot(normal, p) <= -height for p in points):
            found.add(tuple(weight // gcd(*normal) for weight in normal))
    return found


def test_the_facets_of_a_triangle_that_leans() -> None:
    assert set(facets([(0, 4, 2), (2, 0, 4), (4, 2, 0)])) >= {(1, 1, 1), (1, 2, 0), (0, 1, 2)}


@given(some_rows())
def test_the_facets_are_the_planes_that_bound_the_points(points: list[Point]) -> None:
    assert set(facets(points)) == planes(points)


def test_too_many_half_spaces_are_none() -> None:
    generator = random.Random(1)
    ball = []
    for _ in range(400):
        direction = [abs(generator.gauss(0, 1)) for _ in range(4)]
        length = sum(part * part for part in direction) ** 0.5
        ball.append(tuple(round(10_000 * part / length) for part in direction))
    assert facets(ball) == []
    assert len(table_of(ball).hull.normals) == 1 + 4 + 6 + 4  # the sums of some roles


def test_the_facets_of_a_large_table_are_not_looked_for() -> None:
    leaning = [(0, 3, 0), (3, 0, 0), (1, 1, 1)]
    filling = [(0, 0, 0), *((-number, 0, 0) for number in range(1, 1001))]
    few, many = table_of([*leaning, filling[0]]), table_of([*leaning, *filling])
    assert set(many.hull.normals) < set(few.hull.normals)


def mean_of(rows: Sequence[Point], generator: random.Random) -> tuple[Fraction, ...]:
    weights = [generator.choice((0, 1, 1, 5)) for _ in rows]
    weights[0] += not any(weights)
    columns = zip(*rows, strict=True)
    return tuple(Fraction(dot(weights, column), sum(weights)) for column in columns)


@given(some_rows(), st.integers(0, 2**32), st.sampled_from(["sum", "linear", "lvt"]))
def test_a_mean_inside_the_bounds_is_never_ruled_out(
    rows: list[Point], seed: int, classifier: str
) -> None:
    generator, table = random.Random(seed), table_of(rows)
    test = mean_test(table, classifier)  # type: ignore[arg-type]
    some = generator.randrange(1, table.everything + 1)
    left = [row.goals for number, row in enumerate(table) if some >> number & 1]
    mean = mean_of(left, generator)
    bounds = tuple(generator.choice((-inf, value - Fraction(1, 10**6))) for value in mean)
    assert test.within(some, bounds) == some
    assert test.within(ANY, bounds) == ANY


@given(some_rows(), st.integers(0, 2**32))
def test_the_hull_is_never_weaker_than_the_linear_test(rows: list[Point], seed: int) -> None:
    generator, table = random.Random(seed), table_of(rows)
    some = generator.randrange(table.everything + 1)
    bounds = tuple(generator.choice((-inf, 0, generator.uniform(0, 7))) for _ in rows[0])
    assume(mean_test(table, "lvt").within(some, bounds))
    assert mean_test(table, "linear").within(some, bounds)


@given(some_rows(), st.data())
def test_with_two_bounds_the_hull_decides_exactly(rows: list[Point], data: st.DataObject) -> None:
    assume(len(rows[0]) >= 2)
    table = table_of(rows)
    bounds = [-inf] * len(rows[0])
    one, other = data.draw(st.permutations(range(len(rows[0]))))[:2]
    bounds[one], bounds[other] = data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7)))

    def above(row: Point, role: int) -> float:
        return row[role] - bounds[role]

    # some mean of at most two rows is inside, as any line that meets the open quadrant shows
    inside = any(
        above(a, one) > 0
        and above(b, other) > 0
        and (
            above(a, other) > 0
            or above(b, one) > 0
            or above(a, one) * above(b, other) > above(a, other) * above(b, one)
        )
        for a in rows
        for b in rows
    )
    assert bool(mean_test(table, "lvt").within(ANY, tuple(bounds))) == inside


def test_the_hull_rules_out_what_the_sum_does_not() -> None:
    # both together get 8 only if one of them gets 8: neither 3 each nor more is a mean
    table = table_of([(8, 0), (0, 4), (0, 0)])
    assert mean_test(table, "linear").within(ANY, (4, 2)) == ANY
    assert mean_test(table, "lvt").within(ANY, (4, 2)) == 0
    assert mean_test(table, "lvt").within(ANY, (3, 2)) == ANY


@given(some_rows(), st.integers(0, 2**32))
def test_estimates_are_moved_below_the_hull_and_no_further(rows: list[Point], seed: int) -> None:
    generator, table = random.Random(seed), table_of(rows)
    some = generator.randrange(1, table.everything + 1)
    estimate = tuple(generator.uniform(0, 9) for _ in rows[0])
    moved = MeanTest(table, ()).moved(estimate, some)
    heights = table.hull.heights_of(some)
    sums = [sum(map(mul, normal, moved)) for normal in table.hull.normals]
    assert all(map(le, sums, heights))
    assert all(map(le, moved, estimate))
    if is_inside(estimate, moved):  # it was scaled: some sum is as high as it may be
        assert min(map(sub, heights, sums)) < 1e-9


def test_the_classifier_that_decides() -> None:
    table = table_of([(1, 0), (0, 1)])
    level_1 = LeafValueTable(table.roles, table.goals)
    assert decisive(table, "lvt", at_leaves=False) == "hull"
    assert decisive(level_1, "lvt", at_leaves=False) == "linear"
    assert decisive(table, "lvt", at_leaves=True) == "lvt"
    assert decisive(table, "linear", at_leaves=False) == "linear"
