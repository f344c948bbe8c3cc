"""How many steps a second environments make, in the hands of Python.

`python -m benchmarks.environments [GAME]...` prints JSON, one line for each game: steps in a second
of processor time, in which a program draws one of the legal actions, makes it, and begins anew at
the end.

- `gymnasium`: `RoleEnv`, whose step is a move of the role and what the others do until its next;
- `gymnasium_many`: `RoleVectorEnv`, the same for 512 plays at once;
- `pettingzoo`: `TurnGame`, in which a step is the move of an agent;
- `openspiel`: the rulesheet as a game of OpenSpiel;
- `openspiel_own`: OpenSpiel's own game in C++, where it has the game.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from statistics import median

import click
import numpy as np
import pyspiel

import ggp.adapters.openspiel  # noqa: F401 - registers the game
from ggp.adapters.gymnasium import RoleEnv, RoleVectorEnv
from ggp.adapters.pettingzoo import TurnGame

__all__ = ["measure"]

# Plays of a `RoleVectorEnv`.
_MANY = 512

#: The bundled games that are measured if none are named, and what OpenSpiel calls them.
GAMES = {"connectfour": "connect_four", "tictactoe": "tic_tac_toe", "breakthrough": "breakthrough"}


def measure(name: str, *, seconds: float, rounds: int) -> dict[str, object]:
    """Measure a game; each kind of environment gets a turn of some seconds in every round."""
    kinds: dict[str, Callable[[], Iterator[None]]] = {
        "gymnasium": lambda: _gymnasium(name),
        "gymnasium_many": lambda: _gymnasium_many(name),
        "pettingzoo": lambda: _pettingzoo(name),
        "openspiel": lambda: _openspiel(f"gdl(file={name})"),
    }
    if name in GAMES:
        kinds["openspiel_own"] = lambda: _openspiel(GAMES[name])
    plays = {kind: play() for kind, play in kinds.items()}
    turns = [{kind: _rate(play, seconds) for kind, play in plays.items()} for _ in range(rounds)]
    return {"game": name, **{kind: round(median(turn[kind] for turn in turns)) for kind in kinds}}


def _rate(play: Iterator[None], seconds: float) -> float:
    """Return the steps a second of processor time."""
    next(play)
    done, began = 0, time.process_time()
    while (passed := time.process_time() - began) < seconds or done == 0:
        for _ in range(100):
            next(play)
        done += 100
    return done / passed


def _gymnasium(name: str) -> Iterator[None]:
    env, generator = RoleEnv(name), random.Random(1)
    _, info = env.reset(seed=1)
    while True:
        legal = np.flatnonzero(info["action_mask"])
        *_, ended, cut, info = env.step(int(legal[generator.randrange(len(legal))]))
        if ended or cut:
            _, info = env.reset()
        yield


def _gymnasium_many(name: str) -> Iterator[None]:
    envs, generator = RoleVectorEnv(name, num_envs=_MANY), np.random.default_rng(1)
    _, info = envs.reset(seed=1)
    while True:
        wishes = np.where(info["action_mask"], generator.random(info["action_mask"].shape), -1)
        *_, info = envs.step(wishes.argmax(axis=1))
        yield from repeat(None, _MANY)


def _pettingzoo(name: str) -> Iterator[None]:
    env, generator = TurnGame(name), random.Random(1)
    env.reset(seed=1)
    while True:
        observed, _, ended, cut, _ = env.last()
        if ended or cut:
            env.reset()
            continue
        legal = np.flatnonzero(observed["action_mask"])
        env.step(int(legal[generator.randrange(len(legal))]))
        yield


def _openspiel(name: str) -> Iterator[None]:
    game, generator = pyspiel.load_game(name), random.Random(1)
    state = game.new_initial_state()
    while True:
        legal = state.legal_actions()
        state.apply_action(legal[generator.randrange(len(legal))])
        if state.is_terminal():
            state.returns()
            state = game.new_initial_state()
        yield


@click.command()
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--seconds", type=click.FloatRange(min=0.001), default=0.5, show_default=True,
              help="Length of a turn in a round.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
def main(games: tuple[str, ...], seconds: float, rounds: int) -> None:
    """Print how many steps a second environments make, as JSON."""
    for name in games or GAMES:
        click.echo(json.dumps(measure(name, seconds=seconds, rounds=rounds)))


if __name__ == "__main__":
    main()
