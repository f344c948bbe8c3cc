"""Auction: lots sold, coins left and worth won of red and blue."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, numbers, win_lose_draw


class House(NamedTuple):
    sold: int
    coins: tuple[int, ...]
    worth: tuple[int, ...]


class Auction(Referee[House]):
    start = House(0, (4, 4), (0, 0))

    def moves(self, state: House) -> Moves:
        return tuple([f"(bid {bid})" for bid in range(coins + 1)] for coins in state.coins)

    def after(self, state: House, joint_move: tuple[str, ...]) -> House:
        bids = [numbers(move)[0] for move in joint_move]
        lot = state.sold + 1
        wins = [bid == max(bids) and bids[0] != bids[1] for bid in bids]
        return House(
            lot,
            tuple(c - b if w else c for c, b, w in zip(state.coins, bids, wins, strict=True)),
            tuple(v + lot if w else v for v, w in zip(state.worth, wins, strict=True)),
        )

    def is_over(self, state: House) -> bool:
        return state.sold == 3

    def goals(self, state: House) -> tuple[int, ...]:
        return win_lose_draw(*state.worth)


referee = Auction()
