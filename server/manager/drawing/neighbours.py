"""Finds which cells static relations make neighbours, and places the cells accordingly.

The stress layout is our own: that of networkx needs SciPy, and it begins on a circle, from where it
folds a board of 28 hexagons (a stress of 0.041 per pair instead of 0.004).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Key", "are_connected", "hex_shear", "neighbours_of", "place", "staggered"]

#: The name of a cell: a value for each coordinate.
Key: TypeAlias = tuple[str, ...]

_MAX_NODES = 300
#: The share of the rows of a relation that name cells; others may lead beyond the board.
_MOST = 0.6
#: How far points are moved at first, so that no two of them stay in one place.
_JITTER = 0.05
#: The neighbours of a cell on a board, at most: half of them, as two cells share each pair.
_DENSE = 4
#: A board that is taller than this, as a multiple of its width, is turned.
_TALL = 1.4
#: Cells whose heights differ by no more than this are read as one line.
_LINE = 0.3
#: Cells that are nearer to each other hide each other.
_NEAREST = 0.4
_PASSES = 200
#: In a larger group of cells that share a word, not all are neighbours.
_MAX_GROUP = 6

#: The six steps to the neighbours on a board of hexagons whose rows are sheared to one side, and
#: to the other.
_SIX = (
    frozenset({(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}),
    frozenset({(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)}),
)
#: Those in a row that is shifted to the right by half a cell, and in the rows beside it.
_SHIFTED = {(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1)}
_BETWEEN = {(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1)}


def neighbours_of(
    cells: Iterable[Key], tables: Iterable[Sequence[tuple[str, ...]]]
) -> list[frozenset[tuple[Key, Key]]]:
    """Return the pairs of neighbours by each relation, each pair in one direction.

    A relation pairs cells if two or more stretches of its columns hold only cells. A relation with
    two columns, one of which holds cells, pairs those that share the word in the other column, if
    they are few.
    """
    known = frozenset(cells)
    width = len(next(iter(known), ()))
    found = []
    for table in tables:
        starts = list(_stretches(table, known, width))
        groups = [[row[s : s + width] for s in starts] for row in table]
        if width == len(starts) == 1 and len(table[0]) == 2:
            groups = list(_together(table, starts[0]))
        groups = [group for group in groups if known.issuperset(group)]
        pairs = {
            (min(one, other), max(one, other))
            for group in groups
            for one, other in combinations(group, 2)
            if one != other
        }
        if pairs:
            found.append(frozenset(pairs))
    return found


def are_connected(cells: Sequence[Key], relations: Iterable[frozenset[tuple[Key, Key]]]) -> bool:
    """Return whether pairs of neighbours lead from each cell to every other one."""
    number = {cell: n for n, cell in enumerate(cells)}
    pairs = [(number[a], number[b]) for each in relations for a, b in each]
    return _steps(pairs, len(cells)) is not None


def _stretches(
    table: Sequence[tuple[str, ...]], known: frozenset[Key], width: int
) -> Iterator[int]:
    start = 0
    while width and start + width <= len(table[0]):
        if sum(row[start : start + width] in known for row in table) >= _MOST * len(table):
            yield start
            start += width
        else:
            start += 1


def _together(table: Sequence[tuple[str, ...]], column: int) -> Iterator[list[Key]]:
    """Yield the groups of cells that share a word in the other column, if they are few."""
    groups: dict[str, list[Key]] = {}
    for row in table:
        groups.setdefault(row[1 - column], []).append((row[column],))
    yield from (group for group in groups.values() if len(group) <= _MAX_GROUP)


def hex_shear(
    places: Mapping[Key, tuple[int, int]], relations: Iterable[frozenset[tuple[Key, Key]]]
) -> float:
    """Return the shift of each row of a grid to the right, in cells; 0 for squares.

    The cells are hexagons if a relation has exactly the six steps to the neighbours of a hexagon.
    """
    for pairs in relations:
        steps = Counter[tuple[int, int]]()
        for one, other in pairs:
            (x, y), (u, v) = places[one], places[other]
            steps.update([(u - x, v - y), (x - u, y - v)])
        for six, shear in zip(_SIX, (0.5, -0.5), strict=True):
            if steps.keys() == six:
                return shear
    return 0.0


def staggered(
    places: Mapping[Key, tuple[int, int]], relations: Iterable[frozenset[tuple[Key, Key]]]
) -> dict[Key, tuple[float, float]]:
    """Return the places of hexagons whose every other row is shifted by half a cell.

    The steps to the six neighbours differ from row to row then. Columns that are shifted are drawn
    as rows. Empty if no relation has these steps.
    """
    for pairs in relations:
        for along, across in ((0, 1), (1, 0)):
            steps: dict[int, set[tuple[int, int]]] = {0: set(), 1: set()}
            for one, other in pairs:
                for a, b in ((places[one], places[other]), (places[other], places[one])):
                    steps[a[across] % 2].add((b[along] - a[along], b[across] - a[across]))
            for shifted in (0, 1):
                if steps[shifted] == _SHIFTED and steps[1 - shifted] == _BETWEEN:
                    down = 1 if along == 0 else -1
                    return {
                        key: (
                            at[along] + 0.5 * (at[across] % 2 == shifted),
                            float(down * at[across]),
                        )
                        for key, at in places.items()
                    }
    return {}


def place(
    cells: Sequence[Key], relations: Iterable[frozenset[tuple[Key, Key]]]
) -> tuple[dict[Key, tuple[float, float]], frozenset[tuple[Key, Key]]] | None:
    """Place cells so that their distances match the numbers of steps between them.

    The method is stress majorisation (Gansner, Koren and North, "Graph Drawing by Stress
    Majorization", 2004). The smallest relation that
    connects all cells is used, or else the smallest ones that do so together.

    Returns:
        The places, with neighbours about 1 apart, and the pairs that were used; None if the cells
        are not connected or form a row.
    """
    if not 3 <= len(cells) <= _MAX_NODES:
        return None
    number = {cell: n for n, cell in enumerate(cells)}

    def length(pairs: frozenset[tuple[Key, Key]]) -> tuple[int, int]:
        return len(pairs), sum(abs(number[a] - number[b]) for a, b in pairs)

    ordered = sorted(relations, key=length)
    united: list[frozenset[tuple[Key, Key]]] = [
        frozenset().union(*ordered[: n + 1]) for n in range(len(ordered))
    ]
    for taken in (*ordered, *united):
        steps = _steps([(number[a], number[b]) for a, b in taken], len(cells))
        if steps is not None and len(taken) <= _DENSE * len(cells):
            break
    else:
        return None
    degrees = Counter(cell for pair in taken for cell in pair)
    if len(taken) < len(cells) and max(degrees.values()) <= 2:
        return None
    points = _aligned(_majorised(steps), [(number[a], number[b]) for a, b in taken])
    if points is None:
        return None
    return {
        cell: (float(x), float(y)) for cell, (x, y) in zip(cells, points, strict=True)
    }, frozenset(taken)


def _steps(pairs: Sequence[tuple[int, int]], size: int) -> npt.NDArray[np.float64] | None:
    """Return the number of steps between each two cells; None if they are not connected."""
    near: list[list[int]] = [[] for _ in range(size)]
    for one, other in pairs:
        near[one].append(other)
        near[other].append(one)
    steps = np.full((size, size), -1.0)
    for start in range(size):
        steps[start, start] = 0
        queue = deque([start])
        while queue:
            at = queue.popleft()
            for other in near[at]:
                if steps[start, other] < 0:
                    steps[start, other] = steps[start, at] + 1
                    queue.append(other)
    return None if (steps < 0).any() else steps


def _majorised(steps: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points, float64[n, 2], whose distances approximate the steps, float64[n, n]."""
    size = len(steps)
    centring = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-0.5 * centring @ steps**2 @ centring)
    points: npt.NDArray[np.float64] = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    points += np.random.default_rng(0).uniform(-_JITTER, _JITTER, points.shape)
    weights = np.where(steps > 0, 1 / np.maximum(steps, 1) ** 2, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(_PASSES):
        distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)
        ratios = np.where(distances > 1e-9, weights * steps / np.maximum(distances, 1e-9), 0)
        points = inverse @ ((np.diag(ratios.sum(axis=1)) - ratios) @ points)
    return points


