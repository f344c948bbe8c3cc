"""One picture of several states: what all of them show, and what only some of them do.

An item, a card or a fact that is not in all states has a `share`: how probable it is, below 1.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

__all__ = ["merged"]

#: Scenes as `scene_of` returns them, each with its probability.
_Scenes: TypeAlias = Sequence[tuple[dict[str, Any], float]]

#: The least share that counts as certain: probabilities are sums of floats.
_CERTAIN = 1 - 1e-9
#: The most probable things that a cell, a hand and a form of the table show of those that may be.
_IN_CELL, _IN_HAND, _IN_TABLE = 2, 6, 8


def merged(scenes: _Scenes) -> dict[str, Any]:
    """Return one scene for states of which one is true.

    Args:
        scenes: at least one; the probabilities sum to 1.
    """
    first = scenes[0][0]
    spots = dict.fromkeys(spot for scene, _ in scenes for spot in scene["cells"])
    borders = _shares((scene["borders"], weight) for scene, weight in scenes)
    return {
        "cells": {spot: _cell(spot, scenes) for spot in spots},
        "borders": [border for border, share in borders if share >= _CERTAIN],
        "hands": _hands(scenes),
        "table": _table(scenes) if len(scenes) > 1 else first["table"],
    }


def _cell(spot: str, scenes: _Scenes) -> list[dict[str, Any]]:
    items = _shares((scene["cells"].get(spot, ()), weight) for scene, weight in scenes)
    sure = [item for item, share in items if share >= _CERTAIN]
    maybe = [(item, share) for item, share in items if share < _CERTAIN and not item["blank"]]
    return sure + [_with_share(*each) for each in _best(maybe, _IN_CELL)]


def _hands(scenes: _Scenes) -> list[dict[str, Any]]:
    """Return the hands; `unknown` is how many cards of one are not certain, None if that varies."""
    found: dict[tuple[str, str, bool], list[tuple[list[dict[str, Any]], float]]] = {}
    for scene, weight in scenes:
        for hand in scene["hands"]:
            key = hand["name"], hand["owner"], hand["table"]
            found.setdefault(key, []).append((hand["cards"], weight))
    hands = []
    for (name, owner, is_table), held in found.items():
        cards = _shares(held)
        sure = [card for card, share in cards if share >= _CERTAIN]
        maybe = [each for each in cards if each[1] < _CERTAIN]
        is_everywhere = sum(weight for _, weight in held) >= _CERTAIN
        counts = {len(each) for each, _ in held} if is_everywhere else {-1, 0}
        unknown = counts.pop() - len(sure) if len(counts) == 1 else None
        shown = [_with_share(*each) for each in maybe] if len(maybe) <= _IN_HAND else []
        hands.append(
            {
                "name": name,
                "owner": owner,
                "table": is_table,
                "cards": sure + shown,
                **({"unknown": unknown} if maybe else {}),
            }
        )
    return hands


def _table(scenes: _Scenes) -> list[dict[str, Any]]:
    """Return the facts by form; `shares` has for each row its share, or None if it is certain."""
    rows: dict[str, list[tuple[list[list[str]], float]]] = defaultdict(list)
    more: dict[str, int] = defaultdict(int)
    for scene, weight in scenes:
        for form in scene["table"]:
            rows[form["name"]].append((form["rows"], weight))
            more[form["name"]] = max(more[form["name"]], form["more"])
    table = []
    for name in sorted(rows):
        found = _shares(rows[name])
        sure = [row for row, share in found if share >= _CERTAIN]
        maybe = [each for each in found if each[1] < _CERTAIN]
        shown = _best(maybe, _IN_TABLE)
        table.append(
            {
                "name": name,
                "rows": sure + [row for row, _ in shown],
                "shares": [None] * len(sure) + [round(share, 2) for _, share in shown],
                "more": more[name] + len(maybe) - len(shown),
            }
        )
    return table


def _shares(weighted: Iterable[tuple[Iterable[Any], float]]) -> list[tuple[Any, float]]:
    """Return each thing with the sum of the probabilities of the states that have it."""
    shares: dict[str, float] = {}
    things: dict[str, Any] = {}
    for each, weight in weighted:
        for key, thing in {json.dumps(thing, sort_keys=True): thing for thing in each}.items():
            shares[key] = shares.get(key, 0.0) + weight
            things.setdefault(key, thing)
    return [(things[key], share) for key, share in shares.items()]


def _best(maybe: Sequence[tuple[Any, float]], count: int) -> list[tuple[Any, float]]:
    return sorted(maybe, key=lambda each: -each[1])[:count]


def _with_share(thing: dict[str, Any], share: float) -> dict[str, Any]:
    return {**thing, "share": round(share, 2)}
