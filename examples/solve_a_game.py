"""Solve a game: its value, the best move, and how the game goes on.

python examples/solve_a_game.py
"""

from __future__ import annotations

from ggp import Description, GameGraph, open_reasoner
from ggp.search import AlphaBeta


def main() -> None:
    """Solve nim with alpha-beta."""
    with open_reasoner(Description.load("nim")) as reasoner:
        result = AlphaBeta(GameGraph(reasoner)).run()
    print(f"{result.roles[result.role]} gets {result.value}", "(proven)" if result.exact else "")
    for joint_move in result.variation:
        print(" ", *joint_move)
    print(f"{result.expanded} states expanded")


if __name__ == "__main__":
    main()
