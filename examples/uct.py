"""UCT (Kocsis and Szepesvari 2006) on batches, for games in which one role moves at a time.

python examples/uct.py breakthrough --seconds 5
"""

import argparse
import time

import numpy as np

from ggp import Game, States

LEAVES, PLAYOUTS = 64, 16  # leaves at a time, and playouts from each


class Node:
    """A state with its moves; of each, the visits and the sum of the results for the mover."""

    def __init__(self, state: States) -> None:
        self.state, self.player = state, int(state.current_player[0])
        self.moves = np.flatnonzero(state.legal_action_mask[0] & ~state.terminated[0])
        self.visits, self.sums = np.full(len(self.moves), 1e-9), np.zeros(len(self.moves))
        self.children: dict[int, Node] = {}


def uct(game: Game, state: States, seconds: float) -> tuple[int, int]:
    """Return the number of the most visited move, and how many playouts were made."""
    root, due = Node(state), time.monotonic() + seconds
    while time.monotonic() < due:
        paths: list[list[tuple[Node, int]]] = [[] for _ in range(LEAVES)]
        for path in paths:
            node: Node | None = root
            while node is not None and len(node.moves):
                spread = np.sqrt(np.log(1 + node.visits.sum()) / node.visits)
                edge = int((node.sums / node.visits + 0.7 * spread).argmax())
                node.visits[edge] += 1  # until its result is known, the visit counts as a loss
                path.append((node, edge))
                node = node.children.get(edge)
        ends = [path[-1] for path in paths]
        parents = game.concatenate(node.state for node, _ in ends)
        leaves = game.step(parents, [node.moves[edge] for node, edge in ends])
        results = game.playouts(leaves, PLAYOUTS) / 100
        for path, leaf, result in zip(paths, leaves, results.tolist(), strict=True):
            parent, last = path[-1]
            parent.children.setdefault(last, Node(leaf))
            for node, edge in path:
                node.sums[edge] += result[node.player]
    return int(root.moves[root.visits.argmax()]), int(root.visits.sum()) * PLAYOUTS


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="connectfour")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    game = Game.load(options.game)
    move, made = uct(game, game.init(), options.seconds)
    print(f"{made / options.seconds:,.0f} playouts a second")
    print("best move:", game.moves[game.init().current_player[0]][move])
