"""Dots and boxes: the lines drawn, the boxes of each player, the player to move."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, in_turn, the_move, win_lose_draw

HORIZONTAL = ["ab", "fg", "kl"]
VERTICAL = ["cde", "hij"]
BOXES = [
    {HORIZONTAL[y][x], HORIZONTAL[y + 1][x], VERTICAL[y][x], VERTICAL[y][x + 1]}
    for x in range(2)
    for y in range(2)
]


class Paper(NamedTuple):
    drawn: frozenset[str]
    boxes: tuple[int, int]
    player: int


def full_boxes(drawn: frozenset[str]) -> int:
    return sum(box <= drawn for box in BOXES)


class DotsAndBoxes(Referee[Paper]):
    start = Paper(frozenset(), (0, 0), 0)

    def moves(self, state: Paper) -> Moves:
        return in_turn(
            state.player, [f"(draw {c})" for c in "abcdefghijkl" if c not in state.drawn]
        )

    def after(self, state: Paper, joint_move: tuple[str, ...]) -> Paper:
        drawn = state.drawn | {the_move(joint_move)[-2]}
        gained = full_boxes(drawn) - full_boxes(state.drawn)
        first, second = state.boxes
        if state.player == 0:
            first += gained
        else:
            second += gained
        return Paper(drawn, (first, second), state.player if gained else 1 - state.player)

    def is_over(self, state: Paper) -> bool:
        return len(state.drawn) == 12

    def goals(self, state: Paper) -> tuple[int, ...]:
        return win_lose_draw(*state.boxes)


referee = DotsAndBoxes()
