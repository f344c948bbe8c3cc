"""Perft by OpenSpiel: its own games count what ours count.

`python -m benchmarks.arena.openspiel.perft [GAME]...` counts paths by depth in games that have the
same rules here and there, and says whether both agree. The counts of OpenSpiel come from its own
C++ games, so they are a second oracle beside the referees and the Java reference.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from benchmarks.arena.openspiel.games import GAMES, Matched
from benchmarks.arena.openspiel.mirror import require_openspiel
from ggp.gdl import Description
from ggp.perft import Layer, perft
from ggp.reasoner import open_reasoner

__all__ = ["Counts", "by_ggp", "by_openspiel"]


@dataclass(frozen=True, slots=True)
class Counts:
    """What there is at one depth, in actions of OpenSpiel."""

    depth: int
    #: Sequences of actions that lead there.
    paths: int
    #: Those that end the game there, by the goals that they end with, such as "100,0".
    ends: Mapping[str, int]


def by_openspiel(matched: Matched, *, depth: int, most: int) -> list[Counts]:
    """Count by OpenSpiel, up to a depth, or until a depth has more than `most` states."""
    require_openspiel()
    import pyspiel

    layer: dict[tuple[str, int], tuple[Any, int]] = {}
    _add(layer, pyspiel.load_game(matched.openspiel).new_initial_state(), 1)
    found = []
    for d in range(depth + 1):
        ends = Counter[str]()
        following: dict[tuple[str, int], tuple[Any, int]] = {}
        for state, paths in layer.values():
            if state.is_terminal():
                ends[",".join(f"{50 + 50 * value:g}" for value in state.returns())] += paths
            elif d < depth:
                for action in state.legal_actions():
                    _add(following, state.child(action), paths)
                if len(following) > most:
                    break
        found.append(Counts(d, sum(paths for _, paths in layer.values()), dict(ends)))
        if len(following) > most:
            break
        layer = following
    return found


def _add(layer: dict[tuple[str, int], tuple[Any, int]], state: Any, paths: int) -> None:
    key = str(state), state.current_player()
    _, before = layer.get(key, (None, 0))
    layer[key] = state, before + paths


def by_ggp(matched: Matched, *, depth: int) -> list[Counts]:
    """Count by our reasoner, up to a depth."""
    description = Description.load(matched.path)
    with open_reasoner(description) as reasoner:
        layers = perft(description, reasoner, depth=depth * matched.steps).layers
    return [_counts(layer, matched.steps) for layer in layers[:: matched.steps]]


def _counts(layer: Layer, steps: int) -> Counts:
    ends = {goals: paths for goals, (_, paths) in (layer.goals or {}).items()}
    return Counts(layer.d // steps, layer.paths, ends)


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--depth", type=click.IntRange(min=0), default=4, show_default=True)
@click.option("--most", type=click.IntRange(min=1), default=100_000, show_default=True,
              help="States of a depth beyond which no deeper one is counted.")  # fmt: skip
def main(games: tuple[str, ...], depth: int, most: int) -> None:
    """Print the counts of each game as JSON; the exit code is 1 if any of them differ."""
    unknown = sorted(set(games) - GAMES.keys())
    if unknown:
        raise click.UsageError(f"no game {unknown[0]}; there are {', '.join(GAMES)}")
    differ = False
    for game in games or GAMES:
        theirs = by_openspiel(GAMES[game], depth=depth, most=most)
        ours = by_ggp(GAMES[game], depth=len(theirs) - 1)
        differ |= ours != theirs
        report: dict[str, object] = {
            "game": game,
            "agree": ours == theirs,
            "depth": len(theirs) - 1,
        }
        report["counts"] = [asdict(counts) for counts in theirs]
        if ours != theirs:
            report["ours"] = [asdict(counts) for counts in ours]
        click.echo(json.dumps(report))
    sys.exit(differ)


if __name__ == "__main__":
    main()
