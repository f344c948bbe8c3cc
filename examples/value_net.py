"""Self-play, a small value network of it, and two searches that use the network.

Needs PyTorch and the extra `ggp[selfplay]`.

python examples/value_net.py tictactoe --matches 200 --folder /tmp/tictactoe
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from ggp import Deadline, Game, GameGraph, Player, State, States, Term
from ggp.gdl.bundled import find_game
from ggp.search import AlphaBeta, TreeSearch
from ggp.selfplay import Plan, load_samples, selfplay


class ValueNet:
    """Estimates from the facts of a state what each role will get, from 0 to 1."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(len(game.facts), 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, len(game.roles)),
            torch.nn.Sigmoid(),
        )

    def __call__(self, states: States) -> NDArray[np.float32]:
        """Return float32[n, roles]."""
        with torch.no_grad():
            values: NDArray[np.float32] = self.layers(_bits(states)).numpy()
        return values

    def train(self, folder: Path, *, epochs: int = 30) -> float:
        """Learn the goals at the end of matches; return the last mean squared error."""
        samples = load_samples(folder, self.game)
        bits = _bits(samples.states)
        goals = torch.from_numpy(np.maximum(samples.goals, 0).astype(np.float32) / 100)
        optimizer, error = torch.optim.Adam(self.layers.parameters(), lr=2e-3), 0.0
        for _ in range(epochs):
            for part in torch.randperm(len(bits)).split(256):
                loss = torch.nn.functional.mse_loss(self.layers(bits[part]), goals[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                error = loss.item()
        return error

    def estimate(self, graph: GameGraph, node: int, role: int) -> float:
        """Estimate a state for a search of `ggp.search`, as a goal."""
        words = np.frombuffer(graph.state(node), np.uint64)[None].copy()
        return 1 + 98 * float(self(States(self.game, words))[0, role])  # never won, never lost


def _bits(states: States) -> torch.Tensor:
    return torch.from_dlpack(states.observation).float()


class AlphaBetaNet(Player):
    """Looks two joint moves ahead by alpha-beta."""

    def __init__(self, net: ValueNet) -> None:
        self.net = net

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the best move that is found."""
        graph = GameGraph(self.context.reasoner)
        search = AlphaBeta(graph, role=self.context.index, evaluation=self.net.estimate)
        move = search.run(graph.node(state), depth=2, deadline=deadline).move
        if move is not None:
            yield move


class MctsNet(AlphaBetaNet):
    """Searches the tree, with the network in the place of random playouts."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the move that is visited most."""
        graph = GameGraph(self.context.reasoner)
        search = TreeSearch(
            graph, role=self.context.index, evaluation=self.net.estimate, exploration=0.1
        )
        move = search.run(graph.node(state), nodes=60, deadline=deadline).move
        if move is not None:
            yield move


def score(game: Game, player: Player, *, matches: int) -> float:
    """Return the mean goal of a player against random moves, as each role in turn."""
    from ggp import PlayerContext

    total, generator = 0.0, random.Random(1)
    for number in range(matches):
        role = number % len(game.roles)
        player.start(PlayerContext(game.roles[role], game.reasoner, 5.0), Deadline.after(5))
        state = game.init()
        while not state.terminated[0]:
            joint = game.random_moves(state, seed=generator.getrandbits(32))
            if state.legal[0, role].sum() > 1:
                *_, move = player.moves(state.words[0].tobytes(), Deadline.after(5))
                joint[0, role] = game.move_number(role, move)
            state = game.step(state, joint)
        total += max(0, int(state.goals[0, role])) / matches
    return total


def main() -> None:
    """Play, learn, and play better."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="tictactoe")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    torch.manual_seed(1)
    folder = options.folder or Path(tempfile.mkdtemp())
    plan = Plan(
        game=options.game, rules=find_game(options.game).read_text(), player="mcts:threads=1",
        matches=options.matches, part=20, start_clock=0.1, play_clock=0.01,
        opening=1, noise=0.2, max_steps=None, seed=1,
    )  # fmt: skip
    made = selfplay(plan, folder)
    print(f"{made.matches} matches are in {folder}")
    with Game.load(options.game) as game:
        net = ValueNet(game)
        print(f"mean squared error: {net.train(folder):.3f}")
        by_chance = float(game.playouts(game.init(), 1000, seed=1).mean())
        print(f"random against random: {by_chance:.0f}")
        for name, player in (("alphabeta", AlphaBetaNet(net)), ("mcts", MctsNet(net))):
            mean = score(game, player, matches=20)
            better = "better than at random" if mean > by_chance + 10 else "no better"
            print(f"{name} with the network against random: {mean:.0f}, {better}")


if __name__ == "__main__":
    main()
