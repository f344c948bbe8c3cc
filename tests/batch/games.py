"""Games that the tests of batches open once, with the reference beside them."""

from __future__ import annotations

from functools import cache

from ggp.batch import Game
from ggp.gdl import Description
from ggp.reasoner import open_reasoner
from ggp.reasoner.prolog import PrologReasoner

__all__ = ["load", "reference", "small"]


@cache
def load(name: str) -> Game:
    return Game.load(name)


@cache
def reference(name: str) -> PrologReasoner:
    opened = open_reasoner(Description.load(name), kind="prolog")
    assert isinstance(opened, PrologReasoner)
    return opened


@cache
def small(rules: str) -> Game:
    return Game(Description.from_text(rules))
