"""On random games every rule, with every classifier, finds what plain max-n finds.

`make property-test` runs this on 100,000 games or more; PROPERTY_EXAMPLES says how many to a role
count and order of choosing.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ggp.search import BranchAndBound, LastBranch, Limit, MaxN, SearchResult, Shallow, Speculative
from tests.search.maxn import unsound
from tests.search.maxn.rank_trees import ORDERS, Order, RankTree, random_tree

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "12"))

RULES = (MaxN, Shallow, BranchAndBound, LastBranch, Speculative, unsound.Deep)
CLASSIFIERS: tuple[dict[str, Any], ...] = (
    {"classifier": "sum"},
    {"classifier": "linear"},
    {"classifier": "linear", "discrete": True},
    {"classifier": "hull"},
    {"classifier": "lvt"},
)


def possible(made: RankTree, generator: random.Random) -> list[int]:
    """For each spot the rows of the leaves below it, and some more."""
    rows = len(made.leaf_values)
    noise = (generator.getrandbits(rows) & generator.getrandbits(rows) for _ in made.below)
    return [below | more for below, more in zip(made.below, noise, strict=True)]


def nested(made: RankTree, generator: random.Random) -> list[int]:
    """The same, where no row comes back that was not possible above."""
    own, found = possible(made, generator), dict[int, int]()

    def rows(number: int) -> int:
        if number not in found:
            below = map(rows, made.game.spots[number].children)
            found[number] = reduce(or_, below, own[number])
        return found[number]

    return list(map(rows, range(len(own))))


def on_random_trees(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test on random games of each number of roles and order of choosing."""
    test = given(
        seed=st.integers(0, 2**64),
        depth=st.integers(1, 6),
        highest=st.integers(1, 4),
        shared=st.booleans(),
    )(test)
    test = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )(test)
    for name, values in (("roles", [2, 3, 4, 5]), ("order", ORDERS)):
        test = pytest.mark.parametrize(name, values)(test)
    marked: Callable[..., None] = pytest.mark.sample(6)(test)
    return marked


@on_random_trees
def test_every_rule_and_classifier_finds_what_plain_max_n_finds(
    roles: int, order: Order, seed: int, depth: int, highest: int, shared: bool
) -> None:
    depth = min(depth, 4) if order == "simultaneous" else depth
    made = random_tree(seed, roles=roles, order=order, depth=depth, highest=highest, shared=shared)
    plain = made.search(MaxN, classifier="none").run()
    generator = random.Random(seed)
    filters = possible(made, generator)
    everything = [made.leaf_values.everything] * len(filters)
    for rule in RULES:
        for classifier in CLASSIFIERS:
            rows = generator.choice((filters, everything))
            size = generator.choice((0, 3, 1000))
            search = made.search(rule, possible=rows, table_size=size, **classifier)
            result = search.run()
            assert (result.goals, result.variation) == (plain.goals, plain.variation)
            assert result.exact


@on_random_trees
def test_at_a_horizon_every_rule_and_classifier_finds_what_plain_max_n_finds(
    roles: int, order: Order, seed: int, depth: int, highest: int, shared: bool
) -> None:
    depth = min(depth, 4) if order == "simultaneous" else depth
    made = random_tree(seed, roles=roles, order=order, depth=depth, highest=highest, shared=shared)
    generator = random.Random(seed)
    rows = nested(made, generator) if generator.random() < 0.7 else None
    horizon, is_coarse = generator.randint(1, depth), generator.random() < 0.5

    def evaluation(_graph: object, node: int, role: int) -> float:
        promised = random.Random(f"{seed} {node} {role}").uniform(-1, highest + 1)
        return round(promised) if is_coarse else promised

    def searched(rule: type[MaxN], **options: Any) -> SearchResult:
        search = made.search(rule, possible=rows, evaluation=evaluation, **options)
        return search.run(limit=Limit(depth=horizon))

    plain = searched(MaxN, classifier="none")
    for rule in RULES:
        for classifier in CLASSIFIERS:
            result = searched(rule, table_size=generator.choice((0, 3, 1000)), **classifier)
            assert (result.goals, result.variation) == (plain.goals, plain.variation)
            decided = "hull" if classifier["classifier"] == "lvt" else classifier["classifier"]
            assert result.classifier == decided
