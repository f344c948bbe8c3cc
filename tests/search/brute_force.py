"""What a game is worth, found without anything of the library: plain recursion over all paths."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

from tests.search.tree_game import Spot, TreeGame, joint_moves

Estimate = Callable[[int, int], float]


def mean(values: list[float]) -> float:
    return values[0] if len(values) == 1 else sum(values) / len(values)


def score(spot: Spot, role: int) -> float:
    goal = spot.goals[role]
    return 0 if goal is None else goal


def chance_of(game: TreeGame) -> int | None:
    return game.roles.index("random") if "random" in game.roles else None


def minimax_moves(
    game: TreeGame,
    number: int,
    role: int,
    depth: float = inf,
    estimate: Estimate | None = None,
) -> list[float]:
    """What each of the role's moves is worth to it."""
    spot, chance = game.spots[number], chance_of(game)
    outcomes: dict[tuple[int, ...], list[float]] = {}
    for joint, child in zip(joint_moves(spot), spot.children, strict=True):
        key = tuple(move for i, move in enumerate(joint) if i != chance)
        value = minimax(game, child, role, depth - 1, estimate)
        outcomes.setdefault(key, []).append(value)
    place = role - (chance is not None and chance < role)
    worths = [inf] * spot.choices[role]
    for key, values in outcomes.items():
        worths[key[place]] = min(worths[key[place]], mean(values))
    return worths


def minimax(
    game: TreeGame,
    number: int,
    role: int,
    depth: float = inf,
    estimate: Estimate | None = None,
) -> float:
    spot = game.spots[number]
    if not spot.children:
        return score(spot, role)
    if depth <= 0:
        assert estimate is not None
        return estimate(number, role)
    return max(minimax_moves(game, number, role, depth, estimate))


def maxn(
    game: TreeGame, number: int, first: int
) -> tuple[tuple[float | Fraction, ...], tuple[int, ...]]:
    """The vector, and the joint move that leads to it (chance's part left at 0)."""
    spot = game.spots[number]
    if not spot.children:
        return tuple(score(spot, i) for i in range(len(game.roles))), ()
    chance = chance_of(game)
    order = [first, *(i for i in range(len(game.roles)) if i not in (first, chance))]
    children = dict(zip(joint_moves(spot), spot.children, strict=True))

    def choose(chosen: dict[int, int]) -> tuple[tuple[float | Fraction, ...], tuple[int, ...]]:
        if len(chosen) < len(order):
            role = order[len(chosen)]
            options = [choose({**chosen, role: i}) for i in range(spot.choices[role])]
            best = max(option[0][role] for option in options)
            return next(option for option in options if option[0][role] == best)
        lots = range(1 if chance is None else spot.choices[chance])
        joints = [tuple(chosen.get(i, lot) for i in range(len(game.roles))) for lot in lots]
        vectors = [maxn(game, children[joint], first)[0] for joint in joints]
        if len(vectors) == 1:
            return vectors[0], joints[0]
        # In fractions: a mean that is rounded differs from one that is not, and breaks a tie.
        sums = (sum(Fraction(v[i]) for v in vectors) for i in range(len(game.roles)))
        return tuple(total / len(lots) for total in sums), joints[0]

    return choose({})


def endless_minimax(game: TreeGame, role: int) -> list[float]:
    """What each spot is worth if play may go round: nothing for a play that never ends."""
    values = [0.0 if spot.children else score(spot, role) for spot in game.spots]
    while True:
        updated = list(values)
        for number, spot in enumerate(game.spots):
            if spot.children:
                worths = [inf] * spot.choices[role]
                for joint, child in zip(joint_moves(spot), spot.children, strict=True):
                    worths[joint[role]] = min(worths[joint[role]], values[child])
                updated[number] = max(worths)
        if updated == values:
            return values
        values = updated
