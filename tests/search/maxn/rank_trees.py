"""Max-n trees written as in the literature, and random ones; searched without any reasoner."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias, cast

from ggp.graph import GameGraph, NodeExpansion
from ggp.kif import Symbol, Term
from ggp.search import LeafValue, LeafValueTable, MaxN
from tests.search.every import in_python
from tests.search.tree_game import Spot, TreeGame

Goals: TypeAlias = tuple[int, ...]
Order: TypeAlias = Literal["cyclic", "random", "trick", "simultaneous"]
ORDERS: tuple[Order, ...] = ("cyclic", "random", "trick", "simultaneous")

MOVES = tuple(tuple(Symbol(f"m{i}") for i in range(count)) for count in range(12))


class LightGraph:
    """The part of a `GameGraph` that a search needs, without a cache or a reasoner."""

    root = 0

    def __init__(self, game: TreeGame) -> None:
        self.roles = tuple(map(Symbol, game.roles))
        self._expansions = [
            NodeExpansion(
                not spot.children, spot.goals, tuple(MOVES[n] for n in spot.choices), spot.children
            )
            for spot in game.spots
        ]

    def expansion(self, node: int) -> NodeExpansion:
        return self._expansions[node]

    @contextmanager
    def held(self, node: int) -> Iterator[NodeExpansion]:
        yield self._expansions[node]

    def state(self, node: int) -> int:
        return node

    def facts(self, node: int) -> tuple[Any, ...]:
        return (node,)


@dataclass(frozen=True)
class RankTree:
    """A game with all that a search may know of its leaves."""

    game: TreeGame
    #: What is true of the leaves, and maybe more: goals that no leaf has.
    rows: tuple[Goals, ...]

    @cached_property
    def leaf_values(self) -> LeafValueTable:
        by_role = tuple(tuple(sorted(set(goals))) for goals in zip(*self.rows, strict=True))
        found = sorted(
            (tuple(by_role[i].index(goal) for i, goal in enumerate(row)), row)
            for row in set(self.rows)
        )
        roles = tuple(map(Symbol, self.game.roles))
        rows = tuple(LeafValue(str(goals), goals, ranks) for ranks, goals in found)
        return LeafValueTable(roles, by_role, found=rows)

    @cached_property
    def graph(self) -> GameGraph:
        return cast(GameGraph, LightGraph(self.game))

    @cached_property
    def below(self) -> list[int]:
        """For each spot the rows of the leaves below it, as a set."""
        table = self.leaf_values
        below = [-1] * len(self.game.spots)

        def rows(number: int) -> int:
            if below[number] < 0:
                spot = self.game.spots[number]
                below[number] = 0 if spot.children else table.row_of(table.ranks(spot.goals))
                for child in spot.children:
                    below[number] |= rows(child)
            return below[number]

        rows(0)
        return below

    def search(
        self, search: type[MaxN], *, possible: Sequence[int] | None = None, **options: Any
    ) -> MaxN:
        """Make a search of the game; `possible` says for each spot which rows may follow."""
        made: MaxN = in_python(
            self.graph, search, leaf_values=self.leaf_values, **{"table_size": 0, **options}
        )
        if possible is not None:
            made.estimates_filter = lambda facts: possible[first(facts)]
            if made.filter is not None:
                made.filter = made.estimates_filter
        return made


def first(facts: Iterable[Term]) -> int:
    return cast(int, next(iter(facts)))


def read(text: str, *, rows: Iterable[Goals] = ()) -> RankTree:
    """Read a tree: `P2[(0,1) P1[(1,0)(0,0)]]` is a choice of the second role; leaves are goals.

    `x=` before a choice names it, and `x` later on is the same state again.
    """
    spots: list[Spot] = []
    names: dict[str, int] = {}
    movers: list[tuple[int, int, str]] = []
    children: list[list[int]] = [[]]
    for name, mover, goals, again in re.findall(r"(\w+=)?P(\d+)\[|\(([\d,]+)\)|(\]|\w+)", text):
        if mover:
            movers.append((len(spots), int(mover) - 1, name[:-1]))
            children.append([])
            spots.append(Spot((), ()))
        elif goals:
            children[-1].append(len(spots))
            leaf = tuple(map(int, goals.split(",")))
            spots.append(Spot(leaf, (1,) * len(leaf)))
        elif again == "]":
            number, chooser, called = movers.pop()
            kids = children.pop()
            spots[number] = choice(len(spots[-1].choices), chooser, kids)
            children[-1].append(number)
            names[called] = number
        else:
            children[-1].append(names[again])
    roles = len(spots[0].choices)
    leaves = [cast(Goals, spot.goals) for spot in spots if not spot.children]
    return RankTree(TreeGame(role_names(roles), tuple(spots)), (*leaves, *rows))


def role_names(roles: int) -> tuple[str, ...]:
    return tuple(f"P{i + 1}" for i in range(roles))


def choice(roles: int, mover: int, children: Sequence[int]) -> Spot:
    choices = tuple(len(children) if role == mover else 1 for role in range(roles))
    return Spot((None,) * roles, choices, tuple(children))


def sums_to(total: int, roles: int) -> list[Goals]:
    """All goals from 0 to the total with this sum."""
    every = product(range(total + 1), repeat=roles)
    return [goals for goals in every if sum(goals) == total]


def equal_leaves(*, roles: int, width: int, depth: int) -> RankTree:
    """A full tree, all roles choosing in turn, in which each role gets 1 of a constant sum.

    The states of a ply are one and the same: without a table no search knows the difference.
    """
    inner = [choice(roles, ply % roles, [ply + 1] * width) for ply in range(depth)]
    spots = (*inner, Spot((1,) * roles, (1,) * roles))
    return RankTree(TreeGame(role_names(roles), spots), tuple(sums_to(roles, roles)))


def random_tree(
    seed: int, *, roles: int, order: Order, depth: int, highest: int, shared: bool
) -> RankTree:
    """A random game in which only one role chooses at a time, unless they are simultaneous.

    Args:
        seed: decides the rest.
        roles: how many there are.
        order: who chooses when. In tricks each role chooses once, and then any role leads.
        depth: the longest way to a leaf.
        highest: goals are from 0 to this: small, for many ties.
        shared: states are met again on other ways; else it is a tree.
    """
    generator = random.Random(seed)
    leader = [generator.randrange(roles) for _ in range(depth)]
    constant = generator.random() < 0.4
    spots: list[Spot | None] = []
    layers: list[list[int]] = [[] for _ in range(depth + 1)]

    def goals() -> Goals:
        found = [generator.randint(0, highest) for _ in range(roles)]
        if constant:
            while sum(found) > highest:
                found[generator.choice([i for i in range(roles) if found[i]])] -= 1
            found[generator.randrange(roles)] += highest - sum(found)
        return tuple(found)

    def mover(ply: int) -> int:
        match order:
            case "cyclic":
                return ply % roles
            case "trick":
                return (leader[ply // roles] + ply) % roles
            case _:
                return generator.randrange(roles)

    def grow(ply: int) -> int:
        if shared and layers[ply] and generator.random() < 0.5:
            return generator.choice(layers[ply])
        number = len(spots)
        spots.append(None)
        if ply == depth or (ply > 0 and generator.random() < 0.12):
            spots[number] = Spot(goals(), (1,) * roles)
        else:
            chooser = mover(ply)
            choices = [1] * roles
            choices[chooser] = generator.choice((1, 2, 2, 3))
            if order == "simultaneous" and generator.random() < 0.5:
                choices[generator.randrange(roles)] = 2
            count = 1
            for options in choices:
                count *= options
            kids = tuple(grow(ply + 1) for _ in range(count))
            spots[number] = Spot((None,) * roles, tuple(choices), kids)
        layers[ply].append(number)
        return number

    grow(0)
    made = cast(list[Spot], spots)
    leaves = {cast(Goals, spot.goals) for spot in made if not spot.children}
    extra = {goals() for _ in range(generator.choice((0, 0, 2)))}
    return RankTree(TreeGame(role_names(roles), tuple(made)), tuple(leaves | extra))
