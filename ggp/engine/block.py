"""A block of the arena by names: in which row something stands, and what is true in a lane.

`Game.rows` says where the rows are. A row has `words` words; a block and a lane are
those that `lane_of` returns, which has added the word of the lane to the block. A row is the place
of a word in the arena, and the next row stands `words` further on.
"""

from __future__ import annotations

import numpy as np

from ggp.engine.layout import Game
from ggp.native.numba_support import Words, inlined

__all__ = [
    "bad_goal_row",
    "bit",
    "fact_row",
    "goal_of",
    "goal_row",
    "is_terminal",
    "is_true",
    "lane_of",
    "legal_row",
    "terminal_row",
]


@inlined
def lane_of(game: Game, base: int, child: int) -> tuple[int, np.uint64]:
    """Return the block and the lane of a child, where the blocks of all children begin at `base`.

    To the block is added the word in which its lane is.
    """
    numbers = game.numbers
    group, word = child >> numbers.shift, (child >> 6) & (numbers.words - 1)
    return base + group * numbers.block + word, np.uint64(child & 63)


# Rows


@inlined
def fact_row(game: Game, block: int, fact: int) -> int:
    """Return the row of a fact."""
    return block + (game.rows.first_fact + fact) * game.numbers.words


@inlined
def legal_row(game: Game, block: int, move: int) -> int:
    """Return the row that says where a move is legal."""
    return block + (game.rows.first_move + move) * game.numbers.words


@inlined
def terminal_row(game: Game, block: int) -> int:
    """Return the row that says where the game is over."""
    return block + game.rows.terminal * game.numbers.words


@inlined
def goal_row(game: Game, block: int, goal: int) -> int:
    """Return the row of a goal, which has this number among those of all roles."""
    return block + (game.rows.first_goal + goal) * game.numbers.words


@inlined
def bad_goal_row(game: Game, block: int, role: int) -> int:
    """Return the row that says where the goals of a role break the rules of GDL."""
    return block + (game.rows.first_bad_goal + role) * game.numbers.words


# Lanes


@inlined
def bit(arena: Words, row: int, lane: np.uint64) -> np.uint64:
    """Return the bit of a lane in a row: 0 or 1."""
    found: np.uint64 = (arena[row] >> lane) & np.uint64(1)
    return found


@inlined
def is_true(game: Game, arena: Words, block: int, lane: np.uint64, fact: int) -> bool:
    """Return whether a fact is true in a lane."""
    return bool(bit(arena, fact_row(game, block, fact), lane))


@inlined
def is_terminal(game: Game, arena: Words, block: int, lane: np.uint64) -> bool:
    """Return whether the game is over in a lane."""
    return bool(bit(arena, terminal_row(game, block), lane))


@inlined
def goal_of(game: Game, arena: Words, block: int, lane: np.uint64, role: int) -> float:
    """Return the goal of a role in a lane; -1 if it has none, or several."""
    held, value = 0, -1.0
    for goal in range(game.first_goal[role], game.first_goal[role + 1]):
        if bit(arena, goal_row(game, block, goal), lane):
            held += 1
            value = float(game.goals[goal])
    if held != 1 or bit(arena, bad_goal_row(game, block, role), lane):
        return -1.0
    return value
