"""UCT (Kocsis and Szepesvari 2006) on batches: 64 leaves at a time, 16 playouts from each.

python examples/uct.py breakthrough --seconds 5

It suits games in which one role moves at a time.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from ggp import Game, States

LEAVES, PLAYOUTS = 64, 16


class Node:
    """A state with its moves; of each, the visits and the sum of the results for the mover."""

    def __init__(self, words: NDArray[np.uint64], player: int, moves: NDArray[np.intp]) -> None:
        self.words, self.player, self.moves = words, player, moves
        self.children: list[Node | None] = [None] * len(moves)
        self.visits, self.sums = np.full(len(moves), 1e-9), np.zeros(len(moves))

    def best(self, exploration: float = 0.7) -> int:
        """Return the place of the move with the highest upper confidence bound."""
        spread = np.sqrt(np.log(1.0 + self.visits.sum()) / self.visits)
        return int((self.sums / self.visits + exploration * spread).argmax())


def nodes(states: States) -> list[Node]:
    """Make a node of each state; one that is terminal has no moves."""
    masks = states.legal_action_mask & ~states.terminated[:, None]
    of_each = zip(states.words, states.current_player.tolist(), masks, strict=True)
    return [Node(words, player, np.flatnonzero(mask)) for words, player, mask in of_each]


def uct(game: Game, state: States, seconds: float) -> tuple[int, int]:
    """Return the number of the most visited move, and how many playouts were made."""
    (root,), made, due = nodes(state), 0, time.monotonic() + seconds
    while time.monotonic() < due:
        paths = []
        for _ in range(LEAVES):
            node: Node | None = root
            path: list[tuple[Node, int]] = []
            while node is not None and len(node.moves):
                edge = node.best()
                node.visits[edge] += 1  # until its result is known, the visit counts as a loss
                path.append((node, edge))
                node = node.children[edge]
            paths.append(path)
        parents = States(game, np.array([path[-1][0].words for path in paths]))
        leaves = game.step(parents, [node.moves[edge] for node, edge in (p[-1] for p in paths)])
        means = game.playouts(leaves, PLAYOUTS) / 100
        made += len(paths) * PLAYOUTS
        for path, leaf, mean in zip(paths, nodes(leaves), means.tolist(), strict=True):
            parent, edge = path[-1]
            parent.children[edge] = parent.children[edge] or leaf
            for node, edge in path:
                node.sums[edge] += mean[node.player]
    return int(root.moves[root.visits.argmax()]), made


def main() -> None:
    """Search the initial state of a game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="connectfour")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    game = Game.load(options.game)
    uct(game, game.init(), 0.1)  # loads what is loaded only once
    state, began = game.init(), time.monotonic()
    move, made = uct(game, state, options.seconds)
    print(f"{made / (time.monotonic() - began):,.0f} playouts a second")
    print("best move:", game.moves[int(state.current_player[0])][move])


if __name__ == "__main__":
    main()
