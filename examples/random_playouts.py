"""Play at random from Python: what each role gets on average.

python examples/random_playouts.py
"""

from __future__ import annotations

from ggp import Description, open_reasoner

COUNT = 2000


def main() -> None:
    """Play tic-tac-toe at random."""
    with open_reasoner(Description.load("tictactoe")) as reasoner:
        totals = reasoner.playout_totals(reasoner.initial_state(), count=COUNT, seed=1)
        print(f"{totals.playouts} playouts, {totals.steps / totals.playouts:.1f} moves each")
        for role, goals in zip(reasoner.roles, totals.goals, strict=True):
            print(f"{role}: {goals / totals.playouts:.1f}")


if __name__ == "__main__":
    main()
