"""A second implementation of the trick-taking games, in plain Python.

It keeps whole tricks and evaluates them when they are full. It shares nothing with the rulesheets
but the names of cards and moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ggp.experiments.cards.deal import Deal
from ggp.experiments.cards.rulesheet import RankEquivalent
from tests.games.referees import Moves, Referee, in_turn, the_move

#: A suit and a place in it, 1 for the ace.
Card = tuple[str, int]


@dataclass(frozen=True, slots=True)
class State:
    hands: tuple[frozenset[Card], ...]
    #: The player who led to the trick on the table, and its cards.
    leader: int
    trick: tuple[Card, ...] = ()
    #: The full tricks: the players who took them, and their cards.
    taken: tuple[tuple[int, frozenset[Card]], ...] = ()

    @property
    def to_play(self) -> int:
        return (self.leader + len(self.trick)) % len(self.hands)


class CardReferee(Referee[State]):
    """Follow suit; with trumps, or none; with a suit that must be broken, or none."""

    def __init__(
        self,
        hands: Sequence[str],
        *,
        evaluation: str,
        trump: str | None = None,
        unbroken: str | None = None,
        rank_equivalent: RankEquivalent = "left",
        bids: Sequence[int] = (),
    ) -> None:
        """Take hands such as "s01 s10 h03"."""
        self.start = State(tuple(frozenset(map(_card, hand.split())) for hand in hands), 0)
        self.evaluation, self.bids = evaluation, tuple(bids)
        self.trump, self.unbroken, self.rank_equivalent = trump, unbroken, rank_equivalent

    def moves(self, state: State) -> Moves:
        player = state.to_play
        cards = self.follow(state, state.hands[player])
        if self.rank_equivalent != "none":
            cards = {card for card in cards if not self.has_better_twin(state, card)}
        moves = (f"(play {suit}{place:02})" for suit, place in cards)
        return in_turn(player, moves, players=len(state.hands))

    def follow(self, state: State, hand: frozenset[Card]) -> set[Card]:
        if state.trick:
            led = state.trick[0][0]
            return {card for card in hand if card[0] == led} or set(hand)
        if self.is_broken(state):
            return set(hand)
        return {card for card in hand if card[0] != self.unbroken} or set(hand)

    def is_broken(self, state: State) -> bool:
        seen = [card for _, cards in state.taken for card in cards] + list(state.trick)
        return self.unbroken is None or any(suit == self.unbroken for suit, _ in seen)

    def has_better_twin(self, state: State, card: Card) -> bool:
        """Whether a higher card of the suit, in the same hand, is equivalent."""
        if self.rank_equivalent == "dealt":
            return self.is_dealt_with_better(state, card)
        counting = set().union(*state.hands)
        if state.trick:
            counting.add(self.winning(state.trick))
        higher = [other for other in counting if other[0] == card[0] and other < card]
        if not higher or max(higher) not in state.hands[state.to_play]:
            return False
        # In Hearts the queen of spades is not equivalent to any other card.
        return self.trump is not None or ("s", 3) not in (card, max(higher))

    def is_dealt_with_better(self, state: State, card: Card) -> bool:
        suit = sorted(other for hand in self.start.hands for other in hand if other[0] == card[0])
        for other in reversed(suit[: suit.index(card)]):
            if other not in self.start.hands[state.to_play]:
                return False
            is_special = self.trump is None and ("s", 3) in (card, other)
            if other in state.hands[state.to_play] and not is_special:
                return True
        return False

    def winning(self, trick: Sequence[Card]) -> Card:
        trumps = [card for card in trick if card[0] == self.trump]
        return min(trumps or [card for card in trick if card[0] == trick[0][0]])

    def after(self, state: State, joint_move: tuple[str, ...]) -> State:
        card = _card(the_move(joint_move)[len("(play ") : -1])
        hands = list(state.hands)
        hands[state.to_play] -= {card}
        trick = (*state.trick, card)
        if len(trick) < len(hands):
            return replace(state, hands=tuple(hands), trick=trick)
        winner = (state.leader + trick.index(self.winning(trick))) % len(hands)
        return State(tuple(hands), winner, (), (*state.taken, (winner, frozenset(trick))))

    def is_over(self, state: State) -> bool:
        return not any(state.hands)

    def goals(self, state: State) -> tuple[int, ...]:
        players = range(len(state.hands))
        if self.trump is None:
            return tuple(self.worth_of_points(state, player) for player in players)
        tricks = [sum(who == player for who, _ in state.taken) for player in players]
        return tuple(self.worth_of_tricks(tricks, player) for player in players)

    def worth_of_tricks(self, tricks: Sequence[int], player: int) -> int:
        size = sum(map(len, self.start.hands)) // len(tricks)
        loss = min(5, 99 // size)
        over = tricks[player] - self.bids[player]
        missed = [n < bid for n, bid in zip(tricks, self.bids, strict=True)]
        fallen = sum(missed) - missed[player]
        always = {
            "mt": tricks[player] * min(10, 100 // size),
            "momb": (2 * fallen + (over >= 0)) * (100 // (2 * len(tricks) - 1)),
            "oh": 100 - loss * abs(over),
        }
        if self.evaluation in always:
            return always[self.evaluation]
        if over < 0:
            return 0
        return {
            "wl": 100,
            "mot": 100 - loss * over,
            "smot": 100 - loss * max(0, over - 1),
            "formula": 50 - over + 3 * fallen,
        }[self.evaluation]

    def worth_of_points(self, state: State, player: int) -> int:
        points = [self.points(state, other) for other in range(len(state.hands))]
        everything = sum(map(self.value, set().union(*self.start.hands)))
        match self.evaluation:
            case "few":
                return 100 - 3 * points[player]
            case "moon" if everything in points:
                return 100 if points[player] == everything else 100 - 3 * everything
            case "moon":
                return 100 - 3 * points[player]
            case "least":
                return 100 if points[player] == min(points) else 0
        raise AssertionError(self.evaluation)

    def points(self, state: State, player: int) -> int:
        return sum(
            self.value(card) for who, cards in state.taken if who == player for card in cards
        )

    def value(self, card: Card) -> int:
        return 13 if card == ("s", 3) else int(card[0] == "h")


def _card(name: str) -> Card:
    return name[0], int(name[1:])


def referee_of(
    deal: Deal, *, evaluation: str, breaking: bool, rank_equivalent: RankEquivalent
) -> CardReferee:
    """Return the referee of a deal that an experiment has made."""
    return CardReferee(
        [" ".join(map(str, hand)) for hand in deal.hands],
        evaluation=evaluation,
        trump=deal.trump,
        unbroken={"spades": "s", "ohhell": None, "hearts": "h"}[deal.game] if breaking else None,
        rank_equivalent=rank_equivalent,
        bids=deal.bids,
    )
