"""Open-hand Spades for two, searched by code written for it, with knowledge no rulesheet states.

A general search distinguishes two states if any fact differs. The author of a search for one
trick-taking game can use more knowledge: how the remaining tricks can go does not depend on who
took the tricks so far, and a player takes at least none and at most all of the remaining tricks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ggp.experiments.cards.deal import SUITS, Card, Deal
from ggp.experiments.cards.rulesheet import RankEquivalent

__all__ = ["Knowledge", "OpenSpades", "Position"]

#: A set of cards, with a bit for each card that was dealt.
Cards: TypeAlias = int

#: More tricks than there are.
_ENDLESS = 100


class Position(NamedTuple):
    """Everything that determines how the remaining tricks can go."""

    hands: tuple[Cards, Cards]
    #: The player of the next card, 0 or 1.
    player: int
    #: The card on the table, 0 if there is none.
    led: Cards = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The knowledge of the game that a search may use."""

    #: Reuse the result of a position whatever tricks were taken so far.
    forgets_tricks: bool = False
    #: Bound each result by none and all of the remaining tricks.
    bounds_tricks: bool = False


class OpenSpades:
    """A deal of Spades for two with open hands.

    Args:
        deal: the cards.
        breaking: whether spades may not be led until one has been played.
        rank_equivalent: which cards are equivalent, so that only one of them may be played.
        suits: the order in which suits are tried, each from high to low.
    """

    def __init__(
        self,
        deal: Deal,
        *,
        breaking: bool = True,
        rank_equivalent: RankEquivalent = "dealt",
        suits: Sequence[str] = SUITS,
    ) -> None:
        ordered = [card for suit in suits for card in deal.cards if card.suit == suit]
        bits = {card: 1 << place for place, card in enumerate(ordered)}
        self._suits = [[bits[card] for card in ordered if card.suit == suit] for suit in suits]
        self._suit_of = {bit: sum(suit) for suit in self._suits for bit in suit}
        self._trumps = sum(bit for card, bit in bits.items() if card.suit == deal.trump)
        self._dealt = _cards(deal.hands[0], bits), _cards(deal.hands[1], bits)
        self._breaking, self._rank_equivalent = breaking, rank_equivalent
        self.start = Position(self._dealt, 0)

    def after(self, position: Position) -> Iterator[tuple[int, Position]]:
        """Yield, for each card that may be played, the tricks it wins and the position after it.

        The tricks are those that the first player takes with this card: 0 or 1. If no card may be
        played, the hand is over.
        """
        hands, player, led = position
        for card in self._choices(position):
            left = hands[player] ^ card
            following = (left, hands[1]) if player == 0 else (hands[0], left)
            if not led:
                yield 0, Position(following, 1 - player, card)
            else:
                winner = player if self._beats(card, led) else 1 - player
                yield int(winner == 0), Position(following, winner)

    def _choices(self, position: Position) -> Iterator[Cards]:
        hands, player, led = position
        own = hands[player]
        if led:
            allowed = own & self._suit_of[led] or own
        elif self._breaking and (hands[0] | hands[1]) & self._trumps == self._trumps:
            allowed = own & ~self._trumps or own
        else:
            allowed = own
        match self._rank_equivalent:
            case "left":
                separating = hands[1 - player] | led
            case "dealt":
                separating = self._dealt[1 - player]
            case "none":
                separating = -1
        for suit in self._suits:
            is_first = True
            for card in suit:
                is_first |= bool(card & separating)
                if card & allowed and is_first:
                    yield card
                    is_first = False

    def _beats(self, card: Cards, led: Cards) -> bool:
        if card & self._suit_of[led]:
            return card < led
        return bool(card & self._trumps)

    def positions(self) -> int:
        """Return the number of positions with a move, separately for different tricks so far."""
        waiting = [(0, self.start)]
        seen = set(waiting)
        while waiting:
            taken, position = waiting.pop()
            following = {(taken + won, after) for won, after in self.after(position)}
            following = {pair for pair in following if any(pair[1].hands)} - seen
            seen |= following
            waiting += following
        return len(seen)

    def alpha_beta(self, knowledge: Knowledge) -> tuple[int, int]:
        """Return the tricks that the first player gets, and the number of expanded positions.

        The search is fail-soft, with a table of all results.
        """
        search = _AlphaBeta(self, knowledge)
        return search.value(self.start, 0, -_ENDLESS, _ENDLESS), search.expanded


def _cards(hand: Sequence[Card], bits: dict[Card, Cards]) -> Cards:
    return sum(bits[card] for card in hand)


@dataclass(slots=True)
class _Known:
    """The least and the most tricks that the first player still takes from a position."""

    least: int
    most: int


class _AlphaBeta:
    def __init__(self, game: OpenSpades, knowledge: Knowledge) -> None:
        self.expanded = 0
        self._game, self._knows = game, knowledge
        self._table: dict[object, _Known] = {}

    def value(self, position: Position, taken: int, alpha: int, beta: int) -> int:
        """Return the first player's remaining tricks, or a bound on them outside the window."""
        left = max(hand.bit_count() for hand in position.hands)
        if not left:
            return 0
        key = position if self._knows.forgets_tricks else (taken, position)
        known = self._table.get(key)
        if known is None:
            bounds = (0, left) if self._knows.bounds_tricks else (-_ENDLESS, _ENDLESS)
            known = self._table[key] = _Known(*bounds)
        if known.least >= beta or known.least == known.most:
            return known.least
        if known.most <= alpha:
            return known.most
        alpha, beta = max(alpha, known.least), min(beta, known.most)
        best = self._best(position, taken, alpha, beta)
        if best < beta:
            known.most = best
        if best > alpha:
            known.least = best
        return best

    def _best(self, position: Position, taken: int, alpha: int, beta: int) -> int:
        self.expanded += 1
        is_first = position.player == 0
        best = -_ENDLESS if is_first else _ENDLESS
        for won, after in self._game.after(position):
            value = won + self.value(after, taken + won, alpha - won, beta - won)
            if is_first:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best
