"""AlphaZero (Silver et al. 2018) on batches, for games in which one role moves at a time.

    pip install 'ggp[torch]'
    python examples/alphazero.py connectfour --minutes 10 --net connectfour.pt
    ggp match connectfour examples.alphazero.Zero:net=connectfour.pt mcts

All matches of a round are played side by side, so that the network sees a batch of leaves at once.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ggp import Deadline, Game, Player, PlayerContext, State, States, Term

__all__ = ["Net", "Search", "Zero", "self_play", "train"]

Floats = NDArray[np.float32]


class Net(nn.Module):
    """The facts that are true, to a policy of the role that moves and the goals of all roles."""

    def __init__(self, facts: int, actions: int, roles: int, width: int = 256) -> None:
        super().__init__()
        self.sizes = facts, actions, roles, width
        self.body = nn.Sequential(
            nn.Linear(facts, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, roles)

    def forward(self, facts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits of the moves and of each role's share of the highest goal."""
        hidden = self.body(facts.float())
        return self.policy(hidden), self.value(hidden)

    @torch.no_grad()
    def evaluate(self, states: States) -> tuple[Floats, Floats]:
        """Return float32[n, actions], a policy over legal moves, and float32[n, roles], values."""
        policy, value = self(torch.from_dlpack(states.observation))
        illegal = torch.from_numpy(~states.legal_action_mask)
        policy = policy.masked_fill(illegal, -1e9).softmax(1).numpy()
        over = states.terminated[:, None]
        return policy, np.where(over, states.rewards, value.sigmoid().numpy())


class Search:
    """PUCT in n trees at once, each in arrays: a row for each tree, a column for each node."""

    def __init__(self, game: Game, net: Net, roots: States, size: int, noise: float = 0.0) -> None:
        n, self.game, self.net, self.count = len(roots), game, net, 1
        self.trees = np.arange(n)
        self.words = np.zeros((n, size + 1, roots.words.shape[1]), np.uint64)
        self.prior = np.zeros((n, size + 1, game.num_actions), np.float32)
        self.visits, self.sums = np.zeros_like(self.prior), np.zeros_like(self.prior)
        self.child = np.zeros(self.prior.shape, np.int32)  # 0: none, since the root is no child
        self.player = np.zeros((n, size + 1), np.int32)
        self.over = np.zeros((n, size + 1), bool)
        self._add(0, roots)
        if noise:
            legal = roots.legal_action_mask
            drawn = np.random.default_rng().gamma(noise, size=legal.shape) * legal + 1e-9
            self.prior[:, 0] = 0.75 * self.prior[:, 0] + 0.25 * drawn / drawn.sum(1, keepdims=True)
            self.prior[:, 0] *= legal

    def _add(self, number: int, states: States) -> Floats:
        """Add a node to each tree, and return what the network expects there."""
        policy, value = self.net.evaluate(states)
        self.words[:, number], self.prior[:, number] = states.words, policy
        self.player[:, number], self.over[:, number] = states.current_player, states.terminated
        return value

    def run(self) -> None:
        """Walk down each tree once, add a leaf to it, and note its value on the way up."""
        trees, node, path = self.trees, np.zeros(len(self.trees), np.int32), []
        action, going = node, ~self.over[:, 0]
        while going.any():
            visits, prior = self.visits[trees, node], self.prior[trees, node]
            mean = self.sums[trees, node] / np.maximum(visits, 1)
            bonus = 1.5 * prior * np.sqrt(1 + visits.sum(1, keepdims=True)) / (1 + visits)
            best = np.where(prior > 0, mean + bonus, -1.0).argmax(1)
            action = np.where(going, best, action)
            path.append((going, node, action))
            below = self.child[trees, node, action]
            going = going & (below > 0)
            node = np.where(going, below, node)
            going = going & ~self.over[trees, node]
        at = States(self.game, self.words[trees, node])
        moves = self.game.random_moves(at)  # the other roles wait: they have one move each
        live = np.flatnonzero(~self.over[trees, node])
        moves[live, self.player[live, node[live]]] = action[live]
        value = self._add(self.count, self.game.step(at, moves))
        self.child[live, node[live], action[live]] = self.count
        for on, place, chosen in path:
            rows = trees[on]
            self.visits[rows, place[on], chosen[on]] += 1
            self.sums[rows, place[on], chosen[on]] += value[rows, self.player[rows, place[on]]]
        self.count += 1


