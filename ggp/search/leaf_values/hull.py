"""The convex hull of the table's rows: what means and estimates of leaves can be worth.

A mean of leaves is no row, but lies in the convex hull of the rows. For upper bounds only its
upper side counts: the vectors that some point of the hull equals or exceeds in every role. That
region is the intersection of half-spaces ``normal . vector <= height`` whose normals have no
negative weight; `docs/leaf-values.md` proves what the classifier makes of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations, compress
from math import gcd
from typing import NamedTuple, TypeAlias

__all__ = ["Hull", "Normal", "facets"]

#: One weight for each role, none of them negative: goals are added up by these.
Normal: TypeAlias = tuple[int, ...]

#: The largest sum of the weights of a facet that is used: with larger ones, the error in a sum of
#: rounded means could be mistaken for a difference of two means.
_MAX_WEIGHT = 100
#: The most facets that are used, and the most rays at once while they are looked for.
_MAX_FACETS, _MAX_RAYS = 32, 256
#: The most rows whose facets are looked for: half a second's work.
_MAX_ROWS = 1000
#: The most roles for which all sums of some roles are used.
_MAX_ROLES = 4


class Hull:
    """The half-spaces around the rows of a table.

    The first normal adds up all goals, one for each role follows, and then those that the linear
    test does not know: sums of some roles, and the facets of the hull.
    """

    def __init__(self, rows: Sequence[tuple[int, ...]], *, are_exact: bool = True) -> None:
        """Find the normals of a table.

        Args:
            rows: the goals of each row, in role order; at least one.
            are_exact: whether these are the rows, and not only one that no row exceeds: that one
                says nothing of sums of some roles.
        """
        self.rows = rows
        roles = len(rows[0])
        normals = [(1,) * roles, *(_sum_of([role], roles) for role in range(roles))]
        if are_exact:
            if roles <= _MAX_ROLES:
                sizes = range(2, roles)
                some = (
                    _sum_of(them, roles) for n in sizes for them in combinations(range(roles), n)
                )
                normals += some
            found = facets(rows) if len(rows) <= _MAX_ROWS else []
            light = [normal for normal in found if sum(normal) <= _MAX_WEIGHT]
            normals += sorted(light, key=lambda normal: (sum(normal), normal))[:_MAX_FACETS]
        # Also for one role, the sum of all is one normal and that of the role another.
        others = dict.fromkeys(normals[1 + roles :]).keys() - normals[: 1 + roles]
        self.normals: tuple[Normal, ...] = (*normals[: 1 + roles], *sorted(others))

    @cached_property
    def row_heights(self) -> list[tuple[int, ...]]:
        """For each of `rows` what each normal makes of it."""
        return [
            tuple(sum(map(int.__mul__, normal, row)) for normal in self.normals)
            for row in self.rows
        ]

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The heights of all rows together, one for each normal."""
        return self._highest(self.row_heights)

    def heights_of(self, rows: int) -> tuple[int, ...]:
        """Return the heights of a set of rows of a table of level 2; 0 for the empty set.

        A play without end gives every role 0, which therefore counts as a row.
        """
        return self._highest(compress(self.row_heights, map(int, reversed(f"{rows:b}"))))

    def _highest(self, rows: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
        return tuple(map(max, zip((0,) * len(self.normals), *rows, strict=True)))


def _sum_of(some: Iterable[int], roles: int) -> Normal:
    """Return the normal that adds up the goals of some roles."""
    return tuple(int(role in some) for role in range(roles))


class _Ray(NamedTuple):
    """A half-space around the points so far, and as bits the constraints that it just meets."""

    normal: Normal
    height: int
    tight: int

    def slack(self, point: Sequence[int]) -> int:
        """Return by how much the point is inside; negative if it is outside."""
        return self.height - sum(map(int.__mul__, self.normal, point))


def facets(points: Iterable[Sequence[int]]) -> list[Normal]:
    """Return the normals of the facets of all that lies below the convex hull of some points.

    The half-spaces that contain the points make a cone, with one constraint for each point and one
    for each weight, which must not be negative; the facets are its extreme rays. (The double
    description method; Motzkin, Raiffa, Thompson and Thrall 1953.)

    Args:
        points: with coordinates of at least 0.

    Returns:
        The normals, as small as they can be; none if there are too many half-spaces on the way.
    """
    ordered = sorted(_maximal(points), key=sum, reverse=True)
    if not ordered:
        return []
    first, *others = ordered
    size = len(first)
    bits = range(size)  # bit i: the weight of role i is 0; bit size + n: point n lies on the plane
    all_zero, on_first = (1 << size) - 1, 1 << size
    rays = [
        *(_Ray(_sum_of([i], size), first[i], all_zero & ~(1 << i) | on_first) for i in bits),
        _Ray((0,) * size, 1, all_zero),
    ]
    for number, point in enumerate(others, size + 1):
        slacks = [ray.slack(point) for ray in rays]
        inside = [(ray, slack) for ray, slack in zip(rays, slacks, strict=True) if slack > 0]
        outside = [(ray, slack) for ray, slack in zip(rays, slacks, strict=True) if slack < 0]
        kept = [
            ray if slack else ray._replace(tight=ray.tight | 1 << number)
            for ray, slack in zip(rays, slacks, strict=True)
            if slack >= 0
        ]
        for one, ahead in inside:
            for other, behind in outside:
                common = one.tight & other.tight
                if _are_adjacent(common, rays, size):
                    kept.append(_between(one, ahead, other, -behind, common | 1 << number))
        rays = kept
        if len(rays) > _MAX_RAYS:
            return []
    return [ray.normal for ray in rays if any(ray.normal)]


def _maximal(points: Iterable[Sequence[int]]) -> list[Sequence[int]]:
    """Return the points that no other one equals or exceeds in every coordinate."""
    found: list[Sequence[int]] = []
    for point in sorted(set(map(tuple, points)), reverse=True):
        if not any(all(map(int.__ge__, other, point)) for other in found):
            found.append(point)
    return found


def _are_adjacent(common: int, rays: Iterable[_Ray], size: int) -> bool:
    """Return whether two rays with these constraints in common span a face of the cone."""
    if common.bit_count() < size - 1:
        return False
    return sum(ray.tight & common == common for ray in rays) == 2


def _between(one: _Ray, ahead: int, other: _Ray, behind: int, tight: int) -> _Ray:
    """Return the half-space between two that has a point on its plane."""
    normal = [behind * a + ahead * b for a, b in zip(one.normal, other.normal, strict=True)]
    height = behind * one.height + ahead * other.height
    divisor = gcd(height, *normal)
    return _Ray(tuple(weight // divisor for weight in normal), height // divisor, tight)
