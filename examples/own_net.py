"""A value network of your own: random features, fitted to random playouts by least squares.

python examples/own_net.py connectfour connectfour.npz
ggp match connectfour alphabeta:net=connectfour.npz alphabeta
"""

from __future__ import annotations

import sys

import numpy as np

from ggp import Game
from ggp.search import ValueNet


def main(name: str = "tictactoe", file: str = "own_net.npz", *, hidden: int = 64) -> None:
    """Write the network of a game to a file."""
    generator = np.random.default_rng(1)
    with Game.load(name) as game:
        states, seen = game.init(512), []
        for number in range(2000):  # 512 matches at a time; one that is over begins anew
            seen.append(states[generator.integers(0, 512, 16)])
            states = game.step(states, game.random_moves(states, seed=number), auto_reset=True)
        inputs = np.concatenate([each.observation for each in seen]).astype(np.float64)
        goals = np.concatenate([game.playouts(each, 32, seed=1) for each in seen]) / 100
        weights = generator.normal(0, 0.3, (hidden, inputs.shape[1]))
        bias = np.full(hidden, 0.5)
        units = np.clip(inputs @ weights.T + bias, 0, 1)  # what the search computes
        units = np.column_stack([units, np.ones(len(units))])
        # The search takes the logistic function of the outputs, which is about 1/2 + x/4.
        outputs, *_ = np.linalg.lstsq(units, 4 * (goals - 0.5), rcond=None)
        ValueNet.of_layers(
            game.roles, game.facts,
            weights=weights, bias=bias, outputs=outputs[:-1].T, output_bias=outputs[-1],
        ).save(file)  # fmt: skip
    print(f"the network is in {file}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
