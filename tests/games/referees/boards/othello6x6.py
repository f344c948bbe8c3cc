"""Othello on 6x6: a colour for each square that has a disc, and the player to move."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move, win_lose_draw

Square: TypeAlias = tuple[int, int]

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


class Board(NamedTuple):
    discs: frozenset[tuple[Square, int]]
    player: int


def flips(discs: dict[Square, int], player: int, square: Square) -> list[Square]:
    if square in discs:
        return []
    found = []
    for dx, dy in DIRECTIONS:
        run = []
        x, y = square[0] + dx, square[1] + dy
        while discs.get((x, y)) == 1 - player:
            run.append((x, y))
            x, y = x + dx, y + dy
        if discs.get((x, y)) == player:
            found += run
    return found


def placements(discs: dict[Square, int], player: int) -> list[Square]:
    squares = [(x, y) for x in range(1, 7) for y in range(1, 7)]
    return [square for square in squares if flips(discs, player, square)]


class Othello(Referee[Board]):
    start = Board(frozenset({((3, 3), 1), ((4, 4), 1), ((3, 4), 0), ((4, 3), 0)}), 0)

    def moves(self, state: Board) -> Moves:
        squares = placements(dict(state.discs), state.player)
        return in_turn(state.player, [f"(place {x} {y})" for x, y in squares] or ["pass"])

    def after(self, state: Board, joint_move: tuple[str, ...]) -> Board:
        discs = dict(state.discs)
        move = the_move(joint_move)
        if move != "pass":
            x, y = numbers(move)
            for square in [(x, y), *flips(discs, state.player, (x, y))]:
                discs[square] = state.player
        return Board(frozenset(discs.items()), 1 - state.player)

    def is_over(self, state: Board) -> bool:
        return not any(placements(dict(state.discs), player) for player in (0, 1))

    def goals(self, state: Board) -> tuple[int, ...]:
        owners = [player for _, player in state.discs]
        return win_lose_draw(owners.count(0), owners.count(1))


referee = Othello()