def _aligned(
    points: npt.NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> npt.NDArray[np.float64] | None:
    """Scale points so that edges have length 1, and turn them so that edges lie straight.

    Of the ways to do so the one is taken in which the points are read in their order, as far as
    that is possible: from the left to the right, and from the top down.

    Returns None if two points are so near to each other that cells there would overlap.
    """
    edges = np.array([points[b] - points[a] for a, b in pairs])
    lengths = np.linalg.norm(edges, axis=1)
    angles = np.arctan2(edges[:, 1], edges[:, 0])
    # Whether the edges form squares or triangles, by the clearer direction.
    waves = {n: complex(np.mean(np.exp(1j * n * angles))) for n in (4, 6)}
    n = max(waves, key=lambda n: abs(waves[n]))
    turn = -np.angle(waves[n]) / n
    scaled = points / max(1e-6, float(np.median(lengths)))
    apart = np.linalg.norm(scaled[:, None] - scaled[None, :], axis=2)
    nearest = float((apart + 9 * np.eye(len(scaled))).min())
    if nearest <= _NEAREST:
        return None
    scaled *= max(1.0, 0.85 / nearest)
    ways = [
        _wide(_turned(scaled * (1, side), turn * side + 2 * np.pi * k / n))
        for side in (1, -1)
        for k in range(n)
    ]
    return min(ways, key=_unread)


def _turned(points: npt.NDArray[np.float64], angle: float) -> npt.NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    turned: npt.NDArray[np.float64] = points @ np.array([[cosine, sine], [-sine, cosine]])
    return turned


def _wide(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points whose lowest coordinates are 0, turned by a quarter if they are tall."""
    points = points - points.min(axis=0)
    if points[:, 1].max() > _TALL * points[:, 0].max():  # screens are wide
        points = np.column_stack([points[:, 1].max() - points[:, 1], points[:, 0]])
    return points


def _unread(points: npt.NDArray[np.float64]) -> int:
    """Return how many pairs of points are not read in their order."""
    right, up = (points[None, :, axis] - points[:, None, axis] for axis in (0, 1))
    is_after = (up < -_LINE) | ((np.abs(up) <= _LINE) & (right > 0))
    return int(np.triu(~is_after, 1).sum())
