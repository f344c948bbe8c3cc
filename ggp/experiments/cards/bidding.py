"""Ways to bid: how many tricks each player announces, by the cards of all or of its own.

Sturtevant (IJCAI 2005) says only that the bids are "pre-determined by a simple
heuristic", and of the players that they bid how many tricks they think they can take.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Any

import click

from ggp.experiments.cards.deal import Card, Deal, high_card_bids

__all__ = [
    "BIDDING",
    "aces_and_kings",
    "bidding_option",
    "every_trump",
    "expected",
    "long_trumps",
    "with_bids",
]

#: Random plays of a hand from which the expected tricks are counted.
_PLAYS = 200
_ACE, _KING = 1, 2


def aces_and_kings(deal: Deal) -> tuple[int, ...]:
    """Return a trick for each ace and each king."""
    return tuple(sum(card.place <= _KING for card in hand) for hand in deal.hands)


def long_trumps(deal: Deal) -> tuple[int, ...]:
    """Return a trick for each ace, each king, and each trump beyond the second of a hand."""
    bids = []
    for hand in deal.hands:
        high = sum(card.place <= _KING for card in hand)
        low = sum(card.suit == deal.trump and card.place > _KING for card in hand)
        trumps = sum(card.suit == deal.trump for card in hand)
        bids.append(high + min(low, max(0, trumps - 2)))
    return tuple(bids)


def every_trump(deal: Deal) -> tuple[int, ...]:
    """Return a trick for each ace, each king, and each trump."""
    return tuple(
        sum(card.place <= _KING or card.suit == deal.trump for card in hand) for hand in deal.hands
    )


@cache
def expected(deal: Deal) -> tuple[int, ...]:
    """Return the tricks that each player takes on average if all play at random, rounded.

    They play by the rules as they are without ``--free-leads``.
    """
    chance = random.Random(f"bids {deal.hands}")
    taken = [_random_play(deal, chance) for _ in range(_PLAYS)]
    return tuple(int(fmean(of_player) + 0.5) for of_player in zip(*taken, strict=True))


def _random_play(deal: Deal, chance: random.Random) -> list[int]:
    """Play a hand at random by the rules, and return the tricks of each player."""
    hands = [list(hand) for hand in deal.hands]
    players, leader = len(hands), 0
    broken = deal.game == "ohhell"  # there, trump may be led at any time
    taken = [0] * players
    while any(hands):
        trick: list[tuple[int, Card]] = []
        for place in range(players):
            player = (leader + place) % players
            hand = hands[player]
            if trick:
                fitting = [card for card in hand if card.suit == trick[0][1].suit]
            else:
                fitting = [card for card in hand if broken or card.suit != deal.trump]
            card = chance.choice(fitting or hand)
            hand.remove(card)
            broken = broken or card.suit == deal.trump
            trick.append((player, card))
        led = trick[0][1].suit
        leader, _ = min(trick, key=lambda played: _strength(played[1], led, deal.trump))
        taken[leader] += 1
    return taken


def _strength(card: Card, led: str, trump: str | None) -> tuple[bool, bool, int]:
    """Return what sorts the cards of a trick, the one that takes it first."""
    return card.suit != trump, card.suit != led, card.place


#: By name, the function that returns the bids of a deal.
BIDDING: dict[str, Callable[[Deal], tuple[int, ...]]] = {
    "high-cards": high_card_bids,
    "aces-kings": aces_and_kings,
    "long-trumps": long_trumps,
    "every-trump": every_trump,
    "expected": expected,
}


def with_bids(deal: Deal, *, bidding: str, offset: int = 0) -> Deal:
    """Return a deal with the bids of a rule, each raised by some tricks, as far as there are any.

    Raises:
        KeyError: there is no such rule.
    """
    bids = (min(deal.tricks, bid + offset) for bid in BIDDING[bidding](deal))
    return replace(deal, bids=tuple(bids))


def bidding_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--bidding``, which selects how players bid."""
    return click.option(
        "--bidding",
        type=click.Choice(list(BIDDING)),
        default="high-cards",
        show_default=True,
        help="A trick for each: ace, king, queen and trump jack; ace and king; the same and trumps "
        "beyond the second; the same and every trump. Or the mean of 200 random plays.",
    )(function)
