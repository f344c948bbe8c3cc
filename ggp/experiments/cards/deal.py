"""Cards, and random deals.

The name of a card is its suit and its place in the suit, counted from the top: s01 is the ace of
spades, s02 the king, s13 the two. The names therefore sort in the order in which the searches of
the literature try cards: suit by suit, high to low.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeAlias, get_args

__all__ = ["GAMES", "ROLES", "SUITS", "Card", "Deal", "Game", "card", "deal", "high_card_bids"]

#: Open-hand Spades, Oh Hell and Hearts.
Game: TypeAlias = Literal["spades", "ohhell", "hearts"]
GAMES: tuple[Game, ...] = get_args(Game)

#: Clubs, diamonds, hearts, spades.
SUITS = "cdhs"
#: In the order in which they play. The first leads to the first trick.
ROLES = ("ann", "bob", "cid", "dan")

_RANKS = range(1, 14)


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """A card of the deck of 52. Cards sort suit by suit, high to low."""

    suit: str
    #: 1 for the ace, 2 for the king, to 13 for the two.
    place: int

    def __str__(self) -> str:
        return f"{self.suit}{self.place:02}"


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards and bids of a game, before the first card is played."""

    game: Game
    #: The cards of each player, sorted.
    hands: tuple[tuple[Card, ...], ...]
    #: The suit that beats the others; none in Hearts.
    trump: str | None = None
    #: The tricks that each player has bid; none in Hearts.
    bids: tuple[int, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The players, in the order in which they play."""
        return ROLES[: len(self.hands)]

    @property
    def tricks(self) -> int:
        """The number of tricks that are played."""
        return len(self.hands[0])

    @property
    def cards(self) -> list[Card]:
        """All cards that were dealt, sorted."""
        return sorted(card for hand in self.hands for card in hand)


def card(name: str) -> Card:
    """Return the card with a name.

    >>> card("s02")
    Card(suit='s', place=2)
    """
    return Card(name[0], int(name[1:]))


def deal(
    game: Game,
    *,
    players: int = 3,
    cards: int = 9,
    seed: int = 1,
    number: int = 1,
    bids: Sequence[int] | None = None,
) -> Deal:
    """Deal at random, from a deck of 52 cards.

    Args:
        game: the game.
        players: the number of players, 2 to 4.
        cards: the number of cards for each player.
        seed: determines a series of deals.
        number: the number of the deal in the series.
        bids: one for each player; None for `high_card_bids`.

    Raises:
        ValueError: there are not that many cards, or players, or a bid is out of range.
    """
    if not 2 <= players <= len(ROLES):
        raise ValueError(f"{players} players; there can be 2 to {len(ROLES)}")
    turned_up = game == "ohhell"
    most = (len(SUITS) * len(_RANKS) - turned_up) // players
    if not 1 <= cards <= most:
        raise ValueError(f"{cards} cards for each of {players} players; there can be 1 to {most}")
    deck = [Card(*pair) for pair in product(SUITS, _RANKS)]
    random.Random(f"{game} {players} {cards} {seed} {number}").shuffle(deck)
    hands = tuple(tuple(sorted(deck[i * cards : (i + 1) * cards])) for i in range(players))
    if game == "hearts":
        if bids is not None:
            raise ValueError("there are no bids in Hearts")
        return Deal(game, hands)
    dealt = Deal(game, hands, deck[-1].suit if turned_up else "s")
    bids = high_card_bids(dealt) if bids is None else tuple(bids)
    if len(bids) != players or not all(0 <= bid <= cards for bid in bids):
        raise ValueError(f"bids {' '.join(map(str, bids))}; one for each player, from 0 to {cards}")
    return replace(dealt, bids=bids)


def high_card_bids(deal: Deal) -> tuple[int, ...]:
    """Return a bid for each player: one trick for each ace, king and queen, and the trump jack.

    With nine cards for each of three players the bids add up to 6.75 tricks on average.
    """
    counts = (
        sum(card.place <= 3 or (card.place == 4 and card.suit == deal.trump) for card in hand)
        for hand in deal.hands
    )
    return tuple(min(count, deal.tricks) for count in counts)
