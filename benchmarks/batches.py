"""How fast `ggp.Game` is, beside the machine code beneath it and in a search written in Python.

`python -m benchmarks.batches [GAME]...` prints JSON, one line for each game:

- `kernel`: states that the kernel views and steps, 512 at a time, in a second of processor time;
- `game_steps`: the same by `Game.step`, which also checks the moves, in turns with the kernel;
- `ratio`: of the two, the median of the rounds;
- `with_masks`: states a second where `States.legal` is asked for, too;
- `loop`: states a second of random play: `Game.random_moves`, and `Game.step` with `auto_reset`;
- `no_reset`: the same without `auto_reset`;
- `drawn`: the same as `loop`, but the moves are drawn by `Game.step`, which is given -1;
- `playouts`: random playouts from 512 states by `Game.playouts`, one from each;
- `uct`: playouts that the search in `examples/uct.py` makes, from the initial state.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from statistics import median

import click
import numpy as np

from examples.uct import uct
from ggp.batch import Game, States

__all__ = ["measure"]

#: Bundled games that are measured if none are named.
GAMES = ("breakthrough", "connectfour")
#: States of a call.
BATCH = 512
# Joint moves before the states that are measured: the middle of short games.
_MOVES = 6


def measure(name: str, *, seconds: float, rounds: int) -> dict[str, float | str]:
    """Measure a game; each of them gets a turn of some seconds in every round."""
    with Game.load(name) as game:
        states = game.init(BATCH)
        for seed in range(_MOVES):
            states = game.step(states, game.random_moves(states, seed=seed), auto_reset=True)
        moves, kernel = game.random_moves(states, seed=0), game.reasoner.kernel
        any_moves = np.full_like(moves, -1)

        def by_kernel() -> None:
            kernel.views(states.words)
            kernel.steps(states.words, moves)

        def by_game() -> None:
            game.step(States(game, states.words), moves)

        def with_masks() -> None:
            fresh = States(game, states.words)
            fresh.legal  # noqa: B018 - computes it
            game.step(fresh, moves)

        def loop() -> None:
            fresh = States(game, states.words)
            game.step(fresh, game.random_moves(fresh), auto_reset=True)

        def no_reset() -> None:
            fresh = States(game, states.words)
            game.step(fresh, game.random_moves(fresh))

        def drawn() -> None:
            game.step(States(game, states.words), any_moves, auto_reset=True)

        def played() -> None:
            game.playouts(states)

        works = (by_kernel, by_game, with_masks, played, loop, no_reset, drawn)
        turns = [[_rate(work, seconds) for work in works] for _ in range(rounds)]
        columns = [median(column) for column in zip(*turns, strict=True)]
        _searched(game, seconds)  # loads what is loaded only once
        return {
            "game": name,
            "kernel": columns[0],
            "game_steps": columns[1],
            "ratio": median(turn[1] / turn[0] for turn in turns),
            "with_masks": columns[2],
            "playouts": columns[3],
            "loop": columns[4],
            "no_reset": columns[5],
            "drawn": columns[6],
            "uct": median(_searched(game, seconds) for _ in range(rounds)),
        }


def _rate(work: Callable[[], None], seconds: float) -> float:
    """Return the states a second of processor time that repeated work takes."""
    work()
    done, began = 0, time.thread_time()
    while (passed := time.thread_time() - began) < seconds or done == 0:
        work()
        done += BATCH
    return done / passed


def _searched(game: Game, seconds: float) -> float:
    began = time.thread_time()
    _, made = uct(game, game.init(), seconds)
    return made / (time.thread_time() - began)


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--seconds", type=click.FloatRange(min=0.001), default=0.5, show_default=True,
              help="Length of a turn in a round.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
def main(games: tuple[str, ...], seconds: float, rounds: int) -> None:
    """Print how many states a second a batch interface steps, as JSON."""
    for name in games or GAMES:
        found = measure(name, seconds=seconds, rounds=rounds)
        rounded = {
            key: value if isinstance(value, str) else round(value, 3 if key == "ratio" else None)
            for key, value in found.items()
        }
        click.echo(json.dumps(rounded))


if __name__ == "__main__":
    main()
