"""Exact linear algebra in small numbers: sums that many points have in common.

Elimination is done modulo a prime, in numpy, and the fractions are reconstructed from remainders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "constant_sums", "independent_columns", "with_fewer_terms"]

Matrix: TypeAlias = NDArray[np.int64]

# Larger coefficients than this are of no use.
_MAX_WEIGHT = 1_000
# How many times another equation is added to an equation.
_FACTORS = (1, -1, 2, -2, 3, -3)
# At most this many numbers are added up to find equations with fewer terms.
_MAX_SUMS = 10**8
# Products of remainders fit into 64 bits.
_PRIME = 2**31 - 1


def independent_columns(matrix: Matrix) -> list[int]:
    """Return the columns that are no linear combination of those before them."""
    return _eliminated(matrix)[1]


def constant_sums(points: Matrix) -> Iterator[tuple[Matrix, int]]:
    """Yield independent weights of the columns, and what all rows come to with these weights.

    Those with large weights are left out.

    >>> [(weights.tolist(), total) for weights, total in constant_sums(np.array([[0, 3], [1, 1]]))]
    [([2, 1], 3)]
    """
    ones = np.ones((len(points), 1), np.int64)
    homogeneous = np.hstack([ones, points])
    reduced, pivots = _eliminated(homogeneous)
    for column in sorted(set(range(homogeneous.shape[1])) - set(pivots)):
        solution = np.zeros(homogeneous.shape[1], np.int64)
        solution[column] = 1
        solution[pivots] = -reduced[: len(pivots), column] % _PRIME
        whole = _integers(solution.tolist())
        if whole is not None and not (homogeneous @ whole).any():
            yield whole[1:], -int(whole[0])


def with_fewer_terms(equations: Matrix) -> Matrix:
    """Return equations that say the same, with as many zeros as pairs of them can make.

    Each row is an equation: the weights, and last what they come to. A solver by clauses can not
    add up equations: what follows from one is seen at once, what follows from the sum of two is
    not. As long as some row has fewer terms with a small multiple of another added, it is added;
    where there are many large equations, that ends early.

    >>> with_fewer_terms(np.array([[1, 1, 1, 1, 2], [1, 1, 0, 1, 1]])).tolist()
    [[0, 0, 1, 0, 1], [1, 1, 0, 1, 1]]
    """
    rows = equations.copy()
    tries = _MAX_SUMS // max(1, rows.size)
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for number, factor in product(range(len(rows)), _FACTORS):
            if (tries := tries - 1) < 0:
                return rows
            sums = rows[number] + factor * rows
            terms = np.count_nonzero(sums[:, :-1], axis=1)
            terms[number] = len(sums[number])
            shortest = int(np.argmin(terms))
            if terms[shortest] < np.count_nonzero(rows[number, :-1]):
                rows[number] = sums[shortest] // np.gcd.reduce(sums[shortest])
                is_shorter = True
    return rows


def _eliminated(matrix: Matrix) -> tuple[Matrix, list[int]]:
    """Return the reduced row echelon form modulo the prime, and the columns of its pivots."""
    rows = matrix % _PRIME
    pivots: list[int] = []
    for column in range(rows.shape[1]):
        top = len(pivots)
        below = np.flatnonzero(rows[top:, column])
        if not len(below):
            continue
        rows[[top, top + below[0]]] = rows[[top + below[0], top]]
        rows[top] = rows[top] * pow(int(rows[top, column]), -1, _PRIME) % _PRIME
        others = np.flatnonzero(rows[:, column])
        others = others[others != top]
        rows[others] = (rows[others] - rows[others, column, None] * rows[top]) % _PRIME
        pivots.append(column)
        if len(pivots) == len(rows):
            break
    return rows, pivots


def _integers(remainders: Sequence[int]) -> Matrix | None:
    """Return a multiple of the rational vector with these remainders, None if it is not small."""
    fractions = list(map(_fraction, remainders))
    scale = lcm(*(denominator for _, denominator in fractions))
    whole = [numerator * (scale // denominator) for numerator, denominator in fractions]
    if max(map(abs, whole)) > _MAX_WEIGHT:
        return None
    return np.array(whole, np.int64)


def _fraction(remainder: int) -> tuple[int, int]:
    """Return the fraction of small numerator and denominator with this remainder (Wang 1981)."""
    bound = int((_PRIME / 2) ** 0.5)
    old, new = (_PRIME, 0), (remainder, 1)
    while new[0] > bound:
        quotient = old[0] // new[0]
        old, new = new, (old[0] - quotient * new[0], old[1] - quotient * new[1])
    numerator, denominator = new
    return (numerator, denominator) if denominator > 0 else (-numerator, -denominator)
