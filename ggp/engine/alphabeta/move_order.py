"""Which moves a search for one role tries first, and where it is among them."""

from __future__ import annotations

import numpy as np

from ggp.engine.alphabeta.layout import (
    ANSWER_TERM,
    AT_ANSWER,
    AT_OWN,
    ORDER,
    OWN_STRIDE,
    OWN_TERM,
    Stack,
)
from ggp.engine.layout import BASE, CHANCE, FACTS, HIGH, KEYS, LISTS, LOW, MOVES, ROLE, ROLES, Game
from ggp.engine.node import goal_of, is_terminal, lane_of
from ggp.engine.transposition_table import work_of
from ggp.reasoner.compiled import inlined, signed

__all__ = ["MANY", "arrange", "remember", "set_terms"]

# What is tried first: what the table names, then what wins at once, last what loses at once. Beyond
# so many moves their order is left as it is.
_NAMED, _AT_ONCE, MANY = 1 << 60, 1 << 50, 512


@inlined
def arrange(game: Game, stack: Stack, frame: int, named: int) -> None:
    """Sort the moves of a frame in which only one role has a choice; the child `named` comes first.

    In the arena, at ORDER, stand for each the number of the child and that of the move.
    """
    numbers, arena, row = game.numbers, stack.arena, stack.frames[frame]
    mover, movers, listed = 0, 0, 0
    for role in range(numbers[ROLES]):
        if stack.turns[frame, 0, role] > 1:
            mover, movers = role, movers + 1
    options, stride = stack.turns[frame, 0, mover], stack.turns[frame, 1, mover]
    if movers != 1 or options > MANY:
        return
    for role in range(mover):
        listed += stack.turns[frame, 0, role]
    order = row[ORDER] = row[BASE] - 2 * options
    # in which lanes the game is over: at once, where there is but one word of them
    ended = ~np.uint64(0)
    if row[KEYS]:
        ended = arena[row[BASE] + 1 + numbers[FACTS] + numbers[MOVES]]
    sign = 1 if mover == numbers[ROLE] else -1
    for option in range(options):
        child, move = option * stride, arena[row[LISTS] + listed + option]
        score = stack.history[signed(move)]
        if (ended >> np.uint64(child & 63)) & np.uint64(1):
            score += _promise(game, stack, row[BASE], child, sign)
        if child == named:
            score = signed(_NAMED)
        place = option
        while place > 0 and stack.scores[place - 1] < score:
            stack.scores[place] = stack.scores[place - 1]
            arena[order + 2 * place] = arena[order + 2 * place - 2]
            arena[order + 2 * place + 1] = arena[order + 2 * place - 1]
            place -= 1
        stack.scores[place] = score
        arena[order + 2 * place], arena[order + 2 * place + 1] = np.uint64(child), move


@inlined
def _promise(game: Game, stack: Stack, base: int, child: int, sign: int) -> int:
    """Return more than nothing for a child that ends the game well for the mover, or less."""
    block, lane = lane_of(game, base, child)
    promise = signed(0)
    if is_terminal(game, stack.arena, block, lane):
        value = max(0.0, goal_of(game, stack.arena, block, lane, game.numbers[ROLE]))
        if value >= game.floats[HIGH]:
            promise = sign * signed(_AT_ONCE)
        elif value <= game.floats[LOW]:
            promise = -sign * signed(_AT_ONCE)
    return promise


@inlined
def set_terms(game: Game, stack: Stack, frame: int) -> None:
    """Set what the own move and the answer at hand add to the number of the child."""
    row = stack.frames[frame]
    if row[ORDER]:
        row[OWN_TERM] = stack.arena[row[ORDER] + 2 * max(row[AT_OWN], row[AT_ANSWER])]
    else:
        row[OWN_TERM] = row[AT_OWN] * row[OWN_STRIDE]
        row[ANSWER_TERM] = _answer_term(game, stack, frame, row[AT_ANSWER])


@inlined
def remember(stack: Stack, frame: int, place: int) -> None:
    """Note that the move at a place cut off what came behind it."""
    row = stack.frames[frame]
    if row[ORDER]:
        move = signed(stack.arena[row[ORDER] + 2 * place + 1])
        work = work_of(stack.frames, stack.counters, frame)
        stack.history[move] += (1 + work) * (1 + work)


@inlined
def _answer_term(game: Game, stack: Stack, frame: int, answer: int) -> int:
    """Return what the others' answer adds to the number of the joint move."""
    numbers, term = game.numbers, 0
    for role in range(numbers[ROLES] - 1, -1, -1):
        count = stack.turns[frame, 0, role]
        if count > 1 and role not in (numbers[ROLE], numbers[CHANCE]):
            term += answer % count * stack.turns[frame, 1, role]
            answer //= count
    return term
