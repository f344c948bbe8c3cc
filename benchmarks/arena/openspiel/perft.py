"""Perft by OpenSpiel: its own games count what ours count.

`python -m benchmarks.arena.openspiel.perft [GAME]...` counts paths by depth in games that have the
same rules here and there, and says whether both agree. The counts of OpenSpiel come from its own
C++ games, so they are a second oracle beside the referees and the Java reference.

The last depth is not made: its paths are the legal moves of the depth before.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.arena.openspiel.games import GAMES, Matched
from benchmarks.arena.openspiel.mirror import require_openspiel
from ggp import Game, States

__all__ = ["Counts", "by_ggp", "by_openspiel"]

# States whose successors are made at once.
_BATCH = 1 << 14


@dataclass(frozen=True, slots=True)
class Counts:
    """What there is at one depth, in actions of OpenSpiel."""

    depth: int
    #: Sequences of actions that lead there.
    paths: int
    #: Those that end the game there, by the goals that they end with, such as "100,0"; None at the
    #: last depth.
    ends: Mapping[str, int] | None


def by_openspiel(matched: Matched, *, depth: int) -> list[Counts]:
    """Count by OpenSpiel, up to a depth of 1 or more. Raises `PlayerError` if it is missing."""
    require_openspiel()
    import pyspiel

    state = pyspiel.load_game(matched.openspiel).new_initial_state()
    paths, ends = _below(state, depth, {})
    return [Counts(d, paths[d], ends[d] if d < depth else None) for d in range(depth + 1)]


#: By depth: the paths, and those of them that end there, by their goals.
_Below = tuple[list[int], list[Counter[str]]]


def _below(state: Any, depth: int, known: dict[tuple[str, int, int], _Below]) -> _Below:
    """Count from a state of OpenSpiel. `known` are the counts of states that others led to."""
    key = str(state), state.current_player(), depth
    if key in known:
        return known[key]
    paths, ends = [1] + [0] * depth, [Counter[str]() for _ in range(depth)]
    if state.is_terminal():
        ends[0][",".join(f"{50 + 50 * value:g}" for value in state.returns())] = 1
    elif depth == 1:
        paths[1] = len(state.legal_actions())
    else:
        for action in state.legal_actions():
            child = state.child(action)
            if depth == 2 and not child.is_terminal():  # most states: nothing is made of them
                paths[1] += 1
                paths[2] += len(child.legal_actions())
                continue
            child_paths, child_ends = _below(child, depth - 1, known)
            for d in range(1, depth + 1):
                paths[d] += child_paths[d - 1]
            for d in range(1, depth):
                ends[d] += child_ends[d - 1]
    known[key] = paths, ends
    return known[key]


def by_ggp(matched: Matched, *, depth: int) -> list[Counts]:
    """Count by our machine code, up to a depth of 1 or more."""
    with Game.load(matched.path) as game:
        words, paths = game.init().words, np.ones(1, np.int64)
        found = [Counts(0, 1, _ends(game, words, paths))]
        for ply in range(1, depth * matched.steps):
            words, paths = _following(game, words, paths)
            if ply % matched.steps == 0:
                ends = _ends(game, words, paths)
                found.append(Counts(ply // matched.steps, int(paths.sum()), ends))
        last = sum(int(paths[rows].sum()) for _, rows, _ in _moves(game, words))
    return [*found, Counts(depth, last, None)]


def _moves(
    game: Game, words: NDArray[np.uint64]
) -> Iterator[tuple[States, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield, for a batch of states after the other, each legal move, and the row of its state.

    With them comes the state of each move, `States`.
    """
    for begin in range(0, len(words), _BATCH):
        states = States(game, words[begin : begin + _BATCH])
        rows, moves = np.nonzero(states.legal_action_mask & ~states.terminated[:, None])
        yield states[rows], begin + rows, moves


def _following(
    game: Game, words: NDArray[np.uint64], paths: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the distinct states after one more joint move, and how many paths lead to each."""
    made = [(game.step(states, moves).words, rows) for states, rows, moves in _moves(game, words)]
    every = np.concatenate([after for after, _ in made])
    distinct, places = np.unique(every, axis=0, return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, places.ravel(), np.concatenate([paths[rows] for _, rows in made]))
    return distinct, counts


def _ends(game: Game, words: NDArray[np.uint64], paths: NDArray[np.int64]) -> dict[str, int]:
    states, ends = States(game, words), Counter[str]()
    for place in np.flatnonzero(states.terminated):
        ends[",".join(map(str, states.goals[place].tolist()))] += int(paths[place])
    return dict(ends)


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--depth", type=click.IntRange(min=1), default=4, show_default=True)
def main(games: tuple[str, ...], depth: int) -> None:
    """Print the counts of each game as JSON; the exit code is 1 if any of them differ."""
    unknown = sorted(set(games) - GAMES.keys())
    if unknown:
        raise click.UsageError(f"no game {unknown[0]}; there are {', '.join(GAMES)}")
    differ = False
    for game in games or GAMES:
        began = time.process_time()
        theirs = by_openspiel(GAMES[game], depth=depth)
        between = time.process_time()
        ours = by_ggp(GAMES[game], depth=depth)
        differ |= ours != theirs
        report: dict[str, object] = {
            "game": game,
            "agree": ours == theirs,
            "depth": depth,
            "seconds": {
                "openspiel": round(between - began, 2),
                "ggp": round(time.process_time() - between, 2),
            },
            "counts": [asdict(counts) for counts in theirs],
        }
        if ours != theirs:
            report["ours"] = [asdict(counts) for counts in ours]
        click.echo(json.dumps(report))
    sys.exit(differ)


if __name__ == "__main__":
    main()