def self_play(game: Game, net: Net, n: int, visits: int) -> list[NDArray[Any]]:
    """Play n matches; return observations, movers, policies and final goals of their states."""
    chance, states, seen = np.random.default_rng(), game.init(n), []
    running, goals = np.arange(n), np.zeros((n, len(game.roles)), np.float32)
    while len(running):
        search = Search(game, net, states, visits, noise=0.5)
        for _ in range(visits):
            search.run()
        policy = search.visits[:, 0] / search.visits[:, 0].sum(1, keepdims=True)
        seen.append((states.observation, states.current_player, policy, running))
        drawn = (policy.cumsum(1) > chance.random((len(running), 1))).argmax(1)
        # Openings vary; later the best move is played.
        states = game.step(states, drawn if len(seen) <= 10 else policy.argmax(1))
        goals[running[states.terminated]] = states.rewards[states.terminated]
        running, states = running[~states.terminated], states[~states.terminated]
    *samples, rows = (np.concatenate(column) for column in zip(*seen, strict=True))
    return [*samples, goals[rows]]


def train(game: Game, net: Net, minutes: float, n: int = 64, visits: int = 48) -> None:
    """Play against itself and learn from that for some minutes."""
    adam = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-5)
    symmetries, chance = game.symmetries(), np.random.default_rng()
    images = torch.from_numpy(symmetries.moves)
    kept, due, played = deque[list[NDArray[Any]]](maxlen=20), time.monotonic() + 60 * minutes, 0
    while time.monotonic() < due:
        kept.append(self_play(game, net, n, visits))
        columns = (np.concatenate(column) for column in zip(*kept, strict=True))
        observations, movers, policies, goals = map(torch.from_numpy, columns)
        losses = []
        for _ in range(1 + 4 * len(kept[-1][0]) // 256):
            rows = torch.randint(len(goals), (256,))
            image = int(chance.integers(len(symmetries)))  # the same state, turned or mirrored
            policy, value = net(observations[rows][:, symmetries.facts[image]])
            wanted = policies[rows].gather(1, images[image][movers[rows].long()])
            loss = -(wanted * policy.log_softmax(1)).sum(1).mean()
            loss = loss + nn.functional.binary_cross_entropy_with_logits(value, goals[rows])
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
        played += n
        print(f"{played} matches, loss {np.mean(losses):.3f}", flush=True)


class Zero(Player):
    """Plays by the search with a network that `train` has made: `Zero:net=FILE`."""

    def __init__(self, *, net: str) -> None:
        saved = torch.load(net, weights_only=True)
        self.net = Net(*saved["sizes"])
        self.net.load_state_dict(saved["weights"])

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Compile the game into one that is played in arrays."""
        super().start(context, deadline)
        self.game = Game(context.reasoner.description)

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield the most visited move after every visit."""
        me, reasoner = self.context.index, self.context.reasoner
        yield (legal := reasoner.legal_moves(state, self.context.role))[0]
        root = self.game.states([reasoner.facts(state)])
        if len(legal) > 1 and root.current_player[0] == me:
            search = Search(self.game, self.net, root, size=10_000)
            while not deadline.is_over and search.count <= 10_000:
                search.run()
                yield self.game.moves[me][search.visits[0, 0].argmax()]


def main() -> None:
    """Train a network for a game, and write it to a file."""
    parser = argparse.ArgumentParser(description="Learn a game as AlphaZero does.")
    parser.add_argument("game", nargs="?", default="connectfour")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--net", default="zero.pt", help="the file to write")
    options = parser.parse_args()
    game = Game.load(options.game)
    if game.chance is not None or game.init().current_player[0] < 0:
        raise SystemExit("this loop is for games without chance in which one role moves at a time")
    net = Net(len(game.facts), game.num_actions, len(game.roles))
    train(game, net, options.minutes)
    torch.save({"sizes": net.sizes, "weights": net.state_dict()}, options.net)
    print(f"the network is in {options.net}")


if __name__ == "__main__":
    main()
