"""On random games every rule, with every classifier, finds what plain max-n finds.

`make property-test` runs this on 100,000 games or more; PROPERTY_EXAMPLES says how many to a role
count and order of choosing.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ggp.search import BranchAndBound, LastBranch, MaxN, Shallow, Speculative
from tests.search.maxn import unsound
from tests.search.maxn.rank_trees import ORDERS, Order, RankTree, random_tree

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "12"))

RULES = (MaxN, Shallow, BranchAndBound, LastBranch, Speculative, unsound.Deep)
CLASSIFIERS: tuple[dict[str, Any], ...] = (
    {"classifier": "sum"},
    {"classifier": "linear"},
    {"classifier": "linear", "discrete": True},
    {"classifier": "lvt"},
)


def possible(made: RankTree, generator: random.Random) -> list[int]:
    """For each spot the rows of the leaves below it, and some more."""
    rows = len(made.leaf_values)
    noise = (generator.getrandbits(rows) & generator.getrandbits(rows) for _ in made.below)
    return [below | more for below, more in zip(made.below, noise, strict=True)]


@pytest.mark.sample(12)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("roles", [2, 3, 4, 5])
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(
    seed=st.integers(0, 2**64),
    depth=st.integers(1, 6),
    highest=st.integers(1, 4),
    shared=st.booleans(),
)
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
